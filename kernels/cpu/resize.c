/* resize.c - kernels of ResizeBilinear, ResizeNearestNeighbor and their gradients.
 *
 * The positions follow TensorFlow's float32 arithmetic step by step: which pixel is the nearest depends on every
 * rounding. */
#include <math.h>
#include <string.h>

#include "base/pool.h"
#include "ops/kernel.h"
#include "ops/op_list.h"

/* Between pixels lower and upper of an axis, `fraction` of the way. Nearest: lower alone. */
typedef struct resize_weight {
  int64_t lower, upper;
  float fraction;
} resize_weight;

typedef struct resize_job {
  const void *from;
  void *to;
  int64_t batch, channels;
  int64_t in[2], out[2];         /* height, width: of the image, of the scaled one */
  float scale[2];
  bool corners, centers;
  resize_weight *columns;        /* [out[1]] */
  size_t pixel;                  /* bytes */
  int64_t items, pieces;
  void (*fn)(const struct resize_job *j, int64_t item);
} resize_job;

static float scale_of(int64_t in, int64_t out, bool corners) {
  return corners && out > 1 ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
}

static resize_weight weight_of(const resize_job *j, int axis, int64_t i) {
  float at = j->centers ? ((float)i + 0.5F) * j->scale[axis] - 0.5F : (float)i * j->scale[axis];
  float below = floorf(at);
  resize_weight w = {(int64_t)below, (int64_t)ceilf(at), at - below};
  if (w.lower < 0) w.lower = 0;
  if (w.upper > j->in[axis] - 1) w.upper = j->in[axis] - 1;
  if (w.lower > j->in[axis] - 1) w.lower = j->in[axis] - 1;
  return w;
}

static int64_t nearest_of(const resize_job *j, int axis, int64_t i) {
  float at = j->centers ? ((float)i + 0.5F) * j->scale[axis] : (float)i * j->scale[axis];
  int64_t p = (int64_t)(j->corners ? roundf(at) : floorf(at));
  if (p > j->in[axis] - 1) p = j->in[axis] - 1;
  return p < 0 ? 0 : p;
}

#define T float
#define NAME(x) x##_f32
#include "resize_bilinear.inc"
#define T double
#define NAME(x) x##_f64
#include "resize_bilinear.inc"
#define T uint8_t
#define NAME(x) x##_u8
#include "resize_bilinear.inc"
#define T int8_t
#define NAME(x) x##_i8
#include "resize_bilinear.inc"
#define T uint16_t
#define NAME(x) x##_u16
#include "resize_bilinear.inc"
#define T int16_t
#define NAME(x) x##_i16
#include "resize_bilinear.inc"
#define T int32_t
#define NAME(x) x##_i32
#include "resize_bilinear.inc"
#define T int64_t
#define NAME(x) x##_i64
#include "resize_bilinear.inc"

#define T float
#define BILINEAR 1
#define NAME(x) x##_f32
#include "resize_grad.inc"
#define T double
#define BILINEAR 1
#define NAME(x) x##_f64
#include "resize_grad.inc"
#define T uint8_t
#define NAME(x) x##_u8
#include "resize_grad.inc"
#define T uint32_t
#define NAME(x) x##_u32
#include "resize_grad.inc"

typedef void (*resize_fn)(const resize_job *j, int64_t item);

static const resize_fn bilinear[MF_DTYPE_COUNT] = {
    [MF_FLOAT32] = bilinear_f32, [MF_FLOAT64] = bilinear_f64, [MF_UINT8] = bilinear_u8, [MF_INT8] = bilinear_i8,
    [MF_UINT16] = bilinear_u16,  [MF_INT16] = bilinear_i16,   [MF_INT32] = bilinear_i32, [MF_INT64] = bilinear_i64,
};
static const resize_fn bilinear_grads[MF_DTYPE_COUNT] = {
    [MF_FLOAT32] = bilinear_grad_f32, [MF_FLOAT64] = bilinear_grad_f64};
static const resize_fn nearest_grads[MF_DTYPE_COUNT] = {
    [MF_FLOAT32] = nearest_grad_f32, [MF_FLOAT64] = nearest_grad_f64, [MF_UINT8] = nearest_grad_u8,
    [MF_INT8] = nearest_grad_u8,     [MF_INT32] = nearest_grad_u32,
};

static void nearest_row(const resize_job *j, int64_t row) {
  size_t line = (size_t)j->in[1] * j->pixel;
  int64_t y = row / j->out[0] * j->in[0] + nearest_of(j, 0, row % j->out[0]);
  const char *from = (const char *)j->from + (size_t)y * line;
  char *to = (char *)j->to + (size_t)(row * j->out[1]) * j->pixel;
  for (int64_t ox = 0; ox < j->out[1]; ox++, to += j->pixel)
    memcpy(to, from + (size_t)j->columns[ox].lower * j->pixel, j->pixel);
}

/* ---- calls */

/* `image`: the unscaled shape; `scaled`: the other one. */
static resize_job job_of(const mf_call *c, const mf_shape *image, const mf_shape *scaled) {
  resize_job j = {.from = c->in[0]->data, .to = c->out[0]->data, .columns = c->workspace};
  j.corners = mf_attr_bool(c->attrs, "align_corners");
  j.centers = mf_attr_bool(c->attrs, "half_pixel_centers");
  j.batch = image->dims[0];
  j.channels = image->dims[3];
  for (int i = 0; i < 2; i++) {
    j.in[i] = image->dims[1 + i];
    j.out[i] = scaled->dims[1 + i];
    j.scale[i] = scale_of(j.in[i], j.out[i], j.corners);
  }
  return j;
}

static void run_piece(void *arg, int64_t piece) {
  const resize_job *j = arg;
  int64_t begin, end;
  mf_piece_range(j->items, j->pieces, 1, piece, &begin, &end);
  for (int64_t i = begin; i < end; i++) j->fn(j, i);
}

static void run_job(resize_job *j, bool nearest, bool by_rows) {
  if (j->batch * j->channels * j->in[0] * j->in[1] == 0) return;
  for (int64_t x = 0; x < j->out[1]; x++)
    j->columns[x] = nearest ? (resize_weight){.lower = nearest_of(j, 1, x)} : weight_of(j, 1, x);
  j->items = by_rows ? j->batch * j->out[0] : j->batch;
  double pixel = (double)j->channels * 1.5 + 3;
  j->pieces = mf_pieces_for(j->items, (double)j->out[1] * pixel * (by_rows ? 1 : (double)j->out[0]));
  if (j->pieces < 1) j->pieces = 1;
  if (j->pieces > 1) mf_parallel_for(j->pieces, run_piece, j);
  else run_piece(j, 0);
}

static mf_status run_bilinear(mf_call *c) {
  resize_job j = job_of(c, &c->in[0]->shape, &c->out[0]->shape);
  j.fn = bilinear[c->in[0]->dtype];
  run_job(&j, false, true);
  return NULL;
}

static mf_status run_nearest(mf_call *c) {
  resize_job j = job_of(c, &c->in[0]->shape, &c->out[0]->shape);
  j.fn = nearest_row;
  j.pixel = (size_t)j.channels * mf_dtype_size(mf_tensor_dtype(c->in[0]));
  run_job(&j, true, true);
  return NULL;
}

static mf_status run_bilinear_grad(mf_call *c) {
  resize_job j = job_of(c, &c->out[0]->shape, &c->in[0]->shape);
  j.fn = bilinear_grads[c->out[0]->dtype];
  run_job(&j, false, false);
  return NULL;
}

static mf_status run_nearest_grad(mf_call *c) {
  resize_job j = job_of(c, &c->out[0]->shape, &c->in[0]->shape);
  j.fn = nearest_grads[c->out[0]->dtype];
  run_job(&j, true, false);
  return NULL;
}

static size_t columns_of_out(const mf_call *c) { return (size_t)c->out[0]->shape.dims[2] * sizeof(resize_weight); }
static size_t columns_of_in(const mf_call *c) { return (size_t)c->in[0]->shape.dims[2] * sizeof(resize_weight); }

#define IMAGE_TYPES \
  (MF_TYPES_F32_F64 | MF_TYPES_I32_I64 | MF_TYPE(MF_INT8) | MF_TYPE(MF_UINT8) | MF_TYPE(MF_INT16) | MF_TYPE(MF_UINT16))

const mf_kernel_def mf_kernels_resize[] = {
    {.op = &mf_op_ResizeBilinear, .name = "plain", .rank = 10, .type_attr = "T", .types = IMAGE_TYPES,
     .workspace = columns_of_out, .run = run_bilinear},
    {.op = &mf_op_ResizeNearestNeighbor, .name = "plain", .rank = 10, .type_attr = "T",
     .types = IMAGE_TYPES | MF_TYPES_HALF, .workspace = columns_of_out, .run = run_nearest},
    {.op = &mf_op_ResizeBilinearGrad, .name = "plain", .rank = 10, .type_attr = "T", .types = MF_TYPES_F32_F64,
     .workspace = columns_of_in, .run = run_bilinear_grad},
    {.op = &mf_op_ResizeNearestNeighborGrad, .name = "plain", .rank = 10, .type_attr = "T",
     .types = MF_TYPES_F32_F64 | MF_TYPE(MF_UINT8) | MF_TYPE(MF_INT8) | MF_TYPE(MF_INT32), .workspace = columns_of_in,
     .run = run_nearest_grad},
    {0}};
