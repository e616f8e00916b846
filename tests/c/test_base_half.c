/* test_base_half.c - 16-bit floats. Expected words and sums come from tf.cast of TensorFlow 2.21. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/half.h"

typedef struct row {
  uint32_t f32;
  uint16_t f16, bf16;
} row;

/* Ones and ties (first two lines), the largest float16 and infinity, the smallest ones, NaN. */
static const row rows[] = {
    {0x00000000, 0x0000, 0x0000}, {0x80000000, 0x8000, 0x8000}, {0x3F800000, 0x3C00, 0x3F80},
    {0xBFC00000, 0xBE00, 0xBFC0}, {0x3F801000, 0x3C00, 0x3F80}, {0x3F803000, 0x3C02, 0x3F80},
    {0x3F801001, 0x3C01, 0x3F80}, {0x3F808000, 0x3C04, 0x3F80}, {0x3F818000, 0x3C0C, 0x3F82},
    {0x3F808001, 0x3C04, 0x3F81}, {0x477FE000, 0x7BFF, 0x4780}, {0x477FEFFF, 0x7BFF, 0x4780},
    {0x477FF000, 0x7C00, 0x4780}, {0x7F7FFFFF, 0x7C00, 0x7F80}, {0xFF800000, 0xFC00, 0xFF80},
    {0x38800000, 0x0400, 0x3880}, {0x387FFFFF, 0x0400, 0x3880}, {0x33800000, 0x0001, 0x3380},
    {0x33000000, 0x0000, 0x3300}, {0x33000001, 0x0001, 0x3300}, {0x33C00000, 0x0002, 0x33C0},
    {0x00000001, 0x0000, 0x0000}, {0x00400000, 0x0000, 0x0040}, {0x40490FDB, 0x4248, 0x4049},
    {0xC2F6E979, 0xD7B7, 0xC2F7}, {0x7FC00000, 0x7E00, 0x7FC0}, {0x7F812345, 0x7E09, 0x7FC0},
    {0xFFD0AEA5, 0xFE85, 0x7FC0},
};
enum { ROWS = sizeof rows / sizeof *rows, ALL = 65536 };

START_TEST(single_values) {
  for (int i = 0; i < ROWS; i++) {
    ck_assert_uint_eq(mf_half_from_float(mfi_bits_float(rows[i].f32)), rows[i].f16);
    ck_assert_uint_eq(mf_bfloat16_from_float(mfi_bits_float(rows[i].f32)), rows[i].bf16);
  }
  ck_assert_double_eq(mf_half_to_float(0x3555), 0.333251953125);
  ck_assert_double_eq(mf_half_to_float(0x0001), 5.9604644775390625e-8);
  ck_assert_double_eq(mf_half_to_float(0x83FF), -6.09755516052246094e-5);
  ck_assert_double_eq(mf_half_to_float(0x7BFF), 65504);
  ck_assert(isinf(mf_half_to_float(0xFC00)) && mf_half_to_float(0xFC00) < 0);
  ck_assert(isnan(mf_half_to_float(0x7C01)));
  ck_assert_double_eq(mf_bfloat16_to_float(0xC2F7), -123.5);
}
END_TEST

static uint64_t weighted(const uint16_t *h, int n) {
  uint64_t sum = 0;
  for (int i = 0; i < n; i++) sum += (uint64_t)h[i] * (uint64_t)(i + 1);
  return sum;
}

START_TEST(arrays) {
  static float f[ALL];
  static uint16_t h[ALL];
  for (int i = 0; i < ALL; i++) f[i] = mfi_bits_float((uint32_t)i * 65537u + 12345u);
  mf_half_array_from_float(f, h, ALL);
  ck_assert_uint_eq(weighted(h, ALL), UINT64_C(0x56D8CBC30B88));
  mf_bfloat16_array_from_float(f, h, ALL);
  ck_assert_uint_eq(weighted(h, ALL), UINT64_C(0x5514D921CC44));

  uint64_t sum = 0;
  for (int i = 0; i < ALL; i++) h[i] = (uint16_t)i;
  mf_half_array_to_float(h, f, ALL);
  for (int i = 0; i < ALL; i++) sum += (uint64_t)mfi_float_bits(f[i]) * (uint64_t)(i + 1);
  ck_assert_uint_eq(sum, UINT64_C(0x51F7021A7E800000));
}
END_TEST

/* Vector body and scalar tail agree, at every length, and every 16-bit word survives the way there and back. */
START_TEST(arrays_agree_with_single_values) {
  static float f[ALL], back[ALL];
  static uint16_t h[ALL], words[ALL];
  for (int i = 0; i < ALL; i++) words[i] = (uint16_t)i;
  mf_half_array_to_float(words, f, ALL);
  mf_half_array_from_float(f, h, ALL);
  mf_bfloat16_array_to_float(words, back, ALL);
  for (int i = 0; i < ALL; i++) {
    uint32_t bits = mfi_float_bits(f[i]);
    bool same = bits == mfi_float_bits(mf_half_to_float((uint16_t)i)) && h[i] == mf_half_from_float(f[i]) &&
                (isnan(f[i]) || h[i] == i) && mfi_float_bits(back[i]) == (uint32_t)i << 16;
    if (!same) ck_abort_msg("word 0x%04X", (unsigned)i);
  }
  for (int n = 0; n < 20; n++) {
    uint16_t a[21] = {0}, b[21] = {0};
    mf_half_array_from_float(f + 0x3C00, a, n);
    mf_bfloat16_array_from_float(f + 0x3C00, b, n);
    for (int i = 0; i < 21; i++) {
      ck_assert_uint_eq(a[i], i < n ? 0x3C00 + i : 0);
      ck_assert_uint_eq(b[i], i < n ? mf_bfloat16_from_float(f[0x3C00 + i]) : 0);
    }
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("base_half");
  TCase *tests = tcase_create("half");
  tcase_add_test(tests, single_values);
  tcase_add_test(tests, arrays);
  tcase_add_test(tests, arrays_agree_with_single_values);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
