/* concat.c - joining tensors along an axis: ConcatV2, and ConcatOffset that its gradient needs for unknown shapes. */
#include <inttypes.h>

#include "base/memory.h"
#include "ops/array/dims.h"
#include "ops/op_list.h"

/* ---- ConcatV2: values[0..n-1], axis */

static mf_status concat_ranks(const mf_infer *c, int *rank) {
  *rank = -1;
  for (int i = 0; i < c->n_in - 1; i++) {
    const mf_shape *s = mf_in_shape(c, i);
    if (s->rank < 0) continue;
    if (*rank < 0) *rank = s->rank;
    char first[MF_SHAPE_TEXT], this[MF_SHAPE_TEXT];
    if (s->rank != *rank)
      return mf_infer_fail(c, "Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
                           mf_shape_text(mf_in_shape(c, 0), first), i, mf_shape_text(s, this));
  }
  return NULL;
}

static mf_status concat_add(const mf_infer *c, int i, int axis, mf_shape *out) {
  const mf_shape *s = mf_in_shape(c, i);
  if (s->rank < 0) {
    out->dims[axis] = -1;
    return NULL;
  }
  for (int d = 0; d < out->rank; d++) {
    if (d == axis) {
      out->dims[d] = s->dims[d] < 0 || (i && out->dims[d] < 0) ? -1 : (i ? out->dims[d] : 0) + s->dims[d];
    } else if (out->dims[d] >= 0 && s->dims[d] >= 0 && out->dims[d] != s->dims[d]) {
      char first[MF_SHAPE_TEXT], this[MF_SHAPE_TEXT];
      return mf_infer_fail(c, "Dimension %d in both shapes must be equal: shape[0] = %s vs. shape[%d] = %s", d,
                           mf_shape_text(mf_in_shape(c, 0), first), i, mf_shape_text(s, this));
    } else if (out->dims[d] < 0) {
      out->dims[d] = s->dims[d];
    }
  }
  return NULL;
}

static mf_status concat_infer(mf_infer *c) {
  int64_t value;
  bool known;
  int rank, axis, n = c->n_in - 1;
  MF_TRY(mf_const_int(c, n, &value, &known));
  MF_TRY(concat_ranks(c, &rank));
  if (rank < 0) return NULL;
  if (rank == 0) return mf_infer_fail(c, "Can't concatenate scalars (use tf.stack instead)");
  mf_shape out = mf_shape_unknown_dims(rank);
  if (!known) {
    c->out[0] = out;
    return NULL;
  }
  if (value < -rank || value >= rank)
    return mf_infer_fail(c, "Expected concatenating dimensions in the range [%d, %d), but got %" PRId64, -rank, rank,
                         value);
  axis = (int)(value < 0 ? value + rank : value);
  for (int i = 0; i < n; i++) MF_TRY(concat_add(c, i, axis, &out));
  c->out[0] = out;
  return NULL;
}

static bool concat_value(const mf_node *node, int output, mf_shape *out) {
  (void)output;
  *out = mf_shape_scalar();
  for (int i = 0; i < node->n_in - 1; i++) {
    mf_shape part;
    if (mfi_node_in(node, i)->shape.rank != 1 || !mfi_dims_value(mfi_node_in(node, i), &part)) return false;
    if (out->rank + part.rank > MF_MAX_RANK) return false;
    for (int d = 0; d < part.rank; d++) out->dims[out->rank++] = part.dims[d];
  }
  return true;
}

/* Offsets and sizes of every input along a known axis, all shapes known: slices with constant borders. */
static void slice_known(mf_builder *b, const mf_grad_args *a, int axis, mf_grad *dx) {
  int64_t begin[MF_MAX_RANK] = {0};
  for (int i = 0; i < a->n_in - 1; i++) {
    const mf_shape *s = &a->in[i]->shape;
    if (a->need[i])
      mf_b_give(b, &dx[i],
                MF_B(b, Slice, a->dy[0], mf_b_ints(b, begin, s->rank), mf_b_ints(b, s->dims, s->rank)));
    begin[axis] += s->dims[axis];
  }
}

static void slice_unknown(mf_builder *b, const mf_grad_args *a, mf_grad *dx) {
  int n = a->n_in - 1;
  mf_tensor **list = mf_alloc_array((size_t)n * 3 + 1, sizeof *list);
  if (!list) {
    b->status = b->status ? b->status : mf_fail_oom();
    return;
  }
  mf_tensor **shapes = list + 1, **offsets = list + 1 + n;
  mf_tensor *axis = a->in[n];
  if (axis->dtype != MF_INT32) axis = mf_b_cast(b, axis, MF_INT32);
  list[0] = MF_B(b, FloorMod, axis, MF_B(b, Rank, a->in[0]));
  for (int i = 0; i < n; i++) shapes[i] = mf_b_dims_of(b, a->in[i]);
  if (!b->status) mf_b_apply_many(b, &mf_op_ConcatOffset, list, n + 1, NULL, 0, offsets, n);
  for (int i = 0; i < n && !b->status; i++)
    if (a->need[i]) mf_b_give(b, &dx[i], MF_B(b, Slice, a->dy[0], offsets[i], shapes[i]));
  mf_free(list);
}

/* The axis as the shapes tell it (all known): so no tape has to keep it. Two candidates can only arise from dimensions
 * of 0, and then either gives the same slices. */
static int axis_by_shapes(const mf_grad_args *a) {
  const mf_shape *out = &a->out[0]->shape;
  for (int axis = 0; axis < out->rank; axis++) {
    int64_t sum = 0;
    bool others = true;
    for (int i = 0; i < a->n_in - 1; i++) {
      const mf_shape *s = &a->in[i]->shape;
      sum += s->dims[axis];
      for (int d = 0; d < s->rank; d++) others = others && (d == axis || s->dims[d] == out->dims[d]);
    }
    if (others && sum == out->dims[axis]) return axis;
  }
  return 0;
}

static mf_status concat_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  bool full = mf_shape_is_full(&a->out[0]->shape);
  for (int i = 0; i < a->n_in - 1; i++) full = full && mf_shape_is_full(&a->in[i]->shape);
  if (full) slice_known(&b, a, axis_by_shapes(a), dx);
  else slice_unknown(&b, a, dx);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_ConcatV2 = {
    MF_OP_NAME(ConcatV2),
    .inputs = "values: N * T; axis: Tidx",
    .outputs = "output: T",
    .attrs = "N: int >= 2; T: type; Tidx: {int32, int64} = DT_INT32",
    .infer = concat_infer,
    .grad = concat_grad,
    .shape_value = concat_value,
    .doc = "Joins values along an existing axis.",
};

/* ---- ConcatOffset */

static mf_status concat_offset_infer(mf_infer *c) {
  for (int i = 0; i < c->n_out; i++) MF_TRY(mf_infer_rank(c, i + 1, 1, &c->out[i]));
  return NULL;
}

const mf_op_def mf_op_ConcatOffset = {
    MF_OP_NAME(ConcatOffset),
    .inputs = "concat_dim: int32; shape: N * shape_type",
    .outputs = "offset: N * shape_type",
    .attrs = "N: int >= 2; shape_type: {int32, int64} = DT_INT32",
    .infer = concat_offset_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Where each input of a concatenation starts in its output.",
};
