/* test_base_mt19937.c - Python's random.Random: every expected number was drawn by CPython 3.11 from the same seed. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mt19937.h"

/* In this order: random() twice, getrandbits(1, 5, 31, 32, 33, 53, 64), randint(0, 2^31-1), randint(1, 10^9),
 * randint(-5, 5), randint(-2^63, 2^63-1), randint(7, 7), shuffle(0 .. 9). */
typedef struct drawn {
  uint32_t words[4];         /* |seed|, least significant word first */
  uint32_t count;
  double random[2];
  uint64_t bits[7];
  int64_t ints[5];
  int64_t order[10];
} drawn;

static const drawn expected[] = {
    {{0}, 1, {0x1.b0580f98a7dbep-1, 0x1.84129978f9c1ap-1},
     {0, 1, 556019485, 4146640122, 2195908194, 8270717181870968, 15308084094301570617u},
     {1302718217, 511742082, 0, 86457306059627737, 7}, {9, 0, 3, 8, 6, 5, 7, 4, 1, 2}},
    {{1}, 1, {0x1.132d8f91b7584p-3, 0x1.b1e2d5b3584f8p-1},
     {1, 2, 547756574, 506456969, 6422844795, 4253608691488931, 7002664860023442459},
     {901749037, 100780964, 2, 4928188522590161285, 7}, {7, 8, 6, 9, 5, 0, 2, 1, 3, 4}},
    {{42}, 1, {0x1.4762f307200c5p-1, 0x1.99c6b5eeb2060p-6}, /* also of -42 */
     {0, 7, 479341423, 599310825, 3163119785, 6671341247540589, 10060236952204337488u},
     {373399426, 634036507, 1, -8673710308383856397, 7}, {2, 5, 7, 9, 6, 1, 4, 0, 8, 3}},
    {{0, 1}, 2, {0x1.ced31cb3df170p-4, 0x1.abdb5477a4f26p-2}, /* 2^32 */
     {0, 0, 1313661828, 3762791315, 7755194880, 7546624035121889, 18349438830298068874u},
     {1940533316, 15030571, -3, 3535113015979475356, 7}, {3, 6, 0, 5, 1, 7, 9, 4, 8, 2}},
    {{5, 0x80000000u}, 2, {0x1.60801615f2efep-2, 0x1.d878c2cfd1166p-2}, /* 2^63 + 5 */
     {0, 1, 437218525, 1204952326, 1176591247, 2538262287589895, 8803865821486982222},
     {66051089, 722050144, -1, 946880114653976934, 7}, {2, 9, 0, 4, 5, 1, 7, 6, 3, 8}},
    {{17, 0, 0, 16}, 4, {0x1.c7490be74df6ap-2, 0x1.1fab2b6b1c1e0p-4}, /* 2^100 + 17 */
     {1, 27, 1945408320, 3248779822, 8054807832, 5854328190690994, 12162574063018572957u},
     {956280581, 697483620, -5, -3903603385870586205, 7}, {3, 7, 2, 0, 5, 6, 9, 1, 8, 4}},
};

static void check_draws(mf_mt19937 *r, const drawn *d) {
  static const int widths[7] = {1, 5, 31, 32, 33, 53, 64};
  static const int64_t low[5] = {0, 1, -5, INT64_MIN, 7}, high[5] = {2147483647, 1000000000, 5, INT64_MAX, 7};
  for (int i = 0; i < 2; i++) ck_assert_double_eq(mf_mt19937_random(r), d->random[i]);
  for (int i = 0; i < 7; i++) ck_assert_uint_eq(mf_mt19937_getrandbits(r, widths[i]), d->bits[i]);
  for (int i = 0; i < 5; i++) ck_assert_int_eq(mf_mt19937_randint(r, low[i], high[i]), d->ints[i]);
  int64_t order[10];
  for (int i = 0; i < 10; i++) order[i] = i;
  mf_mt19937_shuffle(r, order, 10);
  ck_assert_mem_eq(order, d->order, sizeof order);
}

START_TEST(integer_seeds) {
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const drawn *d = &expected[i];
    mf_mt19937 r;
    mf_mt19937_seed_words(&r, d->words, d->count);
    check_draws(&r, d);
    mf_mt19937_seed_words(&r, d->words, 4); /* leading zero words do not count */
    check_draws(&r, d);
    if (d->count > 2) continue;
    mf_mt19937_seed(&r, (uint64_t)d->words[1] << 32 | d->words[0]);
    check_draws(&r, d);
  }
}
END_TEST

START_TEST(no_words_are_zero) {
  mf_mt19937 r;
  mf_mt19937_seed_words(&r, NULL, 0);
  check_draws(&r, &expected[0]);
}
END_TEST

/* 2,000 words lie before: three blocks of 624. A copy of the struct is the saved state. */
START_TEST(far_draws_and_saved_state) {
  mf_mt19937 r;
  mf_mt19937_seed(&r, 7);
  for (int i = 0; i < 1000; i++) mf_mt19937_random(&r);
  mf_mt19937 saved = r;
  for (int i = 0; i < 2; i++) {
    ck_assert_double_eq(mf_mt19937_random(&r), 0x1.e6d82af231089p-1);
    ck_assert_uint_eq(mf_mt19937_getrandbits(&r, 32), 584913212);
    for (int k = 0; k < 999; k++) mf_mt19937_next(&r);
    r = saved;
  }
}
END_TEST

START_TEST(randints_as_seeds) {
  static const int64_t values[6] = {1097127993, 1539898300, 124576495, 1999834075, 1069673014, 222708024};
  mf_mt19937 r;
  mf_mt19937_seed(&r, 5);
  for (int i = 0; i < 6; i++) ck_assert_int_eq(mf_mt19937_randint(&r, 0, 2147483647), values[i]);
}
END_TEST

START_TEST(shuffle_of_a_thousand) {
  static const int64_t head[8] = {316, 974, 262, 342, 905, 932, 567, 511}, tail[4] = {133, 557, 606, 243};
  mf_mt19937 r;
  int64_t order[1000], sum = 0;
  for (int i = 0; i < 1000; i++) order[i] = i;
  mf_mt19937_seed(&r, 3);
  mf_mt19937_shuffle(&r, order, 1000);
  for (int i = 0; i < 1000; i++) sum += i * order[i];
  ck_assert_mem_eq(order, head, sizeof head);
  ck_assert_mem_eq(order + 996, tail, sizeof tail);
  ck_assert_int_eq(sum, 253090679);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("base_mt19937");
  TCase *tests = tcase_create("mt19937");
  tcase_add_test(tests, integer_seeds);
  tcase_add_test(tests, no_words_are_zero);
  tcase_add_test(tests, far_draws_and_saved_state);
  tcase_add_test(tests, randints_as_seeds);
  tcase_add_test(tests, shuffle_of_a_thousand);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
