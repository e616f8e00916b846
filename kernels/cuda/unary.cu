/* unary.cu - element-wise ops with one input and an output of its type, and the tests IsNan, IsInf, IsFinite,
 * LogicalNot. */
#include "elementwise.h"

/* op, function of scalar.h */
#define FLOAT_OPS(X) \
  X(Exp, exp)        \
  X(Expm1, expm1)    \
  X(Log, log)        \
  X(Log1p, log1p)    \
  X(Sqrt, sqrt)      \
  X(Rsqrt, rsqrt)    \
  X(Reciprocal, reciprocal) \
  X(Inv, reciprocal) \
  X(Sin, sin)        \
  X(Cos, cos)        \
  X(Tan, tan)        \
  X(Asin, asin)      \
  X(Acos, acos)      \
  X(Atan, atan)      \
  X(Sinh, sinh)      \
  X(Cosh, cosh)      \
  X(Tanh, tanh)      \
  X(Asinh, asinh)    \
  X(Acosh, acosh)    \
  X(Atanh, atanh)    \
  X(Erf, erf)        \
  X(Erfc, erfc)      \
  X(Sigmoid, sigmoid) \
  X(Relu6, relu6)    \
  X(Elu, elu)        \
  X(Selu, selu)      \
  X(Softplus, softplus) \
  X(Softsign, softsign) \
  X(Floor, floor)    \
  X(Ceil, ceil)      \
  X(Round, round)    \
  X(Rint, rint)
#define NUMBER_OPS(X) \
  X(Neg, neg)         \
  X(Abs, abs)         \
  X(Sign, sign)       \
  X(Square, square)   \
  X(Relu, relu)
#define FLOAT_TESTS(X) \
  X(IsNan, is_nan)     \
  X(IsInf, is_inf)     \
  X(IsFinite, is_finite)

MFI_UNARY(exp) MFI_UNARY(expm1) MFI_UNARY(log) MFI_UNARY(log1p) MFI_UNARY(sqrt) MFI_UNARY(rsqrt) MFI_UNARY(reciprocal)
MFI_UNARY(sin) MFI_UNARY(cos) MFI_UNARY(tan) MFI_UNARY(asin) MFI_UNARY(acos) MFI_UNARY(atan) MFI_UNARY(sinh)
MFI_UNARY(cosh) MFI_UNARY(tanh) MFI_UNARY(asinh) MFI_UNARY(acosh) MFI_UNARY(atanh) MFI_UNARY(erf) MFI_UNARY(erfc)
MFI_UNARY(sigmoid) MFI_UNARY(relu6) MFI_UNARY(elu) MFI_UNARY(selu) MFI_UNARY(softplus) MFI_UNARY(softsign)
MFI_UNARY(floor) MFI_UNARY(ceil) MFI_UNARY(round) MFI_UNARY(rint)
MFI_UNARY(neg) MFI_UNARY(abs) MFI_UNARY(sign) MFI_UNARY(square) MFI_UNARY(relu)
MFI_UNARY(invert) MFI_UNARY(is_nan) MFI_UNARY(is_inf) MFI_UNARY(is_finite) MFI_UNARY(logical_not)

namespace {

struct leaky_relu {
  float alpha;
  template <class T>
  __device__ __forceinline__ T operator()(T x) const {
    return mfs_leaky_relu(x, (T)alpha);
  }
};

template <class T>
mf_status leaky_relu_run(mfi_cuda_call *c) {
  return mfi_unary<leaky_relu, T, T>(c, leaky_relu{mfi_cuda_attr_float(c, "alpha", 0.2f)});
}

}  // namespace

#define ROW(op, fn, type, In, Out) MFI_ROW(#op, "T", type, mfi_unary_run<mfi_fn_##fn, In, Out>),
#define FLOAT_ROWS(op, fn) ROW(op, fn, MF_FLOAT32, float, float) ROW(op, fn, MF_FLOAT64, double, double)
#define NUMBER_ROWS(op, fn) \
  FLOAT_ROWS(op, fn) ROW(op, fn, MF_INT32, int32_t, int32_t) ROW(op, fn, MF_INT64, int64_t, int64_t)
#define TEST_ROWS(op, fn) ROW(op, fn, MF_FLOAT32, float, bool) ROW(op, fn, MF_FLOAT64, double, bool)

extern "C" const mfi_cuda_row mfi_cuda_unary_rows[] = {
    FLOAT_OPS(FLOAT_ROWS) NUMBER_OPS(NUMBER_ROWS) FLOAT_TESTS(TEST_ROWS)
    ROW(Invert, invert, MF_INT32, int32_t, int32_t) ROW(Invert, invert, MF_INT64, int64_t, int64_t)
    MFI_ROW("LeakyRelu", "T", MF_FLOAT32, leaky_relu_run<float>),
    MFI_ROW("LeakyRelu", "T", MF_FLOAT64, leaky_relu_run<double>),
    {"LogicalNot", NULL, 0, 0, NULL, NULL, mfi_cuda_run<mfi_unary_run<mfi_fn_logical_not, bool, bool>>},
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
