/* custom_gradient.c - see custom_gradient.h. */
#include "ops/custom_gradient.h"

#include "base/memory.h"
#include "ops/infer.h"

typedef struct custom {
  mf_object object;
  mf_custom_grad_fn fn;
  void *user;
  void (*end_user)(void *user);
} custom;

static void custom_release(mf_object *self) {
  custom *c = (custom *)self;
  if (c->end_user) c->end_user(c->user);
  mf_free(c);
}

static const mf_object_type custom_type = {.name = "CustomGradient", .release = custom_release};

mf_status mf_custom_gradient_new(mf_custom_grad_fn fn, void *user, void (*end_user)(void *user), mf_tensor **out) {
  *out = NULL;
  custom *c = mf_alloc_zero(1, sizeof *c);
  if (!c) {
    if (end_user) end_user(user);
    return mf_fail_oom();
  }
  c->object.type = &custom_type;
  atomic_init(&c->object.count, 1);
  c->fn = fn;
  c->user = user;
  c->end_user = end_user;
  mf_status status = mf_tensor_scalar_object(MF_VARIANT, &c->object, out);
  mf_object_release(&c->object);
  return status;
}

static mf_status custom_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_tensor *holder = mf_attr_tensor(a->attrs, "gradient");
  custom *c = (custom *)mf_object_at(holder, 0);
  return c->fn(ctx, c->user, a->dy, a->n_out, dx, a->n_in);
}

const mf_op_def mf_op_MfCustomGradient = {
    MF_OP_NAME(MfCustomGradient),
    .inputs = "input: Tin",
    .outputs = "output: Tout",
    .attrs = "Tin: list(type) >= 0; Tout: list(type) >= 0; gradient: tensor",
    .flags = MF_OP_PRIVATE,
    .infer = mf_infer_unknown,
    .grad = custom_grad,
    .doc = "Record of a call whose gradient the caller gave; only tapes make it, nothing runs it.",
};
