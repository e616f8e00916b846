/* gradient.cu - the element-wise gradient ops: two inputs of one shape, no broadcasting. */
#include "elementwise.h"

/* op, function of scalar.h; the order of the arguments is the op's. */
#define OPS(X)                        \
  X(ReluGrad, relu_grad)              \
  X(Relu6Grad, relu6_grad)            \
  X(EluGrad, elu_grad)                \
  X(SeluGrad, selu_grad)              \
  X(SoftplusGrad, softplus_grad)      \
  X(SoftsignGrad, softsign_grad)      \
  X(TanhGrad, tanh_grad)              \
  X(SigmoidGrad, sigmoid_grad)        \
  X(SqrtGrad, sqrt_grad)              \
  X(RsqrtGrad, rsqrt_grad)            \
  X(ReciprocalGrad, reciprocal_grad)  \
  X(InvGrad, reciprocal_grad)

MFI_BINARY(relu_grad) MFI_BINARY(relu6_grad) MFI_BINARY(elu_grad) MFI_BINARY(selu_grad) MFI_BINARY(softplus_grad)
MFI_BINARY(softsign_grad) MFI_BINARY(tanh_grad) MFI_BINARY(sigmoid_grad) MFI_BINARY(sqrt_grad) MFI_BINARY(rsqrt_grad)
MFI_BINARY(reciprocal_grad)

namespace {

struct leaky_relu_grad {
  float alpha;
  template <class T>
  __device__ __forceinline__ T operator()(T g, T x) const {
    return mfs_leaky_relu_grad(g, x, (T)alpha);
  }
};

template <class T>
mf_status leaky_relu_grad_run(mfi_cuda_call *c) {
  return mfi_binary_same<leaky_relu_grad, T, T>(c, leaky_relu_grad{mfi_cuda_attr_float(c, "alpha", 0.2f)});
}

}  // namespace

#define ROW(op, fn, type, T) MFI_ROW(#op, "T", type, mfi_binary_same_run<mfi_fn_##fn, T, T>),
#define ROWS(op, fn) ROW(op, fn, MF_FLOAT32, float) ROW(op, fn, MF_FLOAT64, double)

extern "C" const mfi_cuda_row mfi_cuda_gradient_rows[] = {
    OPS(ROWS)
    MFI_ROW("LeakyReluGrad", "T", MF_FLOAT32, leaky_relu_grad_run<float>),
    MFI_ROW("LeakyReluGrad", "T", MF_FLOAT64, leaky_relu_grad_run<double>),
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
