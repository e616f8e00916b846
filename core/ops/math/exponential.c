/* exponential.c - exponentials and logarithms: Exp, Expm1, Log, Log1p, Xlogy, Xlog1py. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

static mf_status exp_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], mfi_b_conj(&b, a->out[0])));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Exp = {
    MF_OP_NAME(Exp),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = exp_grad,
    .doc = "e to the power of x.",
};

static mf_status expm1_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Exp, mfi_b_conj(&b, a->in[0]))));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Expm1 = {
    MF_OP_NAME(Expm1),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = expm1_grad,
    .doc = "exp(x) - 1, exact for small x.",
};

static mf_status log_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Reciprocal, mfi_b_conj(&b, a->in[0]))));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Log = {
    MF_OP_NAME(Log),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = log_grad,
    .doc = "Natural logarithm.",
};

static mf_status log1p_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *one = mf_b_scalar(&b, (mf_dtype)a->in[0]->dtype, 1);
  mf_tensor *sum = mf_b_add(&b, one, mfi_b_conj(&b, a->in[0]));
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Reciprocal, sum)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Log1p = {
    MF_OP_NAME(Log1p),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = log1p_grad,
    .doc = "log(1 + x), exact for small x.",
};

/* ---- z = x log(y) and x log(1 + y), 0 where x is 0. With u = (x != 0): gx = op(u, y) dy; gy = xdivy(x, y or y + 1)
 * dy. */
static mf_status xlog_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx, double shift) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *x = a->in[0], *y = a->in[1], *gx = NULL, *gy = NULL;
  mf_dtype type = (mf_dtype)x->dtype;
  if (a->need[0]) {
    mf_tensor *not_zero = mf_b_cast(&b, MF_B(&b, NotEqual, x, mf_b_scalar(&b, type, 0)), type);
    gx = mf_b_mul(&b, mf_b_apply(&b, a->attrs.op, (mf_tensor *[]){not_zero, y}, 2, NULL, 0), a->dy[0]);
  }
  if (a->need[1]) {
    mf_tensor *shifted = shift != 0 ? mf_b_shift(&b, y, shift) : y;
    gy = mf_b_mul(&b, MF_B(&b, Xdivy, x, shifted), a->dy[0]);
  }
  mfi_give_pair(&b, a, dx, gx, gy);
  return mf_builder_close(&b);
}

static mf_status xlogy_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) { return xlog_grad(ctx, a, dx, 0); }
static mf_status xlog1py_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) { return xlog_grad(ctx, a, dx, 1); }

const mf_op_def mf_op_Xlogy = {
    MF_OP_NAME(Xlogy),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = xlogy_grad,
    .doc = "x * log(y), and 0 where x is 0.",
};

const mf_op_def mf_op_Xlog1py = {
    MF_OP_NAME(Xlog1py),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = xlog1py_grad,
    .doc = "x * log(1 + y), and 0 where x is 0.",
};
