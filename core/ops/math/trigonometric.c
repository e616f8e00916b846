/* trigonometric.c - Sin, Cos, Tan, Asin, Acos, Atan, Atan2. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

static mf_status sin_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Cos, mfi_b_conj(&b, a->in[0]))));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Sin = {
    MF_OP_NAME(Sin),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = sin_grad,
    .doc = "Sine of x in radians.",
};

static mf_status cos_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *minus_dy = mf_b_neg(&b, a->dy[0]);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, minus_dy, MF_B(&b, Sin, mfi_b_conj(&b, a->in[0]))));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Cos = {
    MF_OP_NAME(Cos),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = cos_grad,
    .doc = "Cosine of x in radians.",
};

/* dy / cos(x)^2 */
static mf_status tan_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *secant = MF_B(&b, Reciprocal, MF_B(&b, Cos, mfi_b_conj(&b, a->in[0])));
  mf_b_give(&b, &dx[0], mf_b_mul(&b, MF_B(&b, Square, secant), a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Tan = {
    MF_OP_NAME(Tan),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = tan_grad,
    .doc = "Tangent of x in radians.",
};

/* 1 / sqrt(1 - x^2) */
static mf_tensor *asin_slope(mf_builder *b, mf_tensor *x) {
  mf_tensor *one = mf_b_scalar(b, (mf_dtype)x->dtype, 1);
  return MF_B(b, Reciprocal, MF_B(b, Sqrt, mf_b_sub(b, one, MF_B(b, Square, mfi_b_conj(b, x)))));
}

static mf_status asin_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], asin_slope(&b, a->in[0])));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Asin = {
    MF_OP_NAME(Asin),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = asin_grad,
    .doc = "Inverse sine, in radians.",
};

static mf_status acos_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, mf_b_neg(&b, a->dy[0]), asin_slope(&b, a->in[0])));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Acos = {
    MF_OP_NAME(Acos),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = acos_grad,
    .doc = "Inverse cosine, in radians.",
};

/* dy / (1 + x^2) */
static mf_status atan_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *one = mf_b_scalar(&b, (mf_dtype)a->in[0]->dtype, 1);
  mf_tensor *sum = mf_b_add(&b, one, MF_B(&b, Square, mfi_b_conj(&b, a->in[0])));
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Reciprocal, sum)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Atan = {
    MF_OP_NAME(Atan),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = atan_grad,
    .doc = "Inverse tangent, in radians.",
};

/* z = atan2(y, x). With q = dy / (y^2 + x^2): gy = x q, gx = -y q. */
static mf_status atan2_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *y = a->in[0], *x = a->in[1];
  mf_tensor *q = mf_b_div(&b, a->dy[0], mf_b_add(&b, MF_B(&b, Square, y), MF_B(&b, Square, x)));
  mf_tensor *gy = a->need[0] ? mf_b_mul(&b, x, q) : NULL;
  mf_tensor *gx = a->need[1] ? mf_b_mul(&b, mf_b_neg(&b, y), q) : NULL;
  mfi_give_pair(&b, a, dx, gy, gx);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Atan2 = {
    MF_OP_NAME(Atan2),
    .inputs = "y: T; x: T", .outputs = "z: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = atan2_grad,
    .doc = "The angle of the point (x, y), in radians, in [-pi, pi].",
};
