/* conv_im2col.c - convolutions by im2col and matrix products: see conv.h. */
#include <string.h>

#include "base/pool.h"
#include "conv.h"

#define T float
#define SUM float
#define NAME(x) x##_f32
#include "conv_im2col.inc"
#define T double
#define SUM double
#define NAME(x) x##_f64
#include "conv_im2col.inc"
#define T int32_t
#define SUM uint32_t
#define NAME(x) x##_i32
#include "conv_im2col.inc"

enum { BLOCK_BYTES = 192 * 1024, MOST_BLOCKS = 64, MOST_FILTER_PIECES = 16 };

typedef struct job {
  mfi_conv_work w;
  mfi_gemm_fn gemm;
  size_t size;
  int64_t rows, blocks;          /* output rows of a block; blocks an image */
  int64_t pieces;
  int64_t window, positions;     /* columns of the matrix; rows of a full block */
  size_t col_bytes, filter_bytes;
  int64_t is[3];                 /* image: steps of y, x, channel */
  int64_t image_size, result_size;
} job;

static size_t round64(size_t n) { return (n + 63) & ~(size_t)63; }

double mfi_conv_image_cost(const mf_conv2d *g) {
  double window = (double)(g->filter[0] * g->filter[1] * g->filter_in);
  return (double)(g->out[0] * g->out[1]) * (double)g->out_channels * window * 0.015 +
         (double)(g->in[0] * g->in[1] * g->in_channels + g->out[0] * g->out[1] * g->out_channels) * 0.1;
}

int64_t mfi_conv_pieces(const mf_conv2d *g, double ns, int64_t most, int64_t *images) {
  double cost = mfi_conv_image_cost(g);
  int64_t each = cost >= ns ? 1 : cost > 0 ? (int64_t)(ns / cost) + 1 : g->batch;
  if (each > g->batch) each = g->batch;
  if (each < 1) each = 1;
  if ((g->batch + each - 1) / each > most) each = (g->batch + most - 1) / most;
  *images = each;
  return (g->batch + each - 1) / each;
}

static void plan(job *j, const mf_conv2d *g, mfi_conv_kind kind, mf_dtype type) {
  int64_t images;
  j->size = mf_dtype_size(type);
  j->gemm = mfi_gemm_for(type);
  j->window = g->filter[0] * g->filter[1] * g->filter_in;
  size_t row_bytes = (size_t)(g->out[1] * j->window) * j->size;
  j->rows = row_bytes ? (int64_t)(BLOCK_BYTES / row_bytes) : g->out[0];
  if (j->rows < 1) j->rows = 1;
  if (j->rows > g->out[0]) j->rows = g->out[0] > 0 ? g->out[0] : 1;
  j->blocks = (g->out[0] + j->rows - 1) / j->rows;
  j->positions = j->rows * g->out[1];
  j->col_bytes = round64((size_t)(j->positions * j->window) * j->size);
  j->filter_bytes = round64((size_t)(g->out_channels * j->window) * j->size);
  j->image_size = g->in[0] * g->in[1] * g->in_channels;
  j->result_size = g->out[0] * g->out[1] * g->out_channels;
  j->is[0] = g->nchw ? g->in[1] : g->in[1] * g->in_channels;
  j->is[1] = g->nchw ? 1 : g->in_channels;
  j->is[2] = g->nchw ? g->in[0] * g->in[1] : 1;
  if (kind == MFI_CONV_FORWARD) {
    j->pieces = mf_pieces_for(g->batch * j->blocks, mfi_conv_image_cost(g) / (double)(j->blocks > 0 ? j->blocks : 1));
    if (j->pieces > MOST_BLOCKS) j->pieces = MOST_BLOCKS;
  } else {
    j->pieces = mfi_conv_pieces(g, 100000, MOST_FILTER_PIECES, &images);
  }
  if (j->pieces < 1) j->pieces = 1;
}

size_t mfi_conv_im2col_scratch(const mf_conv2d *g, mfi_conv_kind kind, mf_dtype type) {
  job j;
  plan(&j, g, kind, type);
  return (size_t)j.pieces * (j.col_bytes + (kind == MFI_CONV_FILTER ? j.filter_bytes : 0));
}

static void gather(const job *j, int64_t first, int64_t n, int64_t from, int64_t to, char *col) {
  const void *image = j->w.image + (size_t)(n * j->image_size) * j->size;
  if (j->w.type == MF_FLOAT32) gather_f32(j->w.g, j->is, first, image, from, to, (float *)(void *)col);
  else if (j->w.type == MF_FLOAT64) gather_f64(j->w.g, j->is, first, image, from, to, (double *)(void *)col);
  else gather_i32(j->w.g, j->is, first, image, from, to, (int32_t *)(void *)col);
}

static void scatter(const job *j, int64_t first, int64_t n, int64_t from, int64_t to, const char *col) {
  void *image = j->w.image + (size_t)(n * j->image_size) * j->size;
  if (j->w.type == MF_FLOAT32) scatter_f32(j->w.g, j->is, first, image, from, to, (const float *)(const void *)col);
  else if (j->w.type == MF_FLOAT64)
    scatter_f64(j->w.g, j->is, first, image, from, to, (const double *)(const void *)col);
  else scatter_i32(j->w.g, j->is, first, image, from, to, (const int32_t *)(const void *)col);
}

/* The product of one block: the positions' matrix (`col`), the group's filter, the block's part of the result. In NCHW
 * a group's result is [out, positions of the image], the transpose. */
static void multiply(const job *j, char *col, char *filter, int64_t n, int64_t group, int64_t row, int64_t rows,
                     bool add) {
  const mf_conv2d *g = j->w.g;
  int64_t out = g->out_channels / g->groups, plane = g->out[0] * g->out[1], at = row * g->out[1];
  int64_t positions = rows * g->out[1];
  int64_t offset = n * j->result_size + (g->nchw ? group * out * plane + at : at * g->out_channels + group * out);
  char *result = j->w.result + (size_t)offset * j->size;
  char *w = filter + (size_t)(group * out) * j->size;
  int64_t ldr = g->nchw ? plane : g->out_channels;
  mfi_gemm p = {.add = add};
  if (j->w.kind == MFI_CONV_FORWARD && g->nchw)
    p = (mfi_gemm){.ta = true,
                   .tb = true,
                   .m = out,
                   .n = positions,
                   .k = j->window,
                   .a = w,
                   .lda = g->out_channels,
                   .b = col,
                   .ldb = j->window,
                   .c = result,
                   .ldc = ldr};
  else if (j->w.kind == MFI_CONV_FORWARD)
    p = (mfi_gemm){.m = positions,
                   .n = out,
                   .k = j->window,
                   .a = col,
                   .lda = j->window,
                   .b = w,
                   .ldb = g->out_channels,
                   .c = result,
                   .ldc = ldr};
  else if (j->w.kind == MFI_CONV_INPUT)
    p = (mfi_gemm){.ta = g->nchw,
                   .tb = true,
                   .m = positions,
                   .n = j->window,
                   .k = out,
                   .a = result,
                   .lda = ldr,
                   .b = w,
                   .ldb = g->out_channels,
                   .c = col,
                   .ldc = j->window};
  else
    p = (mfi_gemm){.ta = true,
                   .tb = g->nchw,
                   .add = add,
                   .m = j->window,
                   .n = out,
                   .k = positions,
                   .a = col,
                   .lda = j->window,
                   .b = result,
                   .ldb = ldr,
                   .c = w,
                   .ldc = g->out_channels};
  j->gemm(&p);
}

/* Blocks are numbered through all images. */
static void run_forward(void *arg, int64_t piece) {
  const job *j = arg;
  const mf_conv2d *g = j->w.g;
  char *col = j->w.scratch + (size_t)piece * j->col_bytes;
  int64_t begin, end;
  mf_piece_range(g->batch * j->blocks, j->pieces, 1, piece, &begin, &end);
  for (int64_t b = begin; b < end; b++) {
    int64_t n = b / j->blocks, row = b % j->blocks * j->rows;
    int64_t rows = row + j->rows < g->out[0] ? j->rows : g->out[0] - row;
    for (int64_t group = 0; group < g->groups; group++) {
      gather(j, group * g->filter_in, n, row, row + rows, col);
      multiply(j, col, j->w.filter, n, group, row, rows, false);
    }
  }
}

static void run_images(void *arg, int64_t piece) {
  const job *j = arg;
  const mf_conv2d *g = j->w.g;
  bool to_image = j->w.kind == MFI_CONV_INPUT;
  char *col = j->w.scratch + (size_t)piece * (j->col_bytes + (to_image ? 0 : j->filter_bytes)), *filter = j->w.filter;
  int64_t begin, end;
  mf_piece_range(g->batch, j->pieces, 1, piece, &begin, &end);
  if (to_image)
    memset(j->w.image + (size_t)(begin * j->image_size) * j->size, 0,
           (size_t)((end - begin) * j->image_size) * j->size);
  else if (j->pieces > 1)
    filter = col + j->col_bytes;
  if (!to_image) memset(filter, 0, (size_t)(g->out_channels * j->window) * j->size);
  for (int64_t n = begin; n < end; n++)
    for (int64_t row = 0; row < g->out[0]; row += j->rows) {
      int64_t rows = row + j->rows < g->out[0] ? j->rows : g->out[0] - row;
      for (int64_t group = 0; group < g->groups; group++) {
        if (!to_image) gather(j, group * g->filter_in, n, row, row + rows, col);
        multiply(j, col, filter, n, group, row, rows, !to_image);
        if (to_image) scatter(j, group * g->filter_in, n, row, row + rows, col);
      }
    }
}

static void join_filters(const job *j) {
  const mf_conv2d *g = j->w.g;
  int64_t n = g->out_channels * j->window;
  memset(j->w.filter, 0, (size_t)n * j->size);
  for (int64_t p = 0; p < j->pieces; p++) {
    void *part = j->w.scratch + (size_t)p * (j->col_bytes + j->filter_bytes) + j->col_bytes, *to = j->w.filter;
    if (j->w.type == MF_FLOAT32) accumulate_f32(to, part, n);
    else if (j->w.type == MF_FLOAT64) accumulate_f64(to, part, n);
    else accumulate_i32(to, part, n);
  }
}

void mfi_conv_im2col(const mfi_conv_work *w) {
  job j = {.w = *w};
  plan(&j, w->g, w->kind, w->type);
  mf_parallel_fn fn = w->kind == MFI_CONV_FORWARD ? run_forward : run_images;
  if (j.pieces > 1) mf_parallel_for(j.pieces, fn, &j);
  else fn(&j, 0);
  if (w->kind == MFI_CONV_FILTER && j.pieces > 1) join_filters(&j);
}
