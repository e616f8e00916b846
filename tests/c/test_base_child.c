/* test_base_child.c - children that answer, crash, never end, or are stopped. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"

enum { COUNT = 1 << 20 };

static void answer(void *user, int fd) {
  const int *first = user;
  int *numbers = malloc(COUNT * sizeof *numbers);
  for (int i = 0; i < COUNT; i++) numbers[i] = *first + i;
  (void)mf_child_write(fd, numbers, COUNT * sizeof *numbers);
}

static void crash(void *user, int fd) {
  (void)mf_child_write(fd, user, 4);
  raise(SIGSEGV);
}

static void never_end(void *user, int fd) {
  (void)fd;
  for (volatile int *p = user;; *p = *p + 1) {}
}

static void wait_long(void *user, int fd) {
  (void)user;
  (void)fd;
  for (;;) pause();
}

static void write_on(void *user, int fd) {
  while (mf_child_write(fd, user, 4)) {}
}

static mf_child start(void (*work)(void *user, int fd), void *user) {
  mf_child child;
  mf_status status = mf_child_start(work, user, 1, &child);
  ck_assert_msg(!status, "%s", mf_status_message(status));
  return child;
}

START_TEST(a_child_answers) {
  int first = 5, got;
  mf_child child = start(answer, &first);
  first = 6; /* the child has the memory as it was */
  for (int i = 0; i < COUNT; i++) {
    ck_assert(mf_child_read(&child, &got, sizeof got));
    ck_assert_int_eq(got, 5 + i);
  }
  ck_assert(!mf_child_read(&child, &got, sizeof got));
  ck_assert_int_eq(mf_child_end(&child, false), 0);
  ck_assert_int_eq(mf_child_end(&child, false), 0);
}
END_TEST

static volatile sig_atomic_t handled;

static void on_crash(int number) {
  handled = number;
  _exit(0);
}

/* Also where the host has a handler of its own, and where the caller reads more than there was. */
START_TEST(a_crash_ends_the_child_alone) {
  char text[8] = "abcd", got[8] = {0};
  void (*before)(int) = signal(SIGSEGV, on_crash);
  mf_child child = start(crash, text);
  ck_assert(!mf_child_read(&child, got, sizeof got));
  ck_assert_str_eq(got, "abcd");
  ck_assert_int_eq(mf_child_end(&child, false), SIGSEGV);
  ck_assert_int_eq(handled, 0);
  signal(SIGSEGV, before);
}
END_TEST

START_TEST(a_child_that_never_ends_is_ended) {
  int number = 0;
  char got;
  mf_child child = start(never_end, &number);
  ck_assert(!mf_child_read(&child, &got, 1));
  ck_assert_int_eq(mf_child_end(&child, false), SIGXCPU);
}
END_TEST

START_TEST(a_child_can_be_stopped_or_left) {
  int number = 1;
  mf_child child = start(wait_long, NULL);
  ck_assert_int_eq(mf_child_end(&child, true), SIGKILL);
  child = start(write_on, &number);
  ck_assert(mf_child_read(&child, &number, sizeof number));
  ck_assert_int_eq(mf_child_end(&child, false), SIGPIPE);
}
END_TEST

/* A host that waits for every child takes ours, too. */
START_TEST(a_child_that_somebody_else_waited_for) {
  int first = 1, got;
  void (*before)(int) = signal(SIGCHLD, SIG_IGN);
  mf_child child = start(answer, &first);
  ck_assert(mf_child_read(&child, &got, sizeof got));
  ck_assert_int_eq(got, 1);
  ck_assert_int_eq(mf_child_end(&child, false), 0);
  signal(SIGCHLD, before);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("base child");
  TCase *cases = tcase_create("all");
  tcase_add_test(cases, a_child_answers);
  tcase_add_test(cases, a_crash_ends_the_child_alone);
  tcase_add_test(cases, a_child_that_never_ends_is_ended);
  tcase_add_test(cases, a_child_can_be_stopped_or_left);
  tcase_add_test(cases, a_child_that_somebody_else_waited_for);
  suite_add_tcase(suite, cases);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
