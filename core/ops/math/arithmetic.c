/* arithmetic.c - sums, differences and products: AddV2, Add, AddN, Sub, Mul, MulNoNan,
 * SquaredDifference, Neg, Square. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

/* ---- z = x + y */
static mf_status add_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mfi_give_pair(&b, a, dx, a->need[0] ? a->dy[0] : NULL, a->need[1] ? a->dy[0] : NULL);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_AddV2 = {
    MF_OP_NAME(AddV2),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_NUMERIC,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE | MF_OP_COMMUTATIVE,
    .infer = mf_infer_broadcast, .grad = add_grad,
    .doc = "x + y, element by element, with broadcasting.",
};

const mf_op_def mf_op_Add = {
    MF_OP_NAME(Add),
    .inputs = "x: T; y: T", .outputs = "z: T",
    .attrs = "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_broadcast, .grad = add_grad,
    .doc = "x + y, element by element, with broadcasting; strings are joined.",
};

/* ---- sum of a list; no broadcasting */
static mf_status add_n_infer(mf_infer *c) {
  mf_shape s = *mf_in_shape(c, 0);
  for (int i = 1; i < c->n_in; i++) {
    char first[MF_SHAPE_TEXT], other[MF_SHAPE_TEXT];
    mf_status status = mf_shape_merge(&s, mf_in_shape(c, i), "AddN", &s);
    if (!status) continue;
    mf_status_release(status);
    return mf_infer_fail(c, "inputs must have the same size and shape. Input 0: %s != input %d: %s",
                         mf_shape_text(&s, first), i, mf_shape_text(mf_in_shape(c, i), other));
  }
  c->out[0] = s;
  return NULL;
}

static mf_status add_n_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  for (int i = 0; i < a->n_in; i++)
    if (a->need[i]) mf_b_give(&b, &dx[i], a->dy[0]);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_AddN = {
    MF_OP_NAME(AddN),
    .inputs = "inputs: N * T", .outputs = "sum: T", .attrs = "N: int >= 1; " MFI_T_ALL_NUMBERS_OPEN ", variant}",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE | MF_OP_COMMUTATIVE,
    .infer = add_n_infer, .grad = add_n_grad,
    .doc = "Sum of all inputs, which have one shape.",
};

/* ---- z = x - y */
static mf_status sub_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mfi_give_pair(&b, a, dx, a->need[0] ? a->dy[0] : NULL, a->need[1] ? mf_b_neg(&b, a->dy[0]) : NULL);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Sub = {
    MF_OP_NAME(Sub),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_NUMERIC,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_broadcast, .grad = sub_grad,
    .doc = "x - y, element by element, with broadcasting.",
};

/* ---- z = x y */
static mf_status mul_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *gx = a->need[0] ? mf_b_mul(&b, a->dy[0], mfi_b_conj(&b, a->in[1])) : NULL;
  mf_tensor *gy = a->need[1] ? mf_b_mul(&b, mfi_b_conj(&b, a->in[0]), a->dy[0]) : NULL;
  mfi_give_pair(&b, a, dx, gx, gy);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Mul = {
    MF_OP_NAME(Mul),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_NUMERIC,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE | MF_OP_COMMUTATIVE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = mul_grad,
    .doc = "x * y, element by element, with broadcasting.",
};

/* ---- z = x y, and 0 where y is 0 whatever x is */
static mf_status mul_no_nan_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *gx = a->need[0] ? MF_B(&b, MulNoNan, a->dy[0], a->in[1]) : NULL;
  mf_tensor *gy = a->need[1] ? MF_B(&b, MulNoNan, a->in[0], a->dy[0]) : NULL;
  mfi_give_pair(&b, a, dx, gx, gy);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_MulNoNan = {
    MF_OP_NAME(MulNoNan),
    .inputs = "x: T; y: T", .outputs = "z: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = mul_no_nan_grad,
    .doc = "x * y, and 0 where y is 0 even if x is infinite or NaN.",
};

/* ---- z = (x - y)^2 */
static mf_status squared_difference_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *g = mf_b_mul(&b, mf_b_scale(&b, a->dy[0], 2), mf_b_sub(&b, a->in[0], a->in[1]));
  mfi_give_pair(&b, a, dx, a->need[0] ? g : NULL, a->need[1] ? mf_b_neg(&b, g) : NULL);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_SquaredDifference = {
    MF_OP_NAME(SquaredDifference),
    .inputs = "x: T; y: T", .outputs = "z: T",
    .attrs = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE | MF_OP_COMMUTATIVE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_broadcast, .grad = squared_difference_grad,
    .doc = "(x - y) squared (conj(x - y) * (x - y) for complex values), with broadcasting.",
};

/* ---- y = -x */
static mf_status neg_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_neg(&b, a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Neg = {
    MF_OP_NAME(Neg),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_SIGNED_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_same, .grad = neg_grad,
    .doc = "-x.",
};

/* ---- y = x^2 */
static mf_status square_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], mf_b_scale(&b, mfi_b_conj(&b, a->in[0]), 2)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Square = {
    MF_OP_NAME(Square),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_NUMERIC,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = square_grad,
    .doc = "x * x.",
};

/* ---- y = complex conjugate of x */
static mf_status conj_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mfi_b_conj(&b, a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Conj = {
    MF_OP_NAME(Conj),
    .inputs = "input: T", .outputs = "output: T", .attrs = "T: {complex64, complex128, variant} = complex64",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_same, .grad = conj_grad,
    .doc = "Complex conjugate.",
};
