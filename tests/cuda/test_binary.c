/* test_binary.c - element-wise ops with two inputs: every broadcasting pattern, dtypes, corner cases. */
#include <math.h>
#include <stdio.h>

#include "harness.h"

typedef struct binary_case {
  const char *op;
  double (*reference)(double a, double b);
  double low, high;         /* of both operands ... */
  double low_b, high_b;     /* ... unless these differ */
} binary_case;

static double ref_add(double a, double b) { return a + b; }
static double ref_sub(double a, double b) { return a - b; }
static double ref_mul(double a, double b) { return a * b; }
static double ref_div(double a, double b) { return a / b; }
static double ref_trunc_div(double a, double b) { return trunc(a / b); }
static double ref_div_no_nan(double a, double b) { return b == 0 ? 0 : a / b; }
static double ref_mul_no_nan(double a, double b) { return b == 0 ? 0 : a * b; }
static double ref_xlogy(double a, double b) { return a == 0 ? 0 : a * log(b); }
static double ref_xlog1py(double a, double b) { return a == 0 ? 0 : a * log1p(b); }
static double ref_xdivy(double a, double b) { return a == 0 ? 0 : a / b; }
static double ref_bit_and(double a, double b) { return (double)((int64_t)a & (int64_t)b); }
static double ref_bit_or(double a, double b) { return (double)((int64_t)a | (int64_t)b); }
static double ref_bit_xor(double a, double b) { return (double)((int64_t)a ^ (int64_t)b); }
static double ref_floor_div(double a, double b) { return floor(a / b); }
static double ref_floor_mod(double a, double b) { return a - b * floor(a / b); }
static double ref_squared_difference(double a, double b) { return pow(a - b, 2); }
static double ref_equal(double a, double b) { return a == b; }
static double ref_not_equal(double a, double b) { return a != b; }
static double ref_less(double a, double b) { return a < b; }
static double ref_less_equal(double a, double b) { return a <= b; }
static double ref_greater(double a, double b) { return a > b; }
static double ref_greater_equal(double a, double b) { return a >= b; }
static double ref_and(double a, double b) { return a != 0 && b != 0; }
static double ref_or(double a, double b) { return a != 0 || b != 0; }

static const binary_case number_cases[] = {
    {"Add", ref_add, -99, 99, 0, 0},
    {"AddV2", ref_add, -99, 99, 0, 0},
    {"Sub", ref_sub, -99, 99, 0, 0},
    {"Mul", ref_mul, -99, 99, 0, 0},
    {"Maximum", fmax, -99, 99, 0, 0},
    {"Minimum", fmin, -99, 99, 0, 0},
    {"SquaredDifference", ref_squared_difference, -99, 99, 0, 0},
    {"FloorDiv", ref_floor_div, -99, 99, 3, 7},
    {"FloorMod", ref_floor_mod, 1, 99, -7, -3},
    {"Pow", pow, 1, 5, 0, 4},
};
static const binary_case float_cases[] = {
    {"Div", ref_div, -9, 9, 0.1, 5},        {"RealDiv", ref_div, -9, 9, 0.1, 5},
    {"DivNoNan", ref_div_no_nan, -9, 9, -5, 5}, {"MulNoNan", ref_mul_no_nan, -9, 9, -5, 5},
    {"Xlogy", ref_xlogy, -9, 9, 0.1, 9},    {"Xlog1py", ref_xlog1py, -9, 9, -0.9, 9},
    {"Xdivy", ref_xdivy, -9, 9, 0.1, 9},    {"Mod", fmod, -99, 99, 3, 7},
    {"TruncateMod", fmod, -99, 99, 3, 7},   {"Atan2", atan2, -9, 9, 0, 0},
};
static const binary_case integer_cases[] = {
    {"Div", ref_trunc_div, -99, 99, 3, 7},
    {"TruncateDiv", ref_trunc_div, -99, 99, -7, -3},
    {"TruncateMod", fmod, -99, 99, 3, 7},
    {"Mod", fmod, -99, 99, 3, 7},
    {"BitwiseAnd", ref_bit_and, -99, 99, 0, 0},
    {"BitwiseOr", ref_bit_or, -99, 99, 0, 0},
    {"BitwiseXor", ref_bit_xor, -99, 99, 0, 0},
};
static const binary_case compare_cases[] = {
    {"Equal", ref_equal, -3, 3, 0, 0}, {"NotEqual", ref_not_equal, -3, 3, 0, 0}, {"Less", ref_less, -3, 3, 0, 0},
    {"LessEqual", ref_less_equal, -3, 3, 0, 0}, {"Greater", ref_greater, -3, 3, 0, 0},
    {"GreaterEqual", ref_greater_equal, -3, 3, 0, 0},
};
static const binary_case logic_cases[] = {{"LogicalAnd", ref_and, 0, 1, 0, 0}, {"LogicalOr", ref_or, 0, 1, 0, 0}};

/* Shapes of the two operands; -1 ends a list. */
static const int64_t patterns[][2][ARRAY_RANK + 1] = {
    {{-1}, {-1}},
    {{5, -1}, {5, -1}},
    {{1031, -1}, {1031, -1}},
    {{1031, -1}, {-1}},
    {{-1}, {257, -1}},
    {{1, 1, -1}, {5, 7, -1}},
    {{3, 5, -1}, {5, -1}},
    {{5, -1}, {3, 5, -1}},
    {{6, 1, -1}, {1, 7, -1}},
    {{2, 1, 4, -1}, {3, 1, -1}},
    {{2, 1, 3, 1, 5, -1}, {1, 4, 1, 2, 1, -1}},
    {{2, 3, 4, -1}, {2, 3, 4, -1}},
    {{33, 64, -1}, {64, -1}},
    {{0, 3, -1}, {3, -1}},
    {{2, 3, -1}, {0, 1, 1, -1}},
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static array array_of(mf_dtype dtype, const int64_t *dims) {
  int rank = 0;
  while (dims[rank] >= 0) rank++;
  return array_new(dtype, rank, dims);
}

/* The output's shape by numpy's rule. */
static array broadcast_array(mf_dtype dtype, const mf_shape *a, const mf_shape *b) {
  int64_t dims[ARRAY_RANK];
  int rank = a->rank > b->rank ? a->rank : b->rank;
  for (int i = 0; i < rank; i++) {
    int at = i - (rank - a->rank), bt = i - (rank - b->rank);
    int64_t da = at < 0 ? 1 : a->dims[at], db = bt < 0 ? 1 : b->dims[bt];
    dims[i] = da == 1 ? db : da;
  }
  return array_new(dtype, rank, dims);
}

/* Where element i of an array of shape `out` comes from in an operand of shape `s`. */
static int64_t source_index(const mf_shape *out, const mf_shape *s, int64_t i) {
  int64_t index = 0, stride = 1;
  for (int d = out->rank - 1; d >= 0; d--) {
    int sd = d - (out->rank - s->rank);
    int64_t at = i % out->dims[d];
    i /= out->dims[d];
    if (sd < 0) continue;
    if (s->dims[sd] != 1) index += at * stride;
    stride *= s->dims[sd];
  }
  return index;
}

static void one_pattern(const binary_case *b, mf_dtype dtype, mf_dtype to, int p, bool typed) {
  array x = array_of(dtype, patterns[p][0]), y = array_of(dtype, patterns[p][1]);
  array z = broadcast_array(to, &x.shape, &y.shape), want = broadcast_array(to, &x.shape, &y.shape);
  bool own = b->low_b != 0 || b->high_b != 0;
  char what[80];
  array_random(&x, b->low, b->high);
  array_random(&y, own ? b->low_b : b->low, own ? b->high_b : b->high);
  if (x.count == y.count && x.count > 2) array_set(&x, 1, array_get(&y, 1));   /* so that something is equal */
  for (int64_t i = 0; i < want.count; i++) {
    double a = array_get(&x, source_index(&want.shape, &x.shape, i));
    array_set(&want, i, b->reference(a, array_get(&y, source_index(&want.shape, &y.shape, i))));
  }
  call c = {.op = b->op,
            .attrs = {A_TYPE("T", dtype)},
            .n_attrs = typed,
            .in = {&x, &y},
            .n_in = 2,
            .out = {&z},
            .n_out = 1,
            .shift = p == 2};
  call_run(&c);
  snprintf(what, sizeof what, "%s dtype %d, pattern %d", b->op, (int)dtype, p);
  check_close(&z, &want, dtype == MF_FLOAT32 ? 2e-6 : 1e-13, dtype == MF_FLOAT32 ? 2e-5 : 1e-12, what);
  array_free(&x);
  array_free(&y);
  array_free(&z);
  array_free(&want);
}

static void all_patterns(const binary_case *cases, size_t n, mf_dtype dtype, bool to_bool, bool typed) {
  for (size_t i = 0; i < n; i++)
    for (int p = 0; p < PATTERNS; p++) one_pattern(&cases[i], dtype, to_bool ? MF_BOOL : dtype, p, typed);
}

/* What TensorFlow 2.21 gives at the edges. */
static const double edge_a[] = {NAN, 1, NAN, -0.0, 5, -5, 3, 0, 5, -5, INFINITY, 1};
static const double edge_b[] = {1, NAN, NAN, 0.0, -3, -3, 0, 5, INFINITY, INFINITY, 3, -INFINITY};
enum { EDGES = sizeof edge_a / sizeof *edge_a };
static const struct {
  const char *op;
  double want[EDGES];
} edge_cases[] = {
    {"Maximum", {NAN, NAN, NAN, 0, 5, -3, 3, 5, INFINITY, INFINITY, INFINITY, 1}},
    {"Minimum", {NAN, NAN, NAN, 0, -3, -5, 0, 0, 5, -5, 3, -INFINITY}},
    {"DivNoNan", {NAN, NAN, NAN, 0, -1.6666666, 1.6666666, 0, 0, 0, 0, INFINITY, 0}},
    {"FloorDiv", {NAN, NAN, NAN, NAN, -2, 1, INFINITY, 0, 0, 0, INFINITY, 0}},
    {"FloorMod", {NAN, NAN, NAN, NAN, -1, -2, NAN, 0, 5, INFINITY, NAN, -INFINITY}},
    {"Pow", {NAN, 1, NAN, 1, 0.008, -0.008, 1, 0, INFINITY, INFINITY, INFINITY, 1}},
    {"Equal", {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"NotEqual", {1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"GreaterEqual", {0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1}},
};

static void edges_of(size_t k, mf_dtype dtype) {
  const char *op = edge_cases[k].op;
  mf_dtype to = op[0] == 'E' || op[0] == 'N' || op[0] == 'G' ? MF_BOOL : dtype;
  int64_t n = EDGES;
  array x = array_new(dtype, 1, &n), y = array_new(dtype, 1, &n), z = array_new(to, 1, &n),
        want = array_new(to, 1, &n);
  for (int i = 0; i < EDGES; i++) {
    array_set(&x, i, edge_a[i]);
    array_set(&y, i, edge_b[i]);
    array_set(&want, i, edge_cases[k].want[i]);
  }
  call c = {.op = op, .attrs = {A_TYPE("T", dtype)}, .n_attrs = 1, .in = {&x, &y}, .n_in = 2, .out = {&z}, .n_out = 1};
  call_run(&c);
  check_close(&z, &want, 1e-6, 0, op);
  array_free(&x);
  array_free(&y);
  array_free(&z);
  array_free(&want);
}

/* Integers: lowest value, division by zero, negative exponents. Hand arithmetic in two's complement. */
static void integer_edges(void) {
  static const struct {
    const char *op;
    int32_t a, b, want;
  } cases[] = {
      {"FloorDiv", -7, 2, -4}, {"FloorDiv", 7, -2, -4}, {"FloorMod", -7, 3, 2}, {"FloorMod", 7, -3, -2},
      {"FloorDiv", INT32_MIN, -1, INT32_MIN}, {"FloorDiv", 5, 0, 0}, {"FloorMod", 5, 0, 0}, {"TruncateDiv", -7, 2, -3},
      {"TruncateMod", -7, 2, -1}, {"Pow", -3, 3, -27}, {"Pow", 2, 33, 0}, {"Pow", -1, -3, -1}, {"Pow", 7, -1, 0},
      {"AddV2", INT32_MAX, 1, INT32_MIN}, {"Mul", 65536, 65536, 0}, {"Sub", INT32_MIN, 1, INT32_MAX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    array x = array_new(MF_INT32, 0, NULL), y = array_new(MF_INT32, 0, NULL), z = array_new(MF_INT32, 0, NULL);
    array_set(&x, 0, cases[i].a);
    array_set(&y, 0, cases[i].b);
    call c = {.op = cases[i].op,
              .attrs = {A_TYPE("T", MF_INT32)},
              .n_attrs = 1,
              .in = {&x, &y},
              .n_in = 2,
              .out = {&z},
              .n_out = 1};
    call_run(&c);
    check(array_get(&z, 0) == cases[i].want, "%s of %d and %d: expected %d, received %g", cases[i].op, (int)cases[i].a,
          (int)cases[i].b, (int)cases[i].want, array_get(&z, 0));
    array_free(&x);
    array_free(&y);
    array_free(&z);
  }
}

/* Equal of shapes that do not fit gives a scalar: the kernel must leave that to the CPU. */
static void misfits(const char *op) {
  int64_t three = 3, four = 4;
  const char *why = NULL;
  array x = array_new(MF_FLOAT32, 1, &three), y = array_new(MF_FLOAT32, 1, &four), z = array_new(MF_BOOL, 0, NULL);
  call c = {.op = op, .attrs = {A_TYPE("T", MF_FLOAT32), A_BOOL("incompatible_shape_error", false)}, .n_attrs = 2,
            .in = {&x, &y}, .n_in = 2, .out = {&z}, .n_out = 1};
  check(call_kernel(&c, &why) == NULL && why, "%s of shapes that do not fit is refused", op);
  array_free(&x);
  array_free(&y);
  array_free(&z);
}

static void add_n(mf_dtype t, int inputs) {
  int64_t n = 517;
  array x[CALL_IN], y = array_new(t, 1, &n), want = array_new(t, 1, &n);
  call c = {.op = "AddN", .attrs = {A_TYPE("T", t)}, .n_attrs = 1, .n_in = inputs, .out = {&y}, .n_out = 1};
  for (int k = 0; k < inputs; k++) {
    x[k] = array_new(t, 1, &n);
    array_random(&x[k], -9 - k, 9 + 2 * k);
    c.in[k] = &x[k];
    for (int64_t i = 0; i < n; i++) array_set(&want, i, array_get(&want, i) + array_get(&x[k], i));
  }
  call_run(&c);
  check_close(&y, &want, 1e-6, 1e-6, "AddN");
  for (int k = 0; k < inputs; k++) array_free(&x[k]);
  array_free(&y);
  array_free(&want);
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

void test_binary(void) {
  static const mf_dtype types[] = {MF_FLOAT32, MF_FLOAT64, MF_INT32, MF_INT64};
  for (size_t t = 0; t < COUNT(types); t++) {
    all_patterns(number_cases, COUNT(number_cases), types[t], false, true);
    all_patterns(compare_cases, COUNT(compare_cases), types[t], true, true);
  }
  for (int k = 1; k <= CALL_IN; k++) {
    add_n(MF_FLOAT32, k);
    add_n(MF_INT64, k);
  }
  for (size_t t = 0; t < 2; t++) {
    all_patterns(float_cases, COUNT(float_cases), types[t], false, true);
    all_patterns(integer_cases, COUNT(integer_cases), types[t + 2], false, true);
    for (size_t k = 0; k < COUNT(edge_cases); k++) edges_of(k, types[t]);
  }
  all_patterns(compare_cases, 2, MF_BOOL, true, true);
  all_patterns(logic_cases, COUNT(logic_cases), MF_BOOL, true, false);
  integer_edges();
  misfits("Equal");
  misfits("NotEqual");
}
