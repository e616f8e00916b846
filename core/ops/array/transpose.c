/* transpose.c - permuting dimensions: Transpose, InvertPermutation. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

/* perm checked and read into p[0..rank-1]; *known is false when its value is not known yet. */
static mf_status read_perm(const mf_infer *c, int rank, int *p, bool *known) {
  const mf_tensor *perm = mf_const_input(c, 1);
  bool seen[MF_MAX_RANK] = {false};
  *known = perm != NULL;
  if (!perm) return NULL;
  if (mf_tensor_count(perm) != rank)
    return mf_infer_fail(c, "transpose expects a vector of size %d. But input(1) is a vector of size %" PRId64, rank,
                         mf_tensor_count(perm));
  for (int i = 0; i < rank; i++) {
    int64_t d = mf_tensor_get_i64(perm, i);
    if (d < -rank || d >= rank) return mf_infer_fail(c, "%" PRId64 " is out of range [0 .. %d)", d, rank);
    p[i] = (int)(d < 0 ? d + rank : d);
    seen[p[i]] = true;
  }
  for (int i = 0; i < rank; i++)
    if (!seen[i]) return mf_infer_fail(c, "%d is missing from {perm}.", i);
  return NULL;
}

static mf_status transpose_infer(mf_infer *c) {
  mf_shape vector;
  int p[MF_MAX_RANK];
  bool known;
  MF_TRY(mf_infer_rank(c, 1, 1, &vector));
  const mf_shape *in = mf_in_shape(c, 0);
  int64_t n = vector.dims[0];
  int rank = in->rank >= 0 ? in->rank : n >= 0 && n <= MF_MAX_RANK ? (int)n : -1;
  if (rank < 0) return NULL;
  if (n >= 0 && n != rank)
    return mf_infer_fail(c, "transpose expects a vector of size %d. But input(1) is a vector of size %" PRId64, rank,
                         n);
  MF_TRY(read_perm(c, rank, p, &known));
  c->out[0] = mf_shape_unknown_dims(rank);
  if (rank <= 1) c->out[0] = in->rank >= 0 ? *in : c->out[0];
  else if (known && in->rank >= 0)
    for (int i = 0; i < rank; i++) c->out[0].dims[i] = in->dims[p[i]];
  return NULL;
}

/* The inverse of a known permutation, as a constant; else an InvertPermutation node. */
static mf_tensor *inverse_of(mf_builder *b, mf_tensor *perm) {
  mf_tensor *exact = mfi_dims_exact(perm);
  int64_t inverse[MF_MAX_RANK];
  if (!exact || mf_tensor_count(exact) > MF_MAX_RANK) return MF_B(b, InvertPermutation, perm);
  int n = (int)mf_tensor_count(exact);
  for (int i = 0; i < n; i++) {
    int64_t d = mf_tensor_get_i64(exact, i);
    inverse[d < 0 ? d + n : d] = i;
  }
  return mf_b_ints(b, inverse, n);
}

static mf_status transpose_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_transpose(&b, a->dy[0], inverse_of(&b, a->in[1])));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Transpose = {
    MF_OP_NAME(Transpose),
    .inputs = "x: T; perm: Tperm",
    .outputs = "y: T",
    .attrs = "T: type; Tperm: {int32, int64} = DT_INT32",
    .infer = transpose_infer,
    .grad = transpose_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "Dimension i of y is dimension perm[i] of x.",
};

/* ---- InvertPermutation */

static mf_status invert_infer(mf_infer *c) { return mf_infer_rank(c, 0, 1, &c->out[0]); }

const mf_op_def mf_op_InvertPermutation = {
    MF_OP_NAME(InvertPermutation),
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: {int32, int64} = DT_INT32",
    .infer = invert_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "y[x[i]] = i; x must hold 0 .. n-1, each once.",
};
