/* state_optimizer.c - kernels of MfSGD, MfAdam, MfRMSprop: one pass over memory, all variables in one parallel region.
 *
 * Variables are cut into blocks of 4096 elements; the list of all blocks is what the pool shares out. What a block
 * computes does not depend on who computes it.
 */
#include "state_optimizer.h"

#include <math.h>

#include "base/pool.h"
#include "ops/kernel.h"
#include "ops/op_list.h"
#include "tensor/variable.h"

enum { BLOCK = 4096, SLOT_KINDS = 3 };

typedef struct step {
  const mf_call *call;
  int n, kinds;                /* variables; slots a variable */
  int slot_at[SLOT_KINDS];     /* where the loop wants slot kind k */
  mf_dtype type;
  mfi_optimizer_fn fn;
  mfi_optimizer_rates rates;
  mf_tensor *const *own;       /* writable: variables, then the slots kind by kind */
  int64_t *first;              /* [n + 1] number of the first block of each variable */
  int64_t pieces;
} step;

/* ---- hyper-parameters */

static double scalar(const mf_call *c, int i) { return mf_tensor_get_f64(c->in[i], 0); }

/* A value as T holds it. */
static double as(mf_dtype type, double v) { return type == MF_FLOAT32 ? (double)(float)v : v; }

/* lr * sqrt(1 - beta_2^t) / (1 - beta_1^t), every operation in T. Keras casts the betas (and SGD's momentum) from
 * Python numbers by way of float32, so a double variable sees them rounded to float here, but not in 1 - beta. */
static double adam_alpha(const step *s, int at) {
  double t = scalar(s->call, at + 1) + 1, lr = scalar(s->call, at);
  double b1 = as(MF_FLOAT32, scalar(s->call, at + 2)), b2 = as(MF_FLOAT32, scalar(s->call, at + 3));
  if (s->type == MF_FLOAT64) return lr * sqrt(1 - pow(b2, t)) / (1 - pow(b1, t));
  float power_1 = powf((float)b1, (float)t), power_2 = powf((float)b2, (float)t);
  float up = (float)lr * sqrtf(1.0f - power_2);
  return (double)(up / (1.0f - power_1));
}

static const mfi_optimizer_loops *loops_of(mf_dtype type) {
  return type == MF_FLOAT32 ? MFI_ISA_PICK(mfi_optimizer_f32) : MFI_ISA_PICK(mfi_optimizer_f64);
}

static void plan_sgd(step *s, int at) {
  const mfi_optimizer_loops *loops = loops_of(s->type);
  s->rates.lr = as(s->type, scalar(s->call, at));
  s->rates.momentum = as(MF_FLOAT32, scalar(s->call, at + 1));
  s->fn = !s->kinds                                  ? loops->sgd
          : mf_attr_bool(s->call->attrs, "nesterov") ? loops->sgd_nesterov
                                                     : loops->sgd_momentum;
}

static void plan_adam(step *s, int at) {
  const mfi_optimizer_loops *loops = loops_of(s->type);
  s->rates.lr = adam_alpha(s, at);
  s->rates.rest_1 = as(s->type, 1 - scalar(s->call, at + 2));
  s->rates.rest_2 = as(s->type, 1 - scalar(s->call, at + 3));
  s->rates.epsilon = as(s->type, scalar(s->call, at + 4));
  s->fn = s->kinds == 3 ? loops->amsgrad : loops->adam;
}

static void plan_rmsprop(step *s, int at) {
  bool centered = mf_attr_bool(s->call->attrs, "centered"), moving = s->kinds == (centered ? 3 : 2);
  s->rates.lr = as(s->type, scalar(s->call, at));
  s->rates.keep = as(s->type, scalar(s->call, at + 1));
  s->rates.rest_1 = as(s->type, 1 - scalar(s->call, at + 1));
  s->rates.momentum = as(s->type, scalar(s->call, at + 2));
  s->rates.epsilon = as(s->type, scalar(s->call, at + 3));
  if (centered && !moving) s->slot_at[1] = 2;
  s->fn = loops_of(s->type)->rmsprop[moving][centered];
}

/* ---- running */

static void run_block(const step *s, int v, int64_t block) {
  size_t elem = mf_dtype_size(s->type), offset = (size_t)block * BLOCK * elem;
  int64_t count = mf_tensor_count(s->own[v]);
  int gradients_at = s->n * (1 + s->kinds);
  mfi_optimizer_run r = {.var = s->own[v]->data + offset, .grad = s->call->in[gradients_at + v]->data + offset,
                         .n = count - block * BLOCK < BLOCK ? count - block * BLOCK : BLOCK};
  for (int k = 0; k < s->kinds; k++) r.slot[s->slot_at[k]] = s->own[s->n * (1 + k) + v]->data + offset;
  s->fn(&r, &s->rates);
}

static void run_blocks(void *arg, int64_t piece) {
  const step *s = arg;
  int64_t begin, end;
  mf_piece_range(s->first[s->n], s->pieces, 1, piece, &begin, &end);
  int v = 0;
  for (int64_t i = begin; i < end; i++) {
    while (i >= s->first[v + 1]) v++;
    run_block(s, v, i - s->first[v]);
  }
}

static mf_status check_shapes(const step *s, mf_tensor *const *own) {
  for (int i = 0; i < s->n * (1 + s->kinds); i++) {
    const mf_tensor *g = s->call->in[s->n * (1 + s->kinds) + i % s->n];
    char a[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
    if (own[i]->dtype != s->type || !mf_shape_equal(&own[i]->shape, &g->shape))
      return mf_fail(MF_INVALID_ARGUMENT, "%s: input %d is %s %s, its gradient is %s %s", s->call->attrs.op->name, i,
                     mf_dtype_name(mf_tensor_dtype(own[i])), mf_shape_text(&own[i]->shape, a), mf_dtype_name(s->type),
                     mf_shape_text(&g->shape, b));
  }
  return NULL;
}

static mf_status apply_step(void *user, mf_tensor *const *own) {
  step *s = user;
  MF_TRY(check_shapes(s, own));
  s->own = own;
  s->first[0] = 0;
  for (int v = 0; v < s->n; v++) s->first[v + 1] = s->first[v] + (mf_tensor_count(own[v]) + BLOCK - 1) / BLOCK;
  s->pieces = mf_pieces_for(s->first[s->n], BLOCK * 0.5);
  mf_parallel_for(s->pieces, run_blocks, s);
  return NULL;
}

static size_t step_workspace(const mf_call *c) {
  int64_t n = mf_attr_int(c->attrs, "N"), slots = mf_attr_int(c->attrs, "S");
  return (size_t)(n + 1) * sizeof(int64_t) + (size_t)(n + slots) * sizeof(mf_variable *);
}

static mf_status run_step(mf_call *c) {
  step s = {
      .call = c, .n = (int)mf_attr_int(c->attrs, "N"), .type = mf_attr_type(c->attrs, "T"), .slot_at = {0, 1, 2}};
  s.kinds = (int)(mf_attr_int(c->attrs, "S") / s.n);
  s.first = c->workspace;
  mf_variable **vars = (mf_variable **)(void *)(s.first + s.n + 1);
  int handles = s.n * (1 + s.kinds), scalars_at = handles + s.n;
  for (int i = 0; i < handles; i++) MF_TRY(mf_variable_from_handle(c->in[i], c->attrs.op->name, &vars[i]));
  if (c->attrs.op == &mf_op_MfSGD) plan_sgd(&s, scalars_at);
  else if (c->attrs.op == &mf_op_MfAdam) plan_adam(&s, scalars_at);
  else plan_rmsprop(&s, scalars_at);
  return mf_variable_update_many(vars, handles, apply_step, &s);
}

const mf_kernel_def mf_kernels_state_optimizer[] = {
    {.op = &mf_op_MfSGD, .name = "one pass", .device = MF_CPU, .rank = 10, .workspace = step_workspace,
     .run = run_step},
    {.op = &mf_op_MfAdam, .name = "one pass", .device = MF_CPU, .rank = 10, .workspace = step_workspace,
     .run = run_step},
    {.op = &mf_op_MfRMSprop, .name = "one pass", .device = MF_CPU, .rank = 10, .workspace = step_workspace,
     .run = run_step},
    {0}};
