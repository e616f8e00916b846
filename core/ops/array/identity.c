/* identity.c - ops that hand their inputs on: Identity, IdentityN, StopGradient, PreventGradient, EnsureShape. */
#include "ops/array/dims.h"
#include "ops/op_list.h"

static bool identity_value(const mf_node *node, int output, mf_shape *out) {
  return mfi_dims_value(mfi_node_in(node, output), out);
}

static mf_status pass_all_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  for (int i = 0; i < a->n_in; i++)
    if (a->need[i]) mf_b_give(&b, &dx[i], a->dy[i]);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Identity = {
    MF_OP_NAME(Identity),
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .flags = MF_OP_VIEW | MF_OP_PASS_GRAD,
    .infer = mf_infer_same,
    .grad = pass_all_grad,
    .shape_value = identity_value,
    .doc = "The input as it is; shares its memory.",
};

/* ---- IdentityN */

static mf_status identity_n_infer(mf_infer *c) {
  for (int i = 0; i < c->n_in; i++) c->out[i] = *mf_in_shape(c, i);
  return NULL;
}

const mf_op_def mf_op_IdentityN = {
    MF_OP_NAME(IdentityN),
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: list(type) >= 1",
    .flags = MF_OP_VIEW,
    .infer = identity_n_infer,
    .grad = pass_all_grad,
    .shape_value = identity_value,
    .doc = "All inputs as they are.",
};

/* ---- StopGradient, PreventGradient */

const mf_op_def mf_op_StopGradient = {
    MF_OP_NAME(StopGradient),
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .flags = MF_OP_VIEW,
    .infer = mf_infer_same,
    .grad = MF_NOT_DIFFERENTIABLE,
    .shape_value = identity_value,
    .doc = "The input as it is; gradients treat it as a constant.",
};

static mf_status prevent_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  (void)ctx, (void)dx;
  mf_text why = mf_attr_text(a->attrs, "message");
  return mf_fail(MF_FAILED_PRECONDITION, "PreventGradient: Gradient explicitly disabled. Reason: %.*s", (int)why.size,
                 why.bytes);
}

const mf_op_def mf_op_PreventGradient = {
    MF_OP_NAME(PreventGradient),
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type; message: string = ''",
    .flags = MF_OP_VIEW,
    .infer = mf_infer_same,
    .grad = prevent_grad,
    .doc = "The input as it is; asking for a gradient through it is an error that gives message as the reason.",
};

/* ---- EnsureShape */

static mf_status ensure_shape_infer(mf_infer *c) {
  const mf_shape *want = mf_attr_shape(c->attrs, "shape"), *got = mf_in_shape(c, 0);
  if (!mf_shape_compatible(want, got)) {
    char a[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
    return mf_infer_fail(c, "Shape of tensor input %s is not compatible with expected shape %s.",
                         mf_shape_text(got, a), mf_shape_text(want, b));
  }
  return mf_shape_merge(want, got, "EnsureShape", &c->out[0]);
}

const mf_op_def mf_op_EnsureShape = {
    MF_OP_NAME(EnsureShape),
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "shape: shape; T: type",
    .flags = MF_OP_VIEW,
    .infer = ensure_shape_infer,
    .grad = pass_all_grad,
    .doc = "The input as it is; fails when its shape does not fit shape.",
};
