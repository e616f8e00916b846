/* segment.c - sums of rows by segment: UnsortedSegmentSum (also how IndexedSlices become dense), SegmentSum. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

#define SEGMENT_NUMBERS                                                                                        \
  "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, " \
  "quint16, uint16, complex128, half, uint32, uint64}"

/* ---- UnsortedSegmentSum */

static mf_status unsorted_infer(mf_infer *c) {
  const mf_shape *data = mf_in_shape(c, 0), *ids = mf_in_shape(c, 1);
  mf_shape one, scalar;
  int64_t n;
  bool known;
  MF_TRY(mf_infer_rank(c, 2, 0, &scalar));
  MF_TRY(mf_const_int(c, 2, &n, &known));
  if (known && n < 0) return mf_infer_fail(c, "Input num_segments == %" PRId64 " must not be negative.", n);
  if (!known) n = mfi_dims_value(c->in[2], &one) && one.rank == 1 ? one.dims[0] : -1;
  if (data->rank < 0 || ids->rank < 0) return NULL;
  for (int i = 0; i < ids->rank; i++)
    if (i >= data->rank || (data->dims[i] >= 0 && ids->dims[i] >= 0 && data->dims[i] != ids->dims[i])) {
      char a[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
      return mf_infer_fail(c, "data.shape = %s does not start with segment_ids.shape = %s", mf_shape_text(data, a),
                           mf_shape_text(ids, b));
    }
  c->out[0] = mf_shape_1d(n);
  for (int i = ids->rank; i < data->rank; i++) MF_TRY(mf_shape_append(&c->out[0], data->dims[i]));
  return NULL;
}

/* Rows of dy by segment; zero where an id was negative. */
static mf_tensor *gather_drop_negatives(mf_builder *b, mf_tensor *dy, mf_tensor *ids) {
  mf_tensor *zero = mf_b_scalar(b, (mf_dtype)ids->dtype, 0), *exact = mfi_dims_exact(ids);
  bool negative = !exact;
  for (int64_t i = 0; exact && i < mf_tensor_count(exact); i++) negative = negative || mf_tensor_get_i64(exact, i) < 0;
  if (!negative) return MF_B(b, GatherV2, dy, ids, mf_b_int(b, 0));
  mf_tensor *rows = MF_B(b, GatherV2, dy, MF_B(b, Maximum, ids, zero), mf_b_int(b, 0));
  mf_tensor *positive = MF_B(b, GreaterEqual, ids, zero);
  if (b->status) return NULL;
  /* ids has the leading dimensions of rows: ones are put behind until the ranks agree. */
  if (rows->shape.rank >= 0 && ids->shape.rank >= 0) {
    for (int i = ids->shape.rank; i < rows->shape.rank; i++) positive = MF_B(b, ExpandDims, positive, mf_b_int(b, -1));
  } else {
    int64_t one = 1;
    mf_tensor *gap = mf_b_reshape(b, mf_b_sub(b, MF_B(b, Rank, rows), MF_B(b, Rank, ids)), mf_b_ints(b, &one, 1));
    mf_tensor *ones = MF_B(b, Fill, gap, mf_b_int(b, 1));
    positive = mf_b_reshape(b, positive, MF_B(b, ConcatV2, mf_b_dims_of(b, ids), ones, mf_b_int(b, 0)));
  }
  return MF_B(b, SelectV2, positive, rows, mf_b_zeros_like(b, rows));
}

static mf_status unsorted_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], gather_drop_negatives(&b, a->dy[0], a->in[1]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_UnsortedSegmentSum = {
    MF_OP_NAME(UnsortedSegmentSum),
    .inputs = "data: T; segment_ids: Tindices; num_segments: Tnumsegments",
    .outputs = "output: T",
    .attrs = SEGMENT_NUMBERS "; Tindices: {int16, int32, int64}; Tnumsegments: {int32, int64} = DT_INT32",
    .infer = unsorted_infer,
    .grad = unsorted_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "output[i] = sum of the rows of data whose segment id is i; negative ids are dropped.",
};

/* ---- SegmentSum */

static mf_status segment_infer(mf_infer *c) {
  mf_shape data, ids;
  MF_TRY(mf_infer_min_rank(c, 0, 1, &data));
  MF_TRY(mf_infer_rank(c, 1, 1, &ids));
  if (data.rank < 0) return NULL;
  if (ids.dims[0] >= 0 && data.dims[0] >= 0 && ids.dims[0] != data.dims[0])
    return mf_infer_fail(c, "segment_ids should be the same size as dimension 0 of input.");
  c->out[0] = data;
  c->out[0].dims[0] = -1;
  return NULL;
}

static mf_status segment_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, GatherV2, a->dy[0], a->in[1], mf_b_int(&b, 0)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_SegmentSum = {
    MF_OP_NAME(SegmentSum),
    .inputs = "data: T; segment_ids: Tindices",
    .outputs = "output: T",
    .attrs = SEGMENT_NUMBERS "; Tindices: {int32, int64}",
    .flags = MF_OP_DYNAMIC,
    .infer = segment_infer,
    .grad = segment_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "Sums of rows of data by sorted segment ids; as many rows as the last id tells.",
};
