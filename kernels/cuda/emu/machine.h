/* machine.h - the emulated machine: one block of CUDA threads on fibers. Internal to the emulator.
 *
 * Like the hardware it stands for, there is one of it in a process; its lock is held for the length of a launch. Who
 * does what:
 *     fiber.cpp      stacks and switching between them
 *     schedule.cpp   which thread runs next, block barriers, threads that end
 *     warp.cpp       shuffles, votes and warp barriers
 *     launch.cpp     grids, limits, shared memory
 *     memory.cpp     device memory, copies; streams, events and devices
 *     report.cpp     diagnostics
 */
#ifndef MF_CUDA_EMU_MACHINE_H
#define MF_CUDA_EMU_MACHINE_H

#include <pthread.h>

#include "emu/emu_runtime.h"
#include "emu/emu_device.h"
#include "emu/sanitizer.h"

enum {
  MAX_THREADS = 1024,
  MAX_WARPS = 32,
  FIBER_STACK = 128 << 10,
  SHARED_LIMIT = 227 << 10,
  SHARED_DEFAULT = 48 << 10
};

struct fiber {
  void *stack_pointer;       /* where to go on, while it does not run */
  char *stack;
  size_t stack_size;
  void *asan_fake_stack;
  void *tsan_fiber;
};

enum thread_state { READY, RUNNING, AT_BLOCK_BARRIER, AT_WARP, EXITED };

struct cuda_thread {
  cemu_ids ids;              /* first: cemu_current points here */
  thread_state state;
  fiber *on;
  const char *file;          /* where it waits ... */
  int line;
  int primitive;             /* ... at a warp, in which primitive, with which mask */
  unsigned mask;
  int phase; /* which of the two value slots is in use: two, so that one rendezvous a shuffle is enough */
  uint64_t value[2];
  unsigned partners;         /* lanes that took part in the last rendezvous */
};

enum schedule_order { ORDER_FORWARD, ORDER_REVERSE, ORDER_RANDOM, ORDER_WARP };

struct machine {
  pthread_mutex_t lock;      /* one launch, and one change of the lists of memory, at a time */

  /* the launch */
  const char *kernel_name;
  void (*body)(void *);
  void *context;
  schedule_order order;
  uint64_t random_state;
  char *dynamic_shared;      /* exactly as long as asked for: overruns meet the heap's guards */

  /* the block */
  cuda_thread threads[MAX_THREADS];
  int count;                 /* threads in the block */
  int exited;
  int start_order[MAX_THREADS];
  int next_start;            /* threads from here on in start_order have not begun */
  int ready[MAX_THREADS + 1];   /* ring of threads that a barrier let go */
  int ready_first, ready_end;
  int warp_priority[MAX_WARPS]; /* ORDER_WARP */

  /* barriers */
  int at_barrier;
  int vote_sum, vote_result;
  int generation;
  int warp_waiting[MAX_WARPS], warp_exited[MAX_WARPS];

  /* fibers; the last one is the launching OS thread itself */
  fiber fibers[MAX_THREADS + 1];
  fiber *current;
  int fibers_used;
  int free_fibers[MAX_THREADS];
  int free_fiber_count;
  bool learn_stack;          /* the next switch tells ASan's idea of the launching thread's stack */

  /* order between threads, for ThreadSanitizer */
  sync_point block_sync[2], warp_sync[MAX_WARPS], grid_sync[2];
  int block_parity;
};

extern machine cemu_machine;

static inline cuda_thread *machine_self() { return (cuda_thread *)cemu_current; }
static inline fiber *machine_launcher() { return &cemu_machine.fibers[MAX_THREADS]; }

/* ---- fiber.cpp */
/* A fiber that will call `entry` when it is switched to; `entry` never returns. */
fiber *fiber_take(void (*entry)());
/* Lets fiber_take use it again. It must not be switched to any more. */
void fiber_give(fiber *f);
/* Leaves the current fiber, for good when `dying`. */
void fiber_switch(fiber *to, bool dying);
/* First thing on a new fiber. */
void fiber_entered();
/* Before a launch of `count` threads. */
void fiber_prepare(int count);

/* ---- schedule.cpp */
unsigned machine_random();
/* Runs every thread of the current block. False: deadlock, already reported. */
bool schedule_block();
void schedule_push(cuda_thread *t);
/* Gives the processor to another thread until somebody pushes this one. */
void schedule_wait();

/* ---- warp.cpp */
/* A thread of this warp has ended: lets go those who waited for nobody but it. */
void warp_thread_exited(cuda_thread *gone);

/* ---- memory.cpp */
/* Opens device memory to loads and stores while a kernel runs (ASan), and closes it to host code afterwards. */
void device_memory_open(bool open);

/* ---- report.cpp */
/* A diagnostic about the running thread; the launch will fail. */
void cemu_report(const char *what, const char *file, int line);
/* Sets the calling OS thread's last error and returns it. */
cudaError_t cemu_set_error(cudaError_t code);
/* Fills with 0xFF (NaN in every float format) without being seen by a sanitizer's interceptor. */
void cemu_fill_nan(void *p, size_t size);

#endif
