/* extrema.c - the larger, the smaller, the distance from zero: Maximum, Minimum, ClipByValue, Abs, Sign. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

/* ---- Maximum, Minimum: dy goes to x where x was taken (ties: to x), to y elsewhere. */
static mf_status taken_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx, const mf_op_def *x_is_taken) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *mask = mf_b_apply(&b, x_is_taken, a->in, 2, NULL, 0);
  mf_tensor *zero = mf_b_scalar(&b, (mf_dtype)a->dy[0]->dtype, 0);
  mf_tensor *gx = a->need[0] ? mfi_b_where(&b, mask, a->dy[0], zero) : NULL;
  mf_tensor *gy = a->need[1] ? mfi_b_where(&b, mask, zero, a->dy[0]) : NULL;
  mfi_give_pair(&b, a, dx, gx, gy);
  return mf_builder_close(&b);
}

static mf_status maximum_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  return taken_grad(ctx, a, dx, &mf_op_GreaterEqual);
}

static mf_status minimum_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  return taken_grad(ctx, a, dx, &mf_op_LessEqual);
}

const mf_op_def mf_op_Maximum = {
    MF_OP_NAME(Maximum),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_REAL,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = maximum_grad,
    .doc = "The larger of x and y, with broadcasting; NaN when one is NaN.",
};

const mf_op_def mf_op_Minimum = {
    MF_OP_NAME(Minimum),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_REAL,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = minimum_grad,
    .doc = "The smaller of x and y, with broadcasting; NaN when one is NaN.",
};

/* ---- ClipByValue: the bounds are scalars, or have the shape of t. */
static mf_status clip_infer(mf_infer *c) {
  c->out[0] = *mf_in_shape(c, 0);
  for (int i = 1; i < 3; i++) {
    const mf_shape *bound = mf_in_shape(c, i);
    if (bound->rank == 0 || mf_shape_compatible(&c->out[0], bound)) continue;
    char t[MF_SHAPE_TEXT], low[MF_SHAPE_TEXT], high[MF_SHAPE_TEXT];
    return mf_infer_fail(c, "clip_value_min and clip_value_max must be either of the same shape as input, or a "
                            "scalar. Input shape: %s, clip_value_min shape: %s, clip_value_max shape: %s",
                         mf_shape_text(&c->out[0], t), mf_shape_text(mf_in_shape(c, 1), low),
                         mf_shape_text(mf_in_shape(c, 2), high));
  }
  return NULL;
}

/* dy goes to t inside the bounds, to the lower bound where t is below it, to the upper one where t is above it. */
static mf_status clip_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *zero = mf_b_scalar(&b, (mf_dtype)a->dy[0]->dtype, 0), *dy = a->dy[0];
  mf_tensor *below = MF_B(&b, Less, a->in[0], a->in[1]), *above = MF_B(&b, Greater, a->in[0], a->in[2]);
  if (a->need[0]) mf_b_give(&b, &dx[0], mfi_b_where(&b, MF_B(&b, LogicalOr, below, above), zero, dy));
  if (a->need[1]) mf_b_give(&b, &dx[1], mf_grad_unbroadcast(&b, mfi_b_where(&b, below, dy, zero), a->in[1]));
  if (a->need[2]) mf_b_give(&b, &dx[2], mf_grad_unbroadcast(&b, mfi_b_where(&b, above, dy, zero), a->in[2]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_ClipByValue = {
    MF_OP_NAME(ClipByValue),
    .inputs = "t: T; clip_value_min: T; clip_value_max: T", .outputs = "output: T", .attrs = MFI_T_ALL_NUMBERS,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1) | MF_SAVE_IN(2),
    .infer = clip_infer, .grad = clip_grad,
    .doc = "t, with values below clip_value_min or above clip_value_max replaced by these.",
};

/* ---- y = |x| */
static mf_status abs_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Sign, a->in[0])));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Abs = {
    MF_OP_NAME(Abs),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_SIGNED,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = abs_grad,
    .doc = "Absolute value.",
};

/* ---- y = sign(x): a gradient of zeros */
static mf_status sign_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_zeros_like(&b, a->in[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Sign = {
    MF_OP_NAME(Sign),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_SIGNED_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_same, .grad = sign_grad,
    .doc = "-1, 0 or 1 by the sign of x (x / |x| for complex values); NaN stays NaN.",
};
