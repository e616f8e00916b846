/* special.c - special functions: Erf, Erfc, Erfinv, Ndtri, Lgamma, Digamma, Polygamma, Zeta. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

#define TWO_OVER_ROOT_PI 1.1283791670955125739

/* dy * factor * exp(-x^2) */
static mf_status bell_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx, double factor) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *bell = MF_B(&b, Exp, mf_b_neg(&b, MF_B(&b, Square, a->in[0])));
  mf_b_give(&b, &dx[0], mf_b_mul(&b, mf_b_scale(&b, a->dy[0], factor), bell));
  return mf_builder_close(&b);
}

static mf_status erf_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  return bell_grad(ctx, a, dx, TWO_OVER_ROOT_PI);
}

static mf_status erfc_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  return bell_grad(ctx, a, dx, -TWO_OVER_ROOT_PI);
}

const mf_op_def mf_op_Erf = {
    MF_OP_NAME(Erf),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = erf_grad,
    .doc = "The error function.",
};

const mf_op_def mf_op_Erfc = {
    MF_OP_NAME(Erfc),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = erfc_grad,
    .doc = "1 - erf(x), exact where that is small.",
};

/* dy * factor * exp(y^2 * power) */
static mf_status inverse_bell_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx, double factor, double power) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *y2 = MF_B(&b, Square, a->out[0]);
  if (power != 1) y2 = mf_b_scale(&b, y2, power);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, mf_b_scale(&b, a->dy[0], factor), MF_B(&b, Exp, y2)));
  return mf_builder_close(&b);
}

static mf_status erfinv_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  return inverse_bell_grad(ctx, a, dx, 0.88622692545275801365, 1); /* sqrt(pi) / 2 */
}

static mf_status ndtri_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  return inverse_bell_grad(ctx, a, dx, 2.5066282746310005024, 0.5); /* sqrt(2 pi) */
}

const mf_op_def mf_op_Erfinv = {
    MF_OP_NAME(Erfinv),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = erfinv_grad,
    .doc = "The inverse of the error function; infinite at -1 and 1, NaN beyond.",
};

const mf_op_def mf_op_Ndtri = {
    MF_OP_NAME(Ndtri),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = ndtri_grad,
    .doc = "The point below which a standard normal variable stays with probability x.",
};

static mf_status lgamma_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Digamma, a->in[0])));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Lgamma = {
    MF_OP_NAME(Lgamma),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = lgamma_grad,
    .doc = "log |Gamma(x)|.",
};

/* dy * polygamma(1, x) */
static mf_status digamma_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *one = mf_b_scalar(&b, (mf_dtype)a->in[0]->dtype, 1);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Polygamma, one, a->in[0])));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Digamma = {
    MF_OP_NAME(Digamma),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = digamma_grad,
    .doc = "The derivative of log Gamma(x).",
};

/* Only x has a gradient: dy * polygamma(a + 1, x). */
static mf_status polygamma_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  if (a->need[1]) {
    mf_tensor *slope = MF_B(&b, Polygamma, mf_b_shift(&b, a->in[0], 1), a->in[1]);
    mf_b_give(&b, &dx[1], mf_grad_unbroadcast(&b, mf_b_mul(&b, slope, a->dy[0]), a->in[1]));
  }
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Polygamma = {
    MF_OP_NAME(Polygamma),
    .inputs = "a: T; x: T", .outputs = "z: T", .attrs = "T: {float, double}",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = polygamma_grad,
    .doc = "The a-th derivative of the digamma function at x.",
};

/* Only q has a gradient: -x zeta(x + 1, q) dy. */
static mf_status zeta_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  if (a->need[1]) {
    mf_tensor *zeta = MF_B(&b, Zeta, mf_b_shift(&b, a->in[0], 1), a->in[1]);
    mf_tensor *slope = mf_b_mul(&b, mf_b_neg(&b, a->in[0]), zeta);
    mf_b_give(&b, &dx[1], mf_grad_unbroadcast(&b, mf_b_mul(&b, slope, a->dy[0]), a->in[1]));
  }
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Zeta = {
    MF_OP_NAME(Zeta),
    .inputs = "x: T; q: T", .outputs = "z: T", .attrs = "T: {float, double}",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = zeta_grad,
    .doc = "The Hurwitz zeta function: the sum of (q + n)^-x over n = 0, 1, ...",
};
