/* optimizer.c - a whole optimizer step as one op: MfSGD, MfAdam, MfRMSprop.
 *
 * Inputs, flat and in this order (N variables of one dtype T; how many slots S there are tells which exist):
 *   variables      N handles
 *   slots          S handles, one kind after the other, each kind in the order of the variables
 *   gradients      N dense tensors of the variables' shapes
 *   learning_rate  scalar, float or double; rounded to T
 *   then per op:
 *   MfSGD      momentum                                 S = 0, or N: momentums
 *   MfAdam     iterations, beta_1, beta_2, epsilon      S = 2 N: momentums, velocities; with amsgrad 3 N: +
 * velocity_hats MfRMSprop  rho, momentum, epsilon                   S = N: velocities; + N momentums when momentum is
 * used;
 *                                                       + N average_gradients with centered
 * Hyper-parameters are double scalars: 1 - beta_1 is computed in double and then rounded to T, as Python does;
 * momentum of SGD and the betas whose powers are taken are rounded to float32 even for double variables, as Keras's
 * ops.cast does. iterations is the number of steps made before this one. Attribute S must be given; N and the types
 * follow from the inputs. The formulas are Keras 3's (keras/src/optimizers), operation by operation.
 */
#include <inttypes.h>

#include "base/memory.h"
#include "ops/array/dims.h"
#include "ops/op_list.h"
#include "ops/state/handle.h"

/* ---- shape rule */

static mf_status check_handle(const mf_infer *c, int i, int gradient) {
  const mf_variable *v = mfi_handle_variable(c->in[i]);
  mf_dtype type = mf_attr_type(c->attrs, "T");
  if (!v) return NULL;
  mf_shape shape = mf_variable_shape(v);
  char a[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
  if (mf_variable_dtype(v) != type)
    return mf_infer_fail(c, "variable '%s' has dtype %s, its gradient %s", mf_variable_name(v),
                         mf_dtype_name(mf_variable_dtype(v)), mf_dtype_name(type));
  if (!mf_shape_compatible(&shape, mf_in_shape(c, gradient)))
    return mf_infer_fail(c, "variable '%s' has shape %s, its gradient %s", mf_variable_name(v),
                         mf_shape_text(&shape, a), mf_shape_text(mf_in_shape(c, gradient), b));
  return NULL;
}

static mf_status step_infer(mf_infer *c) {
  int n = (int)mf_attr_int(c->attrs, "N"), s = (int)mf_attr_int(c->attrs, "S");
  mf_shape scalar;
  if (s % n) return mf_infer_fail(c, "S = %d slots are not a multiple of N = %d variables", s, n);
  for (int i = 0; i < n + s; i++) MF_TRY(check_handle(c, i, n + s + i % n));
  for (int i = n + s + n; i < c->n_in; i++) MF_TRY(mf_infer_rank(c, i, 0, &scalar));
  return NULL;
}

static mf_status slots_fail(const mf_infer *c, const char *expected) {
  return mf_infer_fail(c, "expected %s, received N = %" PRId64 " and S = %" PRId64, expected,
                       mf_attr_int(c->attrs, "N"), mf_attr_int(c->attrs, "S"));
}

static mf_status sgd_infer(mf_infer *c) {
  int64_t n = mf_attr_int(c->attrs, "N"), s = mf_attr_int(c->attrs, "S");
  return s == 0 || s == n ? step_infer(c) : slots_fail(c, "no slots or one a variable");
}

static mf_status adam_infer(mf_infer *c) {
  int64_t n = mf_attr_int(c->attrs, "N"), s = mf_attr_int(c->attrs, "S");
  return s == (mf_attr_bool(c->attrs, "amsgrad") ? 3 : 2) * n
             ? step_infer(c)
             : slots_fail(c, "two slots a variable, with amsgrad three");
}

static mf_status rmsprop_infer(mf_infer *c) {
  int64_t n = mf_attr_int(c->attrs, "N"), s = mf_attr_int(c->attrs, "S"),
          least = mf_attr_bool(c->attrs, "centered") ? 2 : 1;
  return s == least * n || s == (least + 1) * n ? step_infer(c) : slots_fail(c, "one to three slots a variable");
}

/* ---- the same meaning in TensorFlow's ops */

typedef struct lowering {
  mf_builder b;
  mf_dtype type;
  int n, s;
  mf_tensor *const *in;
  mf_tensor *const *scalars;   /* learning_rate and what follows */
} lowering;

static lowering lowering_open(mf_ctx *ctx, mf_attrs attrs, mf_tensor *const *in) {
  lowering l = {.b = mf_builder_open(ctx), .type = mf_attr_type(attrs, "T"), .n = (int)mf_attr_int(attrs, "N"),
                .s = (int)mf_attr_int(attrs, "S"), .in = in};
  l.scalars = in + l.n + l.s + l.n;
  return l;
}

static mf_tensor *rounded(lowering *l, mf_tensor *scalar) {
  return scalar->dtype == l->type ? scalar : mf_b_cast(&l->b, scalar, l->type);
}

/* As Keras casts a Python number: by way of float32. */
static mf_tensor *by_float(lowering *l, mf_tensor *scalar) { return rounded(l, mf_b_cast(&l->b, scalar, MF_FLOAT32)); }

/* 1 - x, computed in double. */
static mf_tensor *rest(lowering *l, mf_tensor *x) {
  return rounded(l, mf_b_sub(&l->b, mf_b_scalar(&l->b, MF_FLOAT64, 1), x));
}

static mf_tensor *variable_of(lowering *l, int i) { return l->in[i]; }
static mf_tensor *slot_of(lowering *l, int kind, int i) { return l->in[l->n * (1 + kind) + i]; }
static mf_tensor *gradient_of(lowering *l, int i) { return l->in[l->n + l->s + i]; }

static mf_tensor *read(lowering *l, mf_tensor *handle) {
  return MF_BA(&l->b, ReadVariableOp, MF_INS(handle), MF_A_TYPE("dtype", l->type));
}

/* Ops without outputs: mf_b_apply would look for one. */
static void assign(lowering *l, const mf_op_def *op, mf_tensor *handle, mf_tensor *value) {
  if (!l->b.status) mf_b_apply_many(&l->b, op, (mf_tensor *[]){handle, value}, 2, NULL, 0, NULL, 0);
}

static mf_status sgd_lower(mf_ctx *ctx, mf_attrs attrs, mf_tensor *const *in, int n_in, mf_tensor **out, int n_out) {
  (void)n_in, (void)out, (void)n_out;
  lowering l = lowering_open(ctx, attrs, in);
  mf_builder *b = &l.b;
  mf_tensor *lr = rounded(&l, l.scalars[0]), *momentum = by_float(&l, l.scalars[1]);
  for (int i = 0; i < l.n && !b->status; i++) {
    mf_tensor *scaled = mf_b_mul(b, gradient_of(&l, i), lr);
    if (!l.s) {
      assign(&l, &mf_op_AssignSubVariableOp, variable_of(&l, i), scaled);
      continue;
    }
    mf_tensor *m = mf_b_sub(b, mf_b_mul(b, read(&l, slot_of(&l, 0, i)), momentum), scaled);
    assign(&l, &mf_op_AssignVariableOp, slot_of(&l, 0, i), m);
    if (mf_attr_bool(attrs, "nesterov")) m = mf_b_sub(b, mf_b_mul(b, m, momentum), scaled);
    assign(&l, &mf_op_AssignAddVariableOp, variable_of(&l, i), m);
  }
  return mf_builder_close(b);
}

static mf_status adam_lower(mf_ctx *ctx, mf_attrs attrs, mf_tensor *const *in, int n_in, mf_tensor **out, int n_out) {
  (void)n_in, (void)out, (void)n_out;
  lowering l = lowering_open(ctx, attrs, in);
  mf_builder *b = &l.b;
  mf_tensor *const *s = l.scalars;
  mf_tensor *one = mf_b_scalar(b, l.type, 1), *epsilon = rounded(&l, s[4]);
  mf_tensor *step = mf_b_shift(b, s[1], 1);
  step = mf_b_cast(b, step, l.type);
  mf_tensor *power_1 = MF_B(b, Pow, by_float(&l, s[2]), step), *power_2 = MF_B(b, Pow, by_float(&l, s[3]), step);
  mf_tensor *alpha = mf_b_div(b, mf_b_mul(b, rounded(&l, s[0]), MF_B(b, Sqrt, mf_b_sub(b, one, power_2))),
                              mf_b_sub(b, one, power_1));
  mf_tensor *rest_1 = rest(&l, s[2]), *rest_2 = rest(&l, s[3]);
  for (int i = 0; i < l.n && !b->status; i++) {
    mf_tensor *g = gradient_of(&l, i), *m = slot_of(&l, 0, i), *v = slot_of(&l, 1, i);
    assign(&l, &mf_op_AssignAddVariableOp, m, mf_b_mul(b, mf_b_sub(b, g, read(&l, m)), rest_1));
    assign(&l, &mf_op_AssignAddVariableOp, v, mf_b_mul(b, mf_b_sub(b, MF_B(b, Square, g), read(&l, v)), rest_2));
    mf_tensor *second = read(&l, v);
    if (mf_attr_bool(attrs, "amsgrad")) {
      mf_tensor *hat = slot_of(&l, 2, i);
      second = MF_B(b, Maximum, read(&l, hat), second);
      assign(&l, &mf_op_AssignVariableOp, hat, second);
    }
    mf_tensor *down = mf_b_add(b, MF_B(b, Sqrt, second), epsilon);
    assign(&l, &mf_op_AssignSubVariableOp, variable_of(&l, i), mf_b_div(b, mf_b_mul(b, read(&l, m), alpha), down));
  }
  return mf_builder_close(b);
}

static mf_status rmsprop_lower(mf_ctx *ctx, mf_attrs attrs, mf_tensor *const *in, int n_in, mf_tensor **out,
                               int n_out) {
  (void)n_in, (void)out, (void)n_out;
  lowering l = lowering_open(ctx, attrs, in);
  mf_builder *b = &l.b;
  mf_tensor *const *s = l.scalars;
  bool centered = mf_attr_bool(attrs, "centered"), moving = l.s / l.n == (centered ? 3 : 2);
  mf_tensor *lr = rounded(&l, s[0]), *rho = rounded(&l, s[1]), *rest_rho = rest(&l, s[1]);
  mf_tensor *momentum = rounded(&l, s[2]), *epsilon = rounded(&l, s[3]);
  for (int i = 0; i < l.n && !b->status; i++) {
    mf_tensor *g = gradient_of(&l, i), *v = slot_of(&l, 0, i);
    mf_tensor *down = mf_b_add(b, mf_b_mul(b, rho, read(&l, v)), mf_b_mul(b, rest_rho, MF_B(b, Square, g)));
    assign(&l, &mf_op_AssignVariableOp, v, down);
    if (centered) {
      mf_tensor *slot = slot_of(&l, moving ? 2 : 1, i);
      mf_tensor *mean = mf_b_add(b, mf_b_mul(b, rho, read(&l, slot)), mf_b_mul(b, rest_rho, g));
      assign(&l, &mf_op_AssignVariableOp, slot, mean);
      down = mf_b_sub(b, down, MF_B(b, Square, mean));
    }
    mf_tensor *change = mf_b_div(b, mf_b_mul(b, lr, g), MF_B(b, Sqrt, mf_b_add(b, down, epsilon)));
    if (moving) {
      change = mf_b_add(b, mf_b_mul(b, momentum, read(&l, slot_of(&l, 1, i))), change);
      assign(&l, &mf_op_AssignVariableOp, slot_of(&l, 1, i), change);
    }
    assign(&l, &mf_op_AssignSubVariableOp, variable_of(&l, i), change);
  }
  return mf_builder_close(b);
}

/* ---- entries */

const mf_op_def mf_op_MfSGD = {
    MF_OP_NAME(MfSGD),
    .inputs = "variables: N * resource; slots: S * resource; gradients: N * T; learning_rate: Tlr; momentum: double",
    .attrs = "N: int >= 1; S: int >= 0; T: {float, double}; Tlr: {float, double}; nesterov: bool = false",
    .flags = MF_OP_PRIVATE | MF_OP_STATEFUL,
    .infer = sgd_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .lower = sgd_lower,
    .doc = "One step of stochastic gradient descent, with momentum when there are slots, for all variables at once.",
};

const mf_op_def mf_op_MfAdam = {
    MF_OP_NAME(MfAdam),
    .inputs =
        "variables: N * resource; slots: S * resource; gradients: N * T; learning_rate: Tlr; iterations: Tstep; "
        "beta_1: double; beta_2: double; epsilon: double",
    .attrs =
        "N: int >= 1; S: int >= 2; T: {float, double}; Tlr: {float, double}; Tstep: {int32, int64}; amsgrad: bool = "
        "false",
    .flags = MF_OP_PRIVATE | MF_OP_STATEFUL,
    .infer = adam_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .lower = adam_lower,
    .doc = "One step of Adam for all variables at once.",
};

const mf_op_def mf_op_MfRMSprop = {
    MF_OP_NAME(MfRMSprop),
    .inputs = "variables: N * resource; slots: S * resource; gradients: N * T; learning_rate: Tlr; rho: double; "
              "momentum: double; epsilon: double",
    .attrs = "N: int >= 1; S: int >= 1; T: {float, double}; Tlr: {float, double}; centered: bool = false",
    .flags = MF_OP_PRIVATE | MF_OP_STATEFUL,
    .infer = rmsprop_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .lower = rmsprop_lower,
    .doc = "One step of RMSprop for all variables at once.",
};
