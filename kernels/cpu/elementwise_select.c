/* elementwise_select.c - kernels with three inputs and more: SelectV2, Select, ClipByValue, LeakyReluGrad, AddN. */
#include <string.h>

#include "base/pool.h"
#include "kernels/cpu/elementwise.h"
#include "ops/op_list.h"

/* ---- choice: elements are moved by size, whatever their type */
#define MASKED_ 1
#define T_ uint8_t
#define LOOP_ select_1
#include "kernels/cpu/elementwise_select.inc"
#define T_ uint16_t
#define LOOP_ select_2
#include "kernels/cpu/elementwise_select.inc"
#define T_ uint32_t
#define LOOP_ select_4
#include "kernels/cpu/elementwise_select.inc"
#define T_ uint64_t
#define LOOP_ select_8
#include "kernels/cpu/elementwise_select.inc"
#undef MASKED_
#define MASKED_ 0
typedef struct pair64 {
  uint64_t low, high;
} pair64;
#define T_ pair64
#define LOOP_ select_16
#include "kernels/cpu/elementwise_select.inc"
#undef MASKED_

static mfi_loop select_loop(size_t size) {
  return size == 1 ? select_1 : size == 2 ? select_2 : size == 4 ? select_4 : size == 8 ? select_8 : select_16;
}

static mf_status run_SelectV2(mf_call *c) {
  size_t size = mf_dtype_size((mf_dtype)c->out[0]->dtype);
  mfi_elementwise_run(c, select_loop(size), 3, 0.1 + 0.1 * (double)size / 4);
  return NULL;
}

/* A condition vector of a Select with higher rank stands for [n, 1, ..., 1]. */
static mf_status run_Select(mf_call *c) {
  mf_shape condition = c->in[0]->shape;
  const mf_shape *s = &c->out[0]->shape;
  size_t size = mf_dtype_size((mf_dtype)c->out[0]->dtype);
  if (condition.rank == 1)
    for (; condition.rank < s->rank; condition.rank++) condition.dims[condition.rank] = 1;
  mfi_walk w;
  mfi_walk_make(&w, s, (const mf_shape *[]){&condition, &c->in[1]->shape, &c->in[2]->shape}, 3);
  mfi_walk_run(&w, select_loop(size), mf_data(c->out[0]), size,
               (const void *[]){mf_data(c->in[0]), mf_data(c->in[1]), mf_data(c->in[2])}, (size_t[]){1, size, size},
               0.1 + 0.1 * (double)size / 4);
  return NULL;
}

/* ---- bounds */
static mf_status run_ClipByValue(mf_call *c) {
  mf_dtype type = (mf_dtype)c->in[0]->dtype;
  mfi_elementwise_run(c, mfi_loop_of(type, MFI_clip), 3, 0.2 * (double)mf_dtype_size(type) / 4);
  return NULL;
}

static mf_status run_LeakyReluGrad(mf_call *c) {
  const mf_shape scalar = mf_shape_scalar(), *s = &c->out[0]->shape;
  float alpha_f32 = mf_attr_float(c->attrs, "alpha");
  double alpha_f64 = (double)alpha_f32;
  bool wide = c->in[0]->dtype == MF_FLOAT64;
  size_t size = wide ? sizeof(double) : sizeof(float);
  mfi_walk w;
  mfi_walk_make(&w, s, (const mf_shape *[]){s, s, &scalar}, 3);
  const void *alpha = wide ? (const void *)&alpha_f64 : (const void *)&alpha_f32;
  mfi_walk_run(&w, mfi_loop_of((mf_dtype)c->in[0]->dtype, MFI_leaky_relu_grad), mf_data(c->out[0]), size,
               (const void *[]){mf_data(c->in[0]), mf_data(c->in[1]), alpha}, (size_t[]){size, size, size},
               0.3 * (double)size / 4);
  return NULL;
}

/* ---- AddN: block by block from left to right. The output may be the memory of any input, so a block
 * is summed aside. */
enum { BLOCK_BYTES = 8192 };

typedef struct sum_call {
  mf_call *c;
  mfi_loop add;
  int64_t count, pieces;
  size_t size;
} sum_call;

static void sum_piece(void *arg, int64_t piece) {
  const sum_call *s = arg;
  _Alignas(64) char sum[BLOCK_BYTES];
  int64_t begin, end, block = BLOCK_BYTES / (int64_t)s->size;
  mf_piece_range(s->count, s->pieces, 64, piece, &begin, &end);
  for (int64_t at = begin; at < end; at += block) {
    int64_t n = end - at < block ? end - at : block;
    size_t offset = (size_t)at * s->size;
    memcpy(sum, s->c->in[0]->data + offset, (size_t)n * s->size);
    for (int i = 1; i < s->c->n_in; i++) s->add(sum, (const void *[]){sum, s->c->in[i]->data + offset}, n, 0);
    memcpy(s->c->out[0]->data + offset, sum, (size_t)n * s->size);
  }
}

static mf_status run_AddN(mf_call *c) {
  mf_dtype type = (mf_dtype)c->out[0]->dtype;
  sum_call s = {.c = c, .add = mfi_loop_of(type, MFI_add), .count = mf_tensor_count(c->out[0]),
                .size = mf_dtype_size(type)};
  s.pieces = mf_pieces_for(s.count, 0.1 * (double)s.size / 4 * (c->n_in + 1));
  if (s.pieces == 1) sum_piece(&s, 0);
  else mf_parallel_for(s.pieces, sum_piece, &s);
  return NULL;
}

#define ROW(op_, types_)                                                                                     \
  {.op = &mf_op_##op_, .name = "vector", .device = MF_CPU, .rank = 10, .type_attr = "T", .types = types_, \
   .run = run_##op_}
const mf_kernel_def mf_kernels_elementwise_select[] = {
    ROW(SelectV2, MF_TYPES_PLAIN),
    ROW(Select, MF_TYPES_PLAIN),
    ROW(ClipByValue, MF_TYPES_F32_F64 | MF_TYPES_INTEGER),
    ROW(LeakyReluGrad, MF_TYPES_F32_F64),
    ROW(AddN, MF_TYPES_F32_F64 | MF_TYPES_INTEGER | MF_TYPES_COMPLEX),
    {0}};
