/* bincount.c - counting integers: Bincount, DenseBincount. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

static mf_status size_of(const mf_infer *c, int64_t *size) {
  mf_shape scalar;
  bool known;
  MF_TRY(mf_infer_rank(c, 1, 0, &scalar));
  MF_TRY(mf_const_int(c, 1, size, &known));
  if (known && *size < 0) return mf_infer_fail(c, "size (%" PRId64 ") must be non-negative", *size);
  if (!known) *size = MF_UNKNOWN_DIM;
  return NULL;
}

/* weights: as many as input has elements, or none at all (each counts 1). */
static mf_status check_weights(const mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0), *weights = mf_in_shape(c, 2);
  int64_t n = mf_shape_count(weights);
  if (n == 0 || n < 0 || mf_shape_compatible(in, weights)) return NULL;
  char a[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
  return mf_infer_fail(
      c,
      "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all "
      "weights equal to 1. Received %s. and %s",
      mf_shape_text(weights, a), mf_shape_text(in, b));
}

static mf_status bincount_infer(mf_infer *c) {
  int64_t size;
  MF_TRY(size_of(c, &size));
  MF_TRY(check_weights(c));
  c->out[0] = mf_shape_1d(size);
  return NULL;
}

const mf_op_def mf_op_Bincount = {
    MF_OP_NAME(Bincount),
    .inputs = "arr: int32; size: int32; weights: T",
    .outputs = "bins: T",
    .attrs = "T: {int32, int64, float, double}",
    .infer = bincount_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "bins[v] = how often v occurs in arr, or the sum of its weights; values of size and more are dropped.",
};

static mf_status dense_bincount_infer(mf_infer *c) {
  int64_t size;
  const mf_shape *in = mf_in_shape(c, 0);
  MF_TRY(size_of(c, &size));
  if (in->rank > 2) return mf_infer_fail(c, "Shape must be at most rank 2 but is rank %d", in->rank);
  MF_TRY(check_weights(c));
  if (in->rank == 2) c->out[0] = mf_shape_2d(in->dims[0], size);
  else if (in->rank >= 0) c->out[0] = mf_shape_1d(size);
  return NULL;
}

const mf_op_def mf_op_DenseBincount = {
    MF_OP_NAME(DenseBincount),
    .inputs = "input: Tidx; size: Tidx; weights: T",
    .outputs = "output: T",
    .attrs = "Tidx: {int32, int64}; T: {int32, int64, float, double}; binary_output: bool = false",
    .infer = dense_bincount_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Bincount for integers of either width, row by row for matrices; binary_output marks instead of counting.",
};
