/* find.c - ops whose output size depends on values: Where, Unique. */
#include "ops/array/dims.h"
#include "ops/op_list.h"

static mf_status where_infer(mf_infer *c) {
  mf_shape in;
  MF_TRY(mf_infer_min_rank(c, 0, 1, &in));
  int rank = in.rank;
  c->out[0] = mf_shape_2d(MF_UNKNOWN_DIM, rank < 0 ? MF_UNKNOWN_DIM : rank);
  return NULL;
}

const mf_op_def mf_op_Where = {
    MF_OP_NAME(Where),
    .inputs = "input: T",
    .outputs = "index: int64",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
        "quint16, "
        "uint16, complex128, half, uint32, uint64, bool} = DT_BOOL",
    .flags = MF_OP_DYNAMIC,
    .infer = where_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Index vectors of the elements that are true or not zero, in row-major order.",
};

static mf_status unique_infer(mf_infer *c) {
  MF_TRY(mf_infer_rank(c, 0, 1, &c->out[1]));
  c->out[0] = mf_shape_1d(MF_UNKNOWN_DIM);
  return NULL;
}

const mf_op_def mf_op_Unique = {
    MF_OP_NAME(Unique),
    .inputs = "x: T",
    .outputs = "y: T; idx: out_idx",
    .attrs = "T: type; out_idx: {int32, int64} = DT_INT32",
    .flags = MF_OP_DYNAMIC,
    .infer = unique_infer,
    .grad = MF_NO_GRADIENT,
    .doc =
        "The different elements of x in the order in which they first occur, and for each element of x which one it "
        "is.",
};
