/* random_draw.c - RandomShuffle, Multinomial, StatelessMultinomial. */
#include <math.h>
#include <string.h>

#include "array_move.h"
#include "base/memory.h"
#include "base/pool.h"
#include "ops/op_list.h"
#include "random_stream.h"

/* ---- RandomShuffle: n-1 words swap element i with one of those from i on */

static void permute(const mf_philox *start, int64_t *order, int64_t n) {
  mf_philox g = *start;
  uint32_t words[4];
  for (int64_t i = 0; i < n; i++) order[i] = i;
  for (int64_t i = 0; i + 1 < n; i++) {
    if (i % 4 == 0) mf_philox_next(&g, words);
    int64_t k = i + words[i % 4] % (uint32_t)(n - i), kept = order[i];
    order[i] = order[k];
    order[k] = kept;
  }
}

static mf_status move_rows(mfi_move *m) {
  mf_philox g;
  int64_t rows = m->shapes[0].dims[0];
  size_t row = (size_t)mf_shape_count_range(&m->shapes[0], 1, m->shapes[0].rank) * m->elem;
  int64_t *order = mf_alloc_array((size_t)rows, sizeof *order);
  if (!order) return mf_fail_oom();
  mf_status status = mfi_stream_reserve(m->call, (uint64_t)(rows - 1 + 3) / 4, &g);
  if (!status) {
    permute(&g, order, rows);
    for (int64_t i = 0; i < rows; i++) memcpy(m->out[0] + (size_t)i * row, m->in[0] + (size_t)order[i] * row, row);
  }
  mf_free(order);
  return status;
}

static mf_status move_all(mfi_move *m) {
  memcpy(m->out[0], m->in[0], (size_t)mf_shape_count(&m->shapes[0]) * m->elem);
  return NULL;
}

static mf_status run_shuffle(mf_call *c) {
  const mf_shape *s = &c->in[0]->shape;
  bool still = mf_shape_count(s) <= 1 || s->dims[0] <= 1;
  return mfi_move_run(c, mf_out_type(c, 0), still ? move_all : move_rows);
}

/* ---- Multinomial: inverse of the cumulative sum of exp(logits - max), two words a draw, rows one after the other */

typedef struct draw {
  const mf_philox *g;
  const mf_tensor *logits;
  mf_tensor *out;
  double *sums;            /* [pieces, classes] */
  int64_t rows, classes, samples, pieces;
} draw;

static double cumulate(const draw *d, int64_t row, double *sums) {
  double most = -INFINITY, total = 0;
  for (int64_t k = 0; k < d->classes; k++) {
    double v = mf_tensor_get_f64(d->logits, row * d->classes + k);
    if (isfinite(v) && v > most) most = v;
  }
  for (int64_t k = 0; k < d->classes; k++) {
    double v = mf_tensor_get_f64(d->logits, row * d->classes + k);
    if (isfinite(v)) total += exp(v - most);
    sums[k] = total;
  }
  return total;
}

/* First class whose sum is above x. */
static int64_t above(const double *sums, int64_t n, double x) {
  int64_t low = 0;
  while (n > 0) {
    int64_t half = n / 2;
    if (sums[low + half] <= x) low += half + 1, n -= half + 1;
    else n = half;
  }
  return low;
}

static void run_draw(void *arg, int64_t piece) {
  const draw *d = arg;
  double *sums = d->sums + piece * d->classes;
  int64_t begin, end;
  mf_piece_range(d->rows, d->pieces, 1, piece, &begin, &end);
  for (int64_t row = begin; row < end; row++) {
    double total = cumulate(d, row, sums);
    for (int64_t j = 0; j < d->samples; j++) {
      double u;
      mf_philox_uniform_f64(d->g, row * d->samples + j, 1, &u);
      int64_t k = above(sums, d->classes, u * total);
      if (d->out->dtype == MF_INT64) MF_DATA(int64_t, d->out)[row * d->samples + j] = k;
      else MF_DATA(int32_t, d->out)[row * d->samples + j] = (int32_t)k;
    }
  }
}

static int64_t draw_pieces(const mf_call *c) {
  const mf_shape *s = &c->in[0]->shape;
  return mf_pieces_for(s->dims[0], (double)s->dims[1] * 15 + (double)mf_tensor_get_i64(c->in[1], 0) * 20);
}

static size_t draw_workspace(const mf_call *c) {
  return (size_t)draw_pieces(c) * (size_t)c->in[0]->shape.dims[1] * sizeof(double);
}

static mf_status run_multinomial(mf_call *c) {
  const mf_shape *s = &c->in[0]->shape;
  draw d = {.logits = c->in[0], .out = c->out[0], .sums = c->workspace, .rows = s->dims[0], .classes = s->dims[1],
            .samples = mf_tensor_get_i64(c->in[1], 0), .pieces = draw_pieces(c)};
  mf_philox g;
  if (d.rows * d.samples == 0) return NULL;
  if (c->n_in == 3) g = mfi_stream_from_seeds(c->in[2]);
  else MF_TRY(mfi_stream_reserve(c, mf_philox_reserved_blocks(d.rows * ((d.samples + 3) / 4 * 8)), &g));
  d.g = &g;
  mf_parallel_for(d.pieces, run_draw, &d);
  return NULL;
}

const mf_kernel_def mf_kernels_random_draw[] = {
    {.op = &mf_op_RandomShuffle, .name = "philox", .device = MF_CPU, .rank = 10, .run = run_shuffle,
     .slot_release = mfi_stream_release},
    {.op = &mf_op_Multinomial, .name = "philox", .device = MF_CPU, .rank = 10, .workspace = draw_workspace,
     .run = run_multinomial, .slot_release = mfi_stream_release},
    {.op = &mf_op_StatelessMultinomial, .name = "philox", .device = MF_CPU, .rank = 10, .workspace = draw_workspace,
     .run = run_multinomial},
    {0}};
