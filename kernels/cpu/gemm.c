/* gemm.c - choosing what computes a matrix product, and cutting it for the pool: see gemm.h. */
#include "gemm.h"

#include <cblas.h>
#include <stdatomic.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/pool.h"
#include "gemm_own.h"
#include "gemm_threads.h"
#include "onednn.h"

/* ---- our own kernel at this processor's level */

typedef struct own_level {
  mfi_gemm_fn block_f32, block_f64, gemv_f32, gemv_f64;
} own_level;

static const own_level levels[] = {
    [MF_ISA_BASE] = {mfi_gemm_block_f32_base, mfi_gemm_block_f64_base, mfi_gemv_f32_base, mfi_gemv_f64_base},
    [MF_ISA_AVX2] = {mfi_gemm_block_f32_avx2, mfi_gemm_block_f64_avx2, mfi_gemv_f32_avx2, mfi_gemv_f64_avx2},
    [MF_ISA_AVX512] = {mfi_gemm_block_f32_avx512, mfi_gemm_block_f64_avx512, mfi_gemv_f32_avx512, mfi_gemv_f64_avx512},
};

/* ---- which library */

/* OpenBLAS is used when it is the OpenMP flavour (only there is "one thread" the caller's own setting) and has kernels
 * for this processor: one that it does not know gets the oldest of all, 5 times slower than ours. */
static const char *blas_refusal(void) {
  static const char *const old[] = {"Prescott", "Core2",  "Katmai",  "Coppermine", "Northwood",
                                    "Banias",   "Athlon", "Opteron", "Generic",    "Unknown"};
  if (openblas_get_parallel() != 2) return "is not the OpenMP flavour (another copy was loaded first)";
  const char *core = openblas_get_corename();
  for (size_t i = 0; i < sizeof old / sizeof *old; i++)
    if (!strcmp(core, old[i]) && mf_cpu_isa() > MF_ISA_BASE) return "does not know this processor";
  return NULL;
}

/* 0: not asked yet, 1: usable, 2: not. A race asks twice and finds the same. */
static bool blas_usable(void) {
  static atomic_int known;
  int state = atomic_load_explicit(&known, memory_order_acquire);
  if (!state) {
    const char *refusal = blas_refusal();
    state = refusal ? 2 : 1;
    if (refusal)
      mf_log(MF_LOG_INFO, "OpenBLAS (%s, %s) %s: matrix products go to %s", openblas_get_config(),
             openblas_get_corename(), refusal,
             mfi_onednn_available() ? "oneDNN and our own kernel" : "our own kernel");
    atomic_store_explicit(&known, state, memory_order_release);
  }
  return state == 1;
}

const char *mfi_gemm_backend(mf_dtype type) {
  if (type == MF_FLOAT32 && mfi_onednn_available()) return "onednn";
  return (type == MF_FLOAT32 || type == MF_FLOAT64) && blas_usable() ? "openblas" : "own";
}

/* ---- one product */

static void zero_c(const mfi_gemm *g, size_t size) {
  for (int64_t i = 0; i < g->m && g->n; i++)
    memset((char *)g->c + (size_t)(i * g->ldc) * size, 0, (size_t)g->n * size);
}

/* Nothing to add up: C stays or becomes zero. */
static bool trivial(const mfi_gemm *g, size_t size) {
  if (g->m > 0 && g->n > 0 && g->k > 0) return false;
  if (!g->add) zero_c(g, size);
  return true;
}

/* Products this small are over before a library has looked at its arguments; thin ones are bound by memory. */
static bool is_small(const mfi_gemm *g) { return g->m * g->n * g->k <= 8192; }
static bool is_thin(const mfi_gemm *g) { return g->m == 1 || (g->n == 1 && !g->ta); }

static bool fits_int(const mfi_gemm *g) {
  const int64_t most = INT32_MAX;
  return g->m <= most && g->n <= most && g->k <= most && g->lda <= most && g->ldb <= most && g->ldc <= most;
}

static CBLAS_TRANSPOSE blas_transpose(bool t) { return t ? CblasTrans : CblasNoTrans; }

static void blas_f32(const mfi_gemm *g) {
  int before = mfi_one_thread_begin();
  cblas_sgemm(CblasRowMajor, blas_transpose(g->ta), blas_transpose(g->tb), (int)g->m, (int)g->n, (int)g->k, 1, g->a,
              (int)g->lda, g->b, (int)g->ldb, g->add ? 1 : 0, g->c, (int)g->ldc);
  mfi_one_thread_end(before);
}

static void blas_f64(const mfi_gemm *g) {
  int before = mfi_one_thread_begin();
  cblas_dgemm(CblasRowMajor, blas_transpose(g->ta), blas_transpose(g->tb), (int)g->m, (int)g->n, (int)g->k, 1, g->a,
              (int)g->lda, g->b, (int)g->ldb, g->add ? 1 : 0, g->c, (int)g->ldc);
  mfi_one_thread_end(before);
}

/* The kernel works on columns of two vectors' width, the rest of which is wasted on narrow results: they take narrower
 * vectors. */
static const own_level *block_level(const mfi_gemm *g, size_t size) {
  mf_isa isa = mf_cpu_isa();
  int64_t bytes = g->n * (int64_t)size;
  if (isa == MF_ISA_AVX512 && bytes <= 64) isa = MF_ISA_AVX2;
  if (bytes <= 32 && is_small(g)) isa = MF_ISA_BASE;
  return &levels[isa];
}

void mfi_gemm_f32(const mfi_gemm *g) {
  if (trivial(g, sizeof(float))) return;
  if (is_thin(g)) levels[mf_cpu_isa()].gemv_f32(g);
  else if (is_small(g)) block_level(g, sizeof(float))->block_f32(g);
  else if (mfi_onednn_available() && mfi_onednn_sgemm(g)) return;
  else if (fits_int(g) && blas_usable()) blas_f32(g);
  else block_level(g, sizeof(float))->block_f32(g);
}

void mfi_gemm_f64(const mfi_gemm *g) {
  if (trivial(g, sizeof(double))) return;
  if (is_thin(g)) levels[mf_cpu_isa()].gemv_f64(g);
  else if (!is_small(g) && fits_int(g) && blas_usable()) blas_f64(g);
  else block_level(g, sizeof(double))->block_f64(g);
}

/* ---- cut for the pool */

double mfi_gemm_cost(int64_t m, int64_t n, int64_t k, size_t size) {
  return (double)m * (double)n * (double)k * (size == 8 ? 0.03 : 0.015) + (double)(m * k + n * k) * 0.05;
}

/* A grid of `rows` x `columns` pieces, each of at most `height` x `width` results. */
typedef struct grid {
  int64_t rows, columns, height, width;
} grid;

typedef struct cut {
  const mfi_gemm *g;
  mfi_gemm_fn fn;
  size_t size;
  grid grid;
} cut;

enum { ROW_GRAIN = 16, COLUMN_GRAIN = 32, PACK = 10 };

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static grid grid_of(const mfi_gemm *g, int64_t rows, int64_t columns) {
  grid c;
  c.height = ceil_div(ceil_div(g->m, rows), ROW_GRAIN) * ROW_GRAIN;
  c.width = ceil_div(ceil_div(g->n, columns), COLUMN_GRAIN) * COLUMN_GRAIN;
  if (c.height > g->m) c.height = g->m;
  if (c.width > g->n) c.width = g->n;
  c.rows = ceil_div(g->m, c.height);
  c.columns = ceil_div(g->n, c.width);
  return c;
}

/* How far a grid is from perfect, for few threads above all: the time of 2, 8 and 32 threads (weighted 1, 1/4, 1/16)
 * against an even share of the multiply-adds. A piece packs its rows of A and its columns of B, every element of which
 * costs about as much as PACK multiply-adds. */
static double loss_of(const mfi_gemm *g, const grid *c) {
  double piece = (double)(c->height * c->width + PACK * (c->height + c->width)), loss = 0, weight = 1;
  for (int64_t threads = 2; threads <= 32; threads *= 4, weight /= 4)
    loss += weight * (double)ceil_div(c->rows * c->columns, threads) * piece * (double)threads;
  return loss / ((double)g->m * (double)g->n);
}

/* The best grid of at most `most` pieces. Depends on the shape alone. */
static grid best_grid(const mfi_gemm *g, int64_t most) {
  grid best = grid_of(g, 1, 1);
  double least = loss_of(g, &best);
  int64_t rows = ceil_div(g->m, ROW_GRAIN), columns = ceil_div(g->n, COLUMN_GRAIN);
  for (int64_t r = 1; r <= most && r <= rows; r++)
    for (int64_t k = 1; k <= most / r && k <= columns; k++) {
      grid c = grid_of(g, r, k);
      double loss = loss_of(g, &c);
      if (loss < least) least = loss, best = c;
    }
  return best;
}

static void run_piece(void *arg, int64_t piece) {
  const cut *c = arg;
  mfi_gemm g = *c->g;
  int64_t row = piece / c->grid.columns * c->grid.height, column = piece % c->grid.columns * c->grid.width;
  g.a = (const char *)g.a + (size_t)(row * (g.ta ? 1 : g.lda)) * c->size;
  g.b = (const char *)g.b + (size_t)(column * (g.tb ? g.ldb : 1)) * c->size;
  g.c = (char *)g.c + (size_t)(row * g.ldc + column) * c->size;
  g.m = g.m - row < c->grid.height ? g.m - row : c->grid.height;
  g.n = g.n - column < c->grid.width ? g.n - column : c->grid.width;
  c->fn(&g);
}

void mfi_gemm_split(const mfi_gemm *g, mfi_gemm_fn fn, size_t size) {
  int64_t most = mf_pieces_for(MF_MAX_PIECES, mfi_gemm_cost(g->m, g->n, g->k, size) / MF_MAX_PIECES);
  cut c = {.g = g, .fn = fn, .size = size};
  if (most > 1) c.grid = best_grid(g, most);
  if (most <= 1 || c.grid.rows * c.grid.columns == 1) fn(g);
  else mf_parallel_for(c.grid.rows * c.grid.columns, run_piece, &c);
}
