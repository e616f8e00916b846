/* conv2d.c - Conv2D and its two backward ops. The gradients of each are the other two: any order works. */
#include "ops/nn/window.h"

#include "ops/build.h"
#include "ops/op_list.h"

#define CONV_ATTRS \
  "strides: list(int); use_cudnn_on_gpu: bool = true; padding: {'SAME', 'VALID', 'EXPLICIT'}; " \
  "explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]"

/* An op of this family with the attributes of the call that is differentiated. */
static mf_tensor *same_attrs(mf_builder *b, mf_attrs attrs, const mf_op_def *op, mf_tensor *x, mf_tensor *y,
                             mf_tensor *z) {
  mf_named_attr named[] = {MF_A_COPY(attrs, "strides"),           MF_A_COPY(attrs, "use_cudnn_on_gpu"),
                           MF_A_COPY(attrs, "padding"),           MF_A_COPY(attrs, "explicit_paddings"),
                           MF_A_COPY(attrs, "data_format"),       MF_A_COPY(attrs, "dilations")};
  return mf_b_apply(b, op, (mf_tensor *[]){x, y, z}, z ? 3 : 2, named, sizeof named / sizeof *named);
}

/* ---- Conv2D */

static mf_status conv_infer(mf_infer *c) {
  mf_shape image, filter;
  MF_TRY(mf_infer_rank(c, 0, 4, &image));
  MF_TRY(mf_infer_rank(c, 1, 4, &filter));
  return mf_conv2d_shape(c, &image, &filter, false, &c->out[0]);
}

static mf_status conv_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *dy = a->dy[0];
  if (dy && a->need[0])
    mf_b_give(&b, &dx[0],
              same_attrs(&b, a->attrs, &mf_op_Conv2DBackpropInput, mf_b_dims_of(&b, a->in[0]), a->in[1], dy));
  if (dy && a->need[1])
    mf_b_give(&b, &dx[1],
              same_attrs(&b, a->attrs, &mf_op_Conv2DBackpropFilter, a->in[0], mf_b_dims_of(&b, a->in[1]), dy));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Conv2D = {
    MF_OP_NAME(Conv2D),
    .inputs = "input: T; filter: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double, int32}; " CONV_ATTRS,
    .infer = conv_infer,
    .grad = conv_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .doc =
        "2-D convolution of images [batch, height, width, in] (or NCHW) with a filter [height, width, in, out]. Input "
        "channels "
        "that are a multiple of the filter's mean groups.",
};

/* ---- Conv2DBackpropInput */

/* input_sizes holds all four sizes of the image, or height and width only. */
static mf_status image_shape(const mf_infer *c, const mf_shape *filter, const mf_shape *dy, mf_shape *out) {
  mf_shape sizes;
  MF_TRY(mf_const_shape(c, 0, &sizes));
  *out = sizes.rank < 0 ? mf_shape_unknown_dims(4) : sizes;
  if (sizes.rank < 0 || sizes.rank == 4) return NULL;
  if (sizes.rank != 2)
    return mf_infer_fail(c, "input_sizes must contain 4 values or 2 values, received %d", sizes.rank);
  bool nchw = mf_attr_is(c->attrs, "data_format", "NCHW");
  *out = mf_shape_4d(dy->dims[0], sizes.dims[0], sizes.dims[1], filter->dims[2]);
  if (nchw) *out = mf_shape_4d(dy->dims[0], filter->dims[2], sizes.dims[0], sizes.dims[1]);
  return NULL;
}

static mf_status backprop_input_infer(mf_infer *c) {
  mf_shape filter, dy, image;
  MF_TRY(mf_infer_rank(c, 1, 4, &filter));
  MF_TRY(mf_infer_rank(c, 2, 4, &dy));
  MF_TRY(image_shape(c, &filter, &dy, &image));
  MF_TRY(mf_conv2d_check_backprop(c, &image, &filter, false, &dy));
  c->out[0] = image;
  if (image.dims[0] < 0) c->out[0].dims[0] = dy.dims[0];
  return NULL;
}

static mf_status backprop_input_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *g = a->dy[0];
  if (g && a->need[1])
    mf_b_give(&b, &dx[1],
              same_attrs(&b, a->attrs, &mf_op_Conv2DBackpropFilter, g, mf_b_dims_of(&b, a->in[1]), a->in[2]));
  if (g && a->need[2]) mf_b_give(&b, &dx[2], same_attrs(&b, a->attrs, &mf_op_Conv2D, g, a->in[1], NULL));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Conv2DBackpropInput = {
    MF_OP_NAME(Conv2DBackpropInput),
    .inputs = "input_sizes: int32; filter: T; out_backprop: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double, int32}; " CONV_ATTRS,
    .infer = backprop_input_infer,
    .grad = backprop_input_grad,
    .saves = MF_SAVE_IN(1) | MF_SAVE_IN(2),
    .doc = "Gradient of Conv2D with respect to its images, which have the shape input_sizes.",
};

/* ---- Conv2DBackpropFilter */

static mf_status backprop_filter_infer(mf_infer *c) {
  mf_shape image, filter, dy;
  MF_TRY(mf_infer_rank(c, 0, 4, &image));
  MF_TRY(mf_infer_rank(c, 2, 4, &dy));
  MF_TRY(mf_const_shape(c, 1, &filter));
  if (filter.rank < 0) filter = mf_shape_unknown_dims(4);
  if (filter.rank != 4) return mf_infer_fail(c, "filter_sizes must contain 4 values, received %d", filter.rank);
  MF_TRY(mf_conv2d_check_backprop(c, &image, &filter, false, &dy));
  c->out[0] = filter;
  return NULL;
}

static mf_status backprop_filter_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *g = a->dy[0];
  if (g && a->need[0])
    mf_b_give(&b, &dx[0],
              same_attrs(&b, a->attrs, &mf_op_Conv2DBackpropInput, mf_b_dims_of(&b, a->in[0]), g, a->in[2]));
  if (g && a->need[2]) mf_b_give(&b, &dx[2], same_attrs(&b, a->attrs, &mf_op_Conv2D, a->in[0], g, NULL));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Conv2DBackpropFilter = {
    MF_OP_NAME(Conv2DBackpropFilter),
    .inputs = "input: T; filter_sizes: int32; out_backprop: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double}; " CONV_ATTRS,
    .infer = backprop_filter_infer,
    .grad = backprop_filter_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(2),
    .doc = "Gradient of Conv2D with respect to its filter, which has the shape filter_sizes.",
};
