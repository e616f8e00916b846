/* norm.simd.c - batch normalisation at three instruction-set levels: see norm.h. */
#include "norm.h"

#include <string.h>

enum { STRIP = 64, BLOCK = 64 };

#define NAME sum_x
#define TERM(i, m) x[i]
#define TERM2(i, m) 0.0F
#include "norm_sum.inc"
#define NAME sum_squares
#define TERM(i, m) ((x[i] - (m)) * (x[i] - (m)))
#define TERM2(i, m) 0.0F
#include "norm_sum.inc"
#define NAME sum_products
#define TERM(i, m) dy[i]
#define TERM2(i, m) (dy[i] * (x[i] - (m)))
#include "norm_sum.inc"

static void affine(void *arg, int64_t piece) {
  const mfi_norm *n = arg;
  const float *restrict x = n->x, *restrict mean = n->mean, *restrict a = n->a, *restrict b = n->b;
  float *restrict out = n->out;
  int64_t begin, end;
  mf_piece_range(n->outer, n->pieces, 1, piece, &begin, &end);
  for (int64_t o = begin; o < end; o++) {
    int64_t at = o * n->channels * n->inner;
    if (n->inner == 1) {
#pragma omp simd
      for (int64_t c = 0; c < n->channels; c++) out[at + c] = (x[at + c] - mean[c]) * a[c] + b[c];
      continue;
    }
    for (int64_t c = 0; c < n->channels; c++, at += n->inner)
#pragma omp simd
      for (int64_t i = at; i < at + n->inner; i++) out[i] = (x[i] - mean[c]) * a[c] + b[c];
  }
}

static void backward(void *arg, int64_t piece) {
  const mfi_norm *n = arg;
  const float *restrict x = n->x, *restrict dy = n->dy, *restrict mean = n->mean;
  const float *restrict a = n->a, *restrict b = n->b, *restrict d = n->c;
  float *restrict out = n->out;
  int64_t begin, end;
  mf_piece_range(n->outer, n->pieces, 1, piece, &begin, &end);
  for (int64_t o = begin; o < end; o++) {
    int64_t at = o * n->channels * n->inner;
    if (n->inner == 1) {
#pragma omp simd
      for (int64_t c = 0; c < n->channels; c++) out[at + c] = a[c] * dy[at + c] + b[c] + (x[at + c] - mean[c]) * d[c];
      continue;
    }
    for (int64_t c = 0; c < n->channels; c++, at += n->inner)
#pragma omp simd
      for (int64_t i = at; i < at + n->inner; i++) out[i] = a[c] * dy[i] + b[c] + (x[i] - mean[c]) * d[c];
  }
}

const mf_parallel_fn MF_SIMD(mfi_norm)[MFI_NORM_KINDS] = {sum_x, sum_squares, sum_products, affine, backward};
