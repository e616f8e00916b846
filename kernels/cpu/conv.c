/* conv.c - kernels of Conv2D, Conv2DBackpropInput, Conv2DBackpropFilter and their depthwise sisters.
 *
 * float32 goes to oneDNN, one thread a piece: pieces are runs of whole images. The filter is packed once a call.
 * Weight gradients are made in a number of pieces fixed by the shape and added in piece order. Geometries for which
 * oneDNN has only its reference code, and all other types, go through im2col. */
#include "conv.h"

#include <stdatomic.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/pool.h"
#include "ops/op_list.h"

/* ---- roles of the tensors */

static bool is_depthwise(const mf_op_def *op) {
  return op == &mf_op_DepthwiseConv2dNative || op == &mf_op_DepthwiseConv2dNativeBackpropInput ||
         op == &mf_op_DepthwiseConv2dNativeBackpropFilter;
}

static mfi_conv_kind kind_of(const mf_op_def *op) {
  if (op == &mf_op_Conv2DBackpropInput || op == &mf_op_DepthwiseConv2dNativeBackpropInput) return MFI_CONV_INPUT;
  if (op == &mf_op_Conv2DBackpropFilter || op == &mf_op_DepthwiseConv2dNativeBackpropFilter) return MFI_CONV_FILTER;
  return MFI_CONV_FORWARD;
}

/* A shape given as the integers of a tensor (input_sizes, filter_sizes). */
static mf_shape shape_in(const mf_tensor *t) {
  mf_shape s = mf_shape_unknown_dims((int)mf_tensor_count(t));
  for (int i = 0; i < s.rank; i++) s.dims[i] = mf_tensor_get_i64(t, i);
  return s;
}

/* input_sizes may hold height and width only. */
static mf_shape image_sizes(const mf_call *c) {
  mf_shape s = shape_in(c->in[0]);
  const mf_shape *dy = &c->in[2]->shape, *filter = &c->in[1]->shape;
  if (s.rank == 4) return s;
  if (mf_attr_is(c->attrs, "data_format", "NCHW"))
    return mf_shape_4d(dy->dims[0], filter->dims[2], s.dims[0], s.dims[1]);
  return mf_shape_4d(dy->dims[0], s.dims[0], s.dims[1], filter->dims[2]);
}

mf_status mfi_conv_read(const mf_call *c, mf_conv2d *g) {
  mfi_conv_kind kind = kind_of(c->attrs.op);
  mf_shape image = kind == MFI_CONV_INPUT ? image_sizes(c) : c->in[0]->shape;
  mf_shape filter = kind == MFI_CONV_FILTER ? shape_in(c->in[1]) : c->in[1]->shape;
  return mf_conv2d_read(c->attrs, &image, &filter, is_depthwise(c->attrs.op), g);
}

static mfi_conv_work work_of(const mf_call *c, const mf_conv2d *g) {
  mfi_conv_work w = {
      .g = g, .kind = kind_of(c->attrs.op), .type = mf_tensor_dtype(c->out[0]), .scratch = c->workspace};
  w.image = w.kind == MFI_CONV_INPUT ? c->out[0]->data : c->in[0]->data;
  w.filter = w.kind == MFI_CONV_FILTER ? c->out[0]->data : c->in[1]->data;
  w.result = w.kind == MFI_CONV_FORWARD ? c->out[0]->data : c->in[2]->data;
  return w;
}

/* Nothing to compute; the output, if it has elements, is zero. */
static bool is_empty(const mf_conv2d *g, mf_call *c) {
  if (g->batch && g->out[0] && g->out[1] && g->in[0] && g->in[1]) return false;
  memset(c->out[0]->data, 0, mf_tensor_bytes(c->out[0]));
  return true;
}

/* ---- im2col */

/* Depthwise convolution as one with as many groups as channels. */
static void as_groups(const mf_call *c, mf_conv2d *g) {
  if (is_depthwise(c->attrs.op)) g->filter_in = 1;
}

static size_t im2col_workspace(const mf_call *c) {
  mf_conv2d g;
  mf_status status = mfi_conv_read(c, &g);
  if (status) {
    mf_status_release(status);
    return 0;
  }
  as_groups(c, &g);
  return mfi_conv_im2col_scratch(&g, kind_of(c->attrs.op), mf_tensor_dtype(c->out[0]));
}

static mf_status run_im2col(mf_call *c) {
  mf_conv2d g;
  MF_TRY(mfi_conv_read(c, &g));
  if (is_empty(&g, c)) return NULL;
  as_groups(c, &g);
  mfi_conv_work w = work_of(c, &g);
  mfi_conv_im2col(&w);
  return NULL;
}

/* ---- oneDNN */

enum { MOST_PIECES = 16, MOST_FILTER_PIECES = 16 };
enum { MOST_PARTIAL_BYTES = 32 << 20 };

typedef struct prepared {
  mf_conv2d g;
  mfi_conv_kind kind;
  int64_t images, pieces;           /* images of every piece but the last */
  mfi_onednn_conv *full, *last;     /* last: NULL when all pieces are equal */
  size_t filter_bytes, scratch_bytes;
} prepared;

static void unprepare(void *p) {
  prepared *s = p;
  if (!s) return;
  mfi_onednn_conv_release(s->full);
  mfi_onednn_conv_release(s->last);
  mf_free(s);
}

static void cut_images(prepared *s) {
  size_t filter = (size_t)(s->g.filter[0] * s->g.filter[1] * s->g.filter_in * s->g.out_channels) * sizeof(float);
  int64_t most = MOST_PIECES;
  if (s->kind == MFI_CONV_FILTER) {
    int64_t room = (int64_t)(MOST_PARTIAL_BYTES / (filter + 1));
    most = room < 2 ? 2 : room < MOST_FILTER_PIECES ? room : MOST_FILTER_PIECES;
  }
  s->pieces = mfi_conv_pieces(&s->g, s->kind == MFI_CONV_FILTER ? 200000 : 60000, most, &s->images);
}

static mf_status prepare(const mf_call *c, void **out) {
  bool depthwise = is_depthwise(c->attrs.op);
  prepared *s = mf_alloc_zero(1, sizeof *s);
  *out = s;
  if (!s) return mf_fail_oom();
  s->kind = kind_of(c->attrs.op);
  mf_status status = mfi_conv_read(c, &s->g);
  if (status) goto failed;
  if (!s->g.batch || !s->g.out[0] || !s->g.out[1] || !s->g.in[0] || !s->g.in[1]) return NULL;
  cut_images(s);
  int64_t rest = s->g.batch - (s->pieces - 1) * s->images;
  MF_TRY_GOTO(status, mfi_onednn_conv_new(s->kind, &s->g, s->images, depthwise, NULL, &s->full), failed);
  if (s->full && rest != s->images)
    MF_TRY_GOTO(status, mfi_onednn_conv_new(s->kind, &s->g, rest, depthwise, s->full, &s->last), failed);
  if (s->full && rest != s->images && !s->last) {
    mfi_onednn_conv_release(s->full);
    s->full = NULL;
  }
  if (!s->full) {
    mf_log(MF_LOG_DEBUG, "%s: oneDNN has no fast implementation for this geometry; im2col is used", c->attrs.op->name);
    return NULL;
  }
  s->filter_bytes = mfi_onednn_conv_filter_bytes(s->full);
  s->scratch_bytes = mfi_onednn_conv_scratch_bytes(s->full);
  if (s->last && mfi_onednn_conv_scratch_bytes(s->last) > s->scratch_bytes)
    s->scratch_bytes = mfi_onednn_conv_scratch_bytes(s->last);
  return NULL;
failed:
  unprepare(s);
  *out = NULL;
  return status;
}

/* The sizes of a backward op may stand in an input's values, which the key of the prepared object does not hold: a
 * call that it was not made for goes through im2col. */
static bool is_prepared_for(const mf_call *c) {
  const prepared *s = c->prepared;
  mf_conv2d g = {0};
  if (!s->full) return false;
  if (s->kind == MFI_CONV_FORWARD) return true;
  mf_status status = mfi_conv_read(c, &g);
  mf_status_release(status);
  return !status && !memcmp(g.in, s->g.in, sizeof g.in) && !memcmp(g.filter, s->g.filter, sizeof g.filter);
}

/* One packed filter, or one partial gradient a piece; then scratch memory for each piece. */
static size_t onednn_workspace(const mf_call *c) {
  const prepared *s = c->prepared;
  if (!is_prepared_for(c)) return im2col_workspace(c);
  size_t filters = s->kind == MFI_CONV_FILTER ? (size_t)s->pieces : 1;
  return filters * s->filter_bytes + (size_t)s->pieces * s->scratch_bytes;
}

typedef struct dnn_job {
  const prepared *s;
  mfi_conv_work w;
  char *filters, *scratch;
  atomic_int failed;
} dnn_job;

static void run_piece(void *arg, int64_t piece) {
  dnn_job *j = arg;
  const prepared *s = j->s;
  const mfi_onednn_conv *conv = s->last && piece == s->pieces - 1 ? s->last : s->full;
  int64_t first = piece * s->images;
  char *image = j->w.image + (size_t)(first * s->g.in[0] * s->g.in[1] * s->g.in_channels) * sizeof(float);
  char *result = j->w.result + (size_t)(first * s->g.out[0] * s->g.out[1] * s->g.out_channels) * sizeof(float);
  char *filter = j->filters + (s->kind == MFI_CONV_FILTER ? (size_t)piece * s->filter_bytes : 0);
  if (!mfi_onednn_conv_run(conv, image, filter, result, j->scratch + (size_t)piece * s->scratch_bytes))
    atomic_store_explicit(&j->failed, 1, memory_order_relaxed);
}

static mf_status library_failed(const mf_call *c) {
  return mf_fail(MF_INTERNAL, "%s: oneDNN failed to run a convolution it had accepted", c->attrs.op->name);
}

static mf_status run_onednn(mf_call *c) {
  const prepared *s = c->prepared;
  if (!is_prepared_for(c)) return run_im2col(c);
  dnn_job j = {.s = s, .w = work_of(c, &s->g), .filters = c->workspace};
  bool gradient = s->kind == MFI_CONV_FILTER;
  j.scratch = j.filters + (gradient ? (size_t)s->pieces : 1) * s->filter_bytes;
  if (!gradient && !mfi_onednn_conv_pack(s->full, (const float *)(const void *)j.w.filter, j.filters))
    return library_failed(c);
  if (s->pieces > 1) mf_parallel_for(s->pieces, run_piece, &j);
  else run_piece(&j, 0);
  if (atomic_load_explicit(&j.failed, memory_order_relaxed)) return library_failed(c);
  if (!gradient) return NULL;
  float *partial = (float *)(void *)j.filters;
  int64_t count = (int64_t)(s->filter_bytes / sizeof(float));
  if (s->pieces > 1) mfi_conv_join(partial, partial, count, count, s->pieces);
  return mfi_onednn_conv_unpack(s->full, partial, (float *)(void *)j.w.filter) ? NULL : library_failed(c);
}

static const char *onednn_supports(const mf_call *c) {
  (void)c;
  return mfi_onednn_available() ? NULL : "oneDNN is not available";
}

/* ---- sums of partial gradients */

typedef struct join_job {
  float *to;
  const float *from;
  int64_t count, stride, parts, pieces;
} join_job;

static void run_join(void *arg, int64_t piece) {
  const join_job *j = arg;
  int64_t begin, end;
  mf_piece_range(j->count, j->pieces, 64, piece, &begin, &end);
  if (j->to != j->from) memcpy(j->to + begin, j->from + begin, (size_t)(end - begin) * sizeof(float));
  for (int64_t p = 1; p < j->parts; p++) {
    const float *from = j->from + p * j->stride;
    float *to = j->to;
#pragma omp simd
    for (int64_t i = begin; i < end; i++) to[i] += from[i];
  }
}

void mfi_conv_join(float *to, const float *from, int64_t count, int64_t stride, int64_t parts) {
  join_job j = {to, from, count, stride, parts, 1};
  j.pieces = mf_pieces_for((count + 63) / 64, 64 * 0.15 * (double)parts);
  if (j.pieces < 1) j.pieces = 1;
  if (j.pieces > 1) mf_parallel_for(j.pieces, run_join, &j);
  else run_join(&j, 0);
}

#define CONV_ROW(op_, rank_, name_, types_, supports_, prepare_, unprepare_, workspace_, run_)                  \
  {                                                                                                             \
    .op = &mf_op_##op_, .name = name_, .rank = rank_, .type_attr = "T", .types = types_, .supports = supports_, \
    .prepare = prepare_, .unprepare = unprepare_, .workspace = workspace_, .run = run_                          \
  }
#define ONEDNN_ROW(op_) \
  CONV_ROW(op_, 0, "onednn", MF_TYPE(MF_FLOAT32), onednn_supports, prepare, unprepare, onednn_workspace, run_onednn)
#define IM2COL_ROW(op_) \
  CONV_ROW(op_, 100, "im2col", MF_TYPES_F32_F64 | MF_TYPE(MF_INT32), NULL, NULL, NULL, im2col_workspace, run_im2col)

const mf_kernel_def mf_kernels_conv[] = {
    ONEDNN_ROW(Conv2D),
    IM2COL_ROW(Conv2D),
    ONEDNN_ROW(Conv2DBackpropInput),
    IM2COL_ROW(Conv2DBackpropInput),
    ONEDNN_ROW(Conv2DBackpropFilter),
    IM2COL_ROW(Conv2DBackpropFilter),
    ONEDNN_ROW(DepthwiseConv2dNative),
    IM2COL_ROW(DepthwiseConv2dNative),
    ONEDNN_ROW(DepthwiseConv2dNativeBackpropInput),
    IM2COL_ROW(DepthwiseConv2dNativeBackpropInput),
    ONEDNN_ROW(DepthwiseConv2dNativeBackpropFilter),
    IM2COL_ROW(DepthwiseConv2dNativeBackpropFilter),
    {0}};
