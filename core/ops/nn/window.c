/* window.c - reading and checking the attributes of sliding windows: see window.h. */
#include "ops/nn/window.h"

#include <inttypes.h>

/* The four entries of a list attribute; false (and error) unless it has exactly four. */
static mf_status four(mf_attrs attrs, const char *name, const char *what, const int64_t **out) {
  int n;
  *out = mf_attr_ints(attrs, name, &n);
  if (n == 4) return NULL;
  return mf_fail(MF_INVALID_ARGUMENT, "%s: Sliding window %s field must specify 4 dimensions, received %d",
                 attrs.op->name, what, n);
}

static bool is_pooling(mf_attrs attrs) { return mf_attr_find(attrs, "ksize") != NULL; }

static mf_status read_strides(mf_attrs attrs, mf_window *w) {
  const int64_t *s;
  int h = mf_window_height_axis(w), c = mf_window_channel_axis(w);
  MF_TRY(four(attrs, "strides", "strides", &s));
  for (int i = 0; i < 4; i++)
    if (s[i] <= 0)
      return mf_fail(MF_INVALID_ARGUMENT, "%s: Stride must be > 0, but got %" PRId64, attrs.op->name, s[i]);
  if (s[0] != 1 || (s[c] != 1 && !is_pooling(attrs)))
    return mf_fail(MF_UNIMPLEMENTED,
                   "%s: Current implementation does not yet support strides in the batch and depth dimensions.",
                   attrs.op->name);
  w->stride[0] = s[h];
  w->stride[1] = s[h + 1];
  w->depth_stride = s[c];
  return NULL;
}

static mf_status read_dilations(mf_attrs attrs, mf_window *w) {
  const int64_t *d;
  int h = mf_window_height_axis(w);
  if (!mf_attr_find(attrs, "dilations")) return NULL;
  MF_TRY(four(attrs, "dilations", "dilations", &d));
  for (int i = 0; i < 4; i++)
    if (d[i] <= 0) return mf_fail(MF_INVALID_ARGUMENT, "%s: Dilated rates should be larger than 0.", attrs.op->name);
  if (d[0] != 1 || d[mf_window_channel_axis(w)] != 1)
    return mf_fail(MF_UNIMPLEMENTED,
                   "%s: Current implementation does not yet support dilations in the batch and depth dimensions.",
                   attrs.op->name);
  w->dilation[0] = d[h];
  w->dilation[1] = d[h + 1];
  return NULL;
}

static mf_status read_ksize(mf_attrs attrs, mf_window *w) {
  const int64_t *k;
  int h = mf_window_height_axis(w), c = mf_window_channel_axis(w);
  if (!is_pooling(attrs)) return NULL;
  MF_TRY(four(attrs, "ksize", "ksize", &k));
  for (int i = 0; i < 4; i++)
    if (k[i] <= 0)
      return mf_fail(MF_INVALID_ARGUMENT,
                     "%s: Sliding window ksize must be positive. The specified or inferred ksize is: %" PRId64
                     ",%" PRId64 ",%" PRId64 ",%" PRId64,
                     attrs.op->name, k[0], k[1], k[2], k[3]);
  if (k[0] != 1)
    return mf_fail(MF_UNIMPLEMENTED, "%s: Pooling is not yet supported on the batch dimension.", attrs.op->name);
  w->kernel[0] = k[h];
  w->kernel[1] = k[h + 1];
  w->depth_kernel = k[c];
  return NULL;
}

static mf_status read_explicit(mf_attrs attrs, mf_window *w) {
  int n, h = mf_window_height_axis(w), c = mf_window_channel_axis(w);
  const int64_t *p = mf_attr_ints(attrs, "explicit_paddings", &n);
  if (n != 8)
    return mf_fail(MF_INVALID_ARGUMENT, "%s: explicit_paddings attribute must contain 8 values, but got: %d",
                   attrs.op->name, n);
  for (int i = 0; i < 8; i++)
    if (p[i] < 0)
      return mf_fail(MF_INVALID_ARGUMENT,
                     "%s: All elements of explicit_paddings must be nonnegative, received %" PRId64, attrs.op->name,
                     p[i]);
  if (p[0] || p[1] || p[2 * c] || p[2 * c + 1])
    return mf_fail(MF_INVALID_ARGUMENT, "%s: explicit_paddings must be 0 in the batch and depth dimensions",
                   attrs.op->name);
  for (int i = 0; i < 2; i++) {
    w->before[i] = p[2 * (h + i)];
    w->after[i] = p[2 * (h + i) + 1];
    if (is_pooling(attrs) && (w->before[i] >= w->kernel[i] || w->after[i] >= w->kernel[i]))
      return mf_fail(MF_INVALID_ARGUMENT,
                     "%s: %s padding %" PRId64 " needs to be smaller than the window size %" PRId64, attrs.op->name,
                     i ? "Left and right" : "Top and bottom",
                     w->before[i] >= w->kernel[i] ? w->before[i] : w->after[i], w->kernel[i]);
  }
  return NULL;
}

mf_status mf_window_read(mf_attrs attrs, mf_window *out) {
  *out = (mf_window){.kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}, .depth_kernel = 1, .depth_stride = 1};
  out->nchw = mf_attr_is(attrs, "data_format", "NCHW");
  if (mf_attr_is(attrs, "data_format", "NCHW_VECT_C"))
    return mf_fail(MF_UNIMPLEMENTED, "%s: data_format must be NHWC or NCHW, received NCHW_VECT_C", attrs.op->name);
  MF_TRY(read_ksize(attrs, out));
  MF_TRY(read_strides(attrs, out));
  MF_TRY(read_dilations(attrs, out));
  out->padding = mf_attr_is(attrs, "padding", "SAME")       ? MF_PAD_SAME
                 : mf_attr_is(attrs, "padding", "EXPLICIT") ? MF_PAD_EXPLICIT
                                                            : MF_PAD_VALID;
  return out->padding == MF_PAD_EXPLICIT ? read_explicit(attrs, out) : NULL;
}

mf_status mf_window_extent(const mf_window *w, const char *op, int axis, int64_t in, int64_t filter, int64_t *out,
                           int64_t *before, int64_t *after) {
  int64_t stride = w->stride[axis], effective = (filter - 1) * w->dilation[axis] + 1;
  *before = *after = 0;
  *out = MF_UNKNOWN_DIM;
  if (w->padding == MF_PAD_SAME) {
    if (in < 0) return NULL;
    *out = (in + stride - 1) / stride;
    if (filter < 0) return NULL;
    int64_t needed = (*out - 1) * stride + effective - in;
    if (needed < 0 || *out == 0) needed = 0;
    *before = needed / 2;
    *after = needed - *before;
    return NULL;
  }
  if (w->padding == MF_PAD_EXPLICIT) {
    *before = w->before[axis];
    *after = w->after[axis];
  }
  if (in < 0 || filter < 0) return NULL;
  *out = (in + *before + *after - effective + stride) / stride;
  if (*out >= 0) return NULL;
  return mf_fail(MF_INVALID_ARGUMENT,
                 "%s: Computed output size would be negative: %" PRId64 " [input_size: %" PRId64
                 ", effective_filter_size: %" PRId64 ", stride: %" PRId64 "]",
                 op, *out, in + *before + *after, effective, stride);
}

/* ---- full geometry */

static mf_status extents(const mf_window *w, const char *op, mf_conv2d *g) {
  for (int i = 0; i < 2; i++) {
    g->stride[i] = w->stride[i];
    g->dilation[i] = w->dilation[i];
    MF_TRY(mf_window_extent(w, op, i, g->in[i], g->filter[i], &g->out[i], &g->before[i], &g->after[i]));
  }
  return NULL;
}

static void read_image(const mf_window *w, const mf_shape *image, mf_conv2d *g) {
  int h = mf_window_height_axis(w);
  g->nchw = w->nchw;
  g->batch = image->dims[0];
  g->in[0] = image->dims[h];
  g->in[1] = image->dims[h + 1];
  g->in_channels = image->dims[mf_window_channel_axis(w)];
}

mf_status mf_conv2d_read(mf_attrs attrs, const mf_shape *image, const mf_shape *filter, bool depthwise,
                         mf_conv2d *out) {
  mf_window w;
  MF_TRY(mf_window_read(attrs, &w));
  read_image(&w, image, out);
  out->filter[0] = filter->dims[0];
  out->filter[1] = filter->dims[1];
  out->filter_in = filter->dims[2];
  out->out_channels = depthwise ? filter->dims[2] * filter->dims[3] : filter->dims[3];
  out->groups = depthwise ? out->in_channels : out->filter_in > 0 ? out->in_channels / out->filter_in : 1;
  return extents(&w, attrs.op->name, out);
}

mf_status mf_pool2d_read(mf_attrs attrs, const mf_shape *image, mf_conv2d *out) {
  mf_window w;
  MF_TRY(mf_window_read(attrs, &w));
  read_image(&w, image, out);
  out->filter[0] = w.kernel[0];
  out->filter[1] = w.kernel[1];
  out->filter_in = out->out_channels = out->in_channels;
  out->groups = 1;
  return extents(&w, attrs.op->name, out);
}

/* ---- shape rules of convolutions */

static mf_status check_depths(const mf_infer *c, int64_t in, const mf_shape *filter, bool depthwise) {
  int64_t filter_in = filter->dims[2], out = filter->dims[3];
  for (int i = 0; i < 4; i++)
    if (filter->dims[i] == 0)
      return mf_infer_fail(c, "filter must not have zero elements (i.e. all dimensions must be non-zero)");
  if (in < 0 || filter_in < 0) return NULL;
  if (depthwise) {
    if (in == filter_in) return NULL;
    return mf_infer_fail(c, "input depth must be evenly divisible by filter depth: %" PRId64 " vs %" PRId64, in,
                         filter_in);
  }
  if (in % filter_in || in == 0)
    return mf_infer_fail(c, "input depth must be evenly divisible by filter depth: %" PRId64 " vs %" PRId64, in,
                         filter_in);
  if (out >= 0 && out % (in / filter_in))
    return mf_infer_fail(c, "output depth must be evenly divisible by number of groups: %" PRId64 " vs %" PRId64, out,
                         in / filter_in);
  return NULL;
}

mf_status mf_conv2d_shape(const mf_infer *c, const mf_shape *image, const mf_shape *filter, bool depthwise,
                          mf_shape *out) {
  mf_window w;
  MF_TRY(mf_window_read(c->attrs, &w));
  int h = mf_window_height_axis(&w), depth = mf_window_channel_axis(&w);
  MF_TRY(check_depths(c, image->dims[depth], filter, depthwise));
  *out = mf_shape_unknown_dims(4);
  out->dims[0] = image->dims[0];
  for (int i = 0; i < 2; i++) {
    int64_t before, after;
    MF_TRY(mf_window_extent(&w, c->attrs.op->name, i, image->dims[h + i], filter->dims[i], &out->dims[h + i], &before,
                            &after));
  }
  int64_t channels = filter->dims[3];
  if (depthwise)
    channels = filter->dims[2] >= 0 && channels >= 0 ? filter->dims[2] * channels
               : image->dims[depth] >= 0 && channels >= 0 ? image->dims[depth] * channels : MF_UNKNOWN_DIM;
  out->dims[depth] = channels;
  return NULL;
}

mf_status mf_conv2d_check_backprop(const mf_infer *c, const mf_shape *image, const mf_shape *filter, bool depthwise,
                                   const mf_shape *out_backprop) {
  mf_shape expected;
  char received[MF_SHAPE_TEXT], wanted[MF_SHAPE_TEXT];
  MF_TRY(mf_conv2d_shape(c, image, filter, depthwise, &expected));
  if (mf_shape_compatible(&expected, out_backprop)) return NULL;
  return mf_infer_fail(c, "Size of out_backprop doesn't match computed: actual = %s, computed = %s",
                       mf_shape_text(out_backprop, received), mf_shape_text(&expected, wanted));
}
