/* reduce_scan.c - kernels of Cumsum and Cumprod. */
#include "base/pool.h"
#include "kernels/cpu/reduce.h"
#include "ops/op_list.h"

typedef struct scan_call {
  const mfi_reduce_loops *loops;
  const char *x;
  char *out;
  size_t size;
  int64_t outer, n, inner, share;   /* share: stretches of columns an outer index */
  int64_t pieces;
  int op;
  unsigned flags;
} scan_call;

/* Pieces are ranges of (outer index, stretch of columns) pairs. */
static void run_piece(void *arg, int64_t piece) {
  const scan_call *s = arg;
  int64_t begin, end;
  mf_piece_range(s->outer * s->share, s->pieces, 1, piece, &begin, &end);
  for (int64_t at = begin; at < end; at++) {
    int64_t from, to;
    mf_piece_range(s->inner, s->share, 64, at % s->share, &from, &to);
    size_t offset = (size_t)(at / s->share * s->n * s->inner + from) * s->size;
    if (from < to) s->loops->scan(s->out + offset, s->x + offset, s->n, to - from, s->inner, s->op, s->flags);
  }
}

static mf_status run(mf_call *c, int op) {
  const mf_tensor *x = c->in[0];
  int64_t axis = mf_tensor_get_i64(c->in[1], 0);
  if (!mf_tensor_count(x)) return NULL;
  if (axis < 0) axis += x->shape.rank;
  scan_call s = {.loops = mfi_reduce_loops_of((mf_dtype)x->dtype), .x = x->data, .out = c->out[0]->data,
                 .size = mf_dtype_size((mf_dtype)x->dtype), .op = op,
                 .outer = mf_shape_count_range(&x->shape, 0, (int)axis), .n = x->shape.dims[axis],
                 .inner = mf_shape_count_range(&x->shape, (int)axis + 1, x->shape.rank)};
  if (mf_attr_bool(c->attrs, "exclusive")) s.flags |= MFI_SCAN_EXCLUSIVE;
  if (mf_attr_bool(c->attrs, "reverse")) s.flags |= MFI_SCAN_REVERSE;
  s.share = (s.inner + 255) / 256;
  s.pieces = mf_pieces_for(s.outer * s.share, (double)s.n * (double)(s.inner / s.share) * (s.inner < 8 ? 1.5 : 0.3));
  if (s.pieces == 1) run_piece(&s, 0);
  else mf_parallel_for(s.pieces, run_piece, &s);
  return NULL;
}

static mf_status run_Cumsum(mf_call *c) { return run(c, MFI_REDUCE_SUM); }
static mf_status run_Cumprod(mf_call *c) { return run(c, MFI_REDUCE_PROD); }

#define ROW(op_)                                                                                   \
  {.op = &mf_op_##op_, .name = "vector", .device = MF_CPU, .rank = 10, .type_attr = "T",          \
   .types = MF_TYPES_F32_F64 | MF_TYPES_INTEGER | MF_TYPES_COMPLEX, .run = run_##op_}
const mf_kernel_def mf_kernels_reduce_scan[] = {ROW(Cumsum), ROW(Cumprod), {0}};
