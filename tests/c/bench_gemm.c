/* bench_gemm.c - matrix products: our split over the pool against the libraries' own threading, by shape.
 *
 *     bench_gemm [threads [seconds]]      (default 2 threads, 1 second a shape; on a busy machine more finds a quiet moment)
 *
 * The contenders take turns within each round, so that a change of the machine's state meets all of them; a figure is
 * the median over the rounds; in brackets the best. Between turns the program sleeps: OpenMP's threads spin for a
 * while after a region. */
#include <cblas.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/pool.h"
#include "kernels/cpu/gemm.h"
#if MF_HAVE_ONEDNN
#include <dnnl.h>
#endif

enum { MOST_ROUNDS = 200, CONTENDERS = 5 };

typedef struct shape {
  int m, n, k, ta, tb, f64;
} shape;

static const shape shapes[] = {
    {8, 8, 8, 0, 0, 0}, {32, 32, 32, 0, 0, 0}, {64, 64, 64, 0, 0, 0}, {64, 10, 64, 0, 0, 0},
    {64, 128, 784, 0, 0, 0}, {784, 128, 64, 1, 0, 0}, {64, 784, 128, 0, 1, 0}, {64, 128, 9216, 0, 0, 0},
    {9216, 128, 64, 1, 0, 0}, {64, 9216, 128, 0, 1, 0}, {128, 1024, 1024, 0, 0, 0}, {32, 2048, 512, 0, 0, 0},
    {512, 512, 512, 0, 0, 0}, {1024, 1024, 1024, 0, 0, 0}, {25088, 64, 576, 0, 0, 0}, {1, 1024, 1024, 0, 0, 0},
    {1024, 1, 1024, 0, 0, 0}, {64, 128, 784, 0, 0, 1}, {512, 512, 512, 0, 0, 1}, {784, 128, 64, 1, 0, 1},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int threads;
static double seconds = 1;

static void ours(const mfi_gemm *g, int f64) { mfi_gemm_split(g, f64 ? mfi_gemm_f64 : mfi_gemm_f32, f64 ? 8 : 4); }

static void one(const mfi_gemm *g, int f64) { (f64 ? mfi_gemm_f64 : mfi_gemm_f32)(g); }

static void blas(const mfi_gemm *g, int f64) {
  CBLAS_TRANSPOSE ta = g->ta ? CblasTrans : CblasNoTrans, tb = g->tb ? CblasTrans : CblasNoTrans;
  if (f64)
    cblas_dgemm(CblasRowMajor, ta, tb, (int)g->m, (int)g->n, (int)g->k, 1, g->a, (int)g->lda, g->b, (int)g->ldb, 0,
                g->c, (int)g->ldc);
  else
    cblas_sgemm(CblasRowMajor, ta, tb, (int)g->m, (int)g->n, (int)g->k, 1, g->a, (int)g->lda, g->b, (int)g->ldb, 0,
                g->c, (int)g->ldc);
}

static void dnn(const mfi_gemm *g, int f64) {
#if MF_HAVE_ONEDNN
  if (!f64)
    dnnl_sgemm(g->ta ? 'T' : 'N', g->tb ? 'T' : 'N', g->m, g->n, g->k, 1, g->a, g->lda, g->b, g->ldb, 0, g->c, g->ldc);
#endif
  (void)g, (void)f64;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Seconds for one product in a loop of 0.3 ms or one product: short, to fit between other processes' time slices. */
static double sample(void (*fn)(const mfi_gemm *, int), const mfi_gemm *g, int f64) {
  fn(g, f64);
  double t0 = now();
  fn(g, f64);
  int n = (int)(3e-4 / (now() - t0 + 1e-9)) + 1;
  if (n > 100000) n = 100000;
  t0 = now();
  for (int i = 0; i < n; i++) fn(g, f64);
  return (now() - t0) / n;
}

static void *filled(size_t n, int f64) {
  char *p = aligned_alloc(64, (n * 8 + 63) / 64 * 64);
  for (size_t i = 0; i < n; i++) {
    double v = (double)(i * 2654435761u % 1000) / 1000 - 0.5;
    if (f64) ((double *)p)[i] = v;
    else ((float *)p)[i] = (float)v;
  }
  return p;
}

static void run(const shape *s) {
  static const struct { const char *name; void (*fn)(const mfi_gemm *, int); int pool, omp; } list[CONTENDERS] = {
      {"ours", ours, 1, 1}, {"one thread", one, 1, 1}, {"onednn own", dnn, 0, 1}, {"openblas own", blas, 0, 1},
      {"openblas 1t", blas, 0, 0},
  };
  size_t size[] = {(size_t)s->m * (size_t)s->k, (size_t)s->k * (size_t)s->n, (size_t)s->m * (size_t)s->n};
  mfi_gemm g = {.ta = s->ta, .tb = s->tb, .m = s->m, .n = s->n, .k = s->k, .lda = s->ta ? s->m : s->k,
                .ldb = s->tb ? s->k : s->n, .ldc = s->n};
  void *a = filled(size[0], s->f64), *b = filled(size[1], s->f64), *c = filled(size[2], s->f64);
  double t[CONTENDERS][MOST_ROUNDS], start = now(), flops = 2.0 * s->m * s->n * s->k;
  g.a = a, g.b = b, g.c = c;
  int rounds = 0;
  for (; rounds < MOST_ROUNDS && (rounds < 9 || now() - start < seconds); rounds++)
    for (int i = 0; i < CONTENDERS; i++) {
      struct timespec pause = {0, 1000000};
      omp_set_num_threads(list[i].omp ? threads : 1);
      nanosleep(&pause, NULL);
      t[i][rounds] = sample(list[i].fn, &g, s->f64);
    }
  printf("%s %5dx%5dx%5d %c%c", s->f64 ? "f64" : "f32", s->m, s->n, s->k, s->ta ? 'T' : 'N', s->tb ? 'T' : 'N');
  for (int i = 0; i < CONTENDERS; i++) {
    qsort(t[i], (size_t)rounds, sizeof t[i][0], compare);
    if (s->f64 && list[i].fn == dnn) printf(" | %s -", list[i].name);
    else
      printf(" | %s %.2f us %.1f (%.1f)", list[i].name, t[i][rounds / 2] * 1e6, flops / t[i][rounds / 2] / 1e9,
             flops / t[i][0] / 1e9);
  }
  printf("\n");
  free(a), free(b), free(c);
}

int main(int argc, char **argv) {
  threads = argc > 1 ? atoi(argv[1]) : 2;
  if (argc > 2) seconds = atof(argv[2]);
  mf_pool_set_threads(threads);
  printf("float32 by %s, float64 by %s, OpenBLAS %s, %d threads; GF/s\n", mfi_gemm_backend(MF_FLOAT32),
         mfi_gemm_backend(MF_FLOAT64), openblas_get_corename(), threads);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) run(&shapes[i]);
  mf_pool_shutdown();
  return 0;
}
