/* depthwise_conv2d.c - DepthwiseConv2dNative and its two backward ops: every channel has filters of its own. */
#include "ops/nn/window.h"

#include "ops/build.h"
#include "ops/op_list.h"

#define CONV_ATTRS \
  "strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; " \
  "explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]"

/* An op of this family with the attributes of the call that is differentiated. */
static mf_tensor *same_attrs(mf_builder *b, mf_attrs attrs, const mf_op_def *op, mf_tensor *x, mf_tensor *y,
                             mf_tensor *z) {
  mf_named_attr named[] = {MF_A_COPY(attrs, "strides"), MF_A_COPY(attrs, "padding"),
                           MF_A_COPY(attrs, "explicit_paddings"), MF_A_COPY(attrs, "data_format"),
                           MF_A_COPY(attrs, "dilations")};
  return mf_b_apply(b, op, (mf_tensor *[]){x, y, z}, z ? 3 : 2, named, sizeof named / sizeof *named);
}

/* ---- Conv2D */

static mf_status conv_infer(mf_infer *c) {
  mf_shape image, filter;
  MF_TRY(mf_infer_rank(c, 0, 4, &image));
  MF_TRY(mf_infer_rank(c, 1, 4, &filter));
  return mf_conv2d_shape(c, &image, &filter, true, &c->out[0]);
}

static mf_status conv_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *dy = a->dy[0];
  if (dy && a->need[0])
    mf_b_give(
        &b, &dx[0],
        same_attrs(&b, a->attrs, &mf_op_DepthwiseConv2dNativeBackpropInput, mf_b_dims_of(&b, a->in[0]), a->in[1], dy));
  if (dy && a->need[1])
    mf_b_give(&b, &dx[1],
              same_attrs(&b, a->attrs, &mf_op_DepthwiseConv2dNativeBackpropFilter, a->in[0],
                         mf_b_dims_of(&b, a->in[1]), dy));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_DepthwiseConv2dNative = {
    MF_OP_NAME(DepthwiseConv2dNative),
    .inputs = "input: T; filter: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double}; " CONV_ATTRS,
    .infer = conv_infer,
    .grad = conv_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .doc = "Convolution of each channel by itself: filter [height, width, channels, multiplier], result with "
           "channels * multiplier channels.",
};

/* ---- Conv2DBackpropInput */

static mf_status backprop_input_infer(mf_infer *c) {
  mf_shape filter, dy, image;
  MF_TRY(mf_infer_rank(c, 1, 4, &filter));
  MF_TRY(mf_infer_rank(c, 2, 4, &dy));
  MF_TRY(mf_const_shape(c, 0, &image));
  if (image.rank < 0) image = mf_shape_unknown_dims(4);
  if (image.rank != 4) return mf_infer_fail(c, "input_sizes must contain 4 values, received %d", image.rank);
  MF_TRY(mf_conv2d_check_backprop(c, &image, &filter, true, &dy));
  c->out[0] = image;
  if (image.dims[0] < 0) c->out[0].dims[0] = dy.dims[0];
  return NULL;
}

static mf_status backprop_input_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *g = a->dy[0];
  if (g && a->need[1])
    mf_b_give(
        &b, &dx[1],
        same_attrs(&b, a->attrs, &mf_op_DepthwiseConv2dNativeBackpropFilter, g, mf_b_dims_of(&b, a->in[1]), a->in[2]));
  if (g && a->need[2])
    mf_b_give(&b, &dx[2], same_attrs(&b, a->attrs, &mf_op_DepthwiseConv2dNative, g, a->in[1], NULL));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_DepthwiseConv2dNativeBackpropInput = {
    MF_OP_NAME(DepthwiseConv2dNativeBackpropInput),
    .inputs = "input_sizes: int32; filter: T; out_backprop: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double}; " CONV_ATTRS,
    .infer = backprop_input_infer,
    .grad = backprop_input_grad,
    .saves = MF_SAVE_IN(1) | MF_SAVE_IN(2),
    .doc = "Gradient of DepthwiseConv2dNative with respect to its images, which have the shape input_sizes.",
};

/* ---- Conv2DBackpropFilter */

static mf_status backprop_filter_infer(mf_infer *c) {
  mf_shape image, filter, dy;
  MF_TRY(mf_infer_rank(c, 0, 4, &image));
  MF_TRY(mf_infer_rank(c, 2, 4, &dy));
  MF_TRY(mf_const_shape(c, 1, &filter));
  if (filter.rank < 0) filter = mf_shape_unknown_dims(4);
  if (filter.rank != 4) return mf_infer_fail(c, "filter_sizes must contain 4 values, received %d", filter.rank);
  MF_TRY(mf_conv2d_check_backprop(c, &image, &filter, true, &dy));
  c->out[0] = filter;
  return NULL;
}

static mf_status backprop_filter_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *g = a->dy[0];
  if (g && a->need[0])
    mf_b_give(
        &b, &dx[0],
        same_attrs(&b, a->attrs, &mf_op_DepthwiseConv2dNativeBackpropInput, mf_b_dims_of(&b, a->in[0]), g, a->in[2]));
  if (g && a->need[2])
    mf_b_give(&b, &dx[2], same_attrs(&b, a->attrs, &mf_op_DepthwiseConv2dNative, a->in[0], g, NULL));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_DepthwiseConv2dNativeBackpropFilter = {
    MF_OP_NAME(DepthwiseConv2dNativeBackpropFilter),
    .inputs = "input: T; filter_sizes: int32; out_backprop: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double}; " CONV_ATTRS,
    .infer = backprop_filter_infer,
    .grad = backprop_filter_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(2),
    .doc = "Gradient of DepthwiseConv2dNative with respect to its filter, which has the shape filter_sizes.",
};
