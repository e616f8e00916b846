/* warp.cpp - shuffles, votes and warp barriers: rendezvous of the lanes that a mask names.
 *
 * A rendezvous is complete when every lane of the mask waits in the same primitive with the same mask. Lanes beyond
 * the end of a partial warp count as gone; a lane that ended although a mask names it is reported.
 */
#include "emu/machine.h"

enum { PRIMITIVE_BALLOT = 16, PRIMITIVE_BARRIER = 17 };

/* The warp's threads: [first, first + lanes). */
struct warp_view {
  cuda_thread *first;
  int lanes;
};

static warp_view warp_of(const cuda_thread *t) {
  int begin = (int)t->ids.warp * 32;
  int lanes = cemu_machine.count - begin < 32 ? cemu_machine.count - begin : 32;
  return warp_view{&cemu_machine.threads[begin], lanes};
}

static unsigned lanes_beyond(warp_view w) { return w.lanes == 32 ? 0u : ~0u << w.lanes; }

/* If all of `mask` is there, lets the waiting lanes go, except `runner`, which runs on. False: somebody is missing. */
static bool rendezvous_complete(warp_view w, unsigned mask, cuda_thread *runner) {
  unsigned waiting = 0, ended = 0;
  const cuda_thread *one = NULL;
  bool mixed = false;
  for (int l = 0; l < w.lanes; l++) {
    cuda_thread *t = &w.first[l];
    if (t->state == EXITED) ended |= 1u << l;
    if (t->state != AT_WARP || t->mask != mask) continue;
    waiting |= 1u << l;
    mixed = mixed || (one && one->primitive != t->primitive);
    one = t;
  }
  if (((waiting | ended | lanes_beyond(w)) & mask) != mask || !one) return false;
  if (mixed) cemu_report("lanes of one mask meet in different warp primitives", one->file, one->line);
  if (ended & mask) cemu_report("the mask names a lane that has ended", one->file, one->line);
  cemu_machine.warp_waiting[one->ids.warp] -= __builtin_popcount(waiting);
  for (int l = 0; l < w.lanes; l++) {
    if (!((waiting >> l) & 1)) continue;
    w.first[l].partners = waiting;
    if (&w.first[l] != runner) schedule_push(&w.first[l]);
  }
  return true;
}

static void rendezvous(cuda_thread *t, unsigned mask, int primitive, const char *file, int line) {
  machine *m = &cemu_machine;
  warp_view w = warp_of(t);
  t->file = file;
  t->line = line;
  t->primitive = primitive;
  t->mask = mask;
  if (!((mask >> t->ids.lane) & 1)) cemu_report("the calling lane is not in the mask", file, line);
  t->state = AT_WARP;
  /* The cheap test first: too few lanes stand here for any rendezvous with this mask. */
  int present = ++m->warp_waiting[t->ids.warp] + m->warp_exited[t->ids.warp] + (32 - w.lanes);
  if (present >= __builtin_popcount(mask) && rendezvous_complete(w, mask, t)) t->state = RUNNING;
  else schedule_wait();
}

void warp_thread_exited(cuda_thread *gone) {
  machine *m = &cemu_machine;
  m->warp_exited[gone->ids.warp]++;
  if (!m->warp_waiting[gone->ids.warp]) return;
  warp_view w = warp_of(gone);
  for (int l = 0; l < w.lanes; l++)
    if (w.first[l].state == AT_WARP && rendezvous_complete(w, w.first[l].mask, NULL)) return;
}

void cemu_warp_barrier(unsigned mask, const char *file, int line) {
  cuda_thread *t = machine_self();
  sync_release(&cemu_machine.warp_sync[t->ids.warp]);
  rendezvous(t, mask, PRIMITIVE_BARRIER, file, line);
  sync_acquire(&cemu_machine.warp_sync[t->ids.warp]);
}

/* CUDA's rules: past the segment of `width` lanes, the lane reads itself. */
static int source_lane(int kind, int lane, int argument, int width) {
  int base = lane & ~(width - 1), source;
  switch (kind) {
    case CEMU_SHUFFLE_INDEX: return base + (argument & (width - 1));
    case CEMU_SHUFFLE_UP: source = lane - argument; return source < base ? lane : source;
    case CEMU_SHUFFLE_DOWN: source = lane + argument; return source >= base + width ? lane : source;
    default: source = lane ^ argument; return source >= base + width ? lane : source;
  }
}

uint64_t cemu_shuffle(int kind, unsigned mask, uint64_t value, int argument, int width, const char *file, int line) {
  cuda_thread *t = machine_self();
  int slot = t->phase ^= 1;
  t->value[slot] = value;
  rendezvous(t, mask, kind, file, line);
  warp_view w = warp_of(t);
  int source = source_lane(kind, (int)t->ids.lane, argument, width);
  if (source >= w.lanes || !((mask & t->partners) >> source & 1)) {
    cemu_report("a shuffle reads a lane that does not take part", file, line);
    return UINT64_C(0x7ff7ffff7fbfffff);   /* NaN as float, double and half */
  }
  return w.first[source].value[slot];
}

unsigned cemu_ballot(unsigned mask, int predicate, const char *file, int line) {
  cuda_thread *t = machine_self();
  int slot = t->phase ^= 1;
  t->value[slot] = (uint64_t)predicate;
  rendezvous(t, mask, PRIMITIVE_BALLOT, file, line);
  warp_view w = warp_of(t);
  unsigned result = 0;
  for (int l = 0; l < w.lanes; l++)
    if ((t->partners >> l) & 1) result |= (unsigned)(w.first[l].value[slot] & 1) << l;
  return result;
}

unsigned cemu_activemask() { return 1u << machine_self()->ids.lane; }
