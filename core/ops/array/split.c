/* split.c - cutting along an axis: Split into equal parts, SplitV into given sizes. */
#include <inttypes.h>

#include "base/memory.h"
#include "ops/array/dims.h"
#include "ops/op_list.h"

/* Gradient of both: the parts joined again; parts without gradient are zeros. `axis` is the input that names the axis.
 */
static mf_status join_grad(mf_ctx *ctx, const mf_grad_args *a, mf_tensor *axis, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor **parts = mf_alloc_array((size_t)a->n_out + 1, sizeof *parts);
  if (!parts) return mf_fail_oom();
  for (int i = 0; i < a->n_out; i++) parts[i] = a->dy[i] ? a->dy[i] : mf_b_zeros_like(&b, a->out[i]);
  parts[a->n_out] = axis;
  if (!b.status)
    mf_b_give(&b, dx, a->n_out == 1 ? parts[0] : mf_b_apply(&b, &mf_op_ConcatV2, parts, a->n_out + 1, NULL, 0));
  mf_free(parts);
  return mf_builder_close(&b);
}

/* ---- Split */

static mf_status split_infer(mf_infer *c) {
  int64_t value;
  bool known;
  int axis;
  const mf_shape *in = mf_in_shape(c, 1);
  MF_TRY(mf_const_int(c, 0, &value, &known));
  if (in->rank < 0) return NULL;
  for (int i = 0; i < c->n_out; i++) c->out[i] = mf_shape_unknown_dims(in->rank);
  if (!known) return NULL;
  if (value < -in->rank || value >= in->rank)
    return mf_infer_fail(c, "-input rank(%d) <= split_dim < input rank (%d), but got %" PRId64, -in->rank, in->rank,
                         value);
  MF_TRY(mf_infer_axis(c, value, in->rank, &axis));
  mf_shape part = *in;
  if (in->dims[axis] >= 0) {
    if (in->dims[axis] % c->n_out)
      return mf_infer_fail(
          c,
          "Number of ways to split should evenly divide the split dimension, but got split_dim %d (size = %" PRId64
          ") and num_split %d",
          axis, in->dims[axis], c->n_out);
    part.dims[axis] = in->dims[axis] / c->n_out;
  }
  for (int i = 0; i < c->n_out; i++) c->out[i] = part;
  return NULL;
}

static mf_status split_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  return a->need[1] ? join_grad(ctx, a, a->in[0], &dx[1]) : NULL;
}

const mf_op_def mf_op_Split = {
    MF_OP_NAME(Split),
    .inputs = "split_dim: int32; value: T",
    .outputs = "output: num_split * T",
    .attrs = "num_split: int >= 1; T: type",
    .flags = MF_OP_VIEW,
    .infer = split_infer,
    .grad = split_grad,
    .saves = MF_SAVE_IN(0),
    .doc = "Cuts value into num_split equal parts along split_dim; along axis 0 they share its memory.",
};

/* ---- SplitV */

static mf_status split_sizes(const mf_infer *c, const mf_tensor *sizes, int axis, int64_t whole, mf_shape *out) {
  int64_t sum = 0;
  int open = -1;
  for (int i = 0; i < c->n_out; i++) {
    int64_t size = mf_tensor_get_i64(sizes, i);
    if (size == -1 && open < 0) {
      open = i;
      continue;
    }
    if (size < 0)
      return mf_infer_fail(
          c,
          size == -1 ? "There can only be one -1 in the input." : "Split size at index %d must be >= 0. Got: %" PRId64,
          i, size);
    out[i].dims[axis] = size;
    sum += size;
  }
  if (whole < 0) return NULL;
  if (open >= 0 ? sum > whole : sum != whole)
    return mf_infer_fail(
        c,
        "Determined shape must either match input shape along split_dim exactly if fully specified, or be "
        "less than the size of the input along split_dim if not fully specified.  Got: %" PRId64,
        sum);
  if (open >= 0) out[open].dims[axis] = whole - sum;
  return NULL;
}

static mf_status split_v_infer(mf_infer *c) {
  int64_t value;
  bool known;
  int axis;
  mf_shape vector;
  const mf_shape *in = mf_in_shape(c, 0);
  const mf_tensor *sizes = mf_const_input(c, 1);
  MF_TRY(mf_infer_rank(c, 1, 1, &vector));
  if (vector.dims[0] >= 0 && vector.dims[0] != c->n_out)
    return mf_infer_fail(c, "size_splits must have %d entries (num_split), received %" PRId64, c->n_out,
                         vector.dims[0]);
  MF_TRY(mf_const_int(c, 2, &value, &known));
  if (in->rank < 0) return NULL;
  for (int i = 0; i < c->n_out; i++) c->out[i] = mf_shape_unknown_dims(in->rank);
  if (!known) return NULL;
  MF_TRY(mf_infer_axis(c, value, in->rank, &axis));
  for (int i = 0; i < c->n_out; i++) {
    c->out[i] = *in;
    c->out[i].dims[axis] = -1;
  }
  return sizes ? split_sizes(c, sizes, axis, in->dims[axis], c->out) : NULL;
}

static mf_status split_v_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  return a->need[0] ? join_grad(ctx, a, a->in[2], &dx[0]) : NULL;
}

const mf_op_def mf_op_SplitV = {
    MF_OP_NAME(SplitV),
    .inputs = "value: T; size_splits: Tlen; split_dim: int32",
    .outputs = "output: num_split * T",
    .attrs = "num_split: int >= 1; T: type; Tlen: {int8, int32, int64} = DT_INT64",
    .flags = MF_OP_VIEW,
    .infer = split_v_infer,
    .grad = split_v_grad,
    .saves = MF_SAVE_IN(2),
    .doc = "Cuts value into parts of size_splits along split_dim; one size may be -1, the rest.",
};
