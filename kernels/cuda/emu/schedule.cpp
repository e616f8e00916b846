/* schedule.cpp - which thread runs next, block barriers, and threads that end.
 *
 * Threads that have not begun need no fiber of their own: one fiber runs them back to back until one of them has to
 * wait, and only then is another fiber taken. A kernel without barriers thus costs a plain function call a thread.
 * Threads that a barrier lets go stand in a ring and go first.
 */
#include <stdio.h>

#include "emu/machine.h"

unsigned machine_random() {
  uint64_t x = cemu_machine.random_state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  cemu_machine.random_state = x;
  return (unsigned)(x >> 11);
}

/* ---- the ring of ready threads */

static int ring_next(int i) { return i == MAX_THREADS ? 0 : i + 1; }

static bool ring_empty() { return cemu_machine.ready_first == cemu_machine.ready_end; }

void schedule_push(cuda_thread *t) {
  machine *m = &cemu_machine;
  t->state = READY;
  m->ready[m->ready_end] = (int)(t - m->threads);
  m->ready_end = ring_next(m->ready_end);
}

/* The position in the ring that the chosen order takes next. */
static int ring_choice() {
  machine *m = &cemu_machine;
  int n = (m->ready_end - m->ready_first + MAX_THREADS + 1) % (MAX_THREADS + 1);
  if (m->order == ORDER_RANDOM) return (m->ready_first + (int)(machine_random() % (unsigned)n)) % (MAX_THREADS + 1);
  int best = m->ready_first;
  if (m->order != ORDER_WARP) return best;
  for (int k = m->ready_first; k != m->ready_end; k = ring_next(k)) {
    unsigned candidate = m->threads[m->ready[k]].ids.warp, leader = m->threads[m->ready[best]].ids.warp;
    if (m->warp_priority[candidate] < m->warp_priority[leader]) best = k;
  }
  return best;
}

static cuda_thread *ring_pop() {
  machine *m = &cemu_machine;
  int at = ring_choice(), chosen = m->ready[at];
  m->ready[at] = m->ready[m->ready_first];
  m->ready_first = ring_next(m->ready_first);
  return &m->threads[chosen];
}

/* ---- switching */

static void fiber_body();

static void dispatch(bool dying) {
  machine *m = &cemu_machine;
  bool fresh = m->next_start < m->count;
  bool prefer_fresh = fresh && m->order == ORDER_RANDOM && (machine_random() & 1);
  if (!ring_empty() && !prefer_fresh) {
    cuda_thread *t = ring_pop();
    t->state = RUNNING;
    cemu_current = &t->ids;
    fiber_switch(t->on, dying);
  } else if (fresh) {
    fiber_switch(fiber_take(fiber_body), dying);
  } else {
    fiber_switch(machine_launcher(), dying);   /* nothing can run: schedule_block looks whether that is the end */
  }
}

void schedule_wait() { dispatch(false); }

/* ---- block barriers */

static void barrier_release() {
  machine *m = &cemu_machine;
  const cuda_thread *first = NULL;
  bool told = false;
  m->vote_result = m->vote_sum;
  m->at_barrier = 0;
  m->generation++;
  for (int k = 0; k < m->count; k++) {
    cuda_thread *t = &m->threads[m->start_order[k]];
    if (t->state != AT_BLOCK_BARRIER) continue;
    if (!first) first = t;
    if (!told && (t->line != first->line || strcmp(t->file, first->file))) {
      char text[96];
      snprintf(text, sizeof text, "divergent barrier: another thread waits at line %d", t->line);
      cemu_report(text, first->file, first->line);
      told = true;
    }
    schedule_push(t);
  }
}

int cemu_block_barrier(int vote, int predicate, const char *file, int line) {
  machine *m = &cemu_machine;
  cuda_thread *t = machine_self();
  if (!m->at_barrier) m->vote_sum = vote == CEMU_VOTE_AND;
  if (vote == CEMU_VOTE_OR) m->vote_sum |= !!predicate;
  else if (vote == CEMU_VOTE_AND) m->vote_sum &= !!predicate;
  else m->vote_sum += !!predicate;
  int parity = m->generation & 1;
  sync_release(&m->block_sync[parity]);
  t->file = file;
  t->line = line;
  t->state = AT_BLOCK_BARRIER;
  m->at_barrier++;
  if (m->at_barrier + m->exited == m->count) {
    if (m->exited) cemu_report("barrier reached after some threads have ended", file, line);
    barrier_release();
  }
  schedule_wait();
  sync_acquire(&m->block_sync[parity]);
  return m->vote_result;
}

/* ---- threads that begin and end */

static void thread_exit(cuda_thread *t) {
  machine *m = &cemu_machine;
  t->state = EXITED;
  m->exited++;
  if (m->at_barrier && m->at_barrier + m->exited == m->count) {
    for (int k = 0; k < m->count; k++) {
      cuda_thread *waiting = &m->threads[m->start_order[k]];
      if (waiting->state != AT_BLOCK_BARRIER) continue;
      cemu_report("some threads have ended while others wait at a barrier", waiting->file, waiting->line);
      break;
    }
    barrier_release();
  }
  warp_thread_exited(t);
}

/* What every fiber does: runs threads that have not begun, then gives itself back and never returns. */
static void fiber_body() {
  fiber_entered();
  machine *m = &cemu_machine;
  fiber *me = m->current;
  do {
    cuda_thread *t = &m->threads[m->start_order[m->next_start++]];
    t->state = RUNNING;
    t->on = me;
    cemu_current = &t->ids;
    sync_acquire(&m->grid_sync[m->block_parity ^ 1]);   /* after the block before, not after siblings */
    m->body(m->context);
    sync_release(&m->grid_sync[m->block_parity]);
    thread_exit(t);
  } while (m->next_start < m->count && ring_empty() && !CEMU_ONE_THREAD_A_FIBER);
  if (!CEMU_ONE_THREAD_A_FIBER) fiber_give(me);
  dispatch(true);
}

static void report_deadlock() {
  machine *m = &cemu_machine;
  int told = 0;
  for (int i = 0; i < m->count && told < 4; i++) {
    cuda_thread *t = &m->threads[i];
    if (t->state != AT_BLOCK_BARRIER && t->state != AT_WARP) continue;
    cemu_current = &t->ids;
    cemu_report(
        t->state == AT_WARP ? "deadlock: thread waits in a warp primitive" : "deadlock: thread waits in __syncthreads",
        t->file, t->line);
    told++;
  }
}

bool schedule_block() {
  machine *m = &cemu_machine;
  sync_acquire(&m->grid_sync[m->block_parity]);
  m->block_parity ^= 1;
  sync_release(&m->grid_sync[m->block_parity ^ 1]);
  for (int i = 0; i < m->count; i++) {
    m->threads[i].state = READY;
    m->threads[i].phase = 0;
  }
  memset(m->warp_waiting, 0, sizeof m->warp_waiting);
  memset(m->warp_exited, 0, sizeof m->warp_exited);
  m->exited = m->at_barrier = m->next_start = 0;
  m->ready_first = m->ready_end = 0;
  m->fibers_used = m->free_fiber_count = 0;   /* fibers of an abandoned block are armed anew */
  fiber_switch(fiber_take(fiber_body), false);
  if (m->exited == m->count) return true;
  report_deadlock();
  return false;
}
