/* test_base_pool.c - the thread pool: every piece once, same bits at any width, nested and concurrent callers, fork,
 * shutdown. */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/pool.h"

enum { MOST = 5000 };

typedef struct counts {
  atomic_int of[MOST];
} counts;

static void count_piece(void *arg, int64_t piece) { atomic_fetch_add(&((counts *)arg)->of[piece], 1); }

static void check_each_once(int64_t pieces) {
  static counts c;
  memset(&c, 0, sizeof c);
  mf_parallel_for(pieces, count_piece, &c);
  for (int64_t i = 0; i < MOST; i++)
    if (c.of[i] != (i < pieces)) ck_abort_msg("piece %d of %d ran %d times", (int)i, (int)pieces, (int)c.of[i]);
}

START_TEST(every_piece_runs_once) {
  static const int threads[] = {1, 2, 3, 8};
  for (int t = 0; t < 4; t++) {
    mf_pool_set_threads(threads[t]);
    ck_assert_int_eq(mf_pool_threads(), threads[t]);
    for (int64_t pieces = -1; pieces < 70; pieces++) check_each_once(pieces);
    check_each_once(MOST);
  }
}
END_TEST

/* Plain (not atomic) writes of the pieces must be visible afterwards, and must not collide: the sanitizer watches. */
typedef struct sum {
  const float *x;
  int64_t n, pieces;
  float part[MF_MAX_PIECES];
} sum;

static void sum_piece(void *arg, int64_t p) {
  sum *s = arg;
  int64_t begin, end;
  float total = 0;
  mf_piece_range(s->n, s->pieces, 64, p, &begin, &end);
  for (int64_t i = begin; i < end; i++) total += s->x[i];
  s->part[p] = total;
}

static float pool_sum(const float *x, int64_t n) {
  sum s = {.x = x, .n = n, .pieces = mf_pieces_for(n, 50)};
  float total = 0;
  mf_parallel_for(s.pieces, sum_piece, &s);
  for (int64_t p = 0; p < s.pieces; p++) total += s.part[p];
  return total;
}

START_TEST(same_bits_with_any_number_of_threads) {
  enum { N = 100003 };
  static float x[N];
  float first = 0;
  for (int i = 0; i < N; i++) x[i] = 1.0f / (float)(i + 1);
  for (int threads = 1; threads <= 8; threads++) {
    mf_pool_set_threads(threads);
    for (int repeat = 0; repeat < 20; repeat++) {
      float total = pool_sum(x, N);
      if (threads == 1 && repeat == 0) first = total;
      ck_assert_int_eq(memcmp(&total, &first, sizeof total), 0);
    }
  }
  ck_assert_float_eq_tol(first, 12.0902f, 1e-3f); /* ln(100003) + 0.5772 */
}
END_TEST

static void nested_piece(void *arg, int64_t piece) {
  counts *c = arg;
  mf_parallel_for(10, count_piece, (char *)c + (size_t)piece * 10 * sizeof c->of[0]);
}

START_TEST(nested_calls_run_inside_the_piece) {
  static counts c;
  memset(&c, 0, sizeof c);
  mf_pool_set_threads(3);
  mf_parallel_for(20, nested_piece, &c);
  for (int i = 0; i < 200; i++) ck_assert_int_eq(c.of[i], 1);
}
END_TEST

static void *caller(void *arg) {
  counts *c = arg;
  for (int repeat = 0; repeat < 2000; repeat++) mf_parallel_for(5, count_piece, c);
  return NULL;
}

START_TEST(concurrent_callers_all_finish) {
  static counts c[4];
  pthread_t threads[4];
  mf_pool_set_threads(4);
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, caller, &c[i]), 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; i++)
    for (int p = 0; p < 5; p++) ck_assert_int_eq(c[i].of[p], 2000);
}
END_TEST

static void *changer(void *stop) {
  for (int n = 0; !atomic_load((atomic_bool *)stop); n++) {
    mf_pool_set_threads(1 + n % 4);
    if (n % 7 == 0) mf_pool_shutdown();
    usleep(200);
  }
  return NULL;
}

START_TEST(size_may_change_while_others_call) {
  static counts c;
  atomic_bool stop = false;
  pthread_t thread;
  memset(&c, 0, sizeof c);
  ck_assert_int_eq(pthread_create(&thread, NULL, changer, &stop), 0);
  caller(&c);
  atomic_store(&stop, true);
  pthread_join(thread, NULL);
  for (int p = 0; p < 5; p++) ck_assert_int_eq(c.of[p], 2000);
}
END_TEST

static int threads_of_process(void) {
  char line[256];
  int n = 0;
  FILE *f = fopen("/proc/self/status", "r");
  ck_assert_ptr_nonnull(f);
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "Threads: %d", &n) == 1) break;
  fclose(f);
  return n;
}

START_TEST(threads_start_late_end_on_shutdown_and_start_again) {
  mf_pool_shutdown();
  int before = threads_of_process();
  mf_pool_set_threads(3);
  ck_assert_int_eq(threads_of_process(), before);
  for (int repeat = 0; repeat < 3; repeat++) {
    check_each_once(100);
    ck_assert_int_eq(threads_of_process(), before + 2);
    mf_pool_shutdown();
    ck_assert_int_eq(threads_of_process(), before);
  }
}
END_TEST

/* Which thread ran a piece: a narrow thread runs all of them itself. */
typedef struct runners {
  pthread_t self;
  atomic_int mine, others;
} runners;

static void note_runner(void *arg, int64_t piece) {
  runners *r = arg;
  (void)piece;
  usleep(500);
  atomic_fetch_add(pthread_equal(pthread_self(), r->self) ? &r->mine : &r->others, 1);
}

START_TEST(a_narrow_thread_runs_alone) {
  runners r = {.self = pthread_self()};
  mf_pool_set_threads(4);
  ck_assert(mf_pool_thread_narrow(true));
  ck_assert(mf_pool_thread_narrow(true));
  mf_parallel_for(20, note_runner, &r);
  ck_assert_int_eq(r.mine, 20);
  ck_assert(mf_pool_thread_narrow(false));
  mf_parallel_for(200, note_runner, &r);
  ck_assert_int_eq(r.mine + r.others, 220);
  ck_assert_int_gt(r.others, 0);
}
END_TEST

#ifndef __SANITIZE_THREAD__
START_TEST(a_child_of_fork_has_its_own_workers) {
  mf_pool_set_threads(3);
  check_each_once(100);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    static counts c;
    memset(&c, 0, sizeof c);
    alarm(20);
    for (int i = 0; i < 50; i++) mf_parallel_for(10, count_piece, &c);
    int ok = c.of[0] == 50 && c.of[9] == 50 && threads_of_process() == 3;
    mf_pool_shutdown();
    _exit(ok ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  check_each_once(100);
}
END_TEST
#endif

/* A signal that the main thread has blocked stays pending: no worker handles it in its place. */
static atomic_int handled_elsewhere;
static pthread_t main_thread;
static void handler(int number) {
  (void)number;
  if (!pthread_equal(pthread_self(), main_thread)) atomic_fetch_add(&handled_elsewhere, 1);
}

START_TEST(workers_take_no_signals) {
  sigset_t one, before, pending;
  main_thread = pthread_self();
  mf_pool_shutdown();
  mf_pool_set_threads(4);
  check_each_once(100);
  void (*handler_before)(int) = signal(SIGUSR1, handler);
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  kill(getpid(), SIGUSR1);
  usleep(20000);
  sigpending(&pending);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  signal(SIGUSR1, handler_before);
  ck_assert(sigismember(&pending, SIGUSR1));
  ck_assert_int_eq(handled_elsewhere, 0);
}
END_TEST

START_TEST(pieces_depend_on_the_work_alone) {
  ck_assert_int_eq(mf_pieces_for(0, 1), 1);
  ck_assert_int_eq(mf_pieces_for(39999, 1), 1);
  ck_assert_int_eq(mf_pieces_for(40000, 1), 2);
  ck_assert_int_eq(mf_pieces_for(100000000, 1), MF_MAX_PIECES);
  ck_assert_int_eq(mf_pieces_for(3, 1e9), 3);
  ck_assert_int_eq(mf_pieces_for(1, 1e9), 1);
  mf_pool_set_threads(7);
  ck_assert_int_eq(mf_pieces_for(40000, 1), 2);
}
END_TEST

START_TEST(ranges_cover_everything_at_multiples_of_the_grain) {
  for (int64_t items = 0; items < 700; items += 13)
    for (int64_t pieces = 1; pieces < 12; pieces++) {
      int64_t expected = 0;
      for (int64_t p = 0; p < pieces; p++) {
        int64_t begin, end;
        mf_piece_range(items, pieces, 64, p, &begin, &end);
        ck_assert_int_eq(begin, expected);
        ck_assert_int_ge(end, begin);
        ck_assert(begin % 64 == 0 || begin == items);
        expected = end;
      }
      ck_assert_int_eq(expected, items);
    }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("base_pool");
  TCase *tests = tcase_create("pool");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, every_piece_runs_once);
  tcase_add_test(tests, same_bits_with_any_number_of_threads);
  tcase_add_test(tests, nested_calls_run_inside_the_piece);
  tcase_add_test(tests, concurrent_callers_all_finish);
  tcase_add_test(tests, size_may_change_while_others_call);
  tcase_add_test(tests, threads_start_late_end_on_shutdown_and_start_again);
  tcase_add_test(tests, a_narrow_thread_runs_alone);
#ifdef __SANITIZE_THREAD__
  puts("skipped 1: a_child_of_fork_has_its_own_workers (ThreadSanitizer cannot start threads after a fork)");
#else
  tcase_add_test(tests, a_child_of_fork_has_its_own_workers);
#endif
  tcase_add_test(tests, workers_take_no_signals);
  tcase_add_test(tests, pieces_depend_on_the_work_alone);
  tcase_add_test(tests, ranges_cover_everything_at_multiples_of_the_grain);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  mf_pool_shutdown();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
