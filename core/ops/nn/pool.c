/* pool.c - MaxPool, AvgPool and their gradient ops. Max pooling over channels (ksize and strides on the last axis) is
 * allowed where the channels divide evenly, as in TensorFlow. */
#include <inttypes.h>

#include "ops/build.h"
#include "ops/nn/window.h"
#include "ops/op_list.h"

#define POOL_WINDOW "ksize: list(int) >= 4; strides: list(int) >= 4; padding: "
#define POOL_FORMAT "data_format: {'NHWC', 'NCHW'} = 'NHWC'; "

static mf_status depth_extent(const mf_infer *c, const mf_window *w, int64_t in, int64_t *out) {
  *out = in;
  if (w->depth_kernel == 1 && w->depth_stride == 1) return NULL;
  if (w->kernel[0] != 1 || w->kernel[1] != 1)
    return mf_fail(MF_UNIMPLEMENTED,
                   "%s: MaxPooling supports exactly one of pooling across depth or pooling across width/height.",
                   c->attrs.op->name);
  if (w->depth_kernel != w->depth_stride || (in >= 0 && in % w->depth_kernel))
    return mf_fail(
        MF_UNIMPLEMENTED,
        "%s: Depthwise max pooling requires the depth window to evenly divide the input depth and to equal the depth "
        "stride (window %" PRId64 ", stride %" PRId64 ", depth %" PRId64 ")",
        c->attrs.op->name, w->depth_kernel, w->depth_stride, in);
  *out = in < 0 ? in : in / w->depth_kernel;
  return NULL;
}

static mf_status pooled_shape(const mf_infer *c, const mf_shape *image, mf_shape *out) {
  mf_window w;
  int64_t before, after;
  MF_TRY(mf_window_read(c->attrs, &w));
  int h = mf_window_height_axis(&w), depth = mf_window_channel_axis(&w);
  *out = *image;
  for (int i = 0; i < 2; i++)
    MF_TRY(mf_window_extent(&w, c->attrs.op->name, i, image->dims[h + i], w.kernel[i], &out->dims[h + i], &before,
                            &after));
  return depth_extent(c, &w, image->dims[depth], &out->dims[depth]);
}

static mf_status pool_infer(mf_infer *c) {
  mf_shape image;
  char text[MF_SHAPE_TEXT];
  if (mf_in_shape(c, 0)->rank >= 0 && mf_in_shape(c, 0)->rank != 4)
    return mf_infer_fail(c, "Input must be 4-dimensional, received %s", mf_shape_text(mf_in_shape(c, 0), text));
  MF_TRY(mf_infer_rank(c, 0, 4, &image));
  return pooled_shape(c, &image, &c->out[0]);
}

static mf_status check_shape(const mf_infer *c, const char *what, const mf_shape *expected, const mf_shape *received) {
  char e[MF_SHAPE_TEXT], r[MF_SHAPE_TEXT];
  if (mf_shape_compatible(expected, received)) return NULL;
  return mf_infer_fail(c, "Expected %s shape to be %s, but got %s", what, mf_shape_text(expected, e),
                       mf_shape_text(received, r));
}

/* An op of this family with the attributes of the call that is differentiated. */
static mf_tensor *same_attrs(mf_builder *b, mf_attrs attrs, const mf_op_def *op, mf_tensor *const *in, int n) {
  mf_named_attr named[5] = {MF_A_COPY(attrs, "ksize"), MF_A_COPY(attrs, "strides"), MF_A_COPY(attrs, "padding"),
                            MF_A_COPY(attrs, "data_format")};
  int n_named = 4;
  const mf_attr *pads = mf_attr_find(attrs, "explicit_paddings");
  if (pads && mf_attr_is(attrs, "padding", "EXPLICIT")) named[n_named++] = (mf_named_attr){"explicit_paddings", *pads};
  return mf_b_apply(b, op, in, n, named, n_named);
}

/* ---- MaxPool */

static mf_status max_pool_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *in[] = {a->in[0], a->out[0], a->dy[0]};
  if (a->dy[0] && a->need[0]) mf_b_give(&b, &dx[0], same_attrs(&b, a->attrs, &mf_op_MaxPoolGrad, in, 3));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_MaxPool = {
    MF_OP_NAME(MaxPool),
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs =
        "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float; " POOL_WINDOW
        "{'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; "
        "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
    .infer = pool_infer,
    .grad = max_pool_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_OUT(0),
    .doc = "The largest value of every window; padding never wins.",
};

/* MaxPoolGrad and MaxPoolGradGrad: orig_input and orig_output belong together; `grad` has the shape of one of them,
 * the result that of the other. */
static mf_status max_grad_shapes(mf_infer *c, mf_shape *image, mf_shape *pooled) {
  mf_shape output;
  MF_TRY(mf_infer_rank(c, 0, 4, image));
  MF_TRY(mf_infer_rank(c, 1, 4, &output));
  MF_TRY(pooled_shape(c, image, pooled));
  return check_shape(c, "orig_output", pooled, &output);
}

static mf_status max_pool_grad_infer(mf_infer *c) {
  mf_shape image, pooled;
  MF_TRY(max_grad_shapes(c, &image, &pooled));
  c->out[0] = image;
  return check_shape(c, "grad", &pooled, mf_in_shape(c, 2));
}

/* Piecewise linear: the choice of the winners has no derivative. */
static mf_status choice_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx, const mf_op_def *op) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *in[] = {a->in[0], a->in[1], a->dy[0]};
  for (int i = 0; i < 2 && a->dy[0]; i++)
    if (a->need[i]) mf_b_give(&b, &dx[i], mf_b_zeros_like(&b, a->in[i]));
  if (a->dy[0] && a->need[2]) mf_b_give(&b, &dx[2], same_attrs(&b, a->attrs, op, in, 3));
  return mf_builder_close(&b);
}

static mf_status max_pool_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  return choice_grad(ctx, a, dx, &mf_op_MaxPoolGradGrad);
}

#define GRAD_TYPES "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"

const mf_op_def mf_op_MaxPoolGrad = {
    MF_OP_NAME(MaxPoolGrad),
    .inputs = "orig_input: T; orig_output: T; grad: T",
    .outputs = "output: T",
    .attrs = POOL_WINDOW "{'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; " POOL_FORMAT
             "T: " GRAD_TYPES " = float",
    .infer = max_pool_grad_infer,
    .grad = max_pool_grad_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .doc = "Gradient of MaxPool: grad goes to the first position of each window that holds the window's maximum.",
};

static mf_status max_pool_grad_grad_infer(mf_infer *c) {
  mf_shape image, pooled;
  MF_TRY(max_grad_shapes(c, &image, &pooled));
  c->out[0] = pooled;
  return check_shape(c, "grad", &image, mf_in_shape(c, 2));
}

static mf_status max_pool_grad_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  return choice_grad(ctx, a, dx, &mf_op_MaxPoolGrad);
}

const mf_op_def mf_op_MaxPoolGradGrad = {
    MF_OP_NAME(MaxPoolGradGrad),
    .inputs = "orig_input: T; orig_output: T; grad: T",
    .outputs = "output: T",
    .attrs = POOL_WINDOW "{'SAME', 'VALID'}; " POOL_FORMAT "T: " GRAD_TYPES,
    .infer = max_pool_grad_grad_infer,
    .grad = max_pool_grad_grad_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .doc = "Second-order gradient of MaxPool: picks grad at the position that won each window.",
};

/* ---- AvgPool */

static mf_status avg_pool_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  if (a->dy[0] && a->need[0]) {
    mf_tensor *in[] = {mf_b_dims_of(&b, a->in[0]), a->dy[0]};
    mf_b_give(&b, &dx[0], same_attrs(&b, a->attrs, &mf_op_AvgPoolGrad, in, 2));
  }
  return mf_builder_close(&b);
}

static mf_status avg_check(const mf_infer *c) {
  mf_window w;
  MF_TRY(mf_window_read(c->attrs, &w));
  if (w.depth_kernel == 1 && w.depth_stride == 1) return NULL;
  return mf_fail(MF_UNIMPLEMENTED,
                 "%s: Non-spatial pooling is not yet supported (ksize and strides over channels must be 1)",
                 c->attrs.op->name);
}

static mf_status avg_pool_infer(mf_infer *c) {
  MF_TRY(avg_check(c));
  return pool_infer(c);
}

const mf_op_def mf_op_AvgPool = {
    MF_OP_NAME(AvgPool),
    .inputs = "value: T",
    .outputs = "output: T",
    .attrs = POOL_WINDOW "{'SAME', 'VALID'}; " POOL_FORMAT "T: {half, bfloat16, float, double}",
    .infer = avg_pool_infer,
    .grad = avg_pool_grad,
    .doc = "The mean of every window; padding does not count.",
};

static mf_status avg_pool_grad_infer(mf_infer *c) {
  mf_shape image, pooled;
  MF_TRY(avg_check(c));
  MF_TRY(mf_const_shape(c, 0, &image));
  if (image.rank < 0) image = mf_shape_unknown_dims(4);
  if (image.rank != 4) return mf_infer_fail(c, "orig_input_shape must hold 4 elements, received %d", image.rank);
  MF_TRY(pooled_shape(c, &image, &pooled));
  c->out[0] = image;
  return check_shape(c, "grad", &pooled, mf_in_shape(c, 1));
}

static mf_status avg_pool_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  if (a->dy[0] && a->need[1]) mf_b_give(&b, &dx[1], same_attrs(&b, a->attrs, &mf_op_AvgPool, &a->dy[0], 1));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_AvgPoolGrad = {
    MF_OP_NAME(AvgPoolGrad),
    .inputs = "orig_input_shape: int32; grad: T",
    .outputs = "output: T",
    .attrs = POOL_WINDOW "{'SAME', 'VALID'}; " POOL_FORMAT "T: {half, bfloat16, float, double}",
    .infer = avg_pool_grad_infer,
    .grad = avg_pool_grad_grad,
    .doc = "Gradient of AvgPool: grad is spread evenly over each window.",
};
