/* test_base_hash.c - the hash and the two maps, against a plain array that holds the truth. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

START_TEST(hash_sees_every_bit_and_the_length) {
  unsigned char bytes[64] = {0};
  uint64_t base = mf_hash_bytes(bytes, sizeof bytes, 1);
  ck_assert_uint_eq(mf_hash_bytes(bytes, sizeof bytes, 1), base);
  ck_assert_uint_ne(mf_hash_bytes(bytes, sizeof bytes, 2), base);
  for (size_t size = 0; size < sizeof bytes; size++) ck_assert_uint_ne(mf_hash_bytes(bytes, size, 1), base);
  for (int bit = 0; bit < 512; bit++) {
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    uint64_t other = mf_hash_bytes(bytes, sizeof bytes, 1);
    ck_assert_int_ge(__builtin_popcountll(other ^ base), 12);
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
}
END_TEST

/* Keys 0 .. RANGE-1, spread or dense, put, replaced and removed at random; the array says what must be there. */
enum { RANGE = 500, STEPS = 20000 };

static uint64_t key_of(int i, int spread) { return spread ? (uint64_t)i << 32 | 0x8000000000000000u : (uint64_t)i; }

static void check_map(int spread) {
  mf_map m;
  uint64_t truth[RANGE] = {0}, value; /* 0: absent */
  size_t count = 0;
  unsigned state = 12345;
  mf_map_init(&m);
  ck_assert(!mf_map_get(&m, 5, &value));
  ck_assert(!mf_map_remove(&m, 5, &value));
  for (int step = 1; step <= STEPS; step++) {
    state = state * 1103515245u + 12345u;
    int i = (int)(state >> 16) % RANGE, remove = (state >> 8 & 255) < (step / 2000 % 2 ? 180 : 60);
    if (remove) {
      value = 0;
      ck_assert_int_eq(mf_map_remove(&m, key_of(i, spread), &value), truth[i] != 0);
      ck_assert_uint_eq(value, truth[i]);
      count -= truth[i] != 0;
      truth[i] = 0;
    } else {
      ck_assert(mf_map_put(&m, key_of(i, spread), (uint64_t)step));
      count += truth[i] == 0;
      truth[i] = (uint64_t)step;
    }
    ck_assert_uint_eq(m.count, count);
    if (step % 200) continue;
    for (int k = 0; k < RANGE; k++) {
      value = 0;
      bool found = mf_map_get(&m, key_of(k, spread), &value);
      if (found != (truth[k] != 0) || value != truth[k]) ck_abort_msg("step %d, key %d", step, k);
    }
  }
  ck_assert_uint_le(m.capacity, 1024);
  mf_map_clear(&m);
  ck_assert_ptr_null(m.cells);
  ck_assert(mf_map_put(&m, 7, 8) && mf_map_get(&m, 7, NULL));
  mf_map_clear(&m);
}

START_TEST(map_of_dense_keys) { check_map(0); }
END_TEST
START_TEST(map_of_spread_keys) { check_map(1); }
END_TEST

START_TEST(map_of_texts) {
  mf_strmap m = {0};
  uint64_t truth[RANGE] = {0}, value;
  size_t count = 0;
  unsigned state = 99;
  ck_assert(!mf_strmap_get(&m, "x", 1, NULL));
  for (int step = 1; step <= STEPS; step++) {
    char key[32];
    state = state * 1103515245u + 12345u;
    int i = (int)(state >> 16) % RANGE;
    size_t size = (size_t)snprintf(key, sizeof key, "layer_%d/kernel", i);
    if ((state >> 8 & 255) < 100) {
      ck_assert_int_eq(mf_strmap_remove(&m, key, size, NULL), truth[i] != 0);
      count -= truth[i] != 0;
      truth[i] = 0;
    } else {
      ck_assert(mf_strmap_put(&m, key, size, (uint64_t)step));
      count += truth[i] == 0;
      truth[i] = (uint64_t)step;
    }
    ck_assert_uint_eq(m.count, count);
    value = 0;
    ck_assert_int_eq(mf_strmap_get(&m, key, size, &value), truth[i] != 0);
    ck_assert_uint_eq(value, truth[i]);
  }
  mf_strmap_clear(&m);
  /* Length counts, NUL is a byte like any other, the empty text is a key. */
  ck_assert(mf_strmap_put(&m, "a\0b", 3, 1) && mf_strmap_put(&m, "a\0c", 3, 2) && mf_strmap_put(&m, "", 0, 3));
  ck_assert(mf_strmap_get(&m, "a\0c", 3, &value) && value == 2);
  ck_assert(mf_strmap_get(&m, "", 0, &value) && value == 3);
  ck_assert(!mf_strmap_get(&m, "a", 1, &value));
  mf_strmap_clear(&m);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("base_hash");
  TCase *tests = tcase_create("hash");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, hash_sees_every_bit_and_the_length);
  tcase_add_test(tests, map_of_dense_keys);
  tcase_add_test(tests, map_of_spread_keys);
  tcase_add_test(tests, map_of_texts);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
