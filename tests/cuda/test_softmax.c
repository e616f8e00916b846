/* test_softmax.c - Softmax, LogSoftmax and the two cross-entropies on short and long rows. */
#include <math.h>
#include <stdio.h>

#include "harness.h"

static double log_sum_exp(const array *x, int64_t row, int64_t n) {
  double largest = -INFINITY, sum = 0;
  for (int64_t j = 0; j < n; j++) largest = fmax(largest, array_get(x, row * n + j));
  for (int64_t j = 0; j < n; j++) sum += exp(array_get(x, row * n + j) - largest);
  return largest + log(sum);
}

static double tolerance(mf_dtype t) { return t == MF_FLOAT32 ? 3e-6 : 1e-12; }

static void one_softmax(mf_dtype t, int64_t rows, int64_t n, bool logarithm) {
  int64_t dims[2] = {rows, n};
  char what[80];
  array x = array_new(t, 2, dims), y = array_new(t, 2, dims), want = array_new(t, 2, dims);
  array_random(&x, -30, 30);
  for (int64_t r = 0; r < rows; r++) {
    double whole = log_sum_exp(&x, r, n);
    for (int64_t j = r * n; j < (r + 1) * n; j++)
      array_set(&want, j, logarithm ? array_get(&x, j) - whole : exp(array_get(&x, j) - whole));
  }
  call c = {.op = logarithm ? "LogSoftmax" : "Softmax", .attrs = {A_TYPE("T", t)}, .n_attrs = 1, .in = {&x}, .n_in = 1,
            .out = {&y}, .n_out = 1, .shift = (int)(rows & 1)};
  call_run(&c);
  snprintf(what, sizeof what, "%s dtype %d, %lld x %lld", c.op, (int)t, (long long)rows, (long long)n);
  check_close(&y, &want, tolerance(t) * 10, tolerance(t), what);
  array_free(&x);
  array_free(&y);
  array_free(&want);
}

/* Features and labels may each be [1, n] or [rows, 1] against [rows, n]. */
static void one_dense(mf_dtype t, int64_t rows, int64_t n, int shape_x, int shape_labels) {
  int64_t full[2] = {rows, n}, dims[3][2] = {{rows, n}, {1, n}, {rows, 1}};
  array x = array_new(t, 2, dims[shape_x]), labels = array_new(t, 2, dims[shape_labels]), wide = array_new(t, 2, full);
  array loss = array_new(t, 1, &rows), backprop = array_new(t, 2, full);
  array want_loss = array_new(t, 1, &rows), want_backprop = array_new(t, 2, full);
  array_random(&x, -9, 9);
  array_random(&labels, 0, 1);
  for (int64_t i = 0; i < wide.count; i++)
    array_set(&wide, i, array_get(&x, shape_x == 0 ? i : shape_x == 1 ? i % n : i / n));
  for (int64_t r = 0; r < rows; r++) {
    double whole = log_sum_exp(&wide, r, n), sum = 0;
    for (int64_t j = 0; j < n; j++) {
      double label = array_get(&labels, shape_labels == 0 ? r * n + j : shape_labels == 1 ? j : r);
      double log_p = array_get(&wide, r * n + j) - whole;
      sum -= label * log_p;
      array_set(&want_backprop, r * n + j, exp(log_p) - label);
    }
    array_set(&want_loss, r, sum);
  }
  call c = {.op = "SoftmaxCrossEntropyWithLogits",
            .attrs = {A_TYPE("T", t)},
            .n_attrs = 1,
            .in = {&x, &labels},
            .n_in = 2,
            .out = {&loss, &backprop},
            .n_out = 2};
  call_run(&c);
  check_close(&loss, &want_loss, tolerance(t) * 10, tolerance(t) * 10, "cross-entropy, loss");
  check_close(&backprop, &want_backprop, tolerance(t), tolerance(t), "cross-entropy, backprop");
  array_free(&x);
  array_free(&labels);
  array_free(&wide);
  array_free(&loss);
  array_free(&backprop);
  array_free(&want_loss);
  array_free(&want_backprop);
}

/* One label of each call is out of range: its row is NaN. */
static void one_sparse(mf_dtype t, mf_dtype label_type, int64_t rows, int64_t n) {
  int64_t full[2] = {rows, n};
  array x = array_new(t, 2, full), labels = array_new(label_type, 1, &rows), loss = array_new(t, 1, &rows);
  array backprop = array_new(t, 2, full), want_loss = array_new(t, 1, &rows), want_backprop = array_new(t, 2, full);
  array_random(&x, -9, 9);
  array_random(&labels, 0, (double)(n - 1));
  array_set(&labels, rows - 1, (double)n);
  for (int64_t r = 0; r < rows; r++) {
    double whole = log_sum_exp(&x, r, n);
    int64_t label = (int64_t)array_get(&labels, r);
    bool bad = r == rows - 1;
    for (int64_t j = 0; j < n; j++)
      array_set(&want_backprop, r * n + j, bad ? NAN : exp(array_get(&x, r * n + j) - whole) - (j == label));
    array_set(&want_loss, r, bad ? NAN : whole - array_get(&x, r * n + label));
  }
  call c = {.op = "SparseSoftmaxCrossEntropyWithLogits",
            .attrs = {A_TYPE("T", t), A_TYPE("Tlabels", label_type)},
            .n_attrs = 2,
            .in = {&x, &labels},
            .n_in = 2,
            .out = {&loss, &backprop},
            .n_out = 2};
  call_run(&c);
  check_close(&loss, &want_loss, tolerance(t) * 10, tolerance(t) * 10, "sparse cross-entropy, loss");
  check_close(&backprop, &want_backprop, tolerance(t), tolerance(t), "sparse cross-entropy, backprop");
  array_free(&x);
  array_free(&labels);
  array_free(&loss);
  array_free(&backprop);
  array_free(&want_loss);
  array_free(&want_backprop);
}

/* -inf is a probability of 0; a row of -inf alone is NaN, as in TensorFlow. */
static void infinities(void) {
  static const double values[] = {-INFINITY, 1, -INFINITY, -INFINITY}, expected[] = {0, 1, NAN, NAN};
  int64_t dims[2] = {2, 2};
  array x = array_new(MF_FLOAT32, 2, dims), y = array_new(MF_FLOAT32, 2, dims), want = array_new(MF_FLOAT32, 2, dims);
  for (int i = 0; i < 4; i++) {
    array_set(&x, i, values[i]);
    array_set(&want, i, expected[i]);
  }
  call c = {.op = "Softmax",
            .attrs = {A_TYPE("T", MF_FLOAT32)},
            .n_attrs = 1,
            .in = {&x},
            .n_in = 1,
            .out = {&y},
            .n_out = 1};
  call_run(&c);
  check_close(&y, &want, 0, 0, "Softmax of infinities");
  array_free(&x);
  array_free(&y);
  array_free(&want);
}

void test_softmax(void) {
  static const int64_t sizes[][2] = {{1, 1}, {3, 10}, {17, 33}, {0, 4}, {2, 512}, {4, 513}, {3, 2000}};
  static const mf_dtype types[] = {MF_FLOAT32, MF_FLOAT64};
  for (int t = 0; t < 2; t++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      one_softmax(types[t], sizes[i][0], sizes[i][1], false);
      one_softmax(types[t], sizes[i][0], sizes[i][1], true);
      one_dense(types[t], sizes[i][0], sizes[i][1], 0, 0);
    }
    for (int k = 1; k < 3; k++) {
      one_dense(types[t], 5, 7, k, 0);
      one_dense(types[t], 5, 7, 0, k);
    }
    one_sparse(types[t], MF_INT32, 9, 10);
    one_sparse(types[t], MF_INT64, 3, 700);
  }
  infinities();
}
