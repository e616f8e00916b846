/* test_kernels_math.c - element-wise kernels, reductions and softmax at sizes where they work in pieces, tiles and
 * passes.
 *
 * Expected values come from plain loops over indices. Data are small whole numbers, whose sums are exact in any order,
 * so sums are compared exactly. Then: the same bits with 1, 2, 3 and 8 threads, for data whose sums do round.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "moonflow.h"
#include "ops/op_list.h"

static mf_ctx *ctx;

static void check(mf_status s) {
  if (s) ck_abort_msg("%s", mf_status_message(s));
}

static void store(mf_tensor *t, int64_t i, double v) {
  switch (t->dtype) {
    case MF_FLOAT32: MF_DATA(float, t)[i] = (float)v; break;
    case MF_FLOAT64: MF_DATA(double, t)[i] = v; break;
    case MF_INT32: MF_DATA(int32_t, t)[i] = (int32_t)v; break;
    case MF_INT16: MF_DATA(int16_t, t)[i] = (int16_t)v; break;
    default: MF_DATA(bool, t)[i] = v > 0;
  }
}

/* Whole numbers from -4 to 4, or with `fine` any of that range. */
static mf_tensor *filled(mf_dtype type, int rank, const int64_t *dims, bool fine) {
  mf_tensor *t;
  mf_shape s;
  unsigned state = 7u + (unsigned)rank;
  check(mf_shape_make(dims, rank, &s));
  check(mf_tensor_new(mf_device_cpu(), type, &s, &t));
  for (int64_t i = 0; i < mf_tensor_count(t); i++) {
    state = state * 1664525u + 1013904223u;
    double v = (double)(state >> 8) / (1 << 24) * 9 - 4.5;
    store(t, i, fine ? v : rint(v * 0.99));
  }
  return t;
}

#define T(type, ...) \
  filled(type, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__}, false)

static mf_tensor *run(const mf_op_def *op, mf_tensor **in, int n_in, const mf_named_attr *attrs, int n_attrs,
                      int out) {
  mf_tensor *all[4];
  int n;
  check(mf_apply(ctx, op, in, n_in, attrs, n_attrs, all, 4, &n));
  for (int i = 0; i < n; i++)
    if (i != out) mf_tensor_release(all[i]);
  return all[out];
}

/* Element of t that stands at output element i of shape `out`, by numpy's broadcasting. */
static int64_t source(const mf_shape *out, const mf_shape *in, int64_t i) {
  int64_t at = 0, step = 1;
  for (int d = 1; d <= out->rank; d++) {
    int64_t n = out->dims[out->rank - d], index = i % n;
    i /= n;
    if (d > in->rank) continue;
    int64_t own = in->dims[in->rank - d];
    at += own == 1 ? 0 : index * step;
    step *= own;
  }
  return at;
}

/* ---- broadcasting */
static void sum_is_right(mf_dtype type, mf_tensor *x, mf_tensor *y) {
  mf_tensor *z = run(&mf_op_AddV2, (mf_tensor *[]){x, y}, 2, NULL, 0, 0);
  mf_tensor *less = run(&mf_op_Less, (mf_tensor *[]){x, y}, 2, NULL, 0, 0);
  mf_tensor *best = run(&mf_op_SelectV2, (mf_tensor *[]){less, y, x}, 3, NULL, 0, 0);
  for (int64_t i = 0; i < mf_tensor_count(z); i++) {
    double a = mf_tensor_get_f64(x, source(&z->shape, &x->shape, i));
    double b = mf_tensor_get_f64(y, source(&z->shape, &y->shape, i));
    if (mf_tensor_get_f64(z, i) != a + b || MF_DATA(bool, less)[i] != (a < b) ||
        mf_tensor_get_f64(best, i) != (a < b ? b : a))
      ck_abort_msg("%s: element %lld: %g and %g", mf_dtype_name(type), (long long)i, a, b);
  }
  mf_tensor_release_all((mf_tensor *[]){x, y, z, less, best}, 5);
}

START_TEST(broadcasting) {
  static const mf_dtype types[] = {MF_FLOAT32, MF_FLOAT64, MF_INT32, MF_INT16};
  for (int i = 0; i < 4; i++) {
    mf_dtype t = types[i];
    sum_is_right(t, T(t, 200, 1000), T(t, 200, 1000));       /* pieces of one row */
    sum_is_right(t, T(t, 200000), T(t, 1));                  /* a repeated element */
    sum_is_right(t, T(t, 300, 1000), T(t, 1000));            /* long rows */
    sum_is_right(t, T(t, 300, 1000), T(t, 300, 1));          /* columns */
    sum_is_right(t, T(t, 15013, 10), T(t, 10));              /* short rows: tiles */
    sum_is_right(t, T(t, 10), T(t, 15013, 10));
    sum_is_right(t, T(t, 15013, 10), T(t, 15013, 1));
    sum_is_right(t, T(t, 1, 3), T(t, 20011, 1));
    sum_is_right(t, T(t, 4, 1, 50, 1, 3), T(t, 1, 20, 1, 40, 3));
    sum_is_right(t, T(t, 7, 500, 9), T(t, 7, 1, 9));
    sum_is_right(t, T(t, 64, 13, 13, 32), T(t, 1, 1, 1, 32));
    sum_is_right(t, T(t, 0, 5), T(t, 5));
  }
}
END_TEST

/* ---- reductions */
typedef struct axes_case {
  int rank, n_axes;
  int64_t dims[5], axes[5];
} axes_case;

/* Output element that input element i of shape `in` belongs to. */
static int64_t target(const mf_shape *in, const bool *reduced, int64_t i) {
  int64_t at = 0, step = 1;
  for (int d = in->rank - 1; d >= 0; d--) {
    if (!reduced[d]) {
      at += i % in->dims[d] * step;
      step *= in->dims[d];
    }
    i /= in->dims[d];
  }
  return at;
}

static void reductions_are_right(mf_dtype type, const axes_case *c) {
  mf_tensor *x = filled(type, c->rank, c->dims, false), *axes;
  bool reduced[5] = {false};
  for (int i = 0; i < c->n_axes; i++) reduced[c->axes[i]] = true;
  check(mf_tensor_from_i64(MF_INT32, c->axes, c->n_axes, &axes));
  mf_tensor *in[] = {x, axes};
  mf_tensor *sum = run(&mf_op_Sum, in, 2, NULL, 0, 0), *most = run(&mf_op_Max, in, 2, NULL, 0, 0);
  mf_tensor *least = run(&mf_op_Min, in, 2, NULL, 0, 0), *mean = run(&mf_op_Mean, in, 2, NULL, 0, 0);
  int64_t n = mf_tensor_count(sum), count = mf_tensor_count(x);
  double *s = calloc((size_t)n, sizeof *s), *high = calloc((size_t)n, sizeof *high);
  double *low = calloc((size_t)n, sizeof *low);
  for (int64_t i = 0; i < n; i++) {
    high[i] = -INFINITY;
    low[i] = INFINITY;
  }
  for (int64_t i = 0; i < count; i++) {
    int64_t at = target(&x->shape, reduced, i);
    double v = mf_tensor_get_f64(x, i);
    s[at] += v;
    high[at] = fmax(high[at], v);
    low[at] = fmin(low[at], v);
  }
  for (int64_t i = 0; i < n; i++) {
    double average = s[i] / ((double)count / (double)n);
    bool whole = mf_dtype_is_integer(type), wraps = type == MF_INT16 && fabs(s[i]) > 32767;
    ck_assert_msg(wraps || mf_tensor_get_f64(sum, i) == s[i], "sum %lld: %g, expected %g", (long long)i,
                  mf_tensor_get_f64(sum, i), s[i]);
    ck_assert_double_eq(mf_tensor_get_f64(most, i), high[i]);
    ck_assert_double_eq(mf_tensor_get_f64(least, i), low[i]);
    ck_assert_double_eq_tol(mf_tensor_get_f64(mean, i), whole ? trunc(average) : average, 1e-6);
  }
  free(s);
  free(high);
  free(low);
  mf_tensor_release_all((mf_tensor *[]){x, axes, sum, most, least, mean}, 6);
}

START_TEST(reductions) {
  static const mf_dtype types[] = {MF_FLOAT32, MF_FLOAT64, MF_INT32, MF_INT16};
  static const axes_case cases[] = {
      {1, 1, {300007}, {0}},                          /* along one long row */
      {2, 1, {200, 1000}, {0}}, {2, 1, {200, 1000}, {1}}, {2, 2, {200, 1000}, {0, 1}},
      {2, 1, {30011, 10}, {0}}, {2, 1, {30011, 10}, {1}}, {2, 1, {3, 100003}, {0}},
      {2, 1, {2, 150001}, {1}}, {3, 1, {3, 20011, 5}, {1}}, {4, 3, {64, 13, 13, 32}, {0, 1, 2}},
      {4, 2, {31, 17, 29, 19}, {0, 2}}, {4, 2, {31, 17, 29, 19}, {1, 3}}, {5, 3, {9, 8, 7, 6, 5}, {0, 2, 4}},
      {2, 0, {300, 1000}, {0}}, {3, 1, {4, 1, 5}, {1}},
  };
  for (int t = 0; t < 4; t++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) reductions_are_right(types[t], &cases[i]);
}
END_TEST

START_TEST(positions) {
  static const int64_t dims[][3] = {{700, 300, 1}, {1, 70000, 3}, {5, 129, 257}};
  for (int c = 0; c < 3; c++) {
    mf_tensor *x = filled(MF_FLOAT32, 3, dims[c], false), *axis;
    check(mf_tensor_scalar_i64(MF_INT32, 1, &axis));
    mf_tensor *at = run(&mf_op_ArgMax, (mf_tensor *[]){x, axis}, 2, NULL, 0, 0);
    int64_t n = dims[c][1], inner = dims[c][2];
    for (int64_t i = 0; i < mf_tensor_count(at); i++) {
      const float *column = MF_DATA(float, x) + i / inner * n * inner + i % inner;
      int64_t best = 0;
      for (int64_t k = 1; k < n; k++)
        if (column[k * inner] > column[best * inner]) best = k;
      ck_assert_int_eq(MF_DATA(int64_t, at)[i], best);
    }
    mf_tensor_release_all((mf_tensor *[]){x, axis, at}, 3);
  }
}
END_TEST

/* ---- softmax and cross-entropy against double arithmetic */
static void rows_are_right(int64_t rows, int64_t n) {
  mf_tensor *x = filled(MF_FLOAT32, 2, (int64_t[]){rows, n}, true), *labels;
  mf_shape s = mf_shape_1d(rows);
  check(mf_tensor_new(mf_device_cpu(), MF_INT64, &s, &labels));
  for (int64_t r = 0; r < rows; r++) MF_DATA(int64_t, labels)[r] = r * 7 % n;
  mf_tensor *y = run(&mf_op_Softmax, &x, 1, NULL, 0, 0), *z = run(&mf_op_LogSoftmax, &x, 1, NULL, 0, 0);
  mf_tensor *loss = run(&mf_op_SparseSoftmaxCrossEntropyWithLogits, (mf_tensor *[]){x, labels}, 2, NULL, 0, 0);
  for (int64_t r = 0; r < rows; r++) {
    const float *v = MF_DATA(float, x) + r * n;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += exp((double)v[i]);
    for (int64_t i = 0; i < n; i++) {
      double p = exp((double)v[i]) / sum;
      ck_assert_double_eq_tol(MF_DATA(float, y)[r * n + i], p, 1e-6 * p + 1e-9);
      ck_assert_double_eq_tol(MF_DATA(float, z)[r * n + i], log(p), 2e-6 * fabs(log(p)) + 1e-6);
    }
    double own = log(sum) - v[r * 7 % n];
    ck_assert_double_eq_tol(MF_DATA(float, loss)[r], own, 2e-6 * fabs(own) + 1e-6);
  }
  mf_tensor_release_all((mf_tensor *[]){x, labels, y, z, loss}, 5);
}

START_TEST(softmax_rows) {
  rows_are_right(20011, 10);
  rows_are_right(700, 33);
  rows_are_right(50, 1000);
  rows_are_right(3, 5003);
  rows_are_right(1000, 1);
}
END_TEST

/* ---- bits */
static void same_bits(const mf_op_def *op, mf_tensor **in, int n_in, int out) {
  static const int threads[] = {1, 2, 3, 8};
  mf_tensor *first = NULL;
  for (int t = 0; t < 4; t++) {
    mf_pool_set_threads(threads[t]);
    mf_tensor *y = run(op, in, n_in, NULL, 0, out);
    if (!first) {
      first = y;
      continue;
    }
    if (memcmp(first->data, y->data, mf_tensor_bytes(y)))
      ck_abort_msg("%s: other bits with %d threads than with 1", op->name, threads[t]);
    mf_tensor_release(y);
  }
  mf_tensor_release(first);
}

START_TEST(bits_do_not_depend_on_threads) {
  static const mf_op_def *const one[] = {&mf_op_Exp, &mf_op_Tanh, &mf_op_Sigmoid, &mf_op_Erf, &mf_op_Softplus,
                                         &mf_op_Softmax, &mf_op_LogSoftmax, &mf_op_L2Loss};
  static const mf_op_def *const two[] = {&mf_op_Atan2, &mf_op_Pow, &mf_op_SoftmaxCrossEntropyWithLogits};
  static const int64_t dims[][2] = {{400, 1000}, {50021, 9}, {9, 50021}};
  for (int d = 0; d < 3; d++) {
    mf_tensor *x = filled(MF_FLOAT32, 2, dims[d], true), *axes;
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) same_bits(one[i], &x, 1, 0);
    for (size_t i = 0; i < sizeof two / sizeof *two; i++) same_bits(two[i], (mf_tensor *[]){x, x}, 2, 0);
    for (int k = 0; k < 3; k++) {
      check(mf_tensor_from_i64(MF_INT32, k == 1 ? (int64_t[]){1} : (int64_t[]){0, 1}, k == 2 ? 2 : 1, &axes));
      same_bits(&mf_op_Sum, (mf_tensor *[]){x, axes}, 2, 0);
      same_bits(&mf_op_EuclideanNorm, (mf_tensor *[]){x, axes}, 2, 0);
      mf_tensor_release(axes);
    }
    mf_tensor_release(x);
  }
  mf_pool_set_threads(0);
}
END_TEST

/* A million equal terms: many accumulators keep the error far below what adding one by one gives (1e-2). */
START_TEST(sums_are_accurate) {
  mf_shape s = mf_shape_1d(1 << 20);
  mf_tensor *x, *axes;
  check(mf_tensor_new(mf_device_cpu(), MF_FLOAT32, &s, &x));
  check(mf_tensor_from_i64(MF_INT32, (int64_t[]){0}, 1, &axes));
  for (int i = 0; i < 1 << 20; i++) MF_DATA(float, x)[i] = 0.1f;
  mf_tensor *sum = run(&mf_op_Sum, (mf_tensor *[]){x, axes}, 2, NULL, 0, 0);
  ck_assert_double_eq_tol(MF_DATA(float, sum)[0] / ((double)0.1f * (1 << 20)), 1, 3e-6);
  mf_tensor_release_all((mf_tensor *[]){x, axes, sum}, 3);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("kernels_math");
  TCase *tests = tcase_create("kernels");
  check(mf_init());
  check(mf_ctx_new(&ctx));
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, broadcasting);
  tcase_add_test(tests, reductions);
  tcase_add_test(tests, positions);
  tcase_add_test(tests, softmax_rows);
  tcase_add_test(tests, bits_do_not_depend_on_threads);
  tcase_add_test(tests, sums_are_accurate);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  mf_ctx_release(ctx);
  mf_close();
  return failed ? 1 : 0;
}
