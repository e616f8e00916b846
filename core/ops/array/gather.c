/* gather.c - rows by index: GatherV2. Along axis 0 its gradient stays SLICES: rows of dy with the indices they belong
 * to. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

static mf_status gather_infer(mf_infer *c) {
  const mf_shape *params = mf_in_shape(c, 0), *indices = mf_in_shape(c, 1);
  int64_t value, batch = mf_attr_int(c->attrs, "batch_dims");
  bool known;
  int axis;
  mf_shape scalar;
  MF_TRY(mf_infer_rank(c, 2, 0, &scalar));
  MF_TRY(mf_const_int(c, 2, &value, &known));
  if (params->rank < 0 || indices->rank < 0) return NULL;
  if (batch < -indices->rank || batch > indices->rank)
    return mf_infer_fail(c, "Expected batch_dims in the range [%d, %d], but got %" PRId64, -indices->rank,
                         indices->rank, batch);
  if (batch < 0) batch += indices->rank;
  if (params->rank == 0) return mf_infer_fail(c, "Shape must be at least rank 1 but is rank 0");
  if (!known) {
    c->out[0] = mf_shape_unknown_dims(params->rank + indices->rank - 1 - (int)batch);
    return NULL;
  }
  if (value < -params->rank || value >= params->rank)
    return mf_infer_fail(c, "Expected axis in the range [%d, %d), but got %" PRId64, -params->rank, params->rank,
                         value);
  axis = (int)(value < 0 ? value + params->rank : value);
  if (axis < batch)
    return mf_infer_fail(c, "batch_dims (%" PRId64 ") must be less than or equal to axis (%d).", batch, axis);
  c->out[0] = mf_shape_scalar();
  for (int i = 0; i < axis; i++) {
    int64_t dim = params->dims[i];
    if (i < batch && dim >= 0 && indices->dims[i] >= 0 && dim != indices->dims[i])
      return mf_infer_fail(c, "params.shape[%d]: %" PRId64 " should be equal to indices.shape[%d]: %" PRId64, i, dim,
                           i, indices->dims[i]);
    MF_TRY(mf_shape_append(&c->out[0], i < batch && dim < 0 ? indices->dims[i] : dim));
  }
  for (int i = (int)batch; i < indices->rank; i++) MF_TRY(mf_shape_append(&c->out[0], indices->dims[i]));
  for (int i = axis + 1; i < params->rank; i++) MF_TRY(mf_shape_append(&c->out[0], params->dims[i]));
  return NULL;
}

/* A single dimension of a shape vector: rows of tf.shape(x). */
static bool gather_value(const mf_node *node, int output, mf_shape *out) {
  (void)output;
  mf_shape whole, at;
  if (mfi_node_in(node, 0)->shape.rank != 1 || !mfi_dims_value(mfi_node_in(node, 0), &whole)) return false;
  if (!mfi_dims_exact(mfi_node_in(node, 1)) || !mfi_dims_value(mfi_node_in(node, 1), &at)) return false;
  out->rank = at.rank;
  for (int i = 0; i < at.rank; i++) {
    if (at.dims[i] < 0 || at.dims[i] >= whole.rank) return false;
    out->dims[i] = whole.dims[at.dims[i]];
  }
  return true;
}

/* ---- gradient */

static void dims_of_range(mfi_dim *list, int *n, mf_tensor *t, int from, int to) {
  for (int i = from; i < to; i++) list[(*n)++] = (mfi_dim){.of = t, .axis = i};
}

static void grad_rows(mf_builder *b, const mf_grad_args *a, mf_grad *dx) {
  mf_tensor *params = a->in[0], *values;
  if (params->shape.rank >= 0) {
    mfi_dim dims[MF_MAX_RANK];
    int n = 0;
    int64_t count = mf_shape_count(&a->in[1]->shape);
    dims[n++] = (mfi_dim){.value = count};
    dims_of_range(dims, &n, params, 1, params->shape.rank);
    values = mf_b_reshape(b, a->dy[0], mfi_b_dims(b, dims, n));
  } else {
    int64_t one = 1, minus = -1;
    mf_tensor *tail = MF_B(b, Slice, mf_b_dims_of(b, params), mf_b_ints(b, &one, 1), mf_b_ints(b, &minus, 1));
    values = mf_b_reshape(b, a->dy[0], MF_B(b, ConcatV2, mfi_b_count_of(b, a->in[1]), tail, mf_b_int(b, 0)));
  }
  mf_b_give_slices(b, &dx[0], values, mfi_b_flat(b, a->in[1]), mf_b_dims_of(b, params));
}

/* Indices as if the batches stood one below the other in one long table: batch number times `dim` (int32 scalar) is
 * added. */
static mf_tensor *indices_of_table(mf_builder *b, mf_tensor *indices, int batch, mf_tensor *dim) {
  mfi_dim lead[MF_MAX_RANK];
  int n = 0;
  int64_t minus = -1, zero = 0, column[2] = {-1, 1};
  mf_dtype type = (mf_dtype)indices->dtype;
  if (batch == 0) return mfi_b_flat(b, indices);
  dims_of_range(lead, &n, indices, 0, batch);
  mf_tensor *batches = MF_B(b, Prod, mfi_b_dims(b, lead, n), mf_b_ints(b, &zero, 1));
  mf_tensor *rows = mf_b_cast(b, dim, type);
  mf_tensor *end = mf_b_mul(b, mf_b_cast(b, batches, type), rows);
  mf_tensor *start = mf_b_reshape(b, MF_B(b, Range, mf_b_scalar(b, type, 0), end, rows), mf_b_ints(b, column, 2));
  mfi_dim flat[2] = {{.value = -1}, {.value = -1}};
  int64_t per = indices->shape.rank < 0 ? -1 : mf_shape_count_range(&indices->shape, batch, indices->shape.rank);
  mf_tensor *table;
  if (per > 0) {
    flat[1].value = per;
    table = mf_b_reshape(b, indices, mfi_b_dims(b, flat, 2));
  } else {
    table = mf_b_reshape(b, indices, MF_B(b, Pack, batches, mf_b_int(b, per == 0 ? 0 : -1)));
  }
  return mf_b_reshape(b, mf_b_add(b, table, start), mf_b_ints(b, &minus, 1));
}

/* Moves the gathered axis to the front (behind the batches), adds rows up by index, and moves it back. */
static void grad_axis(mf_builder *b, const mf_grad_args *a, int axis, int batch, mf_grad *dx) {
  mf_tensor *params = a->in[0], *indices = a->in[1];
  int rank = params->shape.rank, n = 0;
  int64_t perm[MF_MAX_RANK], back[MF_MAX_RANK];
  mfi_dim dims[MF_MAX_RANK + 1];
  dims_of_range(dims, &n, params, 0, axis);
  dims[n++] = (mfi_dim){.value = mf_shape_count_range(&indices->shape, batch, indices->shape.rank)};
  dims_of_range(dims, &n, params, axis + 1, rank);
  mf_tensor *values = mf_b_reshape(b, a->dy[0], mfi_b_dims(b, dims, n));
  for (int i = 0; i < rank; i++) perm[i] = i < batch ? i : i == batch ? axis : i <= axis ? i - 1 : i;
  for (int i = 0; i < rank; i++) back[perm[i]] = i;
  values = mf_b_transpose(b, values, mf_b_ints(b, perm, rank));
  n = 0;
  dims[n++] = (mfi_dim){.value = -1};
  dims_of_range(dims, &n, params, batch, axis);
  dims_of_range(dims, &n, params, axis + 1, rank);
  int64_t rows = mf_shape_count(&indices->shape);
  dims[0].value = rows;
  values = mf_b_reshape(b, values, mfi_b_dims(b, dims, n));
  mf_tensor *flat = indices_of_table(b, indices, batch, batch ? mfi_b_dim(b, params, axis) : NULL), *zero_d;
  mfi_dim total[MF_MAX_RANK];
  int64_t none = 0;
  n = 0;
  dims_of_range(total, &n, params, 0, batch);
  dims_of_range(total, &n, params, axis, axis + 1);
  zero_d = MF_B(b, Prod, mfi_b_dims(b, total, n), mf_b_ints(b, &none, 1));
  mf_tensor *sums = MF_B(b, UnsortedSegmentSum, values, flat, zero_d);
  n = 0;
  for (int i = 0; i < rank; i++) dims[n++] = (mfi_dim){.of = params, .axis = (int)perm[i]};
  sums = mf_b_reshape(b, sums, mfi_b_dims(b, dims, n));
  mf_b_give(b, &dx[0], mf_b_transpose(b, sums, mf_b_ints(b, back, rank)));
}

/* The same where the rank of params or the axis is not known: everything about shapes is computed by ops. */
static void grad_axis_unknown(mf_builder *b, const mf_grad_args *a, int batch, mf_grad *dx) {
  mf_tensor *params = a->in[0], *zero = mf_b_int(b, 0), *one = mf_b_int(b, 1), *first = mf_b_int(b, batch);
  int64_t begin = 0, minus = -1, behind = batch + 1;
  mf_tensor *shape = MF_B(b, Shape, params), *rank = MF_B(b, Rank, params);
  mf_tensor *axis = MF_B(b, FloorMod, mf_b_cast(b, a->in[2], MF_INT32), rank); /* negative ones from the end */
  mf_tensor *all = mf_b_ints(b, &minus, 1), *at = mf_b_reshape(b, axis, all);
  mf_tensor *next = mf_b_add(b, at, one);
  mf_tensor *outer = MF_B(b, Slice, shape, mf_b_ints(b, &begin, 1), at), *inner = MF_B(b, Slice, shape, next, all);
  mf_tensor *values = mf_b_reshape(b, a->dy[0], MF_B(b, ConcatV2, outer, all, inner, zero));
  mf_tensor *perm = MF_B(b, ConcatV2, MF_B(b, Range, zero, first, one), at, MF_B(b, Range, first, axis, one),
                         MF_B(b, Range, mf_b_add(b, axis, one), rank, one), zero);
  values = mf_b_transpose(b, values, perm);
  mf_tensor *moved = MF_B(b, GatherV2, shape, perm, zero);
  mf_tensor *rest = MF_B(b, Slice, moved, mf_b_ints(b, &behind, 1), all);
  values = mf_b_reshape(b, values, MF_B(b, ConcatV2, all, rest, zero));
  int64_t most = behind;
  mf_tensor *rows = MF_B(b, Prod, MF_B(b, Slice, moved, mf_b_ints(b, &begin, 1), mf_b_ints(b, &most, 1)),
                         mf_b_ints(b, &begin, 1));
  mf_tensor *flat = indices_of_table(b, a->in[1], batch, MF_B(b, GatherV2, shape, axis, zero));
  mf_tensor *sums = mf_b_reshape(b, MF_B(b, UnsortedSegmentSum, values, flat, rows), moved);
  mf_b_give(b, &dx[0], mf_b_transpose(b, sums, MF_B(b, InvertPermutation, perm)));
}

static mf_status gather_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  const mf_tensor *axis_at = mfi_dims_exact(a->in[2]);
  int64_t batch = mf_attr_int(a->attrs, "batch_dims"), axis = axis_at ? mf_tensor_get_i64(axis_at, 0) : 0;
  int rank = a->in[0]->shape.rank;
  if (axis < 0 && axis_at && rank >= 0) axis += rank;
  if (a->in[1]->shape.rank < 0 && batch < 0)
    return mf_fail(MF_UNIMPLEMENTED, "GatherV2: with batch_dims < 0 the gradient needs indices of known rank");
  if (batch < 0) batch += a->in[1]->shape.rank;
  mf_builder b = mf_builder_open(ctx);
  /* As in TensorFlow, only the axis written as 0 gives SLICES. */
  if (axis_at && mf_tensor_get_i64(axis_at, 0) == 0) grad_rows(&b, a, dx);
  else if (rank < 0 || !axis_at) grad_axis_unknown(&b, a, (int)batch, dx);
  else grad_axis(&b, a, (int)axis, (int)batch, dx);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_GatherV2 = {
    MF_OP_NAME(GatherV2),
    .inputs = "params: Tparams; indices: Tindices; axis: Taxis",
    .outputs = "output: Tparams",
    .attrs = "batch_dims: int = 0; Tparams: type; Tindices: {int16, int32, int64}; Taxis: {int32, int64}",
    .infer = gather_infer,
    .grad = gather_grad,
    .saves = MF_SAVE_IN(1) | MF_SAVE_IN(2),
    .shape_value = gather_value,
    .doc =
        "Slices of params along axis, in the order of indices; the first batch_dims dimensions of both go together.",
};
