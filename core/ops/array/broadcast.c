/* broadcast.c - repeating along dimensions: BroadcastTo, Tile, and the shape arithmetic BroadcastArgs,
 * BroadcastGradientArgs. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

/* ---- BroadcastTo */

static mf_status broadcast_to_infer(mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0);
  mf_shape *out = &c->out[0];
  MF_TRY(mfi_dims_sizes(c, 1, out));
  if (in->rank < 0 || out->rank < 0) return NULL;
  if (in->rank > out->rank)
    return mf_infer_fail(c, "Rank of input (%d) must be no greater than rank of output shape (%d).", in->rank,
                         out->rank);
  for (int i = 0; i < in->rank; i++) {
    int64_t from = in->dims[i], *to = &out->dims[out->rank - in->rank + i];
    char a[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
    if (from > 1 && *to < 0) *to = from;
    if (from >= 0 && *to >= 0 && from != 1 && from != *to)
      return mf_infer_fail(c, "Incompatible shapes: %s vs. %s", mf_shape_text(in, a), mf_shape_text(out, b));
  }
  return NULL;
}

static mf_status broadcast_to_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_grad_unbroadcast(&b, a->dy[0], a->in[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_BroadcastTo = {
    MF_OP_NAME(BroadcastTo),
    .inputs = "input: T; shape: Tidx",
    .outputs = "output: T",
    .attrs = "T: type; Tidx: {int32, int64} = DT_INT32",
    .infer = broadcast_to_infer,
    .grad = broadcast_to_grad,
    .doc = "Repeats input so that it has the given shape, by the usual broadcasting.",
};

/* ---- Tile */

static mf_status tile_infer(mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0);
  mf_shape multiples, vector;
  MF_TRY(mf_infer_rank(c, 1, 1, &vector));
  int64_t n = vector.dims[0];
  if (in->rank >= 0 && n >= 0 && n != in->rank)
    return mf_infer_fail(c, "Expected multiples argument to be a vector of length %d but got length %" PRId64,
                         in->rank, n);
  int rank = in->rank >= 0 ? in->rank : n >= 0 && n <= MF_MAX_RANK ? (int)n : -1;
  if (rank < 0) return NULL;
  c->out[0] = mf_shape_unknown_dims(rank);
  bool exact = mf_const_input(c, 1) != NULL;
  if (!mfi_dims_value(c->in[1], &multiples) || multiples.rank != rank) return NULL;
  for (int i = 0; i < rank; i++) {
    if (exact && multiples.dims[i] < 0)
      return mf_infer_fail(c, "Expected multiples[%d] >= 0, but got %" PRId64, i, multiples.dims[i]);
    if (in->rank < 0 || in->dims[i] < 0 || multiples.dims[i] < 0) continue;
    if (__builtin_mul_overflow(in->dims[i], multiples.dims[i], &c->out[0].dims[i]))
      return mf_infer_fail(c, "dimension %d is too large", i);
  }
  return NULL;
}

/* dy as [m0, d0, m1, d1, ...] summed over the m. Dimensions that are not repeated take no m. */
static void tile_known(mf_builder *b, const mf_grad_args *a, const mf_shape *multiples, mf_grad *dx) {
  const mf_shape *s = &a->in[0]->shape;
  int64_t split[2 * MF_MAX_RANK], axes[MF_MAX_RANK];
  int n = 0, n_axes = 0;
  for (int i = 0; i < s->rank; i++) {
    if (multiples->dims[i] != 1) {
      axes[n_axes++] = n;
      split[n++] = multiples->dims[i];
    }
    split[n++] = s->dims[i];
  }
  mf_tensor *sum = mf_b_sum(b, mf_b_reshape(b, a->dy[0], mf_b_ints(b, split, n)), mf_b_ints(b, axes, n_axes), false);
  mf_b_give(b, &dx[0], n_axes ? sum : a->dy[0]);
}

static void tile_unknown(mf_builder *b, const mf_grad_args *a, mf_grad *dx) {
  int64_t minus = -1, swap[2] = {1, 0};
  mf_dtype type = (mf_dtype)a->in[1]->dtype;
  mf_tensor *pairs = MF_B(b, Pack, a->in[1], mfi_b_dims_as(b, a->in[0], type));
  mf_tensor *split = mf_b_reshape(b, mf_b_transpose(b, pairs, mf_b_ints(b, swap, 2)), mf_b_ints(b, &minus, 1));
  mf_tensor *axes = MF_B(b, Range, mf_b_int(b, 0), MF_B(b, Size, split), mf_b_int(b, 2));
  mf_b_give(b, &dx[0], mf_b_sum(b, mf_b_reshape(b, a->dy[0], split), axes, false));
}

static mf_status tile_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_shape multiples;
  bool known = mf_shape_is_full(&a->in[0]->shape) && mfi_dims_exact(a->in[1]) && mfi_dims_value(a->in[1], &multiples);
  if (known) tile_known(&b, a, &multiples, dx);
  else tile_unknown(&b, a, dx);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Tile = {
    MF_OP_NAME(Tile),
    .inputs = "input: T; multiples: Tmultiples",
    .outputs = "output: T",
    .attrs = "T: type; Tmultiples: {int32, int64} = DT_INT32",
    .infer = tile_infer,
    .grad = tile_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "Repeats input multiples[i] times along dimension i.",
};

/* ---- BroadcastArgs */

static mf_status broadcast_args_infer(mf_infer *c) {
  mf_shape x, y;
  MF_TRY(mf_infer_rank(c, 0, 1, &x));
  MF_TRY(mf_infer_rank(c, 1, 1, &y));
  int64_t n = x.dims[0] < 0 || y.dims[0] < 0 ? -1 : x.dims[0] > y.dims[0] ? x.dims[0] : y.dims[0];
  c->out[0] = mf_shape_1d(n);
  return NULL;
}

static bool broadcast_args_value(const mf_node *node, int output, mf_shape *out) {
  (void)output;
  mf_shape x, y;
  if (!mfi_dims_value(mfi_node_in(node, 0), &x) || !mfi_dims_value(mfi_node_in(node, 1), &y)) return false;
  mf_status status = mf_shape_broadcast(&x, &y, out);
  mf_status_release(status);
  return !status;
}

const mf_op_def mf_op_BroadcastArgs = {
    MF_OP_NAME(BroadcastArgs),
    .inputs = "s0: T; s1: T",
    .outputs = "r0: T",
    .attrs = "T: {int32, int64} = DT_INT32",
    .infer = broadcast_args_infer,
    .grad = MF_NO_GRADIENT,
    .shape_value = broadcast_args_value,
    .doc = "The shape to which shapes s0 and s1 broadcast.",
};

/* ---- BroadcastGradientArgs */

static mf_status broadcast_gradient_args_infer(mf_infer *c) {
  mf_shape vector;
  for (int i = 0; i < 2; i++) {
    MF_TRY(mf_infer_rank(c, i, 1, &vector));
    c->out[i] = mf_shape_1d(MF_UNKNOWN_DIM);
  }
  return NULL;
}

const mf_op_def mf_op_BroadcastGradientArgs = {
    MF_OP_NAME(BroadcastGradientArgs),
    .inputs = "s0: T; s1: T",
    .outputs = "r0: T; r1: T",
    .attrs = "T: {int32, int64} = DT_INT32",
    .flags = MF_OP_DYNAMIC,
    .infer = broadcast_gradient_args_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Axes over which the gradient of a broadcast result is summed, for operands of shapes s0 and s1.",
};
