/* test_cast.c - Cast between all pairs of dtypes, and SelectV2 and Select, which move elements of every size. */
#include <math.h>
#include <stdio.h>

#include "harness.h"

static const mf_dtype types[] = {MF_BOOL,    MF_UINT8,   MF_INT8,    MF_INT32,   MF_INT64,
                                 MF_FLOAT32, MF_FLOAT64, MF_FLOAT16, MF_BFLOAT16};
enum { TYPES = sizeof types / sizeof *types };

static bool is_float(mf_dtype t) { return t == MF_FLOAT32 || t == MF_FLOAT64 || t == MF_FLOAT16 || t == MF_BFLOAT16; }

static void cast_pair(mf_dtype from, mf_dtype to, int64_t n) {
  array x = array_new(from, 1, &n), y = array_new(to, 1, &n), want = array_new(to, 1, &n);
  char what[80];
  array_random(&x, from == MF_UINT8 || to == MF_UINT8 ? 0 : -100, 100);
  for (int64_t i = 0; i < n; i++) {
    double v = array_get(&x, i);
    array_set(&want, i, is_float(to) || to == MF_BOOL ? v : trunc(v));
  }
  call c = {.op = "Cast", .attrs = {A_TYPE("SrcT", from), A_TYPE("DstT", to), A_BOOL("Truncate", false)}, .n_attrs = 3,
            .in = {&x}, .n_in = 1, .out = {&y}, .n_out = 1, .shift = n & 1};
  call_run(&c);
  snprintf(what, sizeof what, "Cast from dtype %d to %d", (int)from, (int)to);
  check_close(&y, &want, 0, 0, what);
  array_free(&x);
  array_free(&y);
  array_free(&want);
}

/* Rounding to 16 bits: ties, subnormals, overflow, infinities and NaN. */
static void cast_half(mf_dtype to) {
  static const double values[] = {1.00048828125, 1.001,  65519,    65520,     65504, 1e-8,  5.9604644775390625e-8,
                                  3e-8,          8.9e-8, 6.1e-5,   -0.0,      1e39,  1e-40, -2.5e9,
                                  256.5,         257,    INFINITY, -INFINITY, NAN};
  int64_t n = sizeof values / sizeof *values;
  array x = array_new(MF_FLOAT32, 1, &n), y = array_new(to, 1, &n), back = array_new(MF_FLOAT32, 1, &n);
  array want = array_new(MF_FLOAT32, 1, &n);
  for (int64_t i = 0; i < n; i++) {
    array_set(&x, i, values[i]);
    double r =
        to == MF_FLOAT16 ? round_to_format(array_get(&x, i), 11, -24) : round_to_format(array_get(&x, i), 8, -133);
    array_set(&want, i, to == MF_FLOAT16 && fabs(r) >= 65536 ? copysign(INFINITY, r) : r);
  }
  call c = {.op = "Cast",
            .attrs = {A_TYPE("SrcT", MF_FLOAT32), A_TYPE("DstT", to)},
            .n_attrs = 2,
            .in = {&x},
            .n_in = 1,
            .out = {&y},
            .n_out = 1};
  call d = {.op = "Cast",
            .attrs = {A_TYPE("SrcT", to), A_TYPE("DstT", MF_FLOAT32)},
            .n_attrs = 2,
            .in = {&y},
            .n_in = 1,
            .out = {&back},
            .n_out = 1};
  call_run(&c);
  call_run(&d);
  check_close(&back, &want, 0, 0, to == MF_FLOAT16 ? "Cast to float16 and back" : "Cast to bfloat16 and back");
  array_free(&x);
  array_free(&y);
  array_free(&back);
  array_free(&want);
}

static void cast_refusals(void) {
  int64_t n = 1;
  array x = array_new(MF_FLOAT32, 1, &n), y = array_new(MF_FLOAT16, 1, &n);
  const char *why = NULL;
  call c = {.op = "Cast",
            .attrs = {A_TYPE("SrcT", MF_FLOAT32), A_TYPE("DstT", MF_COMPLEX64)},
            .n_attrs = 2,
            .in = {&x},
            .n_in = 1,
            .out = {&y},
            .n_out = 1};
  check(call_kernel(&c, &why) == NULL && why, "Cast to complex64 is refused with a reason");
  call d = {.op = "Cast", .attrs = {A_TYPE("SrcT", MF_FLOAT32), A_TYPE("DstT", MF_FLOAT16), A_BOOL("Truncate", true)},
            .n_attrs = 3, .in = {&x}, .n_in = 1, .out = {&y}, .n_out = 1};
  check(call_kernel(&d, &why) == NULL && why, "a truncating Cast is refused with a reason");
  array_free(&x);
  array_free(&y);
}

void test_cast(void) {
  for (int f = 0; f < TYPES; f++)
    for (int t = 0; t < TYPES; t++) cast_pair(types[f], types[t], 130 + (f + t) % 2);
  cast_half(MF_FLOAT16);
  cast_half(MF_BFLOAT16);
  cast_refusals();
}

/* ---- select */

static void select_case(const char *op, mf_dtype t, array cond, array a, array b, array out, int64_t row) {
  array want = array_new(t, out.shape.rank, out.shape.dims);
  array_random(&cond, 0, 1);
  array_random(&a, 1, 100);
  array_random(&b, 1, 100);
  for (int64_t i = 0; i < b.count; i++) array_set(&b, i, t == MF_BOOL ? 0 : array_get(&b, i) - 101);
  for (int64_t i = 0; i < want.count; i++) {
    bool first = array_get(&cond, cond.count == 1 ? 0 : i / row % cond.count) != 0;
    array_set(&want, i, first ? array_get(&a, i % a.count) : array_get(&b, i % b.count));
  }
  call c = {
      .op = op, .attrs = {A_TYPE("T", t)}, .n_attrs = 1, .in = {&cond, &a, &b}, .n_in = 3, .out = {&out}, .n_out = 1};
  call_run(&c);
  check_close(&out, &want, 0, 0, op);
  array_free(&cond);
  array_free(&a);
  array_free(&b);
  array_free(&out);
  array_free(&want);
}

void test_select(void) {
  static const mf_dtype all[] = {MF_BOOL, MF_INT8, MF_INT32, MF_INT64, MF_FLOAT32, MF_FLOAT64, MF_FLOAT16};
  static const int64_t full[] = {3, 4, 5}, column[] = {3, 1, 1}, row[] = {3, 1, 5}, last[] = {5}, vector[] = {3},
                       none[] = {0, 2};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    mf_dtype t = all[k];
    select_case("SelectV2", t, array_new(MF_BOOL, 3, full), array_new(t, 3, full), array_new(t, 3, full),
                array_new(t, 3, full), 1);
    select_case("SelectV2", t, array_new(MF_BOOL, 3, column), array_new(t, 1, last), array_new(t, 0, full),
                array_new(t, 3, row), 5);
    select_case("SelectV2", t, array_new(MF_BOOL, 0, full), array_new(t, 1, last), array_new(t, 3, full),
                array_new(t, 3, full), 1);
    select_case("SelectV2", t, array_new(MF_BOOL, 0, full), array_new(t, 2, none), array_new(t, 2, none),
                array_new(t, 2, none), 1);
    select_case("Select", t, array_new(MF_BOOL, 3, full), array_new(t, 3, full), array_new(t, 3, full),
                array_new(t, 3, full), 1);
    select_case("Select", t, array_new(MF_BOOL, 1, vector), array_new(t, 3, full), array_new(t, 3, full),
                array_new(t, 3, full), 20);
    select_case("Select", t, array_new(MF_BOOL, 0, full), array_new(t, 3, full), array_new(t, 3, full),
                array_new(t, 3, full), 1);
  }
}
