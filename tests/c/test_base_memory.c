/* test_base_memory.c - small memory; in the hostile build also failing allocations, red zones and what is left over.
 * */
#include <check.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/plugin.h"
#include "base/status.h"
#include "base/strbuf.h"

START_TEST(blocks_have_their_size_and_alignment) {
  for (size_t size = 0; size < 300; size++) {
    char *block = mf_alloc(size), *zero = mf_alloc_zero(size, 3);
    ck_assert(block && zero && (uintptr_t)block % 16 == 0);
    memset(block, 1, size);
    for (size_t i = 0; i < 3 * size; i++) ck_assert_int_eq(zero[i], 0);
    mf_free(block);
    mf_free(zero);
  }
  for (size_t alignment = 1; alignment <= 2 << 20; alignment *= 2) {
    char *block = mf_alloc_aligned(alignment, 100);
    ck_assert(block && (uintptr_t)block % alignment == 0);
    memset(block, 1, 100);
    mf_free(block);
  }
  void *a = mf_alloc(0), *b = mf_alloc(0);
  ck_assert(a && b && a != b);
  mf_free(a);
  mf_free(b);
  mf_free(NULL);
}
END_TEST

START_TEST(products_that_overflow_are_refused) {
  size_t volatile half = SIZE_MAX / 2;
  ck_assert_ptr_null(mf_alloc_array(half, 3));
  ck_assert_ptr_null(mf_alloc_zero(half, 3));
  ck_assert_ptr_null(mf_strndup("x", SIZE_MAX));
  void *items = NULL;
  size_t capacity = 0;
  ck_assert(!mf_array_reserve(&items, &capacity, half, 4));
  ck_assert(!items && capacity == 0);
}
END_TEST

START_TEST(growing_keeps_what_is_there) {
  void *items = NULL;
  size_t capacity = 0;
  for (int i = 0; i < 10000; i++) {
    ck_assert(mf_array_reserve(&items, &capacity, (size_t)i + 1, sizeof(int)));
    ((int *)items)[i] = i;
  }
  for (int i = 0; i < 10000; i++) ck_assert_int_eq(((int *)items)[i], i);
  items = mf_realloc(items, 40);
  ck_assert_int_eq(((int *)items)[9], 9);
  mf_free(items);
  char *text = mf_strndup("moonflow", 4), *whole = mf_strdup("moonflow");
  ck_assert_str_eq(text, "moon");
  ck_assert_str_eq(whole, "moonflow");
  mf_free(text);
  mf_free(whole);
}
END_TEST

#ifdef MF_HOSTILE
START_TEST(fresh_memory_is_filled) {
  float *f = mf_alloc(4 * sizeof *f);
  for (int i = 0; i < 4; i++) ck_assert(f[i] != f[i]);
  f[0] = 1;
  f = mf_realloc(f, 8 * sizeof *f);
  ck_assert(f[0] == 1 && f[7] != f[7]);
  mf_free(f);
}
END_TEST

START_TEST(the_nth_allocation_fails) {
  void *blocks[5];
  mf_memory_fail_at(3, false);
  for (int i = 0; i < 5; i++) {
    blocks[i] = i % 2 ? mf_alloc(8) : mf_alloc_zero(1, 8);
    ck_assert_int_eq(blocks[i] == NULL, i == 2);
  }
  for (int i = 0; i < 5; i++) mf_free(blocks[i]);
  mf_memory_fail_at(2, true);
  for (int i = 0; i < 5; i++) {
    blocks[i] = mf_alloc(8);
    ck_assert_int_eq(blocks[i] == NULL, i >= 1);
  }
  mf_memory_fail_at(0, false);
  mf_free(blocks[0]);
  void *old = mf_alloc(8), *grown;
  mf_memory_fail_at(1, false);
  grown = mf_realloc(old, 80);
  ck_assert_ptr_null(grown);
  memset(old, 0, 8); /* still valid */
  mf_free(old);
}
END_TEST

START_TEST(live_blocks_are_counted) {
  int64_t before = mf_memory_live_blocks();
  uint64_t made = mf_memory_allocation_count();
  void *a = mf_alloc(1), *b = mf_alloc_aligned(64, 1), *c = mf_realloc(NULL, 1);
  ck_assert_int_eq(mf_memory_live_blocks(), before + 3);
  ck_assert_uint_eq(mf_memory_allocation_count(), made + 3);
  c = mf_realloc(c, 100);
  ck_assert_int_eq(mf_memory_live_blocks(), before + 3);
  mf_free(a);
  mf_free(b);
  mf_free(c);
  ck_assert_int_eq(mf_memory_live_blocks(), before);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__
START_TEST(writes_beyond_a_block_are_seen) {
  uint64_t before = mf_memory_damaged_blocks();
  char *volatile block = mf_alloc(10);
  block[10] = 0;
  mf_free(block);
  ck_assert_uint_eq(mf_memory_damaged_blocks(), before + 1);
  block = mf_alloc_aligned(64, 10);
  block[-1] ^= 1;
  mf_free(block);
  ck_assert_uint_eq(mf_memory_damaged_blocks(), before + 2);
}
END_TEST
#endif

/* Every function of base that takes memory, with each single allocation failing, and with all from there on. */
static mf_status use_everything(void) {
  mf_status status = NULL;
  mf_map map = {0};
  mf_strmap texts = {0};
  mf_strbuf buffer = {0};
  char *text = NULL;
  bool ok = true;
  for (uint64_t i = 0; i < 100 && ok; i++) {
    char key[16];
    size_t size = (size_t)snprintf(key, sizeof key, "k%d", (int)i);
    ok = mf_map_put(&map, i, i) && mf_strmap_put(&texts, key, size, i);
    mf_strbuf_appendf(&buffer, "%s ", key);
  }
  status = mf_strbuf_take(&buffer, &text);
  if (!status && !ok) status = mf_fail_oom();
  if (!status && strlen(text) != 390) status = mf_fail(MF_INTERNAL, "text of %zu bytes", strlen(text));
  if (!status && (map.count != 100 || texts.count != 100)) status = mf_fail(MF_INTERNAL, "maps");
  mf_free(text);
  mf_map_clear(&map);
  mf_strmap_clear(&texts);
  if (status) return status;

  static const char *const names[] = {"libnot_there.so.1", NULL};
  static const mf_plugin_spec nothing = {.purpose = "a test", .library = "Nothing", .names = names, .advice = "none"};
  mf_plugin *plugin;
  status = mf_plugin_open(&nothing, NULL, &plugin);
  if (mf_status_code(status) == MF_RESOURCE_EXHAUSTED) return status;
  status = mf_status_prefix(status, "outer");
  mf_code code = mf_status_code(status);
  mf_status_release(status);
  return code == MF_UNAVAILABLE ? NULL : mf_fail(MF_INTERNAL, "plug-in");
}

START_TEST(any_failing_allocation_leaves_nothing_behind) {
  int64_t live = mf_memory_live_blocks();
  for (int sticky = 0; sticky < 2; sticky++) {
    uint64_t n = 1;
    for (bool failed = true; failed; n++) {
      mf_memory_fail_at(n, sticky);
      mf_status status = use_everything();
      mf_memory_fail_at(0, false);
      failed = status != NULL;
      ck_assert(!failed || mf_status_code(status) == MF_RESOURCE_EXHAUSTED);
      mf_status_release(status);
      ck_assert_int_eq(mf_memory_live_blocks(), live);
    }
    ck_assert_uint_gt(n, 100);
  }
  ck_assert_uint_eq(mf_memory_damaged_blocks(), 0);
}
END_TEST
#endif

static void *churn(void *unused) {
  void *blocks[16] = {0};
  for (int i = 0; i < 20000; i++) {
    mf_free(blocks[i % 16]);
    blocks[i % 16] = mf_alloc((size_t)(i % 200));
  }
  for (int i = 0; i < 16; i++) mf_free(blocks[i]);
  return unused;
}

START_TEST(threads_share_it) {
  pthread_t threads[4];
  int64_t live = mf_memory_live_blocks();
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, churn, NULL), 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  ck_assert_int_eq(mf_memory_live_blocks(), live);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("base_memory");
  TCase *tests = tcase_create("memory");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, blocks_have_their_size_and_alignment);
  tcase_add_test(tests, products_that_overflow_are_refused);
  tcase_add_test(tests, growing_keeps_what_is_there);
#ifdef MF_HOSTILE
  tcase_add_test(tests, fresh_memory_is_filled);
  tcase_add_test(tests, the_nth_allocation_fails);
  tcase_add_test(tests, live_blocks_are_counted);
  tcase_add_test(tests, any_failing_allocation_leaves_nothing_behind);
#ifndef __SANITIZE_ADDRESS__
  tcase_add_test(tests, writes_beyond_a_block_are_seen);
#endif
#endif
  tcase_add_test(tests, threads_share_it);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
