/* compare.cu - comparisons and logic of two operands, with broadcasting; the output is bool. */
#include "elementwise.h"

/* op, function of scalar.h */
#define EQUALITY_OPS(X) \
  X(Equal, equal)       \
  X(NotEqual, not_equal)
#define ORDER_OPS(X)    \
  X(Less, less)         \
  X(LessEqual, less_equal) \
  X(Greater, greater)   \
  X(GreaterEqual, greater_equal)

MFI_BINARY(equal) MFI_BINARY(not_equal) MFI_BINARY(less) MFI_BINARY(less_equal) MFI_BINARY(greater)
MFI_BINARY(greater_equal) MFI_BINARY(logical_and) MFI_BINARY(logical_or)

#define ROW(op, fn, type, T) MFI_ROW(#op, "T", type, mfi_binary_run<mfi_fn_##fn, T, bool>),
#define NUMBER_ROWS(op, fn)                                                \
  ROW(op, fn, MF_FLOAT32, float) ROW(op, fn, MF_FLOAT64, double)           \
  ROW(op, fn, MF_INT32, int32_t) ROW(op, fn, MF_INT64, int64_t) ROW(op, fn, MF_UINT8, uint8_t)
#define ALL_ROWS(op, fn) NUMBER_ROWS(op, fn) ROW(op, fn, MF_BOOL, bool)
#define LOGIC_ROW(op, fn) {op, NULL, 0, 0, NULL, NULL, mfi_cuda_run<mfi_binary_run<mfi_fn_##fn, bool, bool>>}

extern "C" const mfi_cuda_row mfi_cuda_compare_rows[] = {
    EQUALITY_OPS(ALL_ROWS) ORDER_OPS(NUMBER_ROWS)
    LOGIC_ROW("LogicalAnd", logical_and),
    LOGIC_ROW("LogicalOr", logical_or),
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
