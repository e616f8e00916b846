/* division.c - quotients and remainders: RealDiv, Div, DivNoNan, FloorDiv, TruncateDiv, FloorMod, Mod, TruncateMod,
 * Xdivy, Reciprocal, Inv and the ops of their gradients. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

/* ---- z = x / y. gx = dy / y; gy = dy * ((-x / y) / y), with the op itself as the quotient. */
static mf_status quotient_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  const mf_op_def *op = a->attrs.op;
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *y = mfi_b_conj(&b, a->in[1]), *gx = NULL, *gy = NULL;
  if (a->need[0]) gx = mf_b_apply(&b, op, (mf_tensor *[]){a->dy[0], y}, 2, NULL, 0);
  if (a->need[1]) {
    mf_tensor *q = mf_b_apply(&b, op, (mf_tensor *[]){mf_b_neg(&b, mfi_b_conj(&b, a->in[0])), y}, 2, NULL, 0);
    gy = mf_b_mul(&b, a->dy[0], mf_b_apply(&b, op, (mf_tensor *[]){q, y}, 2, NULL, 0));
  }
  mfi_give_pair(&b, a, dx, gx, gy);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_RealDiv = {
    MF_OP_NAME(RealDiv),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_NUMERIC,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = quotient_grad,
    .doc = "x / y for floating-point and complex values, with broadcasting.",
};

const mf_op_def mf_op_Div = {
    MF_OP_NAME(Div),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_NUMERIC,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = quotient_grad,
    .doc = "x / y; integers are divided towards zero.",
};

const mf_op_def mf_op_DivNoNan = {
    MF_OP_NAME(DivNoNan),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = "T: {half, float, bfloat16, double, complex64, complex128}",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = quotient_grad,
    .doc = "x / y, and 0 where y is 0.",
};

/* ---- whole quotients: their gradient is nothing */
const mf_op_def mf_op_FloorDiv = {
    MF_OP_NAME(FloorDiv),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_NUMERIC,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_broadcast, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "The largest whole number not above x / y.",
};

const mf_op_def mf_op_TruncateDiv = {
    MF_OP_NAME(TruncateDiv),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_NUMERIC,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_broadcast, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "x / y rounded towards zero.",
};

/* ---- z = x - floor(x / y) y */
static mf_status floor_mod_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *gy = NULL;
  if (a->need[1]) gy = mf_b_mul(&b, a->dy[0], mf_b_neg(&b, MF_B(&b, FloorDiv, a->in[0], a->in[1])));
  mfi_give_pair(&b, a, dx, a->need[0] ? a->dy[0] : NULL, gy);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_FloorMod = {
    MF_OP_NAME(FloorMod),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_REAL,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = floor_mod_grad,
    .doc = "The remainder of x / y that has the sign of y.",
};

const mf_op_def mf_op_Mod = {
    MF_OP_NAME(Mod),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = "T: {int32, int64, half, half, bfloat16, float, double}",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_broadcast, .grad = MF_NO_GRADIENT,
    .doc = "The remainder of x / y that has the sign of x, as C's % and fmod.",
};

const mf_op_def mf_op_TruncateMod = {
    MF_OP_NAME(TruncateMod),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = "T: {int32, int64, bfloat16, half, float, double}",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_broadcast, .grad = MF_NO_GRADIENT,
    .doc = "The remainder of x / y that has the sign of x, as C's % and fmod.",
};

/* ---- z = x / y, and 0 where x is 0 */
static mf_status xdivy_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *x = a->in[0], *y = a->in[1], *gx = NULL, *gy = NULL;
  mf_dtype type = (mf_dtype)x->dtype;
  if (a->need[0]) {
    mf_tensor *not_zero = mf_b_cast(&b, MF_B(&b, NotEqual, x, mf_b_scalar(&b, type, 0)), type);
    gx = mf_b_mul(&b, MF_B(&b, Xdivy, not_zero, y), a->dy[0]);
  }
  if (a->need[1]) {
    mf_tensor *y2 = MF_B(&b, Pow, y, mf_b_scalar(&b, type, 2));
    gy = mf_b_mul(&b, MF_B(&b, Xdivy, mf_b_neg(&b, x), y2), a->dy[0]);
  }
  mfi_give_pair(&b, a, dx, gx, gy);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Xdivy = {
    MF_OP_NAME(Xdivy),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = "T: {half, bfloat16, float, double, complex64, complex128}",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = xdivy_grad,
    .doc = "x / y, and 0 where x is 0.",
};

/* ---- y = 1 / x */
static mf_status reciprocal_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, ReciprocalGrad, a->out[0], a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Reciprocal = {
    MF_OP_NAME(Reciprocal),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_SIGNED_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = reciprocal_grad,
    .doc = "1 / x.",
};

const mf_op_def mf_op_Inv = {
    MF_OP_NAME(Inv),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_SIGNED_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = reciprocal_grad,
    .doc = "1 / x, the older name of Reciprocal.",
};

/* z = -dy y^2: with a = y, b = dy the gradients are -2 g b a and the op itself at (a, g). */
static mf_status reciprocal_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *y = mfi_b_conj(&b, a->in[0]);
  if (a->need[0]) {
    mf_tensor *g = mf_b_scale(&b, mfi_b_conj(&b, a->dy[0]), -2);
    mf_b_give(&b, &dx[0], mf_b_mul(&b, mf_b_mul(&b, g, a->in[1]), y));
  }
  if (a->need[1]) mf_b_give(&b, &dx[1], MF_B(&b, ReciprocalGrad, y, a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_ReciprocalGrad = {
    MF_OP_NAME(ReciprocalGrad),
    .inputs = "y: T; dy: T", .outputs = "z: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_merge_all, .grad = reciprocal_grad_grad,
    .doc = "Gradient of Reciprocal: -dy * y * y, where y is its result.",
};

const mf_op_def mf_op_InvGrad = {
    MF_OP_NAME(InvGrad),
    .inputs = "y: T; dy: T", .outputs = "z: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_merge_all, .grad = reciprocal_grad_grad,
    .doc = "Gradient of Inv: -dy * y * y, where y is its result.",
};
