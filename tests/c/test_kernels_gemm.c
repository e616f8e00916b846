/* test_kernels_gemm.c - matrix products: every routine against sums in double, cut and whole, from several threads at
 * once, and without touching the caller's OpenMP setting. */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/pool.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/gemm_own.h"

#if MF_HAVE_GOMP
int omp_get_max_threads(void);
void omp_set_num_threads(int n);
#endif

typedef struct problem {
  mfi_gemm g;
  size_t size, count[3];
  void *a, *b, *c;
  double *want;
} problem;

static unsigned state = 1;

static int below(int n) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (unsigned)n);
}

static double at(const void *p, size_t size, size_t i) {
  return size == 8 ? ((const double *)p)[i] : ((const float *)p)[i];
}

static void *filled(size_t size, size_t n) {
  char *p = malloc((n + 1) * size);
  for (size_t i = 0; i < n; i++) {
    float v = (float)below(2001) / 1000 - 1;
    if (size == 8) ((double *)p)[i] = v;
    else ((float *)p)[i] = v;
  }
  return p;
}

/* Row strides up to `gap` longer than the rows. */
static problem make_with(size_t size, int64_t m, int64_t n, int64_t k, bool ta, bool tb, bool add, int gap) {
  problem p = {.size = size, .g = {.ta = ta, .tb = tb, .add = add, .m = m, .n = n, .k = k}};
  p.g.lda = (ta ? m : k) + below(gap + 1);
  p.g.ldb = (tb ? k : n) + below(gap + 1);
  p.g.ldc = n + below(gap + 1);
  if (!p.g.lda) p.g.lda = 1;
  if (!p.g.ldb) p.g.ldb = 1;
  if (!p.g.ldc) p.g.ldc = 1;
  p.count[0] = (size_t)((ta ? k : m) * p.g.lda);
  p.count[1] = (size_t)((tb ? n : k) * p.g.ldb);
  p.count[2] = (size_t)(m * p.g.ldc);
  p.g.a = p.a = filled(size, p.count[0]);
  p.g.b = p.b = filled(size, p.count[1]);
  p.g.c = p.c = filled(size, p.count[2]);
  p.want = malloc((p.count[2] + 1) * sizeof(double));
  for (size_t i = 0; i < p.count[2]; i++) p.want[i] = at(p.c, size, i);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      double s = add ? p.want[i * p.g.ldc + j] : 0;
      for (int64_t q = 0; q < k; q++)
        s += at(p.a, size, (size_t)(ta ? q * p.g.lda + i : i * p.g.lda + q)) *
             at(p.b, size, (size_t)(tb ? j * p.g.ldb + q : q * p.g.ldb + j));
      p.want[i * p.g.ldc + j] = s;
    }
  return p;
}

static problem make(size_t size, int64_t m, int64_t n, int64_t k, bool ta, bool tb, bool add) {
  return make_with(size, m, n, k, ta, tb, add, 3);
}

static problem make_dense(size_t size, int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
  return make_with(size, m, n, k, ta, tb, false, 0);
}

static void finish(problem *p) { free(p->a), free(p->b), free(p->c), free(p->want); }

/* Elements of the result within rounding; those between the rows exactly as they were. */
static void judge(const problem *p, const char *what) {
  double eps = p->size == 8 ? 1e-14 : 4e-6, tolerance = eps * (double)(p->g.k + 4);
  for (int64_t i = 0; i < p->g.m; i++)
    for (int64_t j = 0; j < p->g.ldc; j++) {
      double got = at(p->c, p->size, (size_t)(i * p->g.ldc + j)), want = p->want[i * p->g.ldc + j];
      if (j < p->g.n ? fabs(got - want) <= tolerance : got == want) continue;
      ck_abort_msg("%s f%d %dx%dx%d %c%c add %d: element %d,%d is %.9g, want %.9g", what, (int)p->size * 8,
                   (int)p->g.m, (int)p->g.n, (int)p->g.k, p->g.ta ? 'T' : 'N', p->g.tb ? 'T' : 'N', p->g.add, (int)i,
                   (int)j, got, want);
    }
}

static const int sizes[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 100, 257};

static void random_problems(const char *what, mfi_gemm_fn f32, mfi_gemm_fn f64, int count, int thin) {
  for (int i = 0; i < count; i++) {
    size_t size = below(2) ? 8 : 4;
    int m = sizes[below(16)], n = sizes[below(16)], k = sizes[below(16)];
    bool ta = below(2), tb = below(2);
    if (thin && below(2)) m = 1;
    else if (thin) n = 1, ta = false;
    if (thin && (!k || !m || !n)) continue;
    problem p = make(size, m, n, k, ta, tb, below(2));
    (size == 8 ? f64 : f32)(&p.g);
    judge(&p, what);
    finish(&p);
  }
}

START_TEST(the_chosen_routines_are_right) { random_problems("chosen", mfi_gemm_f32, mfi_gemm_f64, 1500, 0); }
END_TEST

static void non_empty(const char *what, mfi_gemm_fn f32, mfi_gemm_fn f64) {
  for (int i = 0; i < 400; i++) {
    size_t size = below(2) ? 8 : 4;
    problem p =
        make(size, sizes[1 + below(15)], sizes[1 + below(15)], sizes[1 + below(15)], below(2), below(2), below(2));
    (size == 8 ? f64 : f32)(&p.g);
    judge(&p, what);
    finish(&p);
  }
}

START_TEST(our_own_kernel_is_right_at_every_level) {
  non_empty("base", mfi_gemm_block_f32_base, mfi_gemm_block_f64_base);
  random_problems("gemv base", mfi_gemv_f32_base, mfi_gemv_f64_base, 400, 1);
  if (mf_cpu_isa() < MF_ISA_AVX2) return;
  non_empty("avx2", mfi_gemm_block_f32_avx2, mfi_gemm_block_f64_avx2);
  random_problems("gemv avx2", mfi_gemv_f32_avx2, mfi_gemv_f64_avx2, 400, 1);
  if (mf_cpu_isa() < MF_ISA_AVX512) return;
  non_empty("avx512", mfi_gemm_block_f32_avx512, mfi_gemm_block_f64_avx512);
  random_problems("gemv avx512", mfi_gemv_f32_avx512, mfi_gemv_f64_avx512, 400, 1);
}
END_TEST

START_TEST(integers_wrap) {
  int32_t a[] = {INT32_MAX, 2}, b[] = {2, 1}, c[1] = {5};
  mfi_gemm g = {.m = 1, .n = 1, .k = 2, .a = a, .b = b, .c = c, .lda = 2, .ldb = 1, .ldc = 1};
  mfi_gemm_for(MF_INT32)(&g);
  ck_assert_int_eq(c[0], 0);   /* 2 * (2^31 - 1) + 2 = 2^32 */
  g.add = true;
  c[0] = 7;
  mfi_gemm_for(MF_INT32)(&g);
  ck_assert_int_eq(c[0], 7);
}
END_TEST

START_TEST(cut_products_have_the_same_bits_at_any_width) {
  static const int shapes[][3] = {{64, 128, 784}, {784, 128, 64}, {33, 700, 50},
                                  {1, 5000, 300}, {2000, 1, 300}, {130, 130, 130}};
  static const int threads[] = {1, 2, 3, 8};
  for (int i = 0; i < 24; i++) {
    const int *s = shapes[i / 4];
    size_t size = i % 2 ? 8 : 4;
    problem p = make_dense(size, s[0], s[1], s[2], i / 2 % 2, i % 3 == 0);
    void *first = NULL;
    for (int t = 0; t < 4; t++) {
      mf_pool_set_threads(threads[t]);
      memset(p.c, 0xFF, p.count[2] * size);
      mfi_gemm_split(&p.g, size == 8 ? mfi_gemm_f64 : mfi_gemm_f32, size);
      if (!t) {
        judge(&p, "split");
        first = malloc(p.count[2] * size);
        memcpy(first, p.c, p.count[2] * size);
      } else if (memcmp(first, p.c, p.count[2] * size)) {
        ck_abort_msg("%dx%dx%d f%d: %d threads give other bits than 1", s[0], s[1], s[2], (int)size * 8, threads[t]);
      }
    }
    free(first);
    finish(&p);
  }
  mf_pool_set_threads(0);
}
END_TEST

/* ---- several callers */

static pthread_barrier_t start;

static void *multiply_many(void *arg) {
  problem *p = arg;
  pthread_barrier_wait(&start);
  for (int i = 0; i < 20; i++) {
    memset(p->c, 0xFF, p->count[2] * p->size);
    (p->size == 8 ? mfi_gemm_f64 : mfi_gemm_f32)(&p->g);
  }
  return NULL;
}

START_TEST(eight_threads_whose_first_calls_coincide) {
  problem p[8];
  pthread_t thread[8];
  pthread_barrier_init(&start, NULL, 8);
  for (int i = 0; i < 8; i++) p[i] = make_dense(i % 2 ? 8 : 4, 40 + i, 50, 60, false, false);
  for (int i = 0; i < 8; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, multiply_many, &p[i]), 0);
  for (int i = 0; i < 8; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < 8; i++) {
    judge(&p[i], "concurrent");
    finish(&p[i]);
  }
  pthread_barrier_destroy(&start);
}
END_TEST

START_TEST(the_callers_openmp_setting_survives) {
#if MF_HAVE_GOMP
  int before = omp_get_max_threads();
  omp_set_num_threads(5);
  problem p = make(4, 100, 100, 100, false, true, false);
  mfi_gemm_split(&p.g, mfi_gemm_f32, 4);
  judge(&p, "with 5 OpenMP threads");
  ck_assert_int_eq(omp_get_max_threads(), 5);
  finish(&p);
  p = make(8, 100, 100, 100, false, true, false);
  mfi_gemm_split(&p.g, mfi_gemm_f64, 8);
  ck_assert_int_eq(omp_get_max_threads(), 5);
  finish(&p);
  omp_set_num_threads(before);
#endif
}
END_TEST

int main(void) {
  Suite *suite = suite_create("kernels/gemm");
  TCase *tests = tcase_create("gemm");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, eight_threads_whose_first_calls_coincide);
  tcase_add_test(tests, the_chosen_routines_are_right);
  tcase_add_test(tests, our_own_kernel_is_right_at_every_level);
  tcase_add_test(tests, integers_wrap);
  tcase_add_test(tests, cut_products_have_the_same_bits_at_any_width);
  tcase_add_test(tests, the_callers_openmp_setting_survives);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  mf_pool_shutdown();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
