/* pool.c - a small work-sharing pool: see pool.h.
 *
 * A job is open while `open` holds its number. Workers that see a new number announce themselves in `active` before they look
 * at the job; the caller closes the job (open = 0) and waits until active is 0 before its fields may change. Both sides use
 * sequentially consistent operations, so that one of them always sees the other. Pieces are handed out by an atomic counter.
 * Workers spin for a while and then sleep on `wake`; a caller wakes them only when somebody sleeps.
 */
#include "base/pool.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu.h"

enum { MAX_WORKERS = 255, SPINS = 4000, SPINS_BEFORE_YIELD = 2000 };

static struct {
  atomic_flag permit;                 /* held by the one wide caller */
  atomic_uint open;                   /* number of the open job; 0: none */
  atomic_int active;                  /* workers that may look at the job */
  atomic_uint wake;                   /* futex word */
  atomic_int sleepers;
  atomic_bool stop;
  mf_parallel_fn fn;
  void *arg;
  int64_t pieces;
  atomic_int_fast64_t next, done;
  unsigned number;                    /* last job; guarded by the permit */
  int workers;                        /* running; guarded by the permit */
  atomic_int wanted;                  /* threads asked for; 0: not yet decided */
  bool fork_handler;
  pthread_t threads[MAX_WORKERS];
} pool = {.permit = ATOMIC_FLAG_INIT};

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static void run_pieces(void) {
  int64_t piece;
  while ((piece = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed)) < pool.pieces) {
    pool.fn(pool.arg, piece);
    atomic_fetch_add_explicit(&pool.done, 1, memory_order_release);
  }
}

static void sleep_until_woken(void) {
  unsigned word = atomic_load(&pool.wake);
  atomic_fetch_add(&pool.sleepers, 1);
  if (!atomic_load(&pool.open) && !atomic_load(&pool.stop))
    syscall(SYS_futex, &pool.wake, FUTEX_WAIT_PRIVATE, word, NULL, NULL, 0);
  atomic_fetch_sub(&pool.sleepers, 1);
}

static void *worker(void *unused) {
  unsigned seen = 0;
  int spins = 0;
  (void)unused;
  while (!atomic_load_explicit(&pool.stop, memory_order_relaxed)) {
    unsigned job = atomic_load(&pool.open);
    if (job && job != seen) {
      atomic_fetch_add(&pool.active, 1);
      if (atomic_load(&pool.open) == job) run_pieces();
      atomic_fetch_sub(&pool.active, 1);
      seen = job;
      spins = 0;
    } else if (++spins < SPINS) {
      relax();
    } else {
      sleep_until_woken();
      spins = 0;
    }
  }
  return NULL;
}

/* ---- size */

static int default_threads(void) {
  const char *text = getenv("MF_NUM_THREADS");
  int n = text ? atoi(text) : 0;
  return n > 0 ? n : mf_cpu_cores();
}

int mf_pool_threads(void) {
  int n = atomic_load_explicit(&pool.wanted, memory_order_relaxed);
  if (n > 0) return n;
  n = default_threads();
  if (n > MAX_WORKERS + 1) n = MAX_WORKERS + 1;
  atomic_store(&pool.wanted, n);
  return n;
}

/* A child of fork has none of the workers. */
static void after_fork(void) {
  pool.workers = 0;
  atomic_store(&pool.open, 0);
  atomic_store(&pool.active, 0);
  atomic_store(&pool.sleepers, 0);
  atomic_store(&pool.stop, false);
  atomic_flag_clear(&pool.permit);
}

/* Under the permit. Fewer workers than asked for is not an error: the pieces are done all the same. */
static void start_workers(int threads) {
  if (!pool.fork_handler) pool.fork_handler = pthread_atfork(NULL, NULL, after_fork) == 0;
  while (pool.workers < threads - 1 && pool.workers < MAX_WORKERS) {
    if (pthread_create(&pool.threads[pool.workers], NULL, worker, NULL)) return;
    pool.workers++;
  }
}

/* Under the permit. */
static void stop_workers(void) {
  atomic_store(&pool.stop, true);
  atomic_fetch_add(&pool.wake, 1);
  syscall(SYS_futex, &pool.wake, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  while (pool.workers > 0) pthread_join(pool.threads[--pool.workers], NULL);
  atomic_store(&pool.stop, false);
}

static void take_permit(void) {
  while (atomic_flag_test_and_set_explicit(&pool.permit, memory_order_acquire)) sched_yield();
}

void mf_pool_set_threads(int n) {
  take_permit();
  if (n < 1) n = default_threads();
  if (n > MAX_WORKERS + 1) n = MAX_WORKERS + 1;
  if (pool.workers > n - 1) stop_workers();
  atomic_store(&pool.wanted, n);
  atomic_flag_clear_explicit(&pool.permit, memory_order_release);
}

void mf_pool_shutdown(void) {
  take_permit();
  stop_workers();
  atomic_flag_clear_explicit(&pool.permit, memory_order_release);
}

/* ---- running */

static void wait_for(atomic_int_fast64_t *counter, int64_t value) {
  for (int spins = 0; atomic_load_explicit(counter, memory_order_acquire) < value; spins++) {
    if (spins < SPINS_BEFORE_YIELD) relax();
    else sched_yield();
  }
}

static void run_wide(int64_t pieces, mf_parallel_fn fn, void *arg) {
  pool.fn = fn;
  pool.arg = arg;
  pool.pieces = pieces;
  atomic_store_explicit(&pool.next, 0, memory_order_relaxed);
  atomic_store_explicit(&pool.done, 0, memory_order_relaxed);
  if (++pool.number == 0) pool.number = 1;
  atomic_store(&pool.open, pool.number);
  atomic_fetch_add(&pool.wake, 1);
  if (atomic_load(&pool.sleepers) > 0)
    syscall(SYS_futex, &pool.wake, FUTEX_WAKE_PRIVATE, (int)(pieces < INT_MAX ? pieces - 1 : INT_MAX), NULL, NULL, 0);
  run_pieces();
  wait_for(&pool.done, pieces);
  atomic_store(&pool.open, 0);
  for (int spins = 0; atomic_load(&pool.active) > 0; spins++) {
    if (spins < SPINS_BEFORE_YIELD) relax();
    else sched_yield();
  }
}

void mf_parallel_for(int64_t pieces, mf_parallel_fn fn, void *arg) {
  int threads = pieces > 1 ? mf_pool_threads() : 1;
  if (threads < 2 || atomic_flag_test_and_set_explicit(&pool.permit, memory_order_acquire)) {
    for (int64_t i = 0; i < pieces; i++) fn(arg, i);
    return;
  }
  if (pool.workers < threads - 1) start_workers(threads);
  run_wide(pieces, fn, arg);
  atomic_flag_clear_explicit(&pool.permit, memory_order_release);
}

int64_t mf_pieces_for(int64_t items, double ns_per_item) {
  double pieces = (double)items * ns_per_item / MF_PIECE_NS;
  if (pieces < 2 || items < 2) return 1;
  int64_t n = pieces > MF_MAX_PIECES ? MF_MAX_PIECES : (int64_t)pieces;
  return n < items ? n : items;
}
