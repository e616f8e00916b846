/* hyperbolic.c - Sinh, Cosh, Tanh (with TanhGrad), Asinh, Acosh, Atanh. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

static mf_status sinh_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Cosh, mfi_b_conj(&b, a->in[0]))));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Sinh = {
    MF_OP_NAME(Sinh),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = sinh_grad,
    .doc = "Hyperbolic sine.",
};

static mf_status cosh_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Sinh, mfi_b_conj(&b, a->in[0]))));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Cosh = {
    MF_OP_NAME(Cosh),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = cosh_grad,
    .doc = "Hyperbolic cosine.",
};

static mf_status tanh_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, TanhGrad, mfi_b_conj(&b, a->out[0]), a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Tanh = {
    MF_OP_NAME(Tanh),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = tanh_grad,
    .doc = "Hyperbolic tangent.",
};

/* z = dy (1 - y^2): -2 g dy y, and the op itself at (y, g). */
static mf_status tanh_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *y = mfi_b_conj(&b, a->in[0]);
  if (a->need[0]) {
    mf_tensor *g = mf_b_scale(&b, a->dy[0], -2);
    mf_b_give(&b, &dx[0], mf_b_mul(&b, mf_b_mul(&b, g, mfi_b_conj(&b, a->in[1])), y));
  }
  if (a->need[1]) mf_b_give(&b, &dx[1], MF_B(&b, TanhGrad, y, a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_TanhGrad = {
    MF_OP_NAME(TanhGrad),
    .inputs = "y: T; dy: T", .outputs = "z: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_merge_all, .grad = tanh_grad_grad,
    .doc = "Gradient of Tanh: dy * (1 - y * y), where y is its result.",
};

/* dy / cosh(y) */
static mf_status asinh_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_div(&b, a->dy[0], MF_B(&b, Cosh, mfi_b_conj(&b, a->out[0]))));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Asinh = {
    MF_OP_NAME(Asinh),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = asinh_grad,
    .doc = "Inverse hyperbolic sine.",
};

/* dy / sinh(y) */
static mf_status acosh_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_div(&b, a->dy[0], MF_B(&b, Sinh, mfi_b_conj(&b, a->out[0]))));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Acosh = {
    MF_OP_NAME(Acosh),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = acosh_grad,
    .doc = "Inverse hyperbolic cosine; NaN below 1.",
};

/* dy / (1 - x^2) */
static mf_status atanh_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *one = mf_b_scalar(&b, (mf_dtype)a->in[0]->dtype, 1);
  mf_tensor *rest = mf_b_sub(&b, one, MF_B(&b, Square, mfi_b_conj(&b, a->in[0])));
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Reciprocal, rest)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Atanh = {
    MF_OP_NAME(Atanh),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = atanh_grad,
    .doc = "Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond.",
};
