/* bench_ceiling.c - what this machine can do at most: what the ratios of scripts/bench are to be read beside.
 *
 *     bench_ceiling [threads]      (default 2)
 *
 *   gemm_ceiling       the quickest float32 product of 1024 x 1024 x 1024 seen: ours, oneDNN's and OpenBLAS's own threads
 *   bandwidth_ceiling  the quickest a = b + 2 c over three arrays of 256 MB, 12 bytes an element
 */
#include <cblas.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "bench.h"
#include "kernels/cpu/gemm.h"
#if MF_HAVE_ONEDNN
#include <dnnl.h>
#endif

enum { SIDE = 1024, TRIAD = 1 << 26, PIECES = 64, ROUNDS = 7 };

static float *filled(size_t n) {
  float *p = aligned_alloc(64, n * sizeof *p);
  if (!p) {
    fprintf(stderr, "bench_ceiling: no memory for %zu numbers\n", n);
    exit(1);
  }
  for (size_t i = 0; i < n; i++) p[i] = (float)(i % 7) - 3;
  return p;
}

static void ours(const mfi_gemm *g) { mfi_gemm_split(g, mfi_gemm_f32, sizeof(float)); }

static void blas(const mfi_gemm *g) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, g->a, SIDE, g->b, SIDE, 0, g->c, SIDE);
}

static void dnn(const mfi_gemm *g) {
#if MF_HAVE_ONEDNN
  dnnl_sgemm('N', 'N', SIDE, SIDE, SIDE, 1, g->a, SIDE, g->b, SIDE, 0, g->c, SIDE);
#else
  blas(g);
#endif
}

/* The least seconds of a product; the contenders' threads spin for a while after a call, so each waits for silence. */
static double quickest_product(void) {
  static void (*const contenders[])(const mfi_gemm *) = {ours, dnn, blas};
  size_t n = (size_t)SIDE * SIDE;
  mfi_gemm g = {.m = SIDE, .n = SIDE, .k = SIDE, .lda = SIDE, .ldb = SIDE, .ldc = SIDE};
  float *a = filled(n), *b = filled(n), *c = filled(n);
  double least = 1e9;
  g.a = a, g.b = b, g.c = c;
  for (int i = 0; i < 3; i++) {
    bench_pause();
    for (int r = 0; r < ROUNDS; r++) {
      double start = bench_now();
      contenders[i](&g);
      if (bench_now() - start < least) least = bench_now() - start;
    }
  }
  free(a), free(b), free(c);
  return least;
}

typedef struct triad {
  float *a;
  const float *b, *c;
} triad;

static void run_triad(void *arg, int64_t piece) {
  const triad *t = arg;
  int64_t begin, end;
  mf_piece_range(TRIAD, PIECES, 64, piece, &begin, &end);
  for (int64_t i = begin; i < end; i++) t->a[i] = t->b[i] + 2 * t->c[i];
}

static double quickest_triad(void) {
  float *a = filled(TRIAD), *b = filled(TRIAD), *c = filled(TRIAD);
  triad t = {a, b, c};
  double least = 1e9;
  for (int r = 0; r < ROUNDS; r++) {
    double start = bench_now();
    mf_parallel_for(PIECES, run_triad, &t);
    if (bench_now() - start < least) least = bench_now() - start;
  }
  free(a), free(b), free(c);
  return least;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 2;
  if (threads < 1) {
    fprintf(stderr, "usage: bench_ceiling [threads]\n");
    return 2;
  }
  mf_pool_set_threads(threads);
  omp_set_num_threads(threads);
  printf("gemm_ceiling %.0f GF/s float32 (%d threads, %d x %d x %d)\n", 2.0 * SIDE * SIDE * SIDE / quickest_product() / 1e9,
         threads, SIDE, SIDE, SIDE);
  printf("bandwidth_ceiling %.1f GB/s (%d threads, a = b + 2 c, 12 bytes an element)\n", 12.0 * TRIAD / quickest_triad() / 1e9,
         threads);
  mf_pool_shutdown();
  return 0;
}
