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

namespace {

bool broadcastable(const mfi_cuda_tensor *a, const mfi_cuda_tensor *b) {
  for (int i = a->rank - 1, j = b->rank - 1; i >= 0 && j >= 0; i--, j--)
    if (a->dims[i] != b->dims[j] && a->dims[i] != 1 && b->dims[j] != 1) return false;
  return true;
}

/* With incompatible_shape_error=false Equal of shapes that do not fit is the scalar false, whatever the elements are. */
const char *equality_supports(const mfi_cuda_call *c) {
  return broadcastable(&c->in[0], &c->in[1]) ? NULL : "the shapes do not broadcast";
}

}  // namespace

#define EQUALITY_ROW(op, fn, type, T)                                         \
  {#op, "T", MF_TYPE(type), 0, mfi_cuda_supports<equality_supports>, NULL,    \
   mfi_cuda_run<mfi_binary_run<mfi_fn_##fn, T, bool>>},
#define EQUALITY_ROWS(op, fn)                                                 \
  EQUALITY_ROW(op, fn, MF_FLOAT32, float) EQUALITY_ROW(op, fn, MF_FLOAT64, double)       \
  EQUALITY_ROW(op, fn, MF_INT32, int32_t) EQUALITY_ROW(op, fn, MF_INT64, int64_t)        \
  EQUALITY_ROW(op, fn, MF_UINT8, uint8_t) EQUALITY_ROW(op, fn, MF_BOOL, bool)
#define ROW(op, fn, type, T) MFI_ROW(#op, "T", type, mfi_binary_run<mfi_fn_##fn, T, bool>),
#define NUMBER_ROWS(op, fn)                                                \
  ROW(op, fn, MF_FLOAT32, float) ROW(op, fn, MF_FLOAT64, double)           \
  ROW(op, fn, MF_INT32, int32_t) ROW(op, fn, MF_INT64, int64_t) ROW(op, fn, MF_UINT8, uint8_t)
#define LOGIC_ROW(op, fn) {op, NULL, 0, 0, NULL, NULL, mfi_cuda_run<mfi_binary_run<mfi_fn_##fn, bool, bool>>}

extern "C" const mfi_cuda_row mfi_cuda_compare_rows[] = {
    EQUALITY_OPS(EQUALITY_ROWS) ORDER_OPS(NUMBER_ROWS)
    LOGIC_ROW("LogicalAnd", logical_and),
    LOGIC_ROW("LogicalOr", logical_or),
    {NULL, NULL, 0, 0, NULL, NULL, NULL}};
