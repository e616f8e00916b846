/* pool.c - a small work-sharing pool: see pool.h.
 *
 * One atomic word, `ticket`, holds the number of the job (upper half) and how many of its pieces nobody has claimed
 * yet (lower half). A thread claims a piece by lowering the word with a compare-and-swap; since the job's number is
 * part of it, a thread that was held up between looking and claiming can never claim from a job it has not read. The
 * caller waits for `left`, the pieces not finished, and for nothing else: a worker that lost its core between two
 * pieces holds nobody up.
 *
 * The fields of a job are relaxed atomics. They change only after `left` reached 0, which is after every successful
 * claim of the job before, so whoever claims has read the right ones.
 *
 * Sleeping: a worker counts itself in `sleepers` and then looks at the ticket once more; a caller stores the ticket
 * and then looks at `sleepers`. Both sides are sequentially consistent, so one of them sees the other. The same holds
 * for `left` and `caller_waits`.
 */
#include "base/pool.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/env.h"

/* A spin is one pause instruction: 15 to 45 ns. */
enum { MAX_WORKERS = 255, WORKER_SPINS = 4000, CALLER_SPINS = 4000, MAX_NARROW = 256, CACHE_LINE = 64 };

static struct {
  alignas(CACHE_LINE) _Atomic uint64_t ticket;
  _Atomic(mf_parallel_fn) fn;
  _Atomic(void *) arg;
  _Atomic int64_t first;              /* number of the job's first piece */
  _Atomic uint32_t pieces;
  atomic_int core;                    /* on which the caller runs */

  alignas(CACHE_LINE) atomic_uint left;          /* futex word of the caller */
  atomic_uint caller_waits;

  alignas(CACHE_LINE) atomic_uint wake;          /* futex word of the workers */
  atomic_uint sleepers;
  atomic_bool stop;

  alignas(CACHE_LINE) atomic_flag permit;        /* held by the one wide caller; guards what follows */
  uint32_t number;                    /* of the last job */
  int workers;                        /* running */
  bool refused;                       /* the system gave no further thread */
  bool fork_handler;
  pthread_t threads[MAX_WORKERS];

  atomic_int wanted;                  /* threads asked for; 0: not yet decided */
  atomic_int narrow_count;            /* upper bound of the slots in use below */
  _Atomic pthread_t narrow[MAX_NARROW];          /* threads that never run wide; 0: free */
} pool = {.permit = ATOMIC_FLAG_INIT};

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static void futex_wait(atomic_uint *word, unsigned value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(atomic_uint *word, int threads) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

/* ---- pieces */

/* Runs one piece of the open job; false when there is none to claim. */
static bool run_piece(void) {
  uint64_t ticket = atomic_load_explicit(&pool.ticket, memory_order_acquire);
  for (;;) {
    uint32_t unclaimed = (uint32_t)ticket;
    if (!unclaimed) return false;
    mf_parallel_fn fn = atomic_load_explicit(&pool.fn, memory_order_relaxed);
    void *arg = atomic_load_explicit(&pool.arg, memory_order_relaxed);
    int64_t first = atomic_load_explicit(&pool.first, memory_order_relaxed);
    uint32_t pieces = atomic_load_explicit(&pool.pieces, memory_order_relaxed);
    if (!atomic_compare_exchange_weak_explicit(&pool.ticket, &ticket, ticket - 1, memory_order_acq_rel,
                                               memory_order_acquire))
      continue;
    fn(arg, first + (pieces - unclaimed));
    if (atomic_fetch_sub(&pool.left, 1) == 1 && atomic_load(&pool.caller_waits)) futex_wake(&pool.left, 1);
    return true;
  }
}

static void wait_for_pieces(void) {
  for (int spins = 0; spins < CALLER_SPINS; spins++) {
    if (!atomic_load_explicit(&pool.left, memory_order_acquire)) return;
    relax();
  }
  atomic_store(&pool.caller_waits, 1);
  for (unsigned left; (left = atomic_load(&pool.left)) != 0;) futex_wait(&pool.left, left);
  atomic_store_explicit(&pool.caller_waits, 0, memory_order_relaxed);
}

/* Under the permit. */
static void run_wide(int64_t first, uint32_t pieces, mf_parallel_fn fn, void *arg) {
  atomic_store_explicit(&pool.fn, fn, memory_order_relaxed);
  atomic_store_explicit(&pool.arg, arg, memory_order_relaxed);
  atomic_store_explicit(&pool.first, first, memory_order_relaxed);
  atomic_store_explicit(&pool.pieces, pieces, memory_order_relaxed);
  atomic_store_explicit(&pool.left, pieces, memory_order_relaxed);
  atomic_store_explicit(&pool.core, sched_getcpu(), memory_order_relaxed);
  atomic_store(&pool.ticket, (uint64_t)++pool.number << 32 | pieces);
  unsigned sleepers = atomic_load(&pool.sleepers);
  if (sleepers) {
    atomic_fetch_add(&pool.wake, 1);
    futex_wake(&pool.wake, (int)(pieces - 1 < sleepers ? pieces - 1 : sleepers));
  }
  while (run_piece()) {
  }
  wait_for_pieces();
}

/* ---- workers */

/* The kernel, above all in a virtual machine, likes to wake a thread on the core of the one that wakes it, and looks for
 * an idle core only milliseconds later. So a worker sleeps with the caller's core forbidden to it, and is woken beside
 * it. Each returns false where nothing was changed. */
static bool forbid_callers_core(cpu_set_t *all, cpu_set_t *others) {
  int core = atomic_load_explicit(&pool.core, memory_order_relaxed);
  if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof *all, all)) return false;
  *others = *all;
  CPU_CLR((size_t)core, others);
  return CPU_COUNT(others) && !CPU_EQUAL(all, others) && !sched_setaffinity(0, sizeof *others, others);
}

/* Unless somebody else has set another mask meanwhile. */
static void allow_all_cores(const cpu_set_t *all, const cpu_set_t *others) {
  cpu_set_t now;
  if (!sched_getaffinity(0, sizeof now, &now) && CPU_EQUAL(&now, others)) sched_setaffinity(0, sizeof *all, all);
}

static void sleep_until_woken(void) {
  cpu_set_t all, others;
  unsigned word = atomic_load(&pool.wake);
  bool forbidden = forbid_callers_core(&all, &others);
  atomic_fetch_add(&pool.sleepers, 1);
  if (!(uint32_t)atomic_load(&pool.ticket) && !atomic_load(&pool.stop)) futex_wait(&pool.wake, word);
  atomic_fetch_sub(&pool.sleepers, 1);
  if (forbidden) allow_all_cores(&all, &others);
}

static void *worker(void *unused) {
  (void)unused;
  for (int spins = 0; !atomic_load_explicit(&pool.stop, memory_order_relaxed); spins++) {
    if (run_piece()) spins = 0;
    else if (spins < WORKER_SPINS) relax();
    else {
      sleep_until_woken();
      spins = 0;
    }
  }
  return NULL;
}

/* A child of fork has one thread: the one that called it. */
static void after_fork(void) {
  pool.workers = 0;
  pool.refused = false;
  atomic_store(&pool.ticket, (uint64_t)pool.number << 32);
  atomic_store(&pool.caller_waits, 0);
  atomic_store(&pool.sleepers, 0);
  atomic_store(&pool.stop, false);
  atomic_store(&pool.narrow_count, 0);
  for (int i = 0; i < MAX_NARROW; i++) atomic_store(&pool.narrow[i], 0);
  atomic_flag_clear(&pool.permit);
}

/* Under the permit. Workers take no signals: those are the host's. Fewer workers than asked for is no error: the
 * pieces are done all the same. */
static void start_workers(int count) {
  sigset_t all, before;
  if (!pool.fork_handler) pool.fork_handler = pthread_atfork(NULL, NULL, after_fork) == 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pool.workers < count && !pool.refused) {
    pool.refused = pthread_create(&pool.threads[pool.workers], NULL, worker, NULL) != 0;
    if (pool.refused) break;
    pthread_setname_np(pool.threads[pool.workers++], "moonflow-pool");
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Under the permit. */
static void stop_workers(void) {
  atomic_store(&pool.stop, true);
  atomic_fetch_add(&pool.wake, 1);
  futex_wake(&pool.wake, INT_MAX);
  while (pool.workers > 0) pthread_join(pool.threads[--pool.workers], NULL);
  atomic_store(&pool.stop, false);
  pool.refused = false;
}

static bool try_permit(void) { return !atomic_flag_test_and_set_explicit(&pool.permit, memory_order_acquire); }
static void give_permit(void) { atomic_flag_clear_explicit(&pool.permit, memory_order_release); }
static void take_permit(void) {
  while (!try_permit()) sched_yield();
}

/* ---- size */

static int within_limits(int threads) { return threads > MAX_WORKERS + 1 ? MAX_WORKERS + 1 : threads; }

static int default_threads(void) {
  int64_t n = mf_env_int(MF_ENV_NUM_THREADS);
  return within_limits(n > 0 && n <= INT_MAX ? (int)n : mf_cpu_cores());
}

int mf_pool_threads(void) {
  int n = atomic_load_explicit(&pool.wanted, memory_order_relaxed), undecided = 0;
  if (n > 0) return n;
  n = default_threads();
  return atomic_compare_exchange_strong(&pool.wanted, &undecided, n) ? n : undecided;
}

void mf_pool_set_threads(int n) {
  n = n < 1 ? default_threads() : within_limits(n);
  take_permit();
  if (pool.workers > n - 1) stop_workers();
  pool.refused = false;
  atomic_store(&pool.wanted, n);
  give_permit();
}

void mf_pool_shutdown(void) {
  take_permit();
  stop_workers();
  give_permit();
}

/* ---- threads that never run wide */

static bool is_narrow(void) {
  int count = atomic_load_explicit(&pool.narrow_count, memory_order_relaxed);
  pthread_t self = pthread_self();
  for (int i = 0; i < count; i++)
    if (atomic_load_explicit(&pool.narrow[i], memory_order_relaxed) == self) return true;
  return false;
}

static void raise_narrow_count(int count) {
  int seen = atomic_load(&pool.narrow_count);
  while (seen < count && !atomic_compare_exchange_weak(&pool.narrow_count, &seen, count)) {
  }
}

bool mf_pool_thread_narrow(bool on) {
  pthread_t self = pthread_self();
  if (is_narrow() == on) return true;
  for (int i = 0; i < MAX_NARROW; i++) {
    pthread_t expected = on ? 0 : self;
    if (!atomic_compare_exchange_strong(&pool.narrow[i], &expected, on ? self : 0)) continue;
    if (on) raise_narrow_count(i + 1);
    return true;
  }
  return false;
}

/* ---- running */

void mf_parallel_for(int64_t pieces, mf_parallel_fn fn, void *arg) {
  int threads = pieces > 1 ? mf_pool_threads() : 1;
  if (threads < 2 || is_narrow() || !try_permit()) {
    for (int64_t i = 0; i < pieces; i++) fn(arg, i);
    return;
  }
  if (pool.workers < threads - 1 && !pool.refused) start_workers(threads - 1);
  for (int64_t first = 0; first < pieces; first += UINT32_MAX) {
    int64_t rest = pieces - first;
    run_wide(first, rest < UINT32_MAX ? (uint32_t)rest : UINT32_MAX, fn, arg);
  }
  give_permit();
}

static _Atomic int64_t piece_ns = MF_PIECE_NS;

void mf_pool_set_piece_ns(int64_t ns) { atomic_store_explicit(&piece_ns, ns > 0 ? ns : MF_PIECE_NS, memory_order_relaxed); }

int64_t mf_pieces_for(int64_t items, double ns_per_item) {
  double pieces = (double)items * ns_per_item / (double)atomic_load_explicit(&piece_ns, memory_order_relaxed);
  if (!(pieces >= 2) || items < 2) return 1;
  int64_t n = pieces > MF_MAX_PIECES ? MF_MAX_PIECES : (int64_t)pieces;
  return n < items ? n : items;
}
