/* test_reduction.c - reductions over every kind of axis set, long and short, and BiasAdd with its gradient. */
#include <math.h>
#include <stdio.h>

#include "harness.h"

enum { SUM, MEAN, PROD, MAX, MIN, ALL, ANY, ARG_MAX, ARG_MIN };
static const char *const names[] = {"Sum", "Mean", "Prod", "Max", "Min", "All", "Any", "ArgMax", "ArgMin"};

/* Shapes with the axes that are reduced (bit d = axis d). */
static const struct shape_case {
  int rank;
  int64_t dims[ARRAY_RANK];
  uint32_t axes;
} shapes[] = {
    {0, {0}, 0},          {1, {7}, 1},            {1, {7}, 0},           {1, {1}, 1},           {2, {3, 5}, 1},
    {2, {3, 5}, 2},       {2, {3, 5}, 3},         {2, {5, 0}, 2},        {2, {0, 5}, 2},        {2, {5, 0}, 1},
    {2, {3, 600}, 2},     {2, {600, 3}, 1},       {2, {70, 40}, 1},      {2, {40, 70}, 2},      {1, {9000}, 1},
    {2, {2, 9000}, 2},    {2, {1500, 40}, 1},     {3, {4, 5, 6}, 5},     {3, {4, 5, 6}, 2},     {3, {8, 6, 700}, 5},
    {4, {2, 3, 4, 5}, 7}, {4, {2, 3, 4, 5}, 10},  {4, {2, 3, 4, 5}, 5},  {4, {1, 3, 1, 5}, 5},  {4, {2, 1, 3, 2}, 2},
    {6, {2, 3, 2, 2, 3, 2}, 21}, {6, {2, 3, 2, 2, 3, 2}, 42},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double start_of(int kind) {
  if (kind == PROD || kind == ALL) return 1;
  return kind == MAX ? -INFINITY : kind == MIN ? INFINITY : 0;
}

/* The result in its own dtype: means of integers are cut, the extremes of nothing are the ends of the range. */
static void finish(int kind, int64_t length, const array *wide, array *want) {
  bool real = want->dtype == MF_FLOAT32 || want->dtype == MF_FLOAT64;
  for (int64_t o = 0; o < want->count; o++) {
    double v = array_get(wide, o);
    if (kind == MEAN) v = length ? v / (double)length : real ? NAN : 0;
    if (!real && isinf(v) && want->dtype == MF_INT64) ((int64_t *)want->data)[o] = v < 0 ? INT64_MIN : INT64_MAX;
    else if (!real && isinf(v)) array_set(want, o, v < 0 ? INT32_MIN : INT32_MAX);
    else array_set(want, o, real ? v : trunc(v));
  }
}

static double join(int kind, double a, double b) {
  switch (kind) {
    case PROD: return a * b;
    case MAX: return a > b ? a : b;
    case MIN: return a < b ? a : b;
    case ALL: return a != 0 && b != 0;
    case ANY: return a != 0 || b != 0;
    default: return a + b;
  }
}

/* Number of the output that element i belongs to; *position: where along the reduced axes. */
static int64_t output_of(const struct shape_case *s, int64_t i, int64_t *position) {
  int64_t output = 0, stride = 1, along = 0, along_stride = 1;
  for (int d = s->rank - 1; d >= 0; d--) {
    int64_t at = i % s->dims[d];
    i /= s->dims[d];
    if ((s->axes >> d) & 1) {
      along += at * along_stride;
      along_stride *= s->dims[d];
    } else {
      output += at * stride;
      stride *= s->dims[d];
    }
  }
  *position = along;
  return output;
}

static array output_array(const struct shape_case *s, mf_dtype t) {
  int64_t dims[ARRAY_RANK];
  int rank = 0;
  for (int d = 0; d < s->rank; d++)
    if (!((s->axes >> d) & 1)) dims[rank++] = s->dims[d];
  return array_new(t, rank, dims);
}

static int64_t reduced_length(const struct shape_case *s) {
  int64_t n = 1;
  for (int d = 0; d < s->rank; d++)
    if ((s->axes >> d) & 1) n *= s->dims[d];
  return n;
}

/* Joined in double, whatever the dtype. */
static void reference(const struct shape_case *s, int kind, const array *x, array *want) {
  array wide = array_new(MF_FLOAT64, want->shape.rank, want->shape.dims);
  int64_t position;
  for (int64_t o = 0; o < wide.count; o++) array_set(&wide, o, start_of(kind));
  for (int64_t i = 0; i < x->count; i++) {
    int64_t o = output_of(s, i, &position);
    array_set(&wide, o, join(kind, array_get(&wide, o), array_get(x, i)));
  }
  finish(kind, reduced_length(s), &wide, want);
  array_free(&wide);
}

/* The axes as int32 or, counted from the end, as int64. */
static array axes_array(const struct shape_case *s, bool from_end) {
  int64_t n = 0, at = 0;
  for (int d = 0; d < s->rank; d++) n += (s->axes >> d) & 1;
  array axes = array_new(from_end ? MF_INT64 : MF_INT32, 1, &n);
  for (int d = 0; d < s->rank; d++)
    if ((s->axes >> d) & 1) array_set(&axes, at++, from_end ? d - s->rank : d);
  return axes;
}

static void range_of(int kind, double *low, double *high) {
  *low = kind == PROD ? 0.9 : kind == ALL || kind == ANY ? 0 : -50;
  *high = kind == PROD ? 1.1 : kind == ALL || kind == ANY ? 1 : 50;
}

static void one_reduction(int kind, mf_dtype t, int k) {
  const struct shape_case *s = &shapes[k];
  double low, high;
  char what[80];
  array x = array_new(t, s->rank, s->dims), axes = axes_array(s, k & 1), y = output_array(s, t),
        want = output_array(s, t);
  range_of(kind, &low, &high);
  array_random(&x, low, high);
  if (kind == ALL && x.count > 2)
    for (int64_t i = 0; i < x.count; i++) array_set(&x, i, i != x.count - 1);
  reference(s, kind, &x, &want);
  call c = {.op = names[kind], .attrs = {A_TYPE("T", t), A_BOOL("keep_dims", false)}, .n_attrs = 2, .in = {&x, &axes},
            .n_in = 2, .out = {&y}, .n_out = 1, .shift = k % 3};
  call_run(&c);
  snprintf(what, sizeof what, "%s dtype %d, shape %d", names[kind], (int)t, k);
  double scale = sqrt((double)reduced_length(s) + 1);
  check_close(&y, &want, t == MF_FLOAT32 ? 1e-6 * scale : 1e-13 * scale, t == MF_FLOAT32 ? 1e-5 * scale : 1e-11, what);
  array_free(&x);
  array_free(&axes);
  array_free(&y);
  array_free(&want);
}

/* ---- positions of extremes */

static void reference_arg(const struct shape_case *s, int kind, const array *x, array *want) {
  array best = array_new(MF_FLOAT64, want->shape.rank, want->shape.dims);
  for (int64_t o = 0; o < want->count; o++) array_set(&best, o, NAN);
  for (int64_t i = 0; i < x->count; i++) {
    int64_t position, o = output_of(s, i, &position);
    double v = array_get(x, i), b = array_get(&best, o);
    if (isnan(v) || !(isnan(b) || (kind == ARG_MAX ? v > b : v < b))) continue;
    array_set(&best, o, v);
    array_set(want, o, (double)position);
  }
  array_free(&best);
}

static void one_arg(int kind, mf_dtype t, mf_dtype index, int k, bool with_nan) {
  const struct shape_case *s = &shapes[k];
  if (s->axes == 0 || (s->axes & (s->axes - 1)) || !reduced_length(s)) return;   /* one axis, not empty */
  char what[80];
  array x = array_new(t, s->rank, s->dims), axis = array_new(MF_INT32, 0, NULL), y = output_array(s, index);
  array want = output_array(s, index);
  array_set(&axis, 0, __builtin_ctz(s->axes));
  array_random(&x, -3, 3);
  for (int64_t i = 0; i < x.count; i++) array_set(&x, i, floor(array_get(&x, i)));   /* many equal values */
  for (int64_t i = 0; with_nan && i < x.count; i += 3) array_set(&x, i, NAN);
  reference_arg(s, kind, &x, &want);
  call c = {.op = names[kind],
            .attrs = {A_TYPE("T", t), A_TYPE("output_type", index)},
            .n_attrs = 2,
            .in = {&x, &axis},
            .n_in = 2,
            .out = {&y},
            .n_out = 1};
  call_run(&c);
  snprintf(what, sizeof what, "%s dtype %d, shape %d", names[kind], (int)t, k);
  check_close(&y, &want, 0, 0, what);
  array_free(&x);
  array_free(&axis);
  array_free(&y);
  array_free(&want);
}

/* NaN in, NaN out (TensorFlow 2.21: reduce_max([nan, 1, 2]) is nan wherever the NaN stands). */
static void nan_through(const char *op, int at) {
  int64_t n = 3, one = 1;
  array x = array_new(MF_FLOAT32, 1, &n), axes = array_new(MF_INT32, 1, &one), y = array_new(MF_FLOAT32, 0, NULL);
  for (int i = 0; i < 3; i++) array_set(&x, i, i == at ? NAN : i);
  call c = {.op = op,
            .attrs = {A_TYPE("T", MF_FLOAT32)},
            .n_attrs = 1,
            .in = {&x, &axes},
            .n_in = 2,
            .out = {&y},
            .n_out = 1};
  call_run(&c);
  check(isnan(array_get(&y, 0)), "%s keeps a NaN at %d", op, at);
  array_free(&x);
  array_free(&axes);
  array_free(&y);
}

/* TensorFlow sums int32 means in int64: the mean of 2147483647 three times is itself. */
static void wide_mean(void) {
  int64_t n = 3, one = 1;
  array x = array_new(MF_INT32, 1, &n), axes = array_new(MF_INT32, 1, &one), y = array_new(MF_INT32, 0, NULL);
  for (int i = 0; i < 3; i++) array_set(&x, i, INT32_MAX);
  call c = {.op = "Mean", .attrs = {A_TYPE("T", MF_INT32)}, .n_attrs = 1, .in = {&x, &axes}, .n_in = 2, .out = {&y},
            .n_out = 1};
  call_run(&c);
  check(array_get(&y, 0) == INT32_MAX, "Mean of three INT32_MAX: received %g", array_get(&y, 0));
  array_free(&x);
  array_free(&axes);
  array_free(&y);
}

/* ---- bias */

static void one_bias(mf_dtype t, int rank, const int64_t *dims, bool nchw) {
  int channel = nchw ? 1 : rank - 1;
  struct shape_case s = {.rank = rank, .axes = ((UINT32_C(1) << rank) - 1) & ~(UINT32_C(1) << channel)};
  for (int d = 0; d < rank; d++) s.dims[d] = dims[d];
  array x = array_new(t, rank, dims), bias = array_new(t, 1, &dims[channel]), y = array_new(t, rank, dims);
  array want = array_new(t, rank, dims), db = array_new(t, 1, &dims[channel]),
        want_db = array_new(MF_FLOAT64, 1, &dims[channel]);
  array_random(&x, -9, 9);
  array_random(&bias, -9, 9);
  for (int64_t i = 0; i < x.count; i++) {
    int64_t position, o = output_of(&s, i, &position);
    array_set(&want, i, array_get(&x, i) + array_get(&bias, o));
    array_set(&want_db, o, array_get(&want_db, o) + array_get(&x, i));
  }
  mf_named_attr layout =
      nchw ? (mf_named_attr)MF_A_STR("data_format", "NCHW") : (mf_named_attr)MF_A_STR("data_format", "NHWC");
  call c = {.op = "BiasAdd",
            .attrs = {A_TYPE("T", t), layout},
            .n_attrs = 2,
            .in = {&x, &bias},
            .n_in = 2,
            .out = {&y},
            .n_out = 1};
  call_run(&c);
  check_close(&y, &want, 1e-6, 1e-6, nchw ? "BiasAdd NCHW" : "BiasAdd NHWC");
  call g = {.op = "BiasAddGrad",
            .attrs = {A_TYPE("T", t), layout},
            .n_attrs = 2,
            .in = {&x},
            .n_in = 1,
            .out = {&db},
            .n_out = 1};
  call_run(&g);
  check_close(&db, &want_db, 1e-5, 1e-3, nchw ? "BiasAddGrad NCHW" : "BiasAddGrad NHWC");
  array_free(&x);
  array_free(&bias);
  array_free(&y);
  array_free(&want);
  array_free(&db);
  array_free(&want_db);
}

void test_reduction(void) {
  static const mf_dtype types[] = {MF_FLOAT32, MF_FLOAT64, MF_INT32, MF_INT64};
  static const int64_t image[] = {4, 6, 5, 3}, matrix[] = {300, 10}, tall[] = {2000, 33};
  for (int k = 0; k < SHAPES; k++) {
    for (int t = 0; t < 4; t++) {
      for (int kind = SUM; kind <= MIN; kind++) one_reduction(kind, types[t], k);
      for (int kind = ARG_MAX; kind <= ARG_MIN; kind++) one_arg(kind, types[t], t & 1 ? MF_INT32 : MF_INT64, k, false);
    }
    for (int kind = ALL; kind <= ANY; kind++) one_reduction(kind, MF_BOOL, k);
    one_arg(ARG_MAX, MF_FLOAT32, MF_INT64, k, true);
    one_arg(ARG_MIN, MF_FLOAT64, MF_INT64, k, true);
  }
  wide_mean();
  for (int at = 0; at < 3; at++) {
    nan_through("Max", at);
    nan_through("Min", at);
  }
  for (int t = 0; t < 2; t++) {
    one_bias(types[t], 4, image, false);
    one_bias(types[t], 4, image, true);
    one_bias(types[t], 2, matrix, false);
    one_bias(types[t], 2, tall, false);
  }
}
