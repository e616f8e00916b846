/* pool.c - kernels of MaxPool, AvgPool and their gradients. */
#include "pool.h"

#include <string.h>

#include "base/cpu.h"
#include "base/pool.h"
#include "gemm_vector.h"
#include "ops/kernel.h"
#include "ops/op_list.h"

#define T uint8_t
#define MASK int8_t
#define LOWEST 0
#define NAME(x) x##_u8
#include "pool.inc"
#define T int8_t
#define MASK int8_t
#define LOWEST INT8_MIN
#define NAME(x) x##_i8
#include "pool.inc"
#define T uint16_t
#define MASK int16_t
#define LOWEST 0
#define NAME(x) x##_u16
#include "pool.inc"
#define T int16_t
#define MASK int16_t
#define LOWEST INT16_MIN
#define NAME(x) x##_i16
#include "pool.inc"
#define T uint32_t
#define MASK int32_t
#define LOWEST 0
#define NAME(x) x##_u32
#include "pool.inc"
#define T int32_t
#define MASK int32_t
#define LOWEST INT32_MIN
#define NAME(x) x##_i32
#include "pool.inc"
#define T uint64_t
#define MASK int64_t
#define LOWEST 0
#define NAME(x) x##_u64
#include "pool.inc"
#define T int64_t
#define MASK int64_t
#define LOWEST INT64_MIN
#define NAME(x) x##_i64
#include "pool.inc"

static const mfi_pool_fn integers[MF_DTYPE_COUNT][MFI_POOL_KINDS] = {
    [MF_UINT8] = {max_u8, NULL, max_spread_u8, max_pick_u8, NULL},
    [MF_INT8] = {max_i8, NULL, max_spread_i8, max_pick_i8, NULL},
    [MF_UINT16] = {max_u16, NULL, max_spread_u16, max_pick_u16, NULL},
    [MF_INT16] = {max_i16, NULL, max_spread_i16, max_pick_i16, NULL},
    [MF_UINT32] = {max_u32, NULL, max_spread_u32, max_pick_u32, NULL},
    [MF_INT32] = {max_i32, NULL, max_spread_i32, max_pick_i32, NULL},
    [MF_UINT64] = {max_u64, NULL, max_spread_u64, max_pick_u64, NULL},
    [MF_INT64] = {max_i64, NULL, max_spread_i64, max_pick_i64, NULL},
};

static mfi_pool_fn function_of(mf_dtype type, mfi_pool_kind kind) {
  static const mfi_pool_fn *const f32[] = {mfi_pool_f32_base, mfi_pool_f32_avx2, mfi_pool_f32_avx512};
  static const mfi_pool_fn *const f64[] = {mfi_pool_f64_base, mfi_pool_f64_avx2, mfi_pool_f64_avx512};
  if (type == MF_FLOAT32) return f32[mf_cpu_isa()][kind];
  if (type == MF_FLOAT64) return f64[mf_cpu_isa()][kind];
  return integers[type][kind];
}

/* Windows over channels, and NCHW, brought to [batch, height, width, channels] with windows over height and width. */
static void normalise(const mf_window *w, mf_conv2d *g) {
  if (w->depth_kernel > 1) {
    int64_t pixels = g->in[0] * g->in[1], k = w->depth_kernel;
    mf_conv2d flat = {.filter = {k, 1}, .stride = {k, 1}, .dilation = {1, 1}, .groups = 1};
    flat.batch = g->nchw ? g->batch : g->batch * pixels * (g->in_channels / k);
    flat.in[0] = g->nchw ? g->in_channels : k;
    flat.in_channels = g->nchw ? pixels : 1;
    flat.in[1] = flat.out[1] = 1;
    flat.out[0] = flat.in[0] / k;
    *g = flat;
  } else if (g->nchw) {
    g->batch *= g->in_channels;
    g->in_channels = 1;
    g->nchw = false;
  }
}

static mf_status read_pool(const mf_call *c, const mf_shape *image, mfi_pool *p) {
  mf_window w;
  MF_TRY(mf_window_read(c->attrs, &w));
  MF_TRY(mf_pool2d_read(c->attrs, image, &p->g));
  normalise(&w, &p->g);
  return NULL;
}

static void run_piece(void *arg, int64_t piece) {
  const mfi_pool *p = arg;
  int64_t begin, end;
  mf_piece_range(p->items, p->pieces, 1, piece, &begin, &end);
  p->fn(p, begin, end);
}

static mf_status run_pool(mf_call *c, mfi_pool *p, mfi_pool_kind kind) {
  const mf_conv2d *g = &p->g;
  bool rows = kind == MFI_POOL_MAX || kind == MFI_POOL_MEAN;
  if (mf_tensor_count(c->out[0]) == 0) return NULL;
  if (g->batch * g->in[0] * g->in[1] * g->out[0] * g->out[1] ==
      0) { /* windows without a pixel, pixels without a window */
    memset(c->out[0]->data, 0, mf_tensor_bytes(c->out[0]));
    return NULL;
  }
  p->fn = function_of(mf_tensor_dtype(c->out[0]), kind);
  p->out = c->out[0]->data;
  p->items = rows ? g->batch * g->out[0] : g->batch;
  double window =
      (double)(g->filter[0] * g->filter[1]) * (double)mf_dtype_size(mf_tensor_dtype(c->out[0])) * 0.04 + 0.05;
  double cost = (double)(g->out[1] * g->in_channels) * window * (rows ? 1 : 2 * (double)g->out[0]);
  p->pieces = mf_pieces_for(p->items, cost);
  if (p->pieces > 1) mf_parallel_for(p->pieces, run_piece, p);
  else p->fn(p, 0, p->items);
  return NULL;
}

static mf_status run_max(mf_call *c) {
  mfi_pool p = {.image = c->in[0]->data};
  MF_TRY(read_pool(c, &c->in[0]->shape, &p));
  return run_pool(c, &p, MFI_POOL_MAX);
}

static mf_status run_mean(mf_call *c) {
  mfi_pool p = {.image = c->in[0]->data};
  MF_TRY(read_pool(c, &c->in[0]->shape, &p));
  return run_pool(c, &p, MFI_POOL_MEAN);
}

static mf_status run_max_choice(mf_call *c, mfi_pool_kind kind) {
  mfi_pool p = {.image = c->in[0]->data, .pooled = c->in[1]->data, .grad = c->in[2]->data};
  MF_TRY(read_pool(c, &c->in[0]->shape, &p));
  return run_pool(c, &p, kind);
}

static mf_status run_max_spread(mf_call *c) { return run_max_choice(c, MFI_POOL_MAX_SPREAD); }
static mf_status run_max_pick(mf_call *c) { return run_max_choice(c, MFI_POOL_MAX_PICK); }

static mf_status run_mean_spread(mf_call *c) {
  mfi_pool p = {.grad = c->in[1]->data};
  MF_TRY(read_pool(c, &c->out[0]->shape, &p));
  return run_pool(c, &p, MFI_POOL_MEAN_SPREAD);
}

#define MAX_TYPES (MF_TYPES_F32_F64 | MF_TYPES_INTEGER)

const mf_kernel_def mf_kernels_pool[] = {
    {.op = &mf_op_MaxPool, .name = "vector", .rank = 10, .type_attr = "T", .types = MAX_TYPES, .run = run_max},
    {.op = &mf_op_MaxPoolGrad,
     .name = "vector",
     .rank = 10,
     .type_attr = "T",
     .types = MAX_TYPES,
     .run = run_max_spread},
    {.op = &mf_op_MaxPoolGradGrad,
     .name = "vector",
     .rank = 10,
     .type_attr = "T",
     .types = MAX_TYPES,
     .run = run_max_pick},
    {.op = &mf_op_AvgPool, .name = "vector", .rank = 10, .type_attr = "T", .types = MF_TYPES_F32_F64, .run = run_mean},
    {.op = &mf_op_AvgPoolGrad,
     .name = "vector",
     .rank = 10,
     .type_attr = "T",
     .types = MF_TYPES_F32_F64,
     .run = run_mean_spread},
    {0}};
