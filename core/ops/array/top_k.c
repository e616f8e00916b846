/* top_k.c - the largest elements: TopKV2, InTopKV2. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

/* ---- TopKV2 */

static mf_status top_k_infer(mf_infer *c) {
  mf_shape in;
  int64_t k;
  bool known;
  MF_TRY(mf_infer_min_rank(c, 0, 1, &in));
  MF_TRY(mf_const_int(c, 1, &k, &known));
  if (known && k < 0) return mf_infer_fail(c, "Need k >= 0, got %" PRId64, k);
  if (in.rank < 0) return NULL;
  int64_t last = in.dims[in.rank - 1];
  if (known && last >= 0 && last < k)
    return mf_infer_fail(c, "input must have at least k columns. Had %" PRId64 ", needed %" PRId64, last, k);
  for (int i = 0; i < 2; i++) {
    c->out[i] = in;
    c->out[i].dims[in.rank - 1] = known ? k : MF_UNKNOWN_DIM;
  }
  return NULL;
}

/* Numbers of the rows as a column, times the row length: what turns positions in a row into positions in all. */
static mf_tensor *row_starts(mf_builder *b, mf_tensor *in, mf_tensor *length) {
  int64_t column[2] = {-1, 1};
  mf_tensor *end = mf_b_cast(b, MF_B(b, Size, in), MF_INT32);
  mf_tensor *starts = MF_B(b, Range, mf_b_int(b, 0), end, length);
  return mf_b_reshape(b, starts, mf_b_ints(b, column, 2));
}

static mf_status top_k_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *in = a->in[0], *at = a->out[1];
  if (at->dtype != MF_INT32) at = mf_b_cast(&b, at, MF_INT32);
  int64_t column[2] = {-1, 1}, minus = -1;
  mf_tensor *length = mfi_b_dim(&b, in, -1);
  mfi_dim rows[2] = {{.value = -1}, {.of = a->out[1], .axis = -1}};
  mf_tensor *flat = at;
  if (!b.status && mf_shape_count(&a->out[1]->shape) != 0) {
    flat = mf_b_add(&b, mf_b_reshape(&b, at, mfi_b_dims(&b, rows, 2)), row_starts(&b, in, length));
    flat = mf_b_reshape(&b, flat, mf_b_ints(&b, column, 2));
    mf_tensor *sums = MF_B(&b, ScatterNd, flat, mf_b_reshape(&b, a->dy[0], mf_b_ints(&b, &minus, 1)),
                           mfi_b_count_of(&b, in));
    mf_b_give(&b, &dx[0], mf_b_reshape(&b, sums, mf_b_dims_of(&b, in)));
  } else if (!b.status) {
    mf_b_give(&b, &dx[0], mf_b_zeros_like(&b, in));
  }
  return mf_builder_close(&b);
}

const mf_op_def mf_op_TopKV2 = {
    MF_OP_NAME(TopKV2),
    .inputs = "input: T; k: Tk",
    .outputs = "values: T; indices: index_type",
    .attrs =
        "sorted: bool = true; T: realnumbertype; Tk: {int16, int32, int64} = DT_INT32; "
        "index_type: {int16, int32, int64} = DT_INT32",
    .infer = top_k_infer,
    .grad = top_k_grad,
    .saves = MF_SAVE_OUT(1),
    .doc =
        "The k largest elements of each row, largest first, and where they stand; of equal ones the first comes "
        "first.",
};

/* ---- InTopKV2 */

static mf_status in_top_k_infer(mf_infer *c) {
  mf_shape predictions, targets, scalar;
  MF_TRY(mf_infer_rank(c, 0, 2, &predictions));
  MF_TRY(mf_infer_rank(c, 1, 1, &targets));
  MF_TRY(mf_infer_rank(c, 2, 0, &scalar));
  if (predictions.dims[0] >= 0 && targets.dims[0] >= 0 && predictions.dims[0] != targets.dims[0])
    return mf_infer_fail(c, "First dimension of predictions %" PRId64 " must match length of targets %" PRId64,
                         predictions.dims[0], targets.dims[0]);
  c->out[0] = mf_shape_1d(predictions.dims[0] >= 0 ? predictions.dims[0] : targets.dims[0]);
  return NULL;
}

const mf_op_def mf_op_InTopKV2 = {
    MF_OP_NAME(InTopKV2),
    .inputs = "predictions: float; targets: T; k: T",
    .outputs = "precision: bool",
    .attrs = "T: {int32, int64} = DT_INT32",
    .infer = in_top_k_infer,
    .grad = MF_NO_GRADIENT,
    .doc =
        "Is the target's prediction among the k largest of its row? Ties count as in; rows with NaN or Inf are not.",
};
