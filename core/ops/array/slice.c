/* slice.c - a box cut out of a tensor: Slice, whose gradient pads. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

static mf_status slice_box(const mf_infer *c, const mf_shape *in, const mf_shape *begin, const mf_shape *size) {
  for (int i = 0; i < in->rank; i++) {
    int64_t dim = in->dims[i], b = begin->dims[i], s = size->dims[i];
    if (dim < 0) continue;
    if (b < 0 || b > dim)
      return mf_infer_fail(c, "Expected begin[%d] in [0, %" PRId64 "], but got %" PRId64, i, dim, b);
    if (s < -1 || (s >= 0 && s > dim - b))
      return mf_infer_fail(c, "Expected size[%d] in [0, %" PRId64 "], but got %" PRId64, i, dim - b, s);
  }
  return NULL;
}

static mf_status slice_rank(const mf_infer *c, int *rank) {
  *rank = mf_in_shape(c, 0)->rank;
  for (int i = 1; i < 3; i++) {
    mf_shape vector;
    MF_TRY(mf_infer_rank(c, i, 1, &vector));
    if (vector.dims[0] < 0) continue;
    if (*rank < 0 && vector.dims[0] <= MF_MAX_RANK) *rank = (int)vector.dims[0];
    if (vector.dims[0] != *rank)
      return mf_infer_fail(c, "Expected begin and size arguments to be 1-D tensors of size %d, but got shape [%" PRId64
                              "] for %s", *rank, vector.dims[0], i == 1 ? "begin" : "size");
  }
  return NULL;
}

static mf_status slice_infer(mf_infer *c) {
  int rank;
  MF_TRY(slice_rank(c, &rank));
  if (rank < 0) return NULL;
  mf_shape in = *mf_in_shape(c, 0), begin, size;
  if (in.rank < 0) in = mf_shape_unknown_dims(rank);
  c->out[0] = mf_shape_unknown_dims(rank);
  bool exact = mf_const_input(c, 1) && mf_const_input(c, 2);
  bool has_begin = mfi_dims_value(c->in[1], &begin) && begin.rank == rank;
  bool has_size = mfi_dims_value(c->in[2], &size) && size.rank == rank;
  if (exact && has_begin && has_size) MF_TRY(slice_box(c, &in, &begin, &size));
  for (int i = 0; i < rank; i++) {
    if (!has_size) continue;
    if (size.dims[i] >= 0) c->out[0].dims[i] = size.dims[i];
    /* -1 means "to the end" only where the vector is exactly known */
    else if (exact && has_begin && in.dims[i] >= 0) c->out[0].dims[i] = in.dims[i] - begin.dims[i];
  }
  return NULL;
}

static bool slice_value(const mf_node *node, int output, mf_shape *out) {
  (void)output;
  mf_shape whole, begin, size;
  if (!mfi_dims_value(mfi_node_in(node, 0), &whole) || mfi_node_in(node, 0)->shape.rank != 1) return false;
  if (!mfi_dims_exact(mfi_node_in(node, 1)) || !mfi_dims_exact(mfi_node_in(node, 2))) return false;
  if (!mfi_dims_value(mfi_node_in(node, 1), &begin) || !mfi_dims_value(mfi_node_in(node, 2), &size)) return false;
  int64_t n = size.dims[0] < 0 ? whole.rank - begin.dims[0] : size.dims[0];
  if (begin.dims[0] < 0 || n < 0 || begin.dims[0] + n > whole.rank) return false;
  out->rank = (int)n;
  for (int i = 0; i < out->rank; i++) out->dims[i] = whole.dims[begin.dims[0] + i];
  return true;
}

/* dy padded with zeros: before = begin, after = input - output - begin. */
static mf_status slice_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *before = a->in[1];
  mf_dtype type = (mf_dtype)before->dtype;
  mf_tensor *after = mf_b_sub(&b, mf_b_sub(&b, mfi_b_dims_as(&b, a->in[0], type), mfi_b_dims_as(&b, a->out[0], type)),
                              before);
  mf_tensor *paddings = MF_BA(&b, Pack, MF_INS(before, after), MF_A_INT("axis", 1));
  mf_b_give(&b, &dx[0], MF_B(&b, Pad, a->dy[0], paddings));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Slice = {
    MF_OP_NAME(Slice),
    .inputs = "input: T; begin: Index; size: Index",
    .outputs = "output: T",
    .attrs = "T: type; Index: {int32, int64}",
    .flags = MF_OP_VIEW,
    .infer = slice_infer,
    .grad = slice_grad,
    .saves = MF_SAVE_IN(1),
    .shape_value = slice_value,
    .doc =
        "The box of input that starts at begin and has the given size (-1: to the end); whole leading rows share its "
        "memory.",
};
