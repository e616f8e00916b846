/* arithmetic.cu - element-wise ops of two numbers, with broadcasting. */
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
  X(Atan2, atan2)
#define INTEGER_OPS(X)       \
  X(Div, div)                \
  X(TruncateDiv, div)        \
  X(TruncateMod, truncate_mod)

MFI_BINARY(add) MFI_BINARY(sub) MFI_BINARY(mul) MFI_BINARY(div) MFI_BINARY(floor_div) MFI_BINARY(floor_mod)
MFI_BINARY(pow) MFI_BINARY(maximum) MFI_BINARY(minimum) MFI_BINARY(squared_difference) MFI_BINARY(div_no_nan)
MFI_BINARY(mul_no_nan) MFI_BINARY(truncate_mod) MFI_BINARY(atan2)

#define ROW(op, fn, type, T) MFI_ROW(#op, "T", type, mfi_binary_run<mfi_fn_##fn, T, T>),
#define FLOAT_ROWS(op, fn) ROW(op, fn, MF_FLOAT32, float) ROW(op, fn, MF_FLOAT64, double)
#define INTEGER_ROWS(op, fn) ROW(op, fn, MF_INT32, int32_t) ROW(op, fn, MF_INT64, int64_t)
#define NUMBER_ROWS(op, fn) FLOAT_ROWS(op, fn) INTEGER_ROWS(op, fn)

extern "C" const mfi_cuda_row mfi_cuda_arithmetic_rows[] = {
    NUMBER_OPS(NUMBER_ROWS) FLOAT_OPS(FLOAT_ROWS) INTEGER_OPS(INTEGER_ROWS)
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
