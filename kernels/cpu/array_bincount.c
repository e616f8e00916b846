/* array_bincount.c - Bincount and DenseBincount. */
#include <inttypes.h>

#include "array_move.h"
#include "ops/op_list.h"
#include "state_update.h"

/* Counts `n` integers from element `first` of `values` into one row of bins. */
static void count_row(const mf_call *c, const mf_tensor *values, int64_t first, int64_t n, char *bins, int64_t size,
                      bool mark) {
  const mf_tensor *weights = c->in[2];
  mf_dtype type = mf_tensor_dtype(c->out[0]);
  size_t elem = mf_dtype_size(type);
  mfi_update_fn add = mfi_update_row(mark ? MFI_UPDATE_SET : MFI_UPDATE_ADD, type);
  bool weighted = mf_tensor_count(weights) > 0;
  union { float f; double d; int32_t i; int64_t l; } one = {.l = 1};
  if (type == MF_FLOAT32) one.f = 1;
  else if (type == MF_FLOAT64) one.d = 1;
  for (int64_t i = first; i < first + n; i++) {
    int64_t v = mfi_int_at(values, i);
    if (v >= size) continue;
    add(bins + (size_t)v * elem, weighted && !mark ? weights->data + (size_t)i * elem : (const char *)&one, 1);
  }
}

static mf_status count(mf_call *c, bool mark) {
  const mf_tensor *values = c->in[0];
  mf_tensor *out = c->out[0];
  int64_t n = mf_tensor_count(values),
          rows = values->shape.rank == 2 && out->shape.rank == 2 ? values->shape.dims[0] : 1;
  int64_t size = out->shape.dims[out->shape.rank - 1], per = rows ? n / rows : 0;
  size_t elem = mf_dtype_size(mf_tensor_dtype(out));
  for (int64_t i = 0; i < n; i++)
    if (mfi_int_at(values, i) < 0)
      return mf_fail(MF_INVALID_ARGUMENT, "%s: Input arr must be non-negative!", c->attrs.op->name);
  mfi_zero(mf_data(out), mf_tensor_bytes(out));
  for (int64_t r = 0; r < rows; r++)
    count_row(c, values, r * per, per, out->data + (size_t)(r * size) * elem, size, mark);
  return NULL;
}

static mf_status run_bincount(mf_call *c) { return count(c, false); }
static mf_status run_dense_bincount(mf_call *c) { return count(c, mf_attr_bool(c->attrs, "binary_output")); }

const mf_kernel_def mf_kernels_array_bincount[] = {
    {.op = &mf_op_Bincount, .name = "count", .device = MF_CPU, .rank = 10, .run = run_bincount},
    {.op = &mf_op_DenseBincount, .name = "count", .device = MF_CPU, .rank = 10, .run = run_dense_bincount},
    {0}};
