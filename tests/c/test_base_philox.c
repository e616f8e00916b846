/* test_base_philox.c - random streams. Every expected number was drawn by TensorFlow 2.21 with the same seeds (raw_ops
 * on the CPU, seed = 0x0123456789ABCDEF, seed2 = 0x77 unless said). Uniform numbers and integers are compared bit by
 * bit; normal ones to 4 units of the last place, since the C library's log and sin differ by processor. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"

enum { MANY = 100003 };
static const uint64_t seed = UINT64_C(0x0123456789ABCDEF), seed2 = 0x77;

static float float_of(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static double double_of(uint64_t bits) {
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}

static void near_f32(const float *got, const uint32_t *bits, int n) {
  for (int i = 0; i < n; i++) ck_assert_double_le(fabs((double)got[i] / float_of(bits[i]) - 1), 4 * 1.2e-7);
}

static void near_f64(const double *got, const uint64_t *bits, int n) {
  for (int i = 0; i < n; i++) ck_assert_double_le(fabs(got[i] / double_of(bits[i]) - 1), 4 * 2.3e-16);
}

START_TEST(uniform) {
  static const uint32_t f32[10] = {0x3F27BB04, 0x3F6D33D2, 0x3E042C40, 0x3F56BF32, 0x3E137F08,
                                   0x3EF72634, 0x3F3EE8A8, 0x3F7C1D62, 0x3F4104A2, 0x3F1D95DA};
  static const uint64_t f64[5] = {0x3FCEEC1303B4CF48, 0x3FA0B117AD6BF320, 0x3FC37F0B99EE4C68, 0x3FEEE8A85CFC1D62,
                                  0x3FA04A3D09D95DA0};
  mf_philox g = mf_philox_make(seed, seed2);
  float f[10];
  double d[5];
  mf_philox_uniform_f32(&g, 0, 10, f);
  mf_philox_uniform_f64(&g, 0, 5, d);
  ck_assert_mem_eq(f, f32, sizeof f32);
  ck_assert_mem_eq(d, f64, sizeof f64);
}
END_TEST

START_TEST(normal) {
  static const uint32_t f32[10] = {0xBED198FC, 0x3F52CCF7, 0xBFDBAF63, 0x3F893595, 0x3E5A852C,
                                   0xBFFA7E90, 0xBD955E52, 0x3F4334CF, 0xBEFF7CD0, 0xBF0FDBE6};
  static const uint64_t f64[5] = {0x3FD5F165C4C135BD, 0x3FFA67B7CB416AAB, 0xBFDA660CCAD18F5B, 0x3FFE54916154AE1F,
                                  0xC00304F537089531};
  mf_philox g = mf_philox_make(seed, seed2);
  float f[10];
  double d[5];
  mf_philox_normal_f32(&g, 0, 10, f);
  mf_philox_normal_f64(&g, 0, 5, d);
  near_f32(f, f32, 10);
  near_f64(d, f64, 5);
}
END_TEST

START_TEST(truncated_normal) {
  static const uint32_t f32[10] = {0xBED198FC, 0x3F52CCF7, 0xBFDBAF63, 0x3F893595, 0xBF3B302C,
                                   0x3FEF71D8, 0xBF65588E, 0xBF3AA84F, 0xBC3BC090, 0x3FD39BE9};
  static const uint64_t f64[5] = {0x3FD5F165C4C135BD, 0x3FFA67B7CB416AAB, 0x3FE7586DE5B7D5AB, 0x3FD77B4E64F4A63B,
                                  0x3FE259E12421E3E5};
  mf_philox g = mf_philox_make(seed, seed2);
  float f[10];
  double d[5];
  mf_philox_truncated_f32(&g, 0, 10, f);
  mf_philox_truncated_f64(&g, 0, 5, d);
  near_f32(f, f32, 10);
  near_f64(d, f64, 5);
}
END_TEST

START_TEST(integers_in_a_range) {
  static const int32_t i32[10] = {78, 433, 971, 769, 27, 203, 364, 89, 125, 167};
  static const int64_t i64[5] = {2339226286193630594, -185949846269569713, 3692328877881978849, -1261554691525872556,
                                 2904481932712628760};
  mf_philox g = mf_philox_make(seed, seed2);
  int32_t a[10];
  int64_t b[5];
  mf_philox_int_i32(&g, 0, 10, -7, 1000, a);
  mf_philox_int_i64(&g, 0, 5, -(INT64_C(1) << 62), (INT64_C(1) << 62) + 12345, b);
  ck_assert_mem_eq(a, i32, sizeof i32);
  ck_assert_mem_eq(b, i64, sizeof i64);
}
END_TEST

/* key 0x0123456789ABCDEF, counter {2^64 - 2, 2^32 - 1}: carries into every word of the counter. */
START_TEST(whole_words_with_carries) {
  static const uint64_t counter[2] = {UINT64_C(0xFFFFFFFFFFFFFFFE), UINT64_C(0xFFFFFFFF)};
  static const uint32_t expected[16] = {0x75F6D524, 0xAC0B6E34, 0xFA8BEE85, 0x35C898BE, 0x5890E3E5, 0x1A2AC01D,
                                        0x467C6791, 0x232391F7, 0xD0E1FE69, 0xFEE38B5F, 0xE81334EE, 0x6AD4EDF0,
                                        0x702F1BD3, 0x7201AD2F, 0x60AEAF84, 0xCC9AA80A};
  static const uint64_t expected64[8] = {
      0xAC0B6E3475F6D524, 0x35C898BEFA8BEE85, 0x1A2AC01D5890E3E5, 0x232391F7467C6791,
      0xFEE38B5FD0E1FE69, 0x6AD4EDF0E81334EE, 0x7201AD2F702F1BD3, 0xCC9AA80A60AEAF84};
  static uint32_t words[MANY];
  uint64_t pairs[8], sum = 0;
  mf_philox g = mf_philox_from_key_counter(seed, counter);
  mf_philox_full_u32(&g, 0, MANY, words);
  ck_assert_mem_eq(words, expected, sizeof expected);
  for (int i = 0; i < MANY; i++) sum += words[i];
  ck_assert_uint_eq(sum, UINT64_C(0x0000C3A3BE37F032));
  mf_philox_full_u64(&g, 0, 8, pairs);
  ck_assert_mem_eq(pairs, expected64, sizeof expected64);
  for (int i = 0; i < 16; i += 4) {
    uint32_t block[4];
    mf_philox_next(&g, block);
    ck_assert_mem_eq(block, expected + i, sizeof block);
  }
}
END_TEST

/* The last elements of 100,003, seed2 = 0x78; sum of the bits of as many, seed2 = 0x79. */
START_TEST(far_elements) {
  static const uint32_t uniform_bits[4] = {0x3F258954, 0x3EEA6174, 0x3EB510FC, 0x3F1C07AA};
  static const uint32_t normal_bits[4] = {0xBFB1C4AE, 0x3F7E87E5, 0xBF41FC96, 0xBEC91296};
  static const uint64_t normal64_bits[3] = {0xBFC433A02B25E688, 0x3FF105DF8BDCF85B, 0xBFCD3596A5A108A7};
  static const uint32_t truncated_bits[4] = {0x3F1A6D4D, 0x3FCABA8A, 0x3EBC7F39, 0x3F93449B};
  static const uint64_t truncated64_bits[3] = {0x3FFF4C87E2F5CEEE, 0xBFDD6ACFFEDEA378, 0x3FE037B947F7C6AF};
  static const int32_t ints[4] = {251, 933, 785, 52};
  static float all[MANY];
  mf_philox g = mf_philox_make(seed, seed2 + 1);
  float f[4];
  double d[3];
  int32_t i32[4];
  mf_philox_uniform_f32(&g, MANY - 4, 4, f);
  ck_assert_mem_eq(f, uniform_bits, sizeof f);
  mf_philox_normal_f32(&g, MANY - 4, 4, f);
  near_f32(f, normal_bits, 4);
  mf_philox_normal_f64(&g, MANY - 3, 3, d);
  near_f64(d, normal64_bits, 3);
  mf_philox_truncated_f32(&g, MANY - 4, 4, f);
  near_f32(f, truncated_bits, 4);
  mf_philox_truncated_f64(&g, MANY - 3, 3, d);
  near_f64(d, truncated64_bits, 3);
  mf_philox_int_i32(&g, MANY - 4, 4, -7, 1000, i32);
  ck_assert_mem_eq(i32, ints, sizeof i32);

  uint64_t sum = 0;
  g = mf_philox_make(seed, seed2 + 2);
  mf_philox_uniform_f32(&g, 0, MANY, all);
  for (int i = 0; i < MANY; i++) {
    uint32_t bits;
    memcpy(&bits, &all[i], sizeof bits);
    sum += bits;
  }
  ck_assert_uint_eq(sum, UINT64_C(0x00005FC04A0FF39A));
}
END_TEST

/* Sums of the magnitudes of 100,003 of them, seed2 = 0x79: what is rejected shows here. */
START_TEST(truncated_normals_stay_below_2) {
  static float f[MANY];
  static double d[MANY];
  double sum_f = 0, sum_d = 0, most = 0;
  mf_philox g = mf_philox_make(seed, seed2 + 2);
  mf_philox_truncated_f32(&g, 0, MANY, f);
  mf_philox_truncated_f64(&g, 0, MANY, d);
  for (int i = 0; i < MANY; i++) {
    sum_f += fabs((double)f[i]);
    sum_d += fabs(d[i]);
    most = fmax(most, fmax(fabs((double)f[i]), fabs(d[i])));
  }
  ck_assert_double_lt(most, 2);
  ck_assert_double_eq_tol(sum_f, 72013.29150199548, 1e-3);
  ck_assert_double_eq_tol(sum_d, 72213.54020209295, 1e-8);
}
END_TEST

/* A stateful op run twice in one session draws this the second time. */
START_TEST(the_second_draw_of_a_stateful_op) {
  static const uint32_t expected[6] = {0x3D877BB0, 0x3DCD6A90, 0x3E81FAE8, 0x3F578AE4, 0x3E625908, 0x3F56CB1E};
  mf_philox g = mf_philox_make(seed, seed2);
  float f[6];
  mf_philox_skip(&g, mf_philox_reserved_blocks(6));
  mf_philox_uniform_f32(&g, 0, 6, f);
  ck_assert_mem_eq(f, expected, sizeof f);
}
END_TEST

/* Any cut gives the bits of the whole. */
typedef void (*fill_fn)(const mf_philox *g, int64_t first, int64_t count, void *out);
static void uniform_f32(const mf_philox *g, int64_t a, int64_t n, void *out) { mf_philox_uniform_f32(g, a, n, out); }
static void uniform_f64(const mf_philox *g, int64_t a, int64_t n, void *out) { mf_philox_uniform_f64(g, a, n, out); }
static void normal_f32(const mf_philox *g, int64_t a, int64_t n, void *out) { mf_philox_normal_f32(g, a, n, out); }
static void normal_f64(const mf_philox *g, int64_t a, int64_t n, void *out) { mf_philox_normal_f64(g, a, n, out); }
static void cut_f32(const mf_philox *g, int64_t a, int64_t n, void *out) { mf_philox_truncated_f32(g, a, n, out); }
static void cut_f64(const mf_philox *g, int64_t a, int64_t n, void *out) { mf_philox_truncated_f64(g, a, n, out); }
static void int_i32(const mf_philox *g, int64_t a, int64_t n, void *out) { mf_philox_int_i32(g, a, n, -9, 77, out); }
static void int_i64(const mf_philox *g, int64_t a, int64_t n, void *out) { mf_philox_int_i64(g, a, n, -9, 77, out); }

START_TEST(any_cut_gives_the_same_bits) {
  enum { N = 3001 };
  static const struct {
    fill_fn fill;
    size_t size;
  } kinds[] = {{uniform_f32, 4}, {uniform_f64, 8},   {normal_f32, 4}, {normal_f64, 8},
               {cut_f32, 4},     {cut_f64, 8},     {int_i32, 4},    {int_i64, 8}};
  static const int64_t steps[] = {1, 2, 3, 7, 64, 511, 513, 1024};
  static unsigned char whole[N * 8], pieces[N * 8];
  uint64_t counter[2] = {UINT64_C(0xFFFFFF80), 3}; /* the lowest word runs over on the way */
  mf_philox g = mf_philox_from_key_counter(9, counter);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    kinds[k].fill(&g, 0, N, whole);
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
      memset(pieces, 0, sizeof pieces);
      for (int64_t at = 0; at < N; at += steps[s])
        kinds[k].fill(&g, at, at + steps[s] < N ? steps[s] : N - at, pieces + (size_t)at * kinds[k].size);
      ck_assert_mem_eq(whole, pieces, N * kinds[k].size);
    }
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("base_philox");
  TCase *tests = tcase_create("philox");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, uniform);
  tcase_add_test(tests, normal);
  tcase_add_test(tests, truncated_normal);
  tcase_add_test(tests, integers_in_a_range);
  tcase_add_test(tests, whole_words_with_carries);
  tcase_add_test(tests, far_elements);
  tcase_add_test(tests, truncated_normals_stay_below_2);
  tcase_add_test(tests, the_second_draw_of_a_stateful_op);
  tcase_add_test(tests, any_cut_gives_the_same_bits);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
