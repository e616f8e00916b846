/* array_top_k.c - TopKV2 and InTopKV2. */
#include <math.h>
#include <string.h>

#include "array_move.h"
#include "base/half.h"
#include "base/pool.h"
#include "ops/op_list.h"

/* NaN is less than everything else: it comes last, as where NumPy sorts. */
static bool float_less(float a, float b) { return a < b || (isnan(a) && !isnan(b)); }
static bool double_less(double a, double b) { return a < b || (isnan(a) && !isnan(b)); }

#define PLAIN_LESS(a, b) ((a) < (b))
#define HALF_LESS(a, b) float_less(mf_half_to_float(a), mf_half_to_float(b))
#define BRAIN_LESS(a, b) float_less(mf_bfloat16_to_float(a), mf_bfloat16_to_float(b))

#define T float
#define NAME(x) f32_##x
#define LESS float_less
#include "array_top_k.inc"
#define T double
#define NAME(x) f64_##x
#define LESS double_less
#include "array_top_k.inc"
#define T uint16_t
#define NAME(x) f16_##x
#define LESS HALF_LESS
#include "array_top_k.inc"
#define T uint16_t
#define NAME(x) bf16_##x
#define LESS BRAIN_LESS
#include "array_top_k.inc"
#define T int8_t
#define NAME(x) i8_##x
#define LESS PLAIN_LESS
#include "array_top_k.inc"
#define T int16_t
#define NAME(x) i16_##x
#define LESS PLAIN_LESS
#include "array_top_k.inc"
#define T int32_t
#define NAME(x) i32_##x
#define LESS PLAIN_LESS
#include "array_top_k.inc"
#define T int64_t
#define NAME(x) i64_##x
#define LESS PLAIN_LESS
#include "array_top_k.inc"
#define T uint8_t
#define NAME(x) u8_##x
#define LESS PLAIN_LESS
#include "array_top_k.inc"
#define T uint16_t
#define NAME(x) u16_##x
#define LESS PLAIN_LESS
#include "array_top_k.inc"
#define T uint32_t
#define NAME(x) u32_##x
#define LESS PLAIN_LESS
#include "array_top_k.inc"
#define T uint64_t
#define NAME(x) u64_##x
#define LESS PLAIN_LESS
#include "array_top_k.inc"

typedef void (*select_fn)(const void *row, int64_t n, int64_t *at, int64_t k);

static const select_fn selects[MF_DTYPE_COUNT] = {
    [MF_FLOAT32] = f32_select, [MF_FLOAT64] = f64_select, [MF_FLOAT16] = f16_select, [MF_BFLOAT16] = bf16_select,
    [MF_INT8] = i8_select,     [MF_INT16] = i16_select,   [MF_INT32] = i32_select,   [MF_INT64] = i64_select,
    [MF_UINT8] = u8_select,    [MF_UINT16] = u16_select,  [MF_UINT32] = u32_select,  [MF_UINT64] = u64_select};

/* ---- TopKV2 */

typedef struct top {
  const mf_call *call;
  int64_t *at;             /* [pieces, k] */
  int64_t rows, n, k, pieces;
} top;

static void put_index(mf_tensor *t, int64_t i, int64_t v) {
  if (t->dtype == MF_INT64) MF_DATA(int64_t, t)[i] = v;
  else if (t->dtype == MF_INT16) MF_DATA(int16_t, t)[i] = (int16_t)v;
  else MF_DATA(int32_t, t)[i] = (int32_t)v;
}

static void run_rows(void *arg, int64_t piece) {
  const top *t = arg;
  const mf_tensor *in = t->call->in[0];
  size_t size = mf_dtype_size(mf_tensor_dtype(in));
  int64_t begin, end, *at = t->at + piece * t->k;
  mf_piece_range(t->rows, t->pieces, 1, piece, &begin, &end);
  for (int64_t r = begin; r < end; r++) {
    const char *row = in->data + (size_t)(r * t->n) * size;
    selects[in->dtype](row, t->n, at, t->k);
    for (int64_t i = 0; i < t->k; i++) {
      memcpy(t->call->out[0]->data + (size_t)(r * t->k + i) * size, row + (size_t)at[i] * size, size);
      put_index(t->call->out[1], r * t->k + i, at[i]);
    }
  }
}

static top top_of(const mf_call *c) {
  const mf_shape *in = &c->in[0]->shape;
  top t = {.call = c, .n = in->dims[in->rank - 1], .k = mf_tensor_get_i64(c->in[1], 0)};
  t.rows = mf_shape_count_range(in, 0, in->rank - 1);
  t.pieces = mf_pieces_for(t.rows, 2 * (double)t.n + 20 * (double)t.k);
  return t;
}

static size_t top_workspace(const mf_call *c) {
  top t = top_of(c);
  return (size_t)(t.pieces * t.k + 1) * sizeof(int64_t);
}

static mf_status run_top_k(mf_call *c) {
  top t = top_of(c);
  t.at = c->workspace;
  if (t.rows * t.k == 0) return NULL;
  mf_parallel_for(t.pieces, run_rows, &t);
  return NULL;
}

/* ---- InTopKV2 */

static bool in_top(const float *row, int64_t n, int64_t target, int64_t k) {
  if (target < 0 || target >= n || !isfinite(row[target])) return false;
  int64_t larger = 0;
  for (int64_t i = 0; i < n; i++) {
    if (!isfinite(row[i])) return false;
    larger += row[i] > row[target];
    if (larger > k) break;
  }
  return larger < k;
}

static mf_status run_in_top_k(mf_call *c) {
  const mf_shape *s = &c->in[0]->shape;
  int64_t k = mfi_int_at(c->in[2], 0), n = s->dims[1];
  for (int64_t r = 0; r < s->dims[0]; r++)
    MF_DATA(bool, c->out[0])[r] = in_top(MF_DATA(float, c->in[0]) + r * n, n, mfi_int_at(c->in[1], r), k);
  return NULL;
}

const mf_kernel_def mf_kernels_array_top_k[] = {
    {.op = &mf_op_TopKV2, .name = "heap", .device = MF_CPU, .rank = 10, .type_attr = "T", .types = MF_TYPES_REAL,
     .workspace = top_workspace, .run = run_top_k},
    {.op = &mf_op_InTopKV2, .name = "count", .device = MF_CPU, .rank = 10, .run = run_in_top_k},
    {0}};
