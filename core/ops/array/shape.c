/* shape.c - asking a tensor for its shape: Shape, ShapeN, Size, Rank. */
#include "ops/array/dims.h"
#include "ops/op_list.h"

static mf_status shape_infer(mf_infer *c) {
  for (int i = 0; i < c->n_out; i++) {
    int rank = mf_in_shape(c, i)->rank;
    c->out[i] = mf_shape_1d(rank < 0 ? MF_UNKNOWN_DIM : rank);
  }
  return NULL;
}

static bool shape_value(const mf_node *node, int output, mf_shape *out) {
  *out = mfi_node_in(node, output)->shape;
  return out->rank >= 0;
}

const mf_op_def mf_op_Shape = {
    MF_OP_NAME(Shape),
    .inputs = "input: T",
    .outputs = "output: out_type",
    .attrs = "T: type; out_type: {int32, int64} = DT_INT32",
    .infer = shape_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .shape_value = shape_value,
    .doc = "The shape of input as an integer vector.",
};

const mf_op_def mf_op_ShapeN = {
    MF_OP_NAME(ShapeN),
    .inputs = "input: N * T",
    .outputs = "output: N * out_type",
    .attrs = "N: int >= 1; T: type; out_type: {int32, int64} = DT_INT32",
    .infer = shape_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .shape_value = shape_value,
    .doc = "The shapes of all inputs.",
};

/* ---- Size, Rank: scalars read as vectors of one entry (dims.h) */

static bool size_value(const mf_node *node, int output, mf_shape *out) {
  (void)output;
  *out = mf_shape_1d(mf_shape_count(&mfi_node_in(node, 0)->shape));
  return true;
}

const mf_op_def mf_op_Size = {
    MF_OP_NAME(Size),
    .inputs = "input: T",
    .outputs = "output: out_type",
    .attrs = "T: type; out_type: {int32, int64} = DT_INT32",
    .infer = mf_infer_scalar,
    .grad = MF_NOT_DIFFERENTIABLE,
    .shape_value = size_value,
    .doc = "The number of elements of input.",
};

static bool rank_value(const mf_node *node, int output, mf_shape *out) {
  (void)output;
  *out = mf_shape_1d(mfi_node_in(node, 0)->shape.rank);
  return true;
}

const mf_op_def mf_op_Rank = {
    MF_OP_NAME(Rank),
    .inputs = "input: T",
    .outputs = "output: int32",
    .attrs = "T: type",
    .infer = mf_infer_scalar,
    .grad = MF_NOT_DIFFERENTIABLE,
    .shape_value = rank_value,
    .doc = "The number of dimensions of input.",
};
