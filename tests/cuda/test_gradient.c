/* test_gradient.c - the element-wise gradient ops against central differences of the functions they belong to, and the
 * values TensorFlow gives where a function has no derivative. */
#include <math.h>
#include <stdio.h>

#include "harness.h"

static double f_relu(double x) { return fmax(x, 0); }
static double f_relu6(double x) { return fmin(fmax(x, 0), 6); }
static double f_elu(double x) { return x >= 0 ? x : expm1(x); }
static double f_selu(double x) { return 1.05070098735548 * (x >= 0 ? x : 1.67326324235437 * expm1(x)); }
static double f_softplus(double x) { return fmax(x, 0) + log1p(exp(-fabs(x))); }
static double f_softsign(double x) { return x / (1 + fabs(x)); }
static double f_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double f_rsqrt(double x) { return 1 / sqrt(x); }
static double f_reciprocal(double x) { return 1 / x; }
static double f_leaky(double x) { return x > 0 ? x : 0.25 * x; }

/* What the gradient op is given beside the gradient, and in which order. */
enum { GRADIENT_X, GRADIENT_Y, Y_GRADIENT };

static const struct gradient_case {
  const char *op;
  double (*function)(double x);
  int order;
  double low, high;
} cases[] = {
    {"ReluGrad", f_relu, GRADIENT_X, -3, 3},        {"Relu6Grad", f_relu6, GRADIENT_X, -3, 9},
    {"SoftplusGrad", f_softplus, GRADIENT_X, -9, 9}, {"SoftsignGrad", f_softsign, GRADIENT_X, -3, 3},
    {"LeakyReluGrad", f_leaky, GRADIENT_X, -3, 3},  {"EluGrad", f_elu, GRADIENT_Y, -3, 3},
    {"SeluGrad", f_selu, GRADIENT_Y, -3, 3},        {"TanhGrad", tanh, Y_GRADIENT, -2, 2},
    {"SigmoidGrad", f_sigmoid, Y_GRADIENT, -4, 4},  {"SqrtGrad", sqrt, Y_GRADIENT, 0.5, 9},
    {"RsqrtGrad", f_rsqrt, Y_GRADIENT, 0.5, 9},     {"ReciprocalGrad", f_reciprocal, Y_GRADIENT, 0.5, 9},
    {"InvGrad", f_reciprocal, Y_GRADIENT, 0.5, 9},
};

static void one_case(const struct gradient_case *g, mf_dtype dtype, int64_t n) {
  array x = array_new(MF_FLOAT64, 1, &n), dy = array_new(dtype, 1, &n), given = array_new(dtype, 1, &n);
  array dx = array_new(dtype, 1, &n), want = array_new(dtype, 1, &n);
  char what[80];
  array_random(&x, g->low, g->high);
  array_random(&dy, -2, 2);
  for (int64_t i = 0; i < n; i++) {
    const double h = 1e-5;
    double at = array_get(&x, i);
    array_set(&given, i, g->order == GRADIENT_X ? at : g->function(at));
    array_set(&want, i, array_get(&dy, i) * (g->function(at + h) - g->function(at - h)) / (2 * h));
  }
  bool first = g->order != Y_GRADIENT;
  call c = {.op = g->op, .attrs = {A_TYPE("T", dtype), A_FLOAT("alpha", 0.25f)}, .n_attrs = 2,
            .in = {first ? &dy : &given, first ? &given : &dy}, .n_in = 2, .out = {&dx}, .n_out = 1, .shift = n == 3};
  call_run(&c);
  snprintf(what, sizeof what, "%s dtype %d, %lld elements", g->op, (int)dtype, (long long)n);
  check_close(&dx, &want, dtype == MF_FLOAT32 ? 2e-5 : 1e-7, dtype == MF_FLOAT32 ? 2e-6 : 1e-8, what);
  array_free(&x);
  array_free(&dy);
  array_free(&given);
  array_free(&dx);
  array_free(&want);
}

/* Gradient 1 at these values of the second argument (TensorFlow 2.21). */
static const double edge[] = {NAN, -1, 0, 1, 6, 7, INFINITY, -INFINITY};
enum { EDGES = sizeof edge / sizeof *edge };
static const struct {
  const char *op;
  double want[EDGES];
} edge_cases[] = {
    {"ReluGrad", {0, 0, 0, 1, 1, 1, 1, 0}},
    {"Relu6Grad", {0, 0, 0, 1, 0, 0, 0, 0}},
    {"EluGrad", {1, 0, 1, 1, 1, 1, 1, -INFINITY}},
    {"LeakyReluGrad", {0.25, 0.25, 0.25, 1, 1, 1, 1, 0.25}},
    {"SoftplusGrad", {NAN, 0.26894143, 0.5, 0.7310586, 0.9975274, 0.999089, 1, 0}},
};

static void edges_of(size_t k) {
  int64_t n = EDGES;
  array g = array_new(MF_FLOAT32, 1, &n), x = array_new(MF_FLOAT32, 1, &n), y = array_new(MF_FLOAT32, 1, &n);
  array want = array_new(MF_FLOAT32, 1, &n);
  for (int i = 0; i < EDGES; i++) {
    array_set(&g, i, 1);
    array_set(&x, i, edge[i]);
    array_set(&want, i, edge_cases[k].want[i]);
  }
  call c = {.op = edge_cases[k].op, .attrs = {A_TYPE("T", MF_FLOAT32), A_FLOAT("alpha", 0.25f)}, .n_attrs = 2,
            .in = {&g, &x}, .n_in = 2, .out = {&y}, .n_out = 1};
  call_run(&c);
  check_close(&y, &want, 1e-6, 0, edge_cases[k].op);
  array_free(&g);
  array_free(&x);
  array_free(&y);
  array_free(&want);
}

void test_gradient(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    one_case(&cases[i], MF_FLOAT32, 1031);
    one_case(&cases[i], MF_FLOAT32, 3);
    one_case(&cases[i], MF_FLOAT64, 259);
    one_case(&cases[i], MF_FLOAT64, 0);
  }
  for (size_t k = 0; k < sizeof edge_cases / sizeof *edge_cases; k++) edges_of(k);
}
