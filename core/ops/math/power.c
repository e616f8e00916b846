/* power.c - Pow, Sqrt, Rsqrt and the ops of their gradients. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

/* ---- z = x^y. gx = dy y x^(y-1); gy = dy z log(x), taken as 0 where x <= 0 (complex: where x = 0). */
static mf_tensor *pow_grad_y(mf_builder *b, const mf_grad_args *a) {
  mf_tensor *x = mfi_b_conj(b, a->in[0]);
  mf_dtype type = (mf_dtype)x->dtype;
  mf_tensor *zero = mf_b_scalar(b, type, 0), *one = mf_b_scalar(b, type, 1);
  bool is_complex = mf_dtype_const(type)->kind == MF_KIND_COMPLEX;
  mf_tensor *mask = is_complex ? MF_B(b, NotEqual, x, zero) : MF_B(b, Greater, x, zero);
  mf_tensor *safe = mfi_b_where(b, mask, x, one);
  mf_tensor *log_x = mfi_b_where(b, mask, MF_B(b, Log, safe), zero);
  return mf_b_mul(b, mf_b_mul(b, a->dy[0], mfi_b_conj(b, a->out[0])), log_x);
}

static mf_status pow_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *gx = NULL, *gy = NULL;
  if (a->need[0]) {
    mf_tensor *x = mfi_b_conj(&b, a->in[0]), *y = mfi_b_conj(&b, a->in[1]);
    mf_tensor *less = mf_b_sub(&b, y, mf_b_scalar(&b, (mf_dtype)a->in[1]->dtype, 1));
    gx = mf_b_mul(&b, mf_b_mul(&b, a->dy[0], y), MF_B(&b, Pow, x, less));
  }
  if (a->need[1]) gy = pow_grad_y(&b, a);
  mfi_give_pair(&b, a, dx, gx, gy);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Pow = {
    MF_OP_NAME(Pow),
    .inputs = "x: T; y: T", .outputs = "z: T",
    .attrs = "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1) | MF_SAVE_OUT(0),
    .infer = mf_infer_broadcast, .grad = pow_grad,
    .doc = "x to the power of y; negative powers of integers are an error.",
};

/* ---- y = sqrt(x) */
static mf_status sqrt_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, SqrtGrad, a->out[0], a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Sqrt = {
    MF_OP_NAME(Sqrt),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = sqrt_grad,
    .doc = "Square root.",
};

/* z = dy / (2 y): with g the gradient of z, and q = g / y: -q z, and q / 2. */
static mf_status sqrt_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *q = mf_b_div(&b, a->dy[0], a->in[0]);
  if (a->need[0]) mf_b_give(&b, &dx[0], mf_b_mul(&b, mf_b_neg(&b, mfi_b_conj(&b, q)), a->out[0]));
  if (a->need[1]) mf_b_give(&b, &dx[1], mf_b_scale(&b, q, 0.5));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_SqrtGrad = {
    MF_OP_NAME(SqrtGrad),
    .inputs = "y: T; dy: T", .outputs = "z: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_OUT(0),
    .infer = mf_infer_merge_all, .grad = sqrt_grad_grad,
    .doc = "Gradient of Sqrt: dy * 0.5 / y, where y is its result.",
};

/* ---- y = 1 / sqrt(x) */
static mf_status rsqrt_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, RsqrtGrad, a->out[0], a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Rsqrt = {
    MF_OP_NAME(Rsqrt),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = rsqrt_grad,
    .doc = "1 / sqrt(x).",
};

/* z = -dy y^3 / 2: -1.5 g dy y^2, and the op itself at (y, g). */
static mf_status rsqrt_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *y = mfi_b_conj(&b, a->in[0]);
  if (a->need[0]) {
    mf_tensor *g = mf_b_scale(&b, mfi_b_conj(&b, a->dy[0]), -1.5);
    mf_b_give(&b, &dx[0], mf_b_mul(&b, mf_b_mul(&b, g, a->in[1]), MF_B(&b, Square, y)));
  }
  if (a->need[1]) mf_b_give(&b, &dx[1], MF_B(&b, RsqrtGrad, y, a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_RsqrtGrad = {
    MF_OP_NAME(RsqrtGrad),
    .inputs = "y: T; dy: T", .outputs = "z: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_merge_all, .grad = rsqrt_grad_grad,
    .doc = "Gradient of Rsqrt: -0.5 * dy * y^3, where y is its result.",
};
