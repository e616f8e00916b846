/* bias.c - kernels of BiasAdd and BiasAddGrad: see bias.h. */
#include "bias.h"

#include <string.h>

#include "isa.h"
#include "ops/kernel.h"
#include "ops/op_list.h"

static void job_of(const mf_call *c, const mf_tensor *x, mfi_bias *j) {
  int axis = mf_attr_is(c->attrs, "data_format", "NCHW") ? 1 : x->shape.rank - 1;
  *j = (mfi_bias){.x = x->data, .y = c->out[0]->data};
  j->channels = x->shape.dims[axis];
  j->outer = mf_shape_count_range(&x->shape, 0, axis);
  j->inner = mf_shape_count_range(&x->shape, axis + 1, x->shape.rank);
}

#define T float
#define SUM float
#define NAME(x) x##_f32
#include "bias.inc"
#define T double
#define SUM double
#define NAME(x) x##_f64
#include "bias.inc"
/* Integers wrap: computed without sign. */
#define T uint8_t
#define SUM uint32_t
#define NAME(x) x##_i8
#include "bias.inc"
#define T uint16_t
#define SUM uint32_t
#define NAME(x) x##_i16
#include "bias.inc"
#define T uint32_t
#define SUM uint32_t
#define NAME(x) x##_i32
#include "bias.inc"
#define T uint64_t
#define SUM uint64_t
#define NAME(x) x##_i64
#include "bias.inc"
#define T float _Complex
#define SUM float _Complex
#define NAME(x) x##_c64
#include "bias.inc"
#define T double _Complex
#define SUM double _Complex
#define NAME(x) x##_c128
#include "bias.inc"

static const struct { mf_parallel_fn add, sum, join; } by_type[MF_DTYPE_COUNT] = {
    [MF_FLOAT32] = {add_f32, sum_f32, join_f32},    [MF_FLOAT64] = {add_f64, sum_f64, join_f64},
    [MF_INT8] = {add_i8, sum_i8, join_i8},          [MF_UINT8] = {add_i8, sum_i8, join_i8},
    [MF_INT16] = {add_i16, sum_i16, join_i16},      [MF_UINT16] = {add_i16, sum_i16, join_i16},
    [MF_INT32] = {add_i32, sum_i32, join_i32},      [MF_UINT32] = {add_i32, sum_i32, join_i32},
    [MF_INT64] = {add_i64, sum_i64, join_i64},      [MF_UINT64] = {add_i64, sum_i64, join_i64},
    [MF_COMPLEX64] = {add_c64, sum_c64, join_c64},  [MF_COMPLEX128] = {add_c128, sum_c128, join_c128},
};

static void run_pieces(int64_t pieces, mf_parallel_fn fn, mfi_bias *j) {
  if (pieces > 1) mf_parallel_for(pieces, fn, j);
  else fn(j, 0);
}

static mf_status run_bias_add(mf_call *c) {
  mfi_bias j;
  job_of(c, c->in[0], &j);
  j.bias = c->in[1]->data;
  if (j.outer * j.channels * j.inner == 0) return NULL;
  size_t size = mf_dtype_size(mf_tensor_dtype(c->in[0]));
  j.pieces = mf_pieces_for(j.outer, (double)(j.channels * j.inner) * (double)size * 0.08);
  if (j.pieces < 1) j.pieces = 1;
  run_pieces(j.pieces, by_type[c->in[0]->dtype].add, &j);
  return NULL;
}

static mf_parallel_fn sum_of(const mfi_bias *j, mf_dtype type) {
  const mfi_bias_sums *vector = MFI_ISA_PICK(mfi_bias_sums);
  if (j->inner == 1 && type == MF_FLOAT32) return vector->f32;
  if (j->inner == 1 && type == MF_FLOAT64) return vector->f64;
  return by_type[type].sum;
}

/* Rows of `channels * inner` elements are dealt out to at most 32 pieces. */
static int64_t sum_pieces(const mfi_bias *j, size_t size) {
  int64_t n = mf_pieces_for(j->outer, (double)(j->channels * j->inner) * (double)size * 0.06);
  return n < 1 ? 1 : n > 32 ? 32 : n;
}

static size_t bias_grad_workspace(const mf_call *c) {
  mfi_bias j;
  size_t size = mf_dtype_size(mf_tensor_dtype(c->in[0]));
  job_of(c, c->in[0], &j);
  int64_t pieces = sum_pieces(&j, size);
  return pieces > 1 ? (size_t)(pieces * j.channels) * size : 0;
}

static mf_status run_bias_grad(mf_call *c) {
  mfi_bias j;
  size_t size = mf_dtype_size(mf_tensor_dtype(c->in[0]));
  job_of(c, c->in[0], &j);
  if (j.channels == 0) return NULL;
  j.pieces = sum_pieces(&j, size);
  j.partial = j.pieces > 1 ? c->workspace : j.y;
  run_pieces(j.pieces, sum_of(&j, c->in[0]->dtype), &j);
  if (j.pieces > 1) by_type[c->in[0]->dtype].join(&j, 0);
  return NULL;
}

#define BIAS_TYPES (MF_TYPES_F32_F64 | MF_TYPES_INTEGER | MF_TYPES_COMPLEX)

const mf_kernel_def mf_kernels_bias[] = {
    {.op = &mf_op_BiasAdd, .name = "vector", .rank = 10, .type_attr = "T", .types = BIAS_TYPES, .run = run_bias_add},
    {.op = &mf_op_BiasAddGrad, .name = "vector", .rank = 10, .type_attr = "T", .types = BIAS_TYPES,
     .workspace = bias_grad_workspace, .run = run_bias_grad},
    {0}};
