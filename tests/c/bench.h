/* bench.h - what the benchmark programs share: the clock, medians, and samples of contenders that take turns. */
#ifndef MF_TESTS_BENCH_H
#define MF_TESTS_BENCH_H

#include <stdlib.h>
#include <time.h>

/* OpenMP's threads spin for 10 to 20 ms after a region: a contender waits longer. Calls of a contender before the
 * measured ones, long enough that its threads are awake; then a loop of SAMPLE seconds or one call, short, to fit
 * between other processes' time slices. */
enum { BENCH_PAUSE_NS = 50000000 };
#define BENCH_WARM_UP 3e-3
#define BENCH_SAMPLE 3e-4

static inline double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int bench_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts the values; the least is values[0] then. */
static inline double bench_median(double *values, int n) {
  qsort(values, (size_t)n, sizeof *values, bench_by_value);
  return values[n / 2];
}

static inline void bench_pause(void) {
  struct timespec pause = {0, BENCH_PAUSE_NS};
  nanosleep(&pause, NULL);
}

/* Seconds of one call. */
static inline double bench_sample(void (*fn)(void *), void *arg) {
  double start = bench_now(), end;
  do {
    fn(arg);
    end = bench_now();
  } while (end - start < BENCH_WARM_UP);
  start = end;
  fn(arg);
  int n = (int)(BENCH_SAMPLE / (bench_now() - start + 1e-9)) + 1;
  start = bench_now();
  for (int i = 0; i < n; i++) fn(arg);
  return (bench_now() - start) / n;
}

#endif
