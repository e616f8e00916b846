/* scatter.c - elements and slices by index vectors: GatherNd, ScatterNd, TensorScatterUpdate, -Add, -Sub.
 *
 * The last dimension of indices, K, addresses the first K dimensions of a tensor; what is moved are slices of the
 * rest.
 */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

/* K: how many dimensions an index vector addresses; -1 unknown. */
static mf_status index_depth(const mf_infer *c, const mf_shape *indices, const mf_shape *table, int *depth) {
  *depth = -1;
  if (indices->rank == 0) return mf_infer_fail(c, "indices must be at least a vector");
  if (indices->rank < 0 || indices->dims[indices->rank - 1] < 0) return NULL;
  int64_t k = indices->dims[indices->rank - 1];
  if (table->rank >= 0 && k > table->rank)
    return mf_infer_fail(c, "index innermost dimension length must be <= params rank; saw: %" PRId64 " vs. %d", k,
                         table->rank);
  if (k <= MF_MAX_RANK) *depth = (int)k;
  return NULL;
}

/* indices.shape[:-1] + table.shape[K:] */
static mf_status moved_shape(const mf_shape *indices, const mf_shape *table, int depth, mf_shape *out) {
  *out = mf_shape_unknown();
  if (indices->rank < 0 || table->rank < 0 || depth < 0) return NULL;
  *out = mf_shape_scalar();
  for (int i = 0; i < indices->rank - 1; i++) MF_TRY(mf_shape_append(out, indices->dims[i]));
  for (int i = depth; i < table->rank; i++) MF_TRY(mf_shape_append(out, table->dims[i]));
  return NULL;
}

/* ---- GatherNd */

static mf_status gather_nd_infer(mf_infer *c) {
  int depth;
  mf_shape params;
  MF_TRY(mf_infer_min_rank(c, 0, 1, &params));
  MF_TRY(index_depth(c, mf_in_shape(c, 1), &params, &depth));
  return moved_shape(mf_in_shape(c, 1), &params, depth, &c->out[0]);
}

static mf_status gather_nd_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *indices = a->in[1];
  const mf_shape *s = &indices->shape;
  mf_tensor *dims = mfi_b_dims_as(&b, a->in[0], (mf_dtype)indices->dtype);
  if (s->rank == 2 && s->dims[1] == 1)
    mf_b_give_slices(&b, &dx[0], a->dy[0], mfi_b_flat(&b, indices), mf_b_dims_of(&b, a->in[0]));
  else
    mf_b_give(&b, &dx[0],
              MF_BA(&b, ScatterNd, MF_INS(indices, a->dy[0], dims), MF_A_COPY(a->attrs, "bad_indices_policy")));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_GatherNd = {
    MF_OP_NAME(GatherNd),
    .inputs = "params: Tparams; indices: Tindices",
    .outputs = "output: Tparams",
    .attrs = "Tparams: type; Tindices: {int16, int32, int64}; bad_indices_policy: string = ''",
    .infer = gather_nd_infer,
    .grad = gather_nd_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "Slices of params that the index vectors in indices address.",
};

/* ---- ScatterNd */

static mf_status check_updates(const mf_infer *c, const mf_shape *indices, const mf_shape *updates,
                               const mf_shape *table) {
  int depth;
  mf_shape want;
  if (indices->rank == 0) return mf_infer_fail(c, "indices must be at least a vector");
  MF_TRY(index_depth(c, indices, table, &depth));
  MF_TRY(moved_shape(indices, table, depth, &want));
  if (mf_shape_compatible(&want, updates)) return NULL;
  char i[MF_SHAPE_TEXT], u[MF_SHAPE_TEXT], t[MF_SHAPE_TEXT];
  return mf_infer_fail(c, "Dimensions of indices %s, updates %s and shape %s do not fit: updates must have shape "
                          "indices.shape[:-1] + shape[indices.shape[-1]:]",
                       mf_shape_text(indices, i), mf_shape_text(updates, u), mf_shape_text(table, t));
}

static mf_status scatter_nd_infer(mf_infer *c) {
  if (mf_in_type(c, 2) == MF_INT16) { /* mf_const_shape reads int32 and int64 */
    const mf_tensor *value = mf_const_input(c, 2);
    int64_t dims[MF_MAX_RANK], n = value ? mf_tensor_count(value) : 0;
    if (!value || n > MF_MAX_RANK) return NULL;
    for (int64_t i = 0; i < n; i++) dims[i] = mf_tensor_get_i64(value, i);
    MF_TRY(mf_shape_make(dims, n, &c->out[0]));
  } else {
    MF_TRY(mfi_dims_sizes(c, 2, &c->out[0]));
  }
  return check_updates(c, mf_in_shape(c, 0), mf_in_shape(c, 1), &c->out[0]);
}

static mf_status scatter_nd_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[1] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[1], MF_B(&b, GatherNd, a->dy[0], a->in[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_ScatterNd = {
    MF_OP_NAME(ScatterNd),
    .inputs = "indices: Tindices; updates: T; shape: Tindices",
    .outputs = "output: T",
    .attrs = "T: type; Tindices: {int16, int32, int64}; bad_indices_policy: string = ''",
    .infer = scatter_nd_infer,
    .grad = scatter_nd_grad,
    .saves = MF_SAVE_IN(0),
    .doc = "Zeros of the given shape with updates added at indices.",
};

/* ---- TensorScatter* */

static mf_status tensor_scatter_infer(mf_infer *c) {
  mf_shape table;
  MF_TRY(mf_infer_min_rank(c, 0, 1, &table));
  MF_TRY(check_updates(c, mf_in_shape(c, 1), mf_in_shape(c, 2), &table));
  c->out[0] = table;
  return NULL;
}

static mf_status tensor_scatter_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  const mf_op_def *op = a->attrs.op;
  if (a->need[0] && op != &mf_op_TensorScatterUpdate) mf_b_give(&b, &dx[0], a->dy[0]);
  else if (a->need[0])
    mf_b_give(&b, &dx[0], MF_B(&b, TensorScatterUpdate, a->dy[0], a->in[1], mf_b_zeros_like(&b, a->in[2])));
  if (a->need[2]) {
    mf_tensor *rows = MF_B(&b, GatherNd, a->dy[0], a->in[1]);
    mf_b_give(&b, &dx[2], op == &mf_op_TensorScatterSub ? mf_b_neg(&b, rows) : rows);
  }
  return mf_builder_close(&b);
}

const mf_op_def mf_op_TensorScatterUpdate = {
    MF_OP_NAME(TensorScatterUpdate),
    .inputs = "tensor: T; indices: Tindices; updates: T",
    .outputs = "output: T",
    .attrs = "T: type; Tindices: {int16, int32, int64, uint16}; bad_indices_policy: string = ''",
    .infer = tensor_scatter_infer,
    .grad = tensor_scatter_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "A copy of tensor with updates written at indices; of duplicates the last one stays.",
};

const mf_op_def mf_op_TensorScatterAdd = {
    MF_OP_NAME(TensorScatterAdd),
    .inputs = "tensor: T; indices: Tindices; updates: T",
    .outputs = "output: T",
    .attrs = "T: type; Tindices: {int32, int64}; bad_indices_policy: string = ''",
    .infer = tensor_scatter_infer,
    .grad = tensor_scatter_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "A copy of tensor with updates added at indices; duplicates add up.",
};

const mf_op_def mf_op_TensorScatterSub = {
    MF_OP_NAME(TensorScatterSub),
    .inputs = "tensor: T; indices: Tindices; updates: T",
    .outputs = "output: T",
    .attrs = "T: type; Tindices: {int32, int64}; bad_indices_policy: string = ''",
    .infer = tensor_scatter_infer,
    .grad = tensor_scatter_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "A copy of tensor with updates subtracted at indices.",
};
