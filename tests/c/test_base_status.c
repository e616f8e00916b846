/* test_base_status.c - error objects, growing texts, the log and the table of environment variables. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/strbuf.h"

START_TEST(an_error_has_code_message_and_op) {
  mf_status s = mf_fail(MF_INVALID_ARGUMENT, "Conv2D: filter has %d input channels, input has %d", 3, 4);
  ck_assert_int_eq(mf_status_code(s), 3);
  ck_assert_str_eq(mf_status_message(s), "Conv2D: filter has 3 input channels, input has 4");
  ck_assert_ptr_null(mf_status_op(s));
  s = mf_status_with_op(s, "Conv2D");
  s = mf_status_with_op(s, "Outer");
  ck_assert_str_eq(mf_status_op(s), "Conv2D");
  s = mf_status_prefix(s, "layer %s", "first");
  ck_assert_str_eq(mf_status_message(s), "layer first: Conv2D: filter has 3 input channels, input has 4");
  mf_status_release(s);
}
END_TEST

START_TEST(success_and_out_of_memory_need_no_special_case) {
  ck_assert_int_eq(mf_status_code(NULL), MF_OK);
  ck_assert_str_eq(mf_status_message(NULL), "");
  ck_assert_ptr_null(mf_status_op(NULL));
  ck_assert_ptr_null(mf_status_with_op(NULL, "Add"));
  ck_assert_ptr_null(mf_status_prefix(NULL, "x"));
  mf_status_release(NULL);
  mf_status s = mf_status_prefix(mf_status_with_op(mf_fail_oom(), "Add"), "x");
  ck_assert_int_eq(mf_status_code(s), MF_RESOURCE_EXHAUSTED);
  ck_assert_ptr_null(mf_status_op(s));
  mf_status_release(s);
  mf_status_release(s);
  ck_assert_str_eq(mf_status_message(mf_fail_oom()), "out of memory");
}
END_TEST

START_TEST(code_names_are_tensorflows) {
  ck_assert_str_eq(mf_code_name(MF_OK), "OK");
  ck_assert_str_eq(mf_code_name((mf_code)5), "NOT_FOUND");
  ck_assert_str_eq(mf_code_name((mf_code)9), "FAILED_PRECONDITION");
  ck_assert_str_eq(mf_code_name((mf_code)12), "UNIMPLEMENTED");
  ck_assert_str_eq(mf_code_name((mf_code)16), "UNAUTHENTICATED");
  ck_assert_str_eq(mf_code_name((mf_code)17), "UNKNOWN");
}
END_TEST

START_TEST(a_text_grows) {
  mf_strbuf b = {0};
  char *text;
  size_t size = 0;
  mf_strbuf_append(&b, "a\0b", 3);
  ck_assert_uint_eq(b.size, 3);
  ck_assert_mem_eq(b.text, "a\0b", 4);
  mf_strbuf_release(&b);
  for (int i = 0; i < 2000; i++) {
    mf_strbuf_appendf(&b, "%d,", i);
    size += i < 10 ? 2 : i < 100 ? 3 : i < 1000 ? 4 : 5;
  }
  ck_assert_uint_eq(b.size, size);
  ck_assert_ptr_null(mf_strbuf_take(&b, &text));
  ck_assert_uint_eq(strlen(text), size);
  ck_assert_str_eq(text + size - 10, "1998,1999,");
  mf_free(text);
  ck_assert_ptr_null(mf_strbuf_take(&b, &text));
  ck_assert_str_eq(text, "");
  mf_free(text);
}
END_TEST

/* ---- log */

typedef struct heard {
  int count;
  mf_log_level level;
  size_t size;
  char head[64];
} heard;

static void hear(void *user, mf_log_level level, const char *text) {
  heard *h = user;
  h->count++;
  h->level = level;
  h->size = strlen(text);
  strncpy(h->head, text, sizeof h->head - 1);
}

START_TEST(the_log_goes_to_the_host_by_level) {
  heard h = {0};
  mf_log_set(hear, &h);
  setenv("MF_LOG", "timing", 1);
  mf_log_init();
  ck_assert(mf_log_enabled(MF_LOG_TIMING) && !mf_log_enabled(MF_LOG_DEBUG));
  setenv("MF_LOG", "2", 1);
  mf_log_init();
  mf_log(MF_LOG_TIMING, "not shown");
  ck_assert_int_eq(h.count, 0);
  mf_log(MF_LOG_INFO, "%s %d", "shown", 7);
  ck_assert_int_eq(h.count, 1);
  ck_assert_int_eq(h.level, MF_LOG_INFO);
  ck_assert_str_eq(h.head, "shown 7");
  mf_log(MF_LOG_ERROR, "%5000d", 1);
  ck_assert_uint_eq(h.size, 5000);
  setenv("MF_LOG", "nonsense", 1);
  mf_log_init();
  ck_assert(mf_log_enabled(MF_LOG_INFO));
  mf_log_set_level(MF_LOG_WARNING);
  mf_log_set(NULL, NULL);
  unsetenv("MF_LOG");
}
END_TEST

START_TEST(environment_variables_stand_in_one_table) {
  size_t count;
  const mf_env_entry *list = mf_env_list(&count);
  ck_assert_uint_eq(count, MF_ENV_COUNT);
  for (size_t i = 0; i < count; i++) {
    ck_assert_ptr_nonnull(list[i].name);
    ck_assert_uint_gt(strlen(list[i].doc), 20);
    ck_assert_ptr_null(strchr(list[i].doc, '\n'));
    for (size_t k = 0; k < i; k++) ck_assert_str_ne(list[k].name, list[i].name);
  }
  unsetenv("MF_LOG");
  ck_assert_str_eq(mf_env_text(MF_ENV_LOG), "1");
  setenv("MF_LOG", "", 1);
  ck_assert_str_eq(mf_env_text(MF_ENV_LOG), "1");
  setenv("MF_NUM_THREADS", "12", 1);
  ck_assert_int_eq(mf_env_int(MF_ENV_NUM_THREADS), 12);
  static const char *const bad[] = {"12x", "-3", "x", "99999999999999999999", "1.5"};
  for (int i = 0; i < 5; i++) {
    setenv("MF_NUM_THREADS", bad[i], 1);
    ck_assert_int_eq(mf_env_int(MF_ENV_NUM_THREADS), -1);
  }
  unsetenv("MF_NUM_THREADS");
  ck_assert_int_eq(mf_env_int(MF_ENV_NUM_THREADS), -1);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("base_status");
  TCase *tests = tcase_create("status");
  tcase_add_test(tests, an_error_has_code_message_and_op);
  tcase_add_test(tests, success_and_out_of_memory_need_no_special_case);
  tcase_add_test(tests, code_names_are_tensorflows);
  tcase_add_test(tests, a_text_grows);
  tcase_add_test(tests, the_log_goes_to_the_host_by_level);
  tcase_add_test(tests, environment_variables_stand_in_one_table);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
