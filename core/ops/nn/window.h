/* window.h - geometry of sliding windows: strides, dilations, padding and layout of convolutions and pooling.
 *
 * Shape rules, gradients and kernels read the same description. Sizes are in elements; -1 stands for an unknown
 * dimension in shape rules, kernels always see full geometry. The arithmetic is TensorFlow's GetWindowedOutputSize:
 *   VALID     out = (in - effective + stride) / stride,            no padding
 *   SAME      out = ceil(in / stride),                              padding split evenly, the odd one after
 *   EXPLICIT  out = (in + before + after - effective + stride) / stride
 * with effective = (filter - 1) * dilation + 1.
 */
#ifndef MF_OPS_NN_WINDOW_H
#define MF_OPS_NN_WINDOW_H

#include "ops/infer.h"

typedef enum mf_padding { MF_PAD_VALID, MF_PAD_SAME, MF_PAD_EXPLICIT } mf_padding;

/* What the attributes say. Index 0 is height, 1 is width. */
typedef struct mf_window {
  bool nchw;
  mf_padding padding;
  int64_t kernel[2];         /* pooling: ksize; convolutions: filled in by the caller from the filter */
  int64_t stride[2];
  int64_t dilation[2];
  int64_t before[2], after[2];   /* EXPLICIT */
  int64_t depth_kernel, depth_stride;   /* pooling over channels; 1 everywhere else */
} mf_window;

/* Axis of height (width is the next one) and of the channels. */
static inline int mf_window_height_axis(const mf_window *w) { return w->nchw ? 2 : 1; }
static inline int mf_window_channel_axis(const mf_window *w) { return w->nchw ? 1 : 3; }

/* Reads strides, padding, explicit_paddings, dilations, data_format, and ksize where the op has it. INVALID_ARGUMENT
 * or UNIMPLEMENTED as TensorFlow; messages name the op. */
mf_status mf_window_read(mf_attrs attrs, mf_window *out) MF_MUST_USE;

/* One axis (0 height, 1 width) of `in` elements under a filter of `filter` elements. [OUT] out: windows along the
 * axis, -1 when `in` or `filter` is unknown; before/after: padding elements (0 when unknown). */
mf_status mf_window_extent(const mf_window *w, const char *op, int axis, int64_t in, int64_t filter, int64_t *out,
                           int64_t *before, int64_t *after) MF_MUST_USE;

/* Everything about one 2-D convolution or pooling of known sizes. Pooling has kernel[] = ksize, filter_in =
 * out_channels. */
typedef struct mf_conv2d {
  bool nchw;
  int64_t batch, in[2], in_channels;
  int64_t filter[2], filter_in,
      out_channels; /* depthwise: filter_in = in_channels, out_channels = in_channels * multiplier */
  int64_t out[2];
  int64_t stride[2], dilation[2], before[2], after[2];
  int64_t groups;            /* in_channels / filter_in; depthwise: in_channels */
} mf_conv2d;

/* Geometry of a convolution from the shapes of its image, its filter [h, w, in, out] and its result; all of them full.
 * The shapes have passed the op's rule. `depthwise`: filter is [h, w, in, multiplier]. */
mf_status mf_conv2d_read(mf_attrs attrs, const mf_shape *image, const mf_shape *filter, bool depthwise, mf_conv2d *out)
    MF_MUST_USE;
/* The same for pooling (height and width only). */
mf_status mf_pool2d_read(mf_attrs attrs, const mf_shape *image, mf_conv2d *out) MF_MUST_USE;

/* Shape rule of the forward convolution: image and filter to result, as far as they are known. */
mf_status mf_conv2d_shape(const mf_infer *c, const mf_shape *image, const mf_shape *filter, bool depthwise,
                          mf_shape *out) MF_MUST_USE;
/* Checks that the result of image and filter could be `out_backprop`: the rule of both backward ops. */
mf_status mf_conv2d_check_backprop(const mf_infer *c, const mf_shape *image, const mf_shape *filter, bool depthwise,
                                   const mf_shape *out_backprop) MF_MUST_USE;

#endif
