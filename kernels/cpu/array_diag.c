/* array_diag.c - MatrixDiagV3, MatrixDiagPartV3, MatrixBandPart, Diag, DiagPart. */
#include "array_move.h"
#include "ops/array/matrix_diag.h"
#include "ops/op_list.h"

/* Copies every diagonal of `batches` matrices between a matrix and its packed form. */
static void copy_diagonals(const mfi_diagonals *d, int64_t batches, size_t elem, char *to, const char *from,
                           bool pack) {
  int64_t e = (int64_t)elem, matrix = d->rows * d->cols * e, packed = (d->upper - d->lower + 1) * d->longest * e;
  for (int64_t k = d->lower; k <= d->upper; k++) {
    int64_t length, offset, row = d->upper - k;
    mfi_diagonal_at(d, k, &length, &offset);
    int64_t in_matrix = ((k < 0 ? -k : 0) * d->cols + (k > 0 ? k : 0)) * e,
            in_packed = (row * d->longest + offset) * e;
    int64_t step = (d->cols + 1) * e;
    mfi_box box = {.rank = 0};
    mfi_box_add(&box, batches, pack ? packed : matrix, pack ? matrix : packed);
    mfi_box_add(&box, length, pack ? e : step, pack ? step : e);
    mfi_box_copy(box, elem, to + (pack ? in_packed : in_matrix), from + (pack ? in_matrix : in_packed));
  }
}

static mf_status move_diag(mfi_move *m) {
  const mf_call *c = m->call;
  const mf_shape *in = &c->in[0]->shape, *out = &m->shapes[0];
  mfi_diagonals d;
  MF_TRY(mfi_diagonals_read("MatrixDiagV3", c->attrs, c->in[1], &d));
  MF_TRY(mfi_diagonals_to_matrix("MatrixDiagV3", mfi_int_at(c->in[2], 0), mfi_int_at(c->in[3], 0),
                                 in->dims[in->rank - 1], &d));
  mfi_fill(m->out[0], mf_shape_count(out), m->elem, m->in[4]);
  copy_diagonals(&d, mf_shape_count_range(out, 0, out->rank - 2), m->elem, m->out[0], m->in[0], false);
  return NULL;
}

static mf_status run_diag_v3(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_diag); }

static mf_status move_diag_part(mfi_move *m) {
  const mf_call *c = m->call;
  const mf_shape *in = &c->in[0]->shape;
  mfi_diagonals d;
  MF_TRY(mfi_diagonals_read("MatrixDiagPartV3", c->attrs, c->in[1], &d));
  MF_TRY(mfi_diagonals_of_matrix("MatrixDiagPartV3", in->dims[in->rank - 2], in->dims[in->rank - 1], &d));
  mfi_fill(m->out[0], mf_shape_count(&m->shapes[0]), m->elem, m->in[2]);
  copy_diagonals(&d, mf_shape_count_range(in, 0, in->rank - 2), m->elem, m->out[0], m->in[0], true);
  return NULL;
}

static mf_status run_diag_part_v3(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_diag_part); }

/* ---- MatrixBandPart */

static mf_status move_band(mfi_move *m) {
  const mf_call *c = m->call;
  const mf_shape *s = &m->shapes[0];
  int64_t rows = s->dims[s->rank - 2], cols = s->dims[s->rank - 1], e = (int64_t)m->elem;
  int64_t lower = mfi_int_at(c->in[1], 0), upper = mfi_int_at(c->in[2], 0),
          batches = mf_shape_count_range(s, 0, s->rank - 2);
  mfi_zero(m->out[0], (size_t)mf_shape_count(s) * m->elem);
  for (int64_t i = 0; i < rows; i++) {
    int64_t first = lower < 0 || lower > i ? 0 : i - lower,
            last = upper < 0 || upper >= cols - i ? cols : i + upper + 1;
    mfi_box box = {.rank = 0};
    if (first >= last) continue;
    mfi_box_add(&box, batches, rows * cols * e, rows * cols * e);
    mfi_box_add(&box, last - first, e, e);
    mfi_box_copy(box, m->elem, m->out[0] + (i * cols + first) * e, m->in[0] + (i * cols + first) * e);
  }
  return NULL;
}

static mf_status run_band(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_band); }

/* ---- Diag, DiagPart: elements n + 1 apart */

static mf_status move_tensor_diag(mfi_move *m) {
  int64_t n = mf_tensor_count(m->call->in[0]), e = (int64_t)m->elem;
  mfi_box box = {.rank = 0};
  mfi_zero(m->out[0], (size_t)(n * n) * m->elem);
  mfi_box_add(&box, n, (n + 1) * e, e);
  mfi_box_copy(box, m->elem, m->out[0], m->in[0]);
  return NULL;
}

static mf_status run_diag(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_tensor_diag); }

static mf_status move_tensor_diag_part(mfi_move *m) {
  int64_t n = mf_shape_count(&m->shapes[0]), e = (int64_t)m->elem;
  mfi_box box = {.rank = 0};
  mfi_box_add(&box, n, e, (n + 1) * e);
  mfi_box_copy(box, m->elem, m->out[0], m->in[0]);
  return NULL;
}

static mf_status run_diag_part(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_tensor_diag_part); }

const mf_kernel_def mf_kernels_array_diag[] = {
    {.op = &mf_op_MatrixDiagV3, .name = "box", .device = MF_CPU, .rank = 10, .run = run_diag_v3},
    {.op = &mf_op_MatrixDiagPartV3, .name = "box", .device = MF_CPU, .rank = 10, .run = run_diag_part_v3},
    {.op = &mf_op_MatrixBandPart, .name = "box", .device = MF_CPU, .rank = 10, .run = run_band},
    {.op = &mf_op_Diag, .name = "box", .device = MF_CPU, .rank = 10, .run = run_diag},
    {.op = &mf_op_DiagPart, .name = "box", .device = MF_CPU, .rank = 10, .run = run_diag_part},
    {0}};
