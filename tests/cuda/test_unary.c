/* test_unary.c - element-wise ops with one input: values, corner cases, odd sizes, unaligned memory. */
#include <math.h>
#include <stdio.h>

#include "harness.h"

typedef struct unary_case {
  const char *op;
  double (*reference)(double x);
  double low, high;         /* where inputs are drawn from */
} unary_case;

static double ref_neg(double x) { return 0.0 - x; }
static double ref_sign(double x) { return x == 0 ? 0 : copysign(1, x); }
static double ref_rsqrt(double x) { return pow(x, -0.5); }
static double ref_square(double x) { return pow(x, 2); }
static double ref_reciprocal(double x) { return pow(x, -1); }
static double ref_sigmoid(double x) { return 0.5 * (1 + tanh(0.5 * x)); }
static double ref_invert(double x) { return -x - 1; }
static double ref_relu(double x) { return fmax(x, 0); }
static double ref_relu6(double x) { return fmin(fmax(x, 0), 6); }
static double ref_elu(double x) { return x >= 0 ? x : exp(x) - 1; }
static double ref_selu(double x) { return 1.05070098735548 * (x >= 0 ? x : 1.67326324235437 * (exp(x) - 1)); }
static double ref_leaky(double x) { return fmax(x, 0) + 0.25 * fmin(x, 0); }
static double ref_softplus(double x) { return fmax(x, 0) + log1p(exp(-fabs(x))); }
static double ref_softsign(double x) { return x / (fabs(x) + 1); }
static double ref_is_nan(double x) { return isnan(x) != 0; }
static double ref_is_inf(double x) { return isinf(x) != 0; }
static double ref_is_finite(double x) { return isfinite(x) != 0; }

static const unary_case float_cases[] = {
    {"Exp", exp, -20, 20},           {"Expm1", expm1, -5, 5},          {"Log", log, 1e-3, 100},
    {"Log1p", log1p, -0.9, 50},      {"Sqrt", sqrt, 0, 100},           {"Rsqrt", ref_rsqrt, 1e-3, 100},
    {"Sin", sin, -30, 30},           {"Cos", cos, -30, 30},            {"Tan", tan, -1.3, 1.3},
    {"Asin", asin, -1, 1},           {"Acos", acos, -1, 1},            {"Atan", atan, -9, 9},
    {"Sinh", sinh, -5, 5},           {"Cosh", cosh, -5, 5},            {"Tanh", tanh, -6, 6},
    {"Asinh", asinh, -9, 9},         {"Acosh", acosh, 1, 20},          {"Atanh", atanh, -0.95, 0.95},
    {"Erf", erf, -4, 4},             {"Erfc", erfc, -4, 4},            {"Sigmoid", ref_sigmoid, -12, 12},
    {"Relu6", ref_relu6, -9, 9},     {"Elu", ref_elu, -5, 5},          {"Selu", ref_selu, -5, 5},
    {"Softplus", ref_softplus, -40, 40}, {"Softsign", ref_softsign, -9, 9}, {"Floor", floor, -9, 9},
    {"Ceil", ceil, -9, 9},           {"Round", nearbyint, -9, 9},      {"Rint", nearbyint, -9, 9},
    {"LeakyRelu", ref_leaky, -9, 9}, {"Reciprocal", ref_reciprocal, 0.01, 9}, {"Inv", ref_reciprocal, -9, -0.01},
};
static const unary_case number_cases[] = {
    {"Neg", ref_neg, -99, 99}, {"Abs", fabs, -99, 99}, {"Sign", ref_sign, -3, 3}, {"Square", ref_square, -99, 99},
    {"Relu", ref_relu, -99, 99},
};
static const unary_case invert_case = {"Invert", ref_invert, -99, 99};
static const unary_case test_cases[] = {
    {"IsNan", ref_is_nan, -9, 9}, {"IsInf", ref_is_inf, -9, 9}, {"IsFinite", ref_is_finite, -9, 9},
};

static void run_unary(const char *op, mf_dtype dtype, mf_dtype to, array *x, array *y, int shift) {
  (void)to;
  call c = {.op = op,
            .attrs = {A_TYPE("T", dtype), A_FLOAT("alpha", 0.25f)},
            .n_attrs = 2,
            .in = {x},
            .n_in = 1,
            .out = {y},
            .n_out = 1,
            .shift = shift};
  call_run(&c);
}

static void one_size(const unary_case *u, mf_dtype dtype, mf_dtype to, int64_t n, int shift) {
  array x = array_new(dtype, 1, &n), y = array_new(to, 1, &n), want = array_new(to, 1, &n);
  char what[80];
  array_random(&x, u->low, u->high);
  for (int64_t i = 0; i < n; i++) array_set(&want, i, u->reference(array_get(&x, i)));
  run_unary(u->op, dtype, to, &x, &y, shift);
  snprintf(what, sizeof what, "%s dtype %d, %lld elements, shift %d", u->op, (int)dtype, (long long)n, shift);
  check_close(&y, &want, dtype == MF_FLOAT32 ? 4e-6 : 1e-12, dtype == MF_FLOAT32 ? 1e-6 : 1e-13, what);
  array_free(&x);
  array_free(&y);
  array_free(&want);
}

static void all_sizes(const unary_case *u, mf_dtype dtype, mf_dtype to) {
  static const int64_t sizes[] = {0, 1, 3, 257, 1031};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) one_size(u, dtype, to, sizes[i], (int)i & 1);
}

/* What TensorFlow 2.21 gives at the edges; the order of the inputs is that of `edge`. */
static const double edge[] = {NAN, -INFINITY, INFINITY, -0.0, 0.0, -200, 200, 0.5, 2.5, -2.5};
enum { EDGES = sizeof edge / sizeof *edge };
static const struct {
  const char *op;
  double want[EDGES];
} edge_cases[] = {
    {"Sign", {NAN, -1, 1, 0, 0, -1, 1, 1, 1, -1}},
    {"Relu", {NAN, 0, INFINITY, 0, 0, 0, 200, 0.5, 2.5, 0}},
    {"Relu6", {NAN, 0, 6, 0, 0, 0, 6, 0.5, 2.5, 0}},
    {"Elu", {NAN, -1, INFINITY, 0, 0, -1, 200, 0.5, 2.5, -0.917915}},
    {"Softplus", {NAN, 0, INFINITY, 0.6931472, 0.6931472, 0, 200, 0.974077, 2.5788898, 0.07888974}},
    {"Sigmoid", {NAN, 0, 1, 0.5, 0.5, 0, 1, 0.62245935, 0.9241418, 0.07585818}},
    {"Softsign", {NAN, NAN, NAN, 0, 0, -0.9950249, 0.9950249, 0.33333334, 0.71428573, -0.71428573}},
    {"Round", {NAN, -INFINITY, INFINITY, 0, 0, -200, 200, 0, 2, -2}},
    {"Rsqrt", {NAN, NAN, 0, -INFINITY, INFINITY, NAN, 0.07071068, 1.4142135, 0.6324555, NAN}},
    {"LeakyRelu", {NAN, -INFINITY, INFINITY, 0, 0, -50, 200, 0.5, 2.5, -0.625}},
    {"IsNan", {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"IsInf", {0, 1, 1, 0, 0, 0, 0, 0, 0, 0}},
    {"IsFinite", {0, 0, 0, 1, 1, 1, 1, 1, 1, 1}},
};

static void edges_of(size_t k, mf_dtype dtype) {
  const char *op = edge_cases[k].op;
  mf_dtype to = op[0] == 'I' ? MF_BOOL : dtype;
  int64_t n = EDGES;
  array x = array_new(dtype, 1, &n), y = array_new(to, 1, &n), want = array_new(to, 1, &n);
  for (int i = 0; i < EDGES; i++) {
    array_set(&x, i, edge[i]);
    array_set(&want, i, edge_cases[k].want[i]);
  }
  run_unary(op, dtype, to, &x, &y, 0);
  check_close(&y, &want, 2e-6, 1e-7, op);
  array_free(&x);
  array_free(&y);
  array_free(&want);
}

static void logical_not(void) {
  int64_t n = 9;
  array x = array_new(MF_BOOL, 1, &n), y = array_new(MF_BOOL, 1, &n), want = array_new(MF_BOOL, 1, &n);
  array_random(&x, 0, 1);
  for (int64_t i = 0; i < n; i++) array_set(&want, i, array_get(&x, i) == 0);
  call c = {.op = "LogicalNot", .in = {&x}, .n_in = 1, .out = {&y}, .n_out = 1};
  call_run(&c);
  check_close(&y, &want, 0, 0, "LogicalNot");
  array_free(&x);
  array_free(&y);
  array_free(&want);
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

void test_unary(void) {
  static const mf_dtype numbers[] = {MF_FLOAT32, MF_FLOAT64, MF_INT32, MF_INT64};
  for (size_t t = 0; t < 2; t++) {
    for (size_t i = 0; i < COUNT(float_cases); i++) all_sizes(&float_cases[i], numbers[t], numbers[t]);
    for (size_t i = 0; i < COUNT(test_cases); i++) all_sizes(&test_cases[i], numbers[t], MF_BOOL);
    for (size_t i = 0; i < COUNT(edge_cases); i++) edges_of(i, numbers[t]);
  }
  for (size_t t = 0; t < COUNT(numbers); t++)
    for (size_t i = 0; i < COUNT(number_cases); i++) all_sizes(&number_cases[i], numbers[t], numbers[t]);
  all_sizes(&invert_case, MF_INT32, MF_INT32);
  all_sizes(&invert_case, MF_INT64, MF_INT64);
  logical_not();
}
