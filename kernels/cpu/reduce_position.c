/* reduce_position.c - kernels of ArgMax and ArgMin. */
#include "base/pool.h"
#include "kernels/cpu/reduce.h"
#include "ops/op_list.h"

typedef struct position_call {
  const mfi_reduce_loops *loops;
  const char *x;
  char *out;
  size_t size;
  mf_dtype out_type;
  int64_t outer, n, inner, pieces;
  bool largest;
} position_call;

static void store(const position_call *p, int64_t at, const int64_t *from, int64_t count) {
  switch (p->out_type) {
    case MF_INT64:
      for (int64_t i = 0; i < count; i++) ((int64_t *)(void *)p->out)[at + i] = from[i];
      break;
    case MF_INT32:
      for (int64_t i = 0; i < count; i++) ((int32_t *)(void *)p->out)[at + i] = (int32_t)from[i];
      break;
    default: /* int16, uint16: the same bits */
      for (int64_t i = 0; i < count; i++) ((uint16_t *)(void *)p->out)[at + i] = (uint16_t)from[i];
  }
}

/* Output elements [begin, end) in chunks; a chunk stays inside one outer index when inner > 1. */
static void run_piece(void *arg, int64_t piece) {
  const position_call *p = arg;
  enum { CHUNK = 256 };
  int64_t found[CHUNK], begin, end;
  mf_piece_range(p->outer * p->inner, p->pieces, 64, piece, &begin, &end);
  for (int64_t at = begin; at < end;) {
    int64_t outer = at / p->inner, column = at % p->inner, count = end - at < CHUNK ? end - at : CHUNK;
    if (p->inner > 1 && count > p->inner - column) count = p->inner - column;
    const char *x = p->x + (size_t)(outer * p->n * p->inner + column) * p->size;
    if (p->inner == 1) p->loops->position_rows(found, x, count, p->n, p->largest);
    else p->loops->position_columns(found, x, p->n, count, p->inner, p->largest);
    store(p, at, found, count);
    at += count;
  }
}

static mf_status run(mf_call *c, bool largest) {
  const mf_tensor *x = c->in[0];
  int64_t axis = mf_tensor_get_i64(c->in[1], 0);
  if (axis < 0) axis += x->shape.rank;
  position_call p = {.loops = mfi_reduce_loops_of((mf_dtype)x->dtype), .x = x->data, .out = c->out[0]->data,
                     .size = mf_dtype_size((mf_dtype)x->dtype), .out_type = (mf_dtype)c->out[0]->dtype,
                     .largest = largest,
                     .outer = mf_shape_count_range(&x->shape, 0, (int)axis), .n = x->shape.dims[axis],
                     .inner = mf_shape_count_range(&x->shape, (int)axis + 1, x->shape.rank)};
  if (!mf_tensor_count(c->out[0])) return NULL;
  p.pieces = mf_pieces_for(p.outer * p.inner, 0.3 * (double)p.n * (double)p.size / 4 + 5);
  if (p.pieces == 1) run_piece(&p, 0);
  else mf_parallel_for(p.pieces, run_piece, &p);
  return NULL;
}

static mf_status run_ArgMax(mf_call *c) { return run(c, true); }
static mf_status run_ArgMin(mf_call *c) { return run(c, false); }

#define ROW(op_)                                                                                                    \
  {.op = &mf_op_##op_, .name = "vector", .device = MF_CPU, .rank = 10, .type_attr = "T",                           \
   .types = MF_TYPES_F32_F64 | MF_TYPES_INTEGER | MF_TYPE(MF_BOOL), .run = run_##op_}
const mf_kernel_def mf_kernels_reduce_position[] = {ROW(ArgMax), ROW(ArgMin), {0}};
