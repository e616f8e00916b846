/* arithmetic.cu - element-wise ops of two numbers, with broadcasting; AddN. */
#include "elementwise.h"

/* op, function of scalar.h */
#define NUMBER_OPS(X)        \
  X(Add, add)                \
  X(AddV2, add)              \
  X(Sub, sub)                \
  X(Mul, mul)                \
  X(FloorDiv, floor_div)     \
  X(FloorMod, floor_mod)     \
  X(Pow, pow)                \
  X(Maximum, maximum)        \
  X(Minimum, minimum)        \
  X(SquaredDifference, squared_difference)
#define FLOAT_OPS(X)         \
  X(Div, div)                \
  X(RealDiv, div)            \
  X(DivNoNan, div_no_nan)    \
  X(MulNoNan, mul_no_nan)    \
  X(TruncateMod, truncate_mod) \
  X(Mod, truncate_mod)       \
  X(Xlogy, xlogy)            \
  X(Xlog1py, xlog1py)        \
  X(Xdivy, xdivy)            \
  X(Atan2, atan2)
#define INTEGER_OPS(X)       \
  X(Div, div)                \
  X(TruncateDiv, div)        \
  X(TruncateMod, truncate_mod) \
  X(Mod, truncate_mod)       \
  X(BitwiseAnd, bitwise_and) \
  X(BitwiseOr, bitwise_or)   \
  X(BitwiseXor, bitwise_xor)

MFI_BINARY(add) MFI_BINARY(sub) MFI_BINARY(mul) MFI_BINARY(div) MFI_BINARY(floor_div) MFI_BINARY(floor_mod)
MFI_BINARY(pow) MFI_BINARY(maximum) MFI_BINARY(minimum) MFI_BINARY(squared_difference) MFI_BINARY(div_no_nan)
MFI_BINARY(mul_no_nan) MFI_BINARY(truncate_mod) MFI_BINARY(atan2) MFI_BINARY(xlogy) MFI_BINARY(xlog1py)
MFI_BINARY(xdivy) MFI_BINARY(bitwise_and) MFI_BINARY(bitwise_or) MFI_BINARY(bitwise_xor)

namespace {

/* Inputs of one shape, added from the first to the last. */
template <class T>
mf_status add_n_run(mfi_cuda_call *c) {
  T *y = mfi_out<T>(c, 0);
  int64_t count = c->out[0].count;
  if (c->n_in == 1) {
    size_t bytes = (size_t)count * sizeof(T);
    return mfi_cuda_check(c, (int)cudaMemcpyAsync(y, c->in[0].data, bytes, cudaMemcpyDeviceToDevice, c->stream->handle));
  }
  mfi_operand<T> sum{mfi_in<T>(c, 0), 1};
  for (int i = 1; i < c->n_in; i++) {
    MF_TRY((mfi_binary_dense<mfi_fn_add, T, T>(c, mfi_fn_add(), sum, mfi_operand<T>{mfi_in<T>(c, i), 1}, count)));
    sum.data = y;
  }
  return NULL;
}

}  // namespace

#define ROW(op, fn, type, T) MFI_ROW(#op, "T", type, mfi_binary_run<mfi_fn_##fn, T, T>),
#define FLOAT_ROWS(op, fn) ROW(op, fn, MF_FLOAT32, float) ROW(op, fn, MF_FLOAT64, double)
#define INTEGER_ROWS(op, fn) ROW(op, fn, MF_INT32, int32_t) ROW(op, fn, MF_INT64, int64_t)
#define NUMBER_ROWS(op, fn) FLOAT_ROWS(op, fn) INTEGER_ROWS(op, fn)

extern "C" const mfi_cuda_row mfi_cuda_arithmetic_rows[] = {
    NUMBER_OPS(NUMBER_ROWS) FLOAT_OPS(FLOAT_ROWS) INTEGER_OPS(INTEGER_ROWS)
    MFI_ROW("AddN", "T", MF_FLOAT32, add_n_run<float>),
    MFI_ROW("AddN", "T", MF_FLOAT64, add_n_run<double>),
    MFI_ROW("AddN", "T", MF_INT32, add_n_run<int32_t>),
    MFI_ROW("AddN", "T", MF_INT64, add_n_run<int64_t>),
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
