/* bench_pool.c - what one parallel region of the pool costs, idle and with a competing process on every core.
 *
 * Prints one line a measure, `name value unit`:
 *   pool_region_idle / pool_region_busy         an empty region of two pieces, whoever runs them (median of samples)
 *   pool_region_busy_mean                       the same as a mean over all regions: preemptions included
 *   pool_handover_idle / pool_handover_busy     a region whose two pieces wait for each other: it takes both threads
 *   pool_wake_idle                              the first region after the workers went to sleep
 *   openmp_region_idle / openmp_region_busy     an empty region of OpenMP's two threads, the libraries' own way
 * The competing processes are forked here, one a core, and killed at the end.
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/pool.h"
#include "bench.h"

enum { SAMPLES = 301, REGIONS = 200, MAX_CORES = 256 };

static double now_us(void) { return bench_now() * 1e6; }

static void empty(void *arg, int64_t piece) {
  (void)arg;
  (void)piece;
}

typedef struct meeting {
  atomic_int here;
} meeting;

static void meet(void *arg, int64_t piece) {
  meeting *m = arg;
  (void)piece;
  atomic_fetch_add(&m->here, 1);
  for (int spins = 0; atomic_load(&m->here) < 2; spins++)
    if (spins > 100000) sched_yield();
}

/* Median over samples of the mean of REGIONS regions; *mean gets the mean of all. */
static double regions(double *mean) {
  double values[SAMPLES], total = 0;
  for (int s = 0; s < SAMPLES; s++) {
    double start = now_us();
    for (int i = 0; i < REGIONS; i++) mf_parallel_for(2, empty, NULL);
    values[s] = (now_us() - start) / REGIONS;
    total += values[s];
  }
  *mean = total / SAMPLES;
  return bench_median(values, SAMPLES);
}

static double handovers(int samples) {
  double values[SAMPLES];
  for (int s = 0; s < samples; s++) {
    meeting m = {0};
    double start = now_us();
    mf_parallel_for(2, meet, &m);
    values[s] = now_us() - start;
  }
  return bench_median(values, samples);
}

static double wakes(void) {
  double values[SAMPLES];
  for (int s = 0; s < 51; s++) {
    meeting m = {0};
    usleep(3000);
    double start = now_us();
    mf_parallel_for(2, meet, &m);
    values[s] = now_us() - start;
  }
  return bench_median(values, 51);
}

/* Mean of the regions of a sample, median over samples. */
static double openmp_regions(int samples, int count) {
  double values[SAMPLES];
  for (int s = 0; s < samples; s++) {
    double start = now_us();
    for (int i = 0; i < count; i++) {
#pragma omp parallel num_threads(2)
      atomic_signal_fence(memory_order_seq_cst);
    }
    values[s] = (now_us() - start) / count;
  }
  return bench_median(values, samples);
}

static int compete(pid_t *children) {
  int n = mf_cpu_cores() < MAX_CORES ? mf_cpu_cores() : MAX_CORES;
  for (int i = 0; i < n; i++) {
    children[i] = fork();
    if (children[i] == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (volatile unsigned x = 0;; x++) {
      }
    }
  }
  return n;
}

int main(void) {
  pid_t children[MAX_CORES];
  double mean;
  mf_pool_set_threads(2);
  mf_parallel_for(2, empty, NULL);
  printf("pool_region_idle %.3f us\n", regions(&mean));
  printf("pool_handover_idle %.3f us\n", handovers(SAMPLES));
  printf("pool_wake_idle %.1f us\n", wakes());
  mf_pool_shutdown();
  printf("openmp_region_idle %.3f us\n", openmp_regions(SAMPLES, REGIONS));
  bench_pause();
  fflush(stdout);
  int n = compete(children);
  usleep(200000);
  printf("pool_region_busy %.3f us\n", regions(&mean));
  printf("pool_region_busy_mean %.3f us\n", mean);
  printf("pool_handover_busy %.3f us\n", handovers(SAMPLES));
  mf_pool_shutdown();
  printf("openmp_region_busy %.3f us\n", openmp_regions(51, 1));
  for (int i = 0; i < n; i++) {
    if (children[i] <= 0) continue;
    kill(children[i], SIGKILL);
    waitpid(children[i], NULL, 0);
  }
  return 0;
}
