/* activation_grad.c - the ops that gradients of activation functions are made of: SigmoidGrad, ReluGrad, Relu6Grad,
 * LeakyReluGrad, EluGrad, SeluGrad, SoftplusGrad, SoftsignGrad. Their own gradients make second derivatives. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

/* ---- z = dy y (1 - y): with q = g dy: q - 2 q y, and the op itself at (y, g). */
static mf_status sigmoid_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *y = mfi_b_conj(&b, a->in[0]);
  if (a->need[0]) {
    mf_tensor *q = mf_b_mul(&b, a->dy[0], mfi_b_conj(&b, a->in[1]));
    mf_b_give(&b, &dx[0], mf_b_sub(&b, q, mf_b_mul(&b, mf_b_scale(&b, q, 2), y)));
  }
  if (a->need[1]) mf_b_give(&b, &dx[1], MF_B(&b, SigmoidGrad, y, a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_SigmoidGrad = {
    MF_OP_NAME(SigmoidGrad),
    .inputs = "y: T; dy: T", .outputs = "z: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_merge_all, .grad = sigmoid_grad_grad,
    .doc = "Gradient of Sigmoid: dy * y * (1 - y), where y is its result.",
};

/* ---- piecewise linear ones: linear in the gradient, flat (zeros) in the feature. */
static mf_status linear_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  if (a->need[0])
    mf_b_give(&b, &dx[0], mf_b_apply(&b, a->attrs.op, (mf_tensor *[]){a->dy[0], a->in[1]}, 2, NULL, 0));
  if (a->need[1]) mf_b_give(&b, &dx[1], mf_b_zeros_like(&b, a->in[1]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_ReluGrad = {
    MF_OP_NAME(ReluGrad),
    .inputs = "gradients: T; features: T", .outputs = "backprops: T", .attrs = MFI_T_REAL,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(1),
    .infer = mf_infer_merge_all, .grad = linear_grad,
    .doc = "Gradient of Relu: gradients where features > 0, else 0. Features may be its input or its output.",
};

const mf_op_def mf_op_Relu6Grad = {
    MF_OP_NAME(Relu6Grad),
    .inputs = "gradients: T; features: T", .outputs = "backprops: T", .attrs = MFI_T_REAL,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(1),
    .infer = mf_infer_merge_all, .grad = linear_grad,
    .doc = "Gradient of Relu6: gradients where 0 < features < 6, else 0.",
};

static mf_status leaky_relu_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  if (a->need[0]) {
    mf_tensor *g = MF_BA(&b, LeakyReluGrad, MF_INS(a->dy[0], a->in[1]), MF_A_COPY(a->attrs, "alpha"));
    mf_b_give(&b, &dx[0], g);
  }
  if (a->need[1]) mf_b_give(&b, &dx[1], mf_b_zeros_like(&b, a->in[1]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_LeakyReluGrad = {
    MF_OP_NAME(LeakyReluGrad),
    .inputs = "gradients: T; features: T", .outputs = "backprops: T",
    .attrs = "alpha: float = 0.2; T: {half, bfloat16, float, double} = float",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(1),
    .infer = mf_infer_merge_all, .grad = leaky_relu_grad_grad,
    .doc = "Gradient of LeakyRelu: gradients where features > 0, else alpha * gradients.",
};

/* ---- EluGrad, SeluGrad: of the output y. In y: g * gradients where y < 0, else 0. */
static mf_status elu_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *y = a->in[1];
  if (a->need[0]) mf_b_give(&b, &dx[0], mf_b_apply(&b, a->attrs.op, (mf_tensor *[]){a->dy[0], y}, 2, NULL, 0));
  if (a->need[1]) {
    mf_tensor *zero = mf_b_scalar(&b, (mf_dtype)y->dtype, 0);
    mf_b_give(&b, &dx[1], mfi_b_where(&b, MF_B(&b, Less, y, zero), mf_b_mul(&b, a->dy[0], a->in[0]), zero));
  }
  return mf_builder_close(&b);
}

const mf_op_def mf_op_EluGrad = {
    MF_OP_NAME(EluGrad),
    .inputs = "gradients: T; outputs: T", .outputs = "backprops: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_merge_all, .grad = elu_grad_grad,
    .doc = "Gradient of Elu: gradients * (outputs + 1) where outputs < 0, else gradients.",
};

const mf_op_def mf_op_SeluGrad = {
    MF_OP_NAME(SeluGrad),
    .inputs = "gradients: T; outputs: T", .outputs = "backprops: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_merge_all, .grad = elu_grad_grad,
    .doc = "Gradient of Selu: gradients * (outputs + scale * alpha) where outputs < 0, else gradients * scale.",
};

/* ---- z = dy / (1 + exp(-x)): the op itself at (g, x), and g dy / (exp(-x) + 2 + exp(x)). */
static mf_status softplus_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *x = a->in[1];
  if (a->need[0]) mf_b_give(&b, &dx[0], MF_B(&b, SoftplusGrad, a->dy[0], x));
  if (a->need[1]) {
    mf_tensor *sum = mf_b_shift(&b, MF_B(&b, Exp, mf_b_neg(&b, x)), 2);
    sum = mf_b_add(&b, sum, MF_B(&b, Exp, x));
    mf_b_give(&b, &dx[1], mf_b_div(&b, mf_b_mul(&b, a->dy[0], a->in[0]), sum));
  }
  return mf_builder_close(&b);
}

const mf_op_def mf_op_SoftplusGrad = {
    MF_OP_NAME(SoftplusGrad),
    .inputs = "gradients: T; features: T", .outputs = "backprops: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .infer = mf_infer_merge_all, .grad = softplus_grad_grad,
    .doc = "Gradient of Softplus: gradients / (1 + exp(-features)).",
};

const mf_op_def mf_op_SoftsignGrad = {
    MF_OP_NAME(SoftsignGrad),
    .inputs = "gradients: T; features: T", .outputs = "backprops: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE,
    .infer = mf_infer_merge_all, .grad = MF_NO_GRADIENT,
    .doc = "Gradient of Softsign: gradients / (1 + |features|)^2.",
};
