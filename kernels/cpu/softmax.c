/* softmax.c - kernels of Softmax, LogSoftmax and the two cross-entropy ops. Rows are shared out over the pool. */
#include "kernels/cpu/softmax.h"

#include <inttypes.h>

#include "base/pool.h"
#include "ops/op_list.h"

static const mfi_softmax_loops *loops_of(const mf_call *c) {
  return c->in[0]->dtype == MF_FLOAT32 ? MFI_ISA_PICK(mfi_softmax_f32) : MFI_ISA_PICK(mfi_softmax_f64);
}

typedef struct rows_call {
  mf_call *c;
  const mfi_softmax_loops *loops;
  void (*run)(void *y, const void *x, int64_t rows, int64_t n);
  int64_t rows, n, pieces;
  size_t size;
} rows_call;

static void share_rows(rows_call *r, mf_parallel_fn run) {
  r->pieces = mf_pieces_for(r->rows, (double)r->n * (double)r->size / 4 * 0.6 + 25);
  if (r->pieces == 1) run(r, 0);
  else mf_parallel_for(r->pieces, run, r);
}

/* ---- softmax */
static void softmax_piece(void *arg, int64_t piece) {
  const rows_call *r = arg;
  int64_t begin, end;
  mf_piece_range(r->rows, r->pieces, 1, piece, &begin, &end);
  size_t offset = (size_t)(begin * r->n) * r->size;
  r->run(r->c->out[0]->data + offset, r->c->in[0]->data + offset, end - begin, r->n);
}

static mf_status run_rows(mf_call *c, void (*run)(void *, const void *, int64_t, int64_t)) {
  const mf_shape *s = &c->in[0]->shape;
  rows_call r = {.c = c, .run = run, .n = s->dims[s->rank - 1], .size = mf_dtype_size((mf_dtype)c->in[0]->dtype)};
  if (!mf_tensor_count(c->out[0])) return NULL;
  r.rows = mf_shape_count(s) / r.n;
  share_rows(&r, softmax_piece);
  return NULL;
}

static mf_status run_Softmax(mf_call *c) { return run_rows(c, loops_of(c)->softmax); }
static mf_status run_LogSoftmax(mf_call *c) { return run_rows(c, loops_of(c)->log_softmax); }

/* ---- dense labels: logits and labels broadcast to [rows, n] */
static mfi_matrix matrix_of(const mf_tensor *t, int64_t n) {
  const mf_shape *s = &t->shape;
  int64_t columns = s->rank ? s->dims[s->rank - 1] : 1;
  bool one_row = s->rank < 2 || s->dims[0] == 1;
  return (mfi_matrix){.data = t->data, .row = one_row ? 0 : columns, .column = columns != 1 || n == 1};
}

static void dense_piece(void *arg, int64_t piece) {
  const rows_call *r = arg;
  mfi_matrix m[2] = {matrix_of(r->c->in[0], r->n), matrix_of(r->c->in[1], r->n)};
  int64_t begin, end;
  mf_piece_range(r->rows, r->pieces, 1, piece, &begin, &end);
  for (int i = 0; i < 2; i++) m[i].data = (const char *)m[i].data + begin * m[i].row * (int64_t)r->size;
  char *loss = r->c->out[0]->data, *backprop = r->c->out[1]->data;
  r->loops->dense(loss + (size_t)begin * r->size, backprop + (size_t)(begin * r->n) * r->size, m[0], m[1], end - begin,
                  r->n);
}

/* Without classes every loss is the sum of nothing. */
static void zero_losses(const rows_call *r) {
  for (int64_t i = 0; i < r->rows; i++) {
    if (r->size == sizeof(float)) MF_DATA(float, r->c->out[0])[i] = 0;
    else MF_DATA(double, r->c->out[0])[i] = 0;
  }
}

static mf_status run_SoftmaxCrossEntropyWithLogits(mf_call *c) {
  const mf_shape *s = &c->out[1]->shape;
  rows_call r = {.c = c, .loops = loops_of(c), .rows = s->dims[0], .n = s->dims[1],
                 .size = mf_dtype_size((mf_dtype)c->in[0]->dtype)};
  if (!r.rows) return NULL;
  if (r.n) share_rows(&r, dense_piece);
  else zero_losses(&r);
  return NULL;
}

/* ---- class numbers */
static int64_t label_at(const mf_tensor *t, int64_t i) {
  return t->dtype == MF_INT32 ? MF_DATA(int32_t, t)[i] : MF_DATA(int64_t, t)[i];
}

static void sparse_piece(void *arg, int64_t piece) {
  const rows_call *r = arg;
  const mf_tensor *labels = r->c->in[1];
  int64_t begin, end;
  mf_piece_range(r->rows, r->pieces, 1, piece, &begin, &end);
  size_t row = (size_t)(begin * r->n) * r->size;
  const char *first = labels->data + (size_t)begin * mf_dtype_size((mf_dtype)labels->dtype);
  r->loops->sparse(r->c->out[0]->data + (size_t)begin * r->size, r->c->out[1]->data + row, r->c->in[0]->data + row,
                   first, labels->dtype == MF_INT64, end - begin, r->n);
}

static mf_status run_SparseSoftmaxCrossEntropyWithLogits(mf_call *c) {
  const mf_shape *s = &c->in[0]->shape;
  rows_call r = {.c = c, .loops = loops_of(c), .rows = s->dims[0], .n = s->dims[1],
                 .size = mf_dtype_size((mf_dtype)c->in[0]->dtype)};
  for (int64_t i = 0; i < r.rows; i++) {
    int64_t label = label_at(c->in[1], i);
    if (label < 0 || label >= r.n)
      return mf_fail(MF_INVALID_ARGUMENT, "SparseSoftmaxCrossEntropyWithLogits: Received a label value of %" PRId64
                     " which is outside the valid range of [0, %" PRId64 ") at row %" PRId64, label, r.n, i);
  }
  if (r.rows) share_rows(&r, sparse_piece);
  return NULL;
}

#define ROW(op_)                                                                          \
  {.op = &mf_op_##op_, .name = "vector", .device = MF_CPU, .rank = 10, .type_attr = "T", \
   .types = MF_TYPES_F32_F64, .run = run_##op_}
const mf_kernel_def mf_kernels_softmax[] = {ROW(Softmax), ROW(LogSoftmax), ROW(SoftmaxCrossEntropyWithLogits),
                                            ROW(SparseSoftmaxCrossEntropyWithLogits), {0}};
