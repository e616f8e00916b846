/* resize.c - ResizeBilinear, ResizeNearestNeighbor and their gradient ops: images [batch, height, width, channels]. */
#include <inttypes.h>

#include "ops/build.h"
#include "ops/infer.h"
#include "ops/op_list.h"

#define RESIZE_MODES "align_corners: bool = false; half_pixel_centers: bool = false"

static mf_status check_modes(const mf_infer *c) {
  if (mf_attr_bool(c->attrs, "align_corners") && mf_attr_bool(c->attrs, "half_pixel_centers"))
    return mf_infer_fail(c, "If half_pixel_centers is True, align_corners must be False.");
  return NULL;
}

static mf_status check_image(const mf_infer *c, int i, mf_shape *image) {
  char text[MF_SHAPE_TEXT];
  if (mf_in_shape(c, i)->rank >= 0 && mf_in_shape(c, i)->rank != 4)
    return mf_infer_fail(c, "input must be 4-dimensional%s", mf_shape_text(mf_in_shape(c, i), text));
  MF_TRY(mf_infer_rank(c, i, 4, image));
  if (image->dims[1] == 0 || image->dims[2] == 0)
    return mf_infer_fail(c, "input image must be of non-zero size, received %s", mf_shape_text(image, text));
  return NULL;
}

/* Input i: [height, width]. */
static mf_status check_size(const mf_infer *c, int i, int64_t size[2]) {
  char text[MF_SHAPE_TEXT];
  const mf_shape *s = mf_in_shape(c, i);
  size[0] = size[1] = MF_UNKNOWN_DIM;
  if (s->rank >= 0 && s->rank != 1) return mf_infer_fail(c, "shape_t must be 1-dimensional%s", mf_shape_text(s, text));
  if (s->rank == 1 && s->dims[0] >= 0 && s->dims[0] != 2)
    return mf_infer_fail(c, "shape_t must have two elements%s", mf_shape_text(s, text));
  mf_tensor *value = mf_const_input(c, i);
  if (!value) {
    mf_shape known;
    MF_TRY(mf_const_shape(c, i, &known));
    for (int k = 0; k < 2 && known.rank == 2; k++) size[k] = known.dims[k];
    return NULL;
  }
  for (int k = 0; k < 2; k++) size[k] = mf_tensor_get_i64(value, k);
  if (size[0] > 0 && size[1] > 0) return NULL;
  return mf_infer_fail(c, "output dimensions must be positive, received [%" PRId64 ",%" PRId64 "]", size[0], size[1]);
}

static mf_status resize_infer(mf_infer *c) {
  mf_shape image;
  int64_t size[2];
  MF_TRY(check_modes(c));
  MF_TRY(check_size(c, 1, size));
  MF_TRY(check_image(c, 0, &image));
  c->out[0] = mf_shape_4d(image.dims[0], size[0], size[1], image.dims[3]);
  return NULL;
}

static mf_tensor *with_modes(mf_builder *b, mf_attrs attrs, const mf_op_def *op, mf_tensor *x, mf_tensor *y) {
  mf_named_attr named[] = {MF_A_COPY(attrs, "align_corners"), MF_A_COPY(attrs, "half_pixel_centers")};
  return mf_b_apply(b, op, (mf_tensor *[]){x, y}, 2, named, 2);
}

/* Height and width of t as an int32 vector. */
static mf_tensor *size_of(mf_builder *b, mf_tensor *t) {
  if (t->shape.rank == 4 && t->shape.dims[1] >= 0 && t->shape.dims[2] >= 0) return mf_b_ints(b, &t->shape.dims[1], 2);
  mf_tensor *begin = mf_b_ints(b, (int64_t[]){1}, 1), *size = mf_b_ints(b, (int64_t[]){2}, 1);
  return MF_B(b, Slice, mf_b_dims_of(b, t), begin, size);
}

/* ---- bilinear */

static mf_status bilinear_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_dtype type = mf_tensor_dtype(a->in[0]);
  if (a->dy[0] && a->need[0] && mf_dtype_is_float(type)) {
    /* The gradient op reads the image's size and type only; a saved husk becomes zeros of that shape. */
    mf_tensor *like =
        mf_tensor_is_concrete(a->in[0]) || mf_tensor_is_symbolic(a->in[0]) ? a->in[0] : mf_b_zeros_like(&b, a->in[0]);
    mf_b_give(&b, &dx[0], with_modes(&b, a->attrs, &mf_op_ResizeBilinearGrad, a->dy[0], like));
  }
  return mf_builder_close(&b);
}

const mf_op_def mf_op_ResizeBilinear = {
    MF_OP_NAME(ResizeBilinear),
    .inputs = "images: T; size: int32",
    .outputs = "resized_images: float",
    .attrs = "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}; " RESIZE_MODES,
    .infer = resize_infer,
    .grad = bilinear_grad,
    .saves = MF_SAVE_IN(0),
    .doc = "Images scaled to size [height, width] by bilinear interpolation.",
};

static mf_status bilinear_grad_infer(mf_infer *c) {
  mf_shape grads, image;
  MF_TRY(check_modes(c));
  MF_TRY(mf_infer_rank(c, 0, 4, &grads));
  MF_TRY(check_image(c, 1, &image));
  c->out[0] = mf_shape_4d(image.dims[0] >= 0 ? image.dims[0] : grads.dims[0], image.dims[1], image.dims[2],
                          image.dims[3] >= 0 ? image.dims[3] : grads.dims[3]);
  return NULL;
}

const mf_op_def mf_op_ResizeBilinearGrad = {
    MF_OP_NAME(ResizeBilinearGrad),
    .inputs = "grads: float; original_image: T",
    .outputs = "output: T",
    .attrs = "T: {float, bfloat16, half, double}; " RESIZE_MODES,
    .infer = bilinear_grad_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Gradient of ResizeBilinear; of original_image only the shape and type are used.",
};

/* ---- nearest neighbour */

static mf_status nearest_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  if (a->dy[0] && a->need[0])
    mf_b_give(&b, &dx[0], with_modes(&b, a->attrs, &mf_op_ResizeNearestNeighborGrad, a->dy[0], size_of(&b, a->in[0])));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_ResizeNearestNeighbor = {
    MF_OP_NAME(ResizeNearestNeighbor),
    .inputs = "images: T; size: int32",
    .outputs = "resized_images: T",
    .attrs = "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; " RESIZE_MODES,
    .infer = resize_infer,
    .grad = nearest_grad,
    .doc = "Images scaled to size [height, width] by taking the nearest pixel.",
};

const mf_op_def mf_op_ResizeNearestNeighborGrad = {
    MF_OP_NAME(ResizeNearestNeighborGrad),
    .inputs = "grads: T; size: int32",
    .outputs = "output: T",
    .attrs = "T: {uint8, int8, int32, half, float, double, bfloat16}; " RESIZE_MODES,
    .infer = resize_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Gradient of ResizeNearestNeighbor for images of size [height, width].",
};
