/* range.c - sequences: Range, LinSpace. */
#include <inttypes.h>
#include <math.h>

#include "base/half.h"
#include "ops/array/dims.h"
#include "ops/op_list.h"

/* ---- Range */

static mf_status int_count(const mf_infer *c, int64_t start, int64_t limit, int64_t delta, int64_t *n) {
  if (delta > 0 && start > limit)
    return mf_infer_fail(c, "Requires start <= limit when delta > 0: %" PRId64 "/%" PRId64, start, limit);
  if (delta < 0 && start < limit)
    return mf_infer_fail(c, "Requires start >= limit when delta < 0: %" PRId64 "/%" PRId64, start, limit);
  uint64_t span = delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
  uint64_t step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
  uint64_t count = span / step + (span % step != 0);
  if (count > INT64_MAX) return mf_infer_fail(c, "Requires ((limit - start) / delta) <= %" PRId64, INT64_MAX);
  *n = (int64_t)count;
  return NULL;
}

/* A value as the dtype holds it. */
static double rounded(mf_dtype type, double v) {
  if (type == MF_FLOAT16) return (double)mf_half_to_float(mf_half_from_float((float)v));
  if (type == MF_BFLOAT16) return (double)mf_bfloat16_to_float(mf_bfloat16_from_float((float)v));
  return type == MF_FLOAT32 ? (double)(float)v : v;
}

/* The number of steps is computed in the dtype, as TensorFlow does: in float16 (3 - 0) / 0.1 is 30. */
static mf_status float_count(const mf_infer *c, double start, double limit, double delta, int64_t *n) {
  mf_dtype type = mf_in_type(c, 0);
  if (delta > 0 && start > limit)
    return mf_infer_fail(c, "Requires start <= limit when delta > 0: %g/%g", start, limit);
  if (delta < 0 && start < limit)
    return mf_infer_fail(c, "Requires start >= limit when delta < 0: %g/%g", start, limit);
  double count = ceil(fabs(rounded(type, rounded(type, limit - start) / delta)));
  if (!(count < 9.2e18)) return mf_infer_fail(c, "Requires ((limit - start) / delta) <= %" PRId64, INT64_MAX);
  *n = (int64_t)count;
  return NULL;
}

/* Value of a scalar, known exactly or as a dimension of a shape under construction. */
static bool scalar_int(const mf_infer *c, int i, int64_t *v) {
  mf_shape one;
  if (!mfi_dims_value(c->in[i], &one) || one.rank != 1) return false;
  *v = one.dims[0];
  return mf_const_input(c, i) || *v >= 0;
}

static mf_status range_infer(mf_infer *c) {
  mf_shape scalar;
  int64_t v[3], n = -1;
  for (int i = 0; i < 3; i++) MF_TRY(mf_infer_rank(c, i, 0, &scalar));
  const mf_tensor *delta = mf_const_input(c, 2);
  if (delta && mf_tensor_get_f64(delta, 0) == 0) return mf_infer_fail(c, "Requires delta != 0");
  if (mf_dtype_is_integer(mf_in_type(c, 0))) {
    if (scalar_int(c, 0, &v[0]) && scalar_int(c, 1, &v[1]) && scalar_int(c, 2, &v[2]))
      MF_TRY(int_count(c, v[0], v[1], v[2], &n));
  } else if (mf_const_input(c, 0) && mf_const_input(c, 1) && delta) {
    MF_TRY(float_count(c, mf_tensor_get_f64(mf_const_input(c, 0), 0), mf_tensor_get_f64(mf_const_input(c, 1), 0),
                       mf_tensor_get_f64(delta, 0), &n));
  }
  c->out[0] = mf_shape_1d(n);
  return NULL;
}

const mf_op_def mf_op_Range = {
    MF_OP_NAME(Range),
    .inputs = "start: Tidx; limit: Tidx; delta: Tidx",
    .outputs = "output: Tidx",
    .attrs = "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = DT_INT32",
    .infer = range_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "start, start + delta, ... up to but without limit.",
};

/* ---- LinSpace */

static mf_status lin_space_infer(mf_infer *c) {
  mf_shape scalar;
  int64_t n;
  bool known;
  for (int i = 0; i < 3; i++) MF_TRY(mf_infer_rank(c, i, 0, &scalar));
  MF_TRY(mf_const_int(c, 2, &n, &known));
  if (known && n <= 0) return mf_infer_fail(c, "Requires num > 0: %" PRId64, n);
  c->out[0] = mf_shape_1d(known ? n : MF_UNKNOWN_DIM);
  return NULL;
}

const mf_op_def mf_op_LinSpace = {
    MF_OP_NAME(LinSpace),
    .inputs = "start: T; stop: T; num: Tidx",
    .outputs = "output: T",
    .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32",
    .infer = lin_space_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "num values from start to stop, both included, at equal distances.",
};
