/* bias.c - BiasAdd and BiasAddGrad: one number a channel. */
#include <inttypes.h>

#include "ops/build.h"
#include "ops/infer.h"
#include "ops/op_list.h"

#define BIAS_ATTRS                                                                                            \
  "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, " \
  "quint16, uint16, "                                                                                         \
  "complex128, half, uint32, uint64}; data_format: {'NHWC', 'NCHW'} = 'NHWC'"

static int channel_axis(mf_attrs attrs, int rank) { return mf_attr_is(attrs, "data_format", "NCHW") ? 1 : rank - 1; }

static mf_status bias_infer(mf_infer *c) {
  mf_shape bias, value = *mf_in_shape(c, 0);
  char v[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
  if (value.rank >= 0 && value.rank < 2)
    return mf_infer_fail(c, "Input tensor must be at least 2D: %s", mf_shape_text(&value, v));
  if (mf_in_shape(c, 1)->rank > 1 || mf_in_shape(c, 1)->rank == 0)
    return mf_infer_fail(c, "Biases must be 1D: %s", mf_shape_text(mf_in_shape(c, 1), b));
  MF_TRY(mf_infer_rank(c, 1, 1, &bias));
  c->out[0] = value;
  if (value.rank < 0 || bias.dims[0] < 0) return NULL;
  int axis = channel_axis(c->attrs, value.rank);
  if (value.dims[axis] >= 0 && value.dims[axis] != bias.dims[0])
    return mf_infer_fail(c, "Must provide as many biases as the %s dimension of the input tensor: %s vs. %s",
                         axis == 1 && value.rank > 2 ? "channel" : "last", mf_shape_text(&bias, b),
                         mf_shape_text(&value, v));
  c->out[0].dims[axis] = bias.dims[0];
  return NULL;
}

static mf_status bias_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *dy = a->dy[0];
  if (dy && a->need[0]) mf_b_give(&b, &dx[0], dy);
  if (dy && a->need[1]) mf_b_give(&b, &dx[1], MF_BA(&b, BiasAddGrad, MF_INS(dy), MF_A_COPY(a->attrs, "data_format")));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_BiasAdd = {
    MF_OP_NAME(BiasAdd),
    .inputs = "value: T; bias: T",
    .outputs = "output: T",
    .attrs = BIAS_ATTRS,
    .infer = bias_infer,
    .grad = bias_grad,
    .doc =
        "Adds bias [channels] to every position of value, whose channels are the last dimension (NCHW: the second).",
};

static mf_status bias_add_grad_infer(mf_infer *c) {
  mf_shape g = *mf_in_shape(c, 0);
  char text[MF_SHAPE_TEXT];
  if (g.rank >= 0 && g.rank < 2)
    return mf_infer_fail(c, "Input tensor must be at least 2D: %s", mf_shape_text(&g, text));
  c->out[0] = mf_shape_1d(g.rank < 0 ? MF_UNKNOWN_DIM : g.dims[channel_axis(c->attrs, g.rank)]);
  return NULL;
}

/* Every position gets the gradient of its channel: broadcast, with the channels moved to their place for NCHW. */
static mf_status bias_add_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *g = a->dy[0], *x = a->in[0];
  if (g && a->need[0]) {
    if (mf_attr_is(a->attrs, "data_format", "NCHW")) {
      mf_tensor *zeros = mf_b_zeros_like(&b, x);
      mf_b_give(&b, &dx[0], MF_BA(&b, BiasAdd, MF_INS(zeros, g), MF_A_COPY(a->attrs, "data_format")));
    } else {
      mf_b_give(&b, &dx[0], mf_b_broadcast_to(&b, g, mf_b_dims_of(&b, x)));
    }
  }
  return mf_builder_close(&b);
}

const mf_op_def mf_op_BiasAddGrad = {
    MF_OP_NAME(BiasAddGrad),
    .inputs = "out_backprop: T",
    .outputs = "output: T",
    .attrs = BIAS_ATTRS,
    .infer = bias_add_grad_infer,
    .grad = bias_add_grad_grad,
    .doc = "Gradient of BiasAdd with respect to its bias: the sum over everything but the channels.",
};
