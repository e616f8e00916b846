/* activation.c - activation functions: Sigmoid, Relu, Relu6, LeakyRelu, Elu, Selu, Softplus, Softsign.
 * The ops of their gradients are in activation_grad.c; each is called with what TensorFlow gives it:
 * output or input. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

static mf_status sigmoid_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, SigmoidGrad, mfi_b_conj(&b, a->out[0]), a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Sigmoid = {
    MF_OP_NAME(Sigmoid),
    .inputs = "x: T", .outputs = "y: T", .attrs = MFI_T_FLOAT_COMPLEX,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = sigmoid_grad,
    .doc = "1 / (1 + exp(-x)).",
};

static mf_status relu_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, ReluGrad, a->dy[0], a->out[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Relu = {
    MF_OP_NAME(Relu),
    .inputs = "features: T", .outputs = "activations: T",
    .attrs = "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, qint8}",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = relu_grad,
    .doc = "max(x, 0).",
};

static mf_status relu6_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, Relu6Grad, a->dy[0], a->out[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Relu6 = {
    MF_OP_NAME(Relu6),
    .inputs = "features: T", .outputs = "activations: T", .attrs = MFI_T_REAL,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = relu6_grad,
    .doc = "min(max(x, 0), 6).",
};

static mf_status leaky_relu_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *g = MF_BA(&b, LeakyReluGrad, MF_INS(a->dy[0], a->in[0]), MF_A_COPY(a->attrs, "alpha"));
  mf_b_give(&b, &dx[0], g);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_LeakyRelu = {
    MF_OP_NAME(LeakyRelu),
    .inputs = "features: T", .outputs = "activations: T",
    .attrs = "alpha: float = 0.2; T: {half, bfloat16, float, double} = float",
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = leaky_relu_grad,
    .doc = "x where it is positive, alpha * x elsewhere.",
};

static mf_status elu_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, EluGrad, a->dy[0], a->out[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Elu = {
    MF_OP_NAME(Elu),
    .inputs = "features: T", .outputs = "activations: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = elu_grad,
    .doc = "x where it is positive, exp(x) - 1 elsewhere.",
};

static mf_status selu_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, SeluGrad, a->dy[0], a->out[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Selu = {
    MF_OP_NAME(Selu),
    .inputs = "features: T", .outputs = "activations: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_OUT(0),
    .infer = mf_infer_same, .grad = selu_grad,
    .doc = "scale * x where x is positive, scale * alpha * (exp(x) - 1) elsewhere.",
};

/* dy * sigmoid(x) */
static mf_status softplus_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->dy[0], MF_B(&b, Sigmoid, a->in[0])));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Softplus = {
    MF_OP_NAME(Softplus),
    .inputs = "features: T", .outputs = "activations: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = softplus_grad,
    .doc = "log(1 + exp(x)).",
};

static mf_status softsign_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, SoftsignGrad, a->dy[0], a->in[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Softsign = {
    MF_OP_NAME(Softsign),
    .inputs = "features: T", .outputs = "activations: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_ELEMENTWISE | MF_OP_INPLACE, .saves = MF_SAVE_IN(0),
    .infer = mf_infer_same, .grad = softsign_grad,
    .doc = "x / (1 + |x|).",
};
