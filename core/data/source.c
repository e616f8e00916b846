/* source.c - datasets that begin a pipeline: slices of tensors, ranges of integers. */
#include <inttypes.h>

#include "base/memory.h"
#include "data/stage.h"

/* ---- slices: elements are views of rows, no copies */

typedef struct slices {
  mf_dataset base;
  mf_tensor **tensors;
  int64_t rows;
} slices;

typedef struct slices_iterator {
  mf_iterator base;
  int64_t row;
} slices_iterator;

static mf_status slices_next(mf_iterator *base, mf_tensor **out, bool *end) {
  slices_iterator *it = (slices_iterator *)base;
  const slices *d = (const slices *)base->dataset;
  if (it->row == d->rows) {
    *end = true;
    return NULL;
  }
  for (int i = 0; i < d->base.n; i++) {
    mf_tensor *row;
    MF_TRY(mf_tensor_rows(d->tensors[i], it->row, 1, &row));
    mf_status status = mf_tensor_view(row, &d->base.shapes[i], &out[i]);
    mf_tensor_release(row);
    if (status) return status;
  }
  it->row++;
  return NULL;
}

static int64_t slices_cardinality(const mf_dataset *d) { return ((const slices *)d)->rows; }

static void slices_release(mf_dataset *base) {
  slices *d = (slices *)base;
  for (int i = 0; d->tensors && i < base->n; i++) mf_tensor_release(d->tensors[i]);
  mf_free(d->tensors);
}

static const mfi_stage_type slices_type = {
    .name = "TensorSlice", .dataset_size = sizeof(slices), .iterator_size = sizeof(slices_iterator), .next = slices_next,
    .cardinality = slices_cardinality, .release = slices_release};

static mf_status check_rows(mf_tensor *const *tensors, int n) {
  if (n < 1) return mf_fail(MF_INVALID_ARGUMENT, "from_tensor_slices: expected at least one tensor, received none");
  for (int i = 0; i < n; i++) {
    if (!tensors[i]->buffer)
      return mf_fail(MF_INVALID_ARGUMENT, "from_tensor_slices: component %d is a symbolic tensor, expected a value", i);
    if (tensors[i]->shape.rank < 1)
      return mf_fail(MF_INVALID_ARGUMENT, "from_tensor_slices: component %d is a scalar, expected at least one dimension", i);
    if (tensors[i]->shape.dims[0] != tensors[0]->shape.dims[0])
      return mf_fail(MF_INVALID_ARGUMENT,
                     "from_tensor_slices: component %d has %" PRId64 " rows, component 0 has %" PRId64 ": they must be equal", i,
                     tensors[i]->shape.dims[0], tensors[0]->shape.dims[0]);
  }
  return NULL;
}

mf_status mf_dataset_slices(mf_tensor *const *tensors, int n, mf_dataset **out) {
  *out = NULL;
  MF_TRY(check_rows(tensors, n));
  MF_TRY(mfi_stage_new(&slices_type, n, NULL, 0, out));
  slices *d = (slices *)*out;
  d->rows = tensors[0]->shape.dims[0];
  d->tensors = mf_alloc_zero((size_t)n, sizeof *d->tensors);
  if (!d->tensors) {
    mf_dataset_release(*out);
    *out = NULL;
    return mf_fail_oom();
  }
  for (int i = 0; i < n; i++) {
    const mf_shape *s = &tensors[i]->shape;
    d->tensors[i] = mf_tensor_retain(tensors[i]);
    d->base.dtypes[i] = (mf_dtype)tensors[i]->dtype;
    d->base.shapes[i].rank = s->rank - 1;
    for (int k = 1; k < s->rank; k++) d->base.shapes[i].dims[k - 1] = s->dims[k];
  }
  return NULL;
}

/* ---- range */

typedef struct range {
  mf_dataset base;
  int64_t start, step, count;
} range;

static mf_status range_next(mf_iterator *base, mf_tensor **out, bool *end) {
  slices_iterator *it = (slices_iterator *)base;
  const range *d = (const range *)base->dataset;
  if (it->row == d->count) {
    *end = true;
    return NULL;
  }
  return mf_tensor_scalar_i64(MF_INT64, d->start + it->row++ * d->step, &out[0]);
}

static int64_t range_cardinality(const mf_dataset *d) { return ((const range *)d)->count; }

static const mfi_stage_type range_type = {.name = "Range", .dataset_size = sizeof(range),
                                          .iterator_size = sizeof(slices_iterator), .next = range_next,
                                          .cardinality = range_cardinality};

mf_status mf_dataset_range(int64_t start, int64_t stop, int64_t step, mf_dataset **out) {
  *out = NULL;
  if (!step) return mf_fail(MF_INVALID_ARGUMENT, "Dataset.range: step cannot be zero");
  MF_TRY(mfi_stage_new(&range_type, 1, NULL, 0, out));
  range *d = (range *)*out;
  uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
  uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  bool empty = step > 0 ? start >= stop : start <= stop;
  d->start = start;
  d->step = step;
  d->count = empty ? 0 : (int64_t)((span - 1) / stride + 1);
  d->base.dtypes[0] = MF_INT64;
  d->base.shapes[0] = mf_shape_scalar();
  return NULL;
}
