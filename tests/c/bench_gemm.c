/* bench_gemm.c - matrix products: our split over the pool against the libraries' own threading, by shape.
 *
 *     bench_gemm [threads [seconds]]      (default 2 threads, 1 second a shape; on a busy machine more finds a quiet moment)
 *
 * The contenders take turns within each round, so that a change of the machine's state meets all of them; a figure is
 * the median over the rounds; in brackets the best. Between turns the program sleeps: OpenMP's threads spin for
 * 10 to 20 ms after a region. */
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

static int threads;
static double seconds = 1;

typedef struct product {
  mfi_gemm g;
  int f64;
} product;

static mfi_gemm_fn kernel_of(const product *p) { return p->f64 ? mfi_gemm_f64 : mfi_gemm_f32; }

static void ours(void *arg) {
  const product *p = arg;
  mfi_gemm_split(&p->g, kernel_of(p), p->f64 ? 8 : 4);
}

static void one(void *arg) {
  const product *p = arg;
  kernel_of(p)(&p->g);
}

static void blas(void *arg) {
  const product *p = arg;
  const mfi_gemm *g = &p->g;
  CBLAS_TRANSPOSE ta = g->ta ? CblasTrans : CblasNoTrans, tb = g->tb ? CblasTrans : CblasNoTrans;
  if (p->f64)
    cblas_dgemm(CblasRowMajor, ta, tb, (int)g->m, (int)g->n, (int)g->k, 1, g->a, (int)g->lda, g->b, (int)g->ldb, 0,
                g->c, (int)g->ldc);
  else
    cblas_sgemm(CblasRowMajor, ta, tb, (int)g->m, (int)g->n, (int)g->k, 1, g->a, (int)g->lda, g->b, (int)g->ldb, 0,
                g->c, (int)g->ldc);
}

static void dnn(void *arg) {
  const product *p = arg;
#if MF_HAVE_ONEDNN
  const mfi_gemm *g = &p->g;
  if (!p->f64)
    dnnl_sgemm(g->ta ? 'T' : 'N', g->tb ? 'T' : 'N', g->m, g->n, g->k, 1, g->a, g->lda, g->b, g->ldb, 0, g->c, g->ldc);
#endif
  (void)p;
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
  static const struct { const char *name; void (*fn)(void *); int omp; } list[CONTENDERS] = {
      {"ours", ours, 1}, {"one thread", one, 1}, {"onednn own", dnn, 1}, {"openblas own", blas, 1}, {"openblas 1t", blas, 0},
  };
  size_t size[] = {(size_t)s->m * (size_t)s->k, (size_t)s->k * (size_t)s->n, (size_t)s->m * (size_t)s->n};
  product p = {.f64 = s->f64, .g = {.ta = s->ta, .tb = s->tb, .m = s->m, .n = s->n, .k = s->k, .lda = s->ta ? s->m : s->k,
                .ldb = s->tb ? s->k : s->n, .ldc = s->n}};
  void *a = filled(size[0], s->f64), *b = filled(size[1], s->f64), *c = filled(size[2], s->f64);
  double t[CONTENDERS][MOST_ROUNDS], start = bench_now(), flops = 2.0 * s->m * s->n * s->k;
  p.g.a = a, p.g.b = b, p.g.c = c;
  int rounds = 0;
  for (; rounds < MOST_ROUNDS && (rounds < 9 || bench_now() - start < seconds); rounds++)
    for (int i = 0; i < CONTENDERS; i++) {
      omp_set_num_threads(list[i].omp ? threads : 1);
      bench_pause();
      t[i][rounds] = bench_sample(list[i].fn, &p);
    }
  printf("%s %5dx%5dx%5d %c%c", s->f64 ? "f64" : "f32", s->m, s->n, s->k, s->ta ? 'T' : 'N', s->tb ? 'T' : 'N');
  for (int i = 0; i < CONTENDERS; i++) {
    double middle = bench_median(t[i], rounds);
    if (s->f64 && list[i].fn == dnn) printf(" | %s -", list[i].name);
    else
      printf(" | %s %.2f us %.1f (%.1f)", list[i].name, middle * 1e6, flops / middle / 1e9,
             flops / t[i][0] / 1e9);
  }
  printf("\n");
  free(a), free(b), free(c);
}

int main(int argc, char **argv) {
  threads = argc > 1 ? atoi(argv[1]) : 2;
  if (argc > 2) seconds = atof(argv[2]);
  if (threads < 1 || !(seconds > 0)) {
    fprintf(stderr, "usage: bench_gemm [threads [seconds]]\n");
    return 2;
  }
  mf_pool_set_threads(threads);
  printf("float32 by %s, float64 by %s, OpenBLAS %s, %d threads; GF/s\n", mfi_gemm_backend(MF_FLOAT32),
         mfi_gemm_backend(MF_FLOAT64), openblas_get_corename(), threads);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) run(&shapes[i]);
  mf_pool_shutdown();
  return 0;
}
