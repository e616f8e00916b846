/* pad.c - borders around a tensor: Pad, PadV2 (constant), MirrorPad (reflected) and the gradient op of the latter. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

/* paddings: [rank, 2], checked; *known is false when the values are not known yet. */
static mf_status read_paddings(const mf_infer *c, int *rank, int64_t pads[MF_MAX_RANK][2], bool *known) {
  mf_shape table;
  const mf_tensor *value = mf_const_input(c, 1);
  MF_TRY(mf_infer_rank(c, 1, 2, &table));
  *rank = mf_in_shape(c, 0)->rank;
  *known = value != NULL;
  if (table.dims[1] >= 0 && table.dims[1] != 2)
    return mf_infer_fail(c, "paddings must be a matrix with 2 columns, received %" PRId64, table.dims[1]);
  if (*rank < 0 && table.dims[0] >= 0 && table.dims[0] <= MF_MAX_RANK) *rank = (int)table.dims[0];
  if (*rank >= 0 && table.dims[0] >= 0 && table.dims[0] != *rank)
    return mf_infer_fail(c, "The first dimension of paddings must be the rank of inputs: [%" PRId64 ",2] for rank %d",
                         table.dims[0], *rank);
  for (int i = 0; value && i < *rank; i++)
    for (int k = 0; k < 2; k++) {
      pads[i][k] = mf_tensor_get_i64(value, 2 * i + k);
      if (pads[i][k] < 0) return mf_infer_fail(c, "Paddings must be non-negative: %" PRId64 " %" PRId64,
                                               mf_tensor_get_i64(value, 2 * i), mf_tensor_get_i64(value, 2 * i + 1));
    }
  return NULL;
}

static mf_status pad_infer(mf_infer *c) {
  int rank;
  int64_t pads[MF_MAX_RANK][2];
  bool known;
  mf_shape scalar;
  if (c->n_in == 3) MF_TRY(mf_infer_rank(c, 2, 0, &scalar));
  MF_TRY(read_paddings(c, &rank, pads, &known));
  if (rank < 0) return NULL;
  const mf_shape *in = mf_in_shape(c, 0);
  c->out[0] = mf_shape_unknown_dims(rank);
  for (int i = 0; known && i < rank; i++)
    if (in->rank >= 0 && in->dims[i] >= 0) c->out[0].dims[i] = in->dims[i] + pads[i][0] + pads[i][1];
  return NULL;
}

/* The middle of dy. */
static mf_status pad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *pads = a->in[1], *exact = mfi_dims_exact(pads), *begin;
  int rank = a->in[0]->shape.rank;
  int64_t before[MF_MAX_RANK], zeros[2] = {0, 0}, column[2] = {-1, 1}, minus = -1;
  if (exact && rank >= 0) {
    for (int i = 0; i < rank; i++) before[i] = mf_tensor_get_i64(exact, 2 * i);
    begin = mf_b_ints(&b, before, rank);
  } else {
    begin = mf_b_reshape(&b, MF_B(&b, Slice, pads, mf_b_cast(&b, mf_b_ints(&b, zeros, 2), (mf_dtype)pads->dtype),
                                  mf_b_cast(&b, mf_b_ints(&b, column, 2), (mf_dtype)pads->dtype)),
                         mf_b_ints(&b, &minus, 1));
  }
  if (!b.status)
    mf_b_give(&b, &dx[0], MF_B(&b, Slice, a->dy[0], begin, mfi_b_dims_as(&b, a->in[0], (mf_dtype)begin->dtype)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Pad = {
    MF_OP_NAME(Pad),
    .inputs = "input: T; paddings: Tpaddings",
    .outputs = "output: T",
    .attrs = "T: type; Tpaddings: {int32, int64} = DT_INT32",
    .infer = pad_infer,
    .grad = pad_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "Puts paddings[i][0] zeros before and paddings[i][1] after dimension i.",
};

const mf_op_def mf_op_PadV2 = {
    MF_OP_NAME(PadV2),
    .inputs = "input: T; paddings: Tpaddings; constant_values: T",
    .outputs = "output: T",
    .attrs = "T: type; Tpaddings: {int32, int64} = DT_INT32",
    .infer = pad_infer,
    .grad = pad_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "Pad with constant_values instead of zeros.",
};

/* ---- MirrorPad */

static mf_status mirror_pad_infer(mf_infer *c) {
  int rank;
  int64_t pads[MF_MAX_RANK][2];
  bool known;
  MF_TRY(read_paddings(c, &rank, pads, &known));
  if (rank < 0) return NULL;
  const mf_shape *in = mf_in_shape(c, 0);
  int64_t without = mf_attr_is(c->attrs, "mode", "REFLECT") ? 1 : 0;
  c->out[0] = mf_shape_unknown_dims(rank);
  for (int i = 0; known && i < rank; i++) {
    if (in->rank < 0 || in->dims[i] < 0) continue;
    if (pads[i][0] > in->dims[i] - without || pads[i][1] > in->dims[i] - without)
      return mf_infer_fail(c, "paddings must be %s the dimension size: %" PRId64 ", %" PRId64 " %s %" PRId64,
                           without ? "less than" : "no greater than", pads[i][0], pads[i][1],
                           without ? "not less than" : "greater than", in->dims[i]);
    c->out[0].dims[i] = in->dims[i] + pads[i][0] + pads[i][1];
  }
  return NULL;
}

static mf_status mirror_pad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_BA(&b, MirrorPadGrad, MF_INS(a->dy[0], a->in[1]), MF_A_COPY(a->attrs, "mode")));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_MirrorPad = {
    MF_OP_NAME(MirrorPad),
    .inputs = "input: T; paddings: Tpaddings",
    .outputs = "output: T",
    .attrs = "T: type; Tpaddings: {int32, int64} = DT_INT32; mode: {'REFLECT', 'SYMMETRIC'}",
    .infer = mirror_pad_infer,
    .grad = mirror_pad_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "Pads with mirrored values: REFLECT without, SYMMETRIC with the border itself.",
};

/* ---- MirrorPadGrad: the borders folded back and added */

static mf_status mirror_pad_back_infer(mf_infer *c) {
  int rank;
  int64_t pads[MF_MAX_RANK][2];
  bool known;
  MF_TRY(read_paddings(c, &rank, pads, &known));
  if (rank < 0) return NULL;
  const mf_shape *in = mf_in_shape(c, 0);
  c->out[0] = mf_shape_unknown_dims(rank);
  for (int i = 0; known && i < rank; i++) {
    if (in->rank < 0 || in->dims[i] < 0) continue;
    c->out[0].dims[i] = in->dims[i] - pads[i][0] - pads[i][1];
    if (c->out[0].dims[i] < 0)
      return mf_infer_fail(c, "paddings are larger than dimension %d of %" PRId64, i, in->dims[i]);
  }
  return NULL;
}

static mf_status mirror_pad_back_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_BA(&b, MirrorPad, MF_INS(a->dy[0], a->in[1]), MF_A_COPY(a->attrs, "mode")));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_MirrorPadGrad = {
    MF_OP_NAME(MirrorPadGrad),
    .inputs = "input: T; paddings: Tpaddings",
    .outputs = "output: T",
    .attrs = "T: type; Tpaddings: {int32, int64} = DT_INT32; mode: {'REFLECT', 'SYMMETRIC'}",
    .infer = mirror_pad_back_infer,
    .grad = mirror_pad_back_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "Gradient of MirrorPad: mirrored borders are added to where they came from.",
};
