/* launch.cpp - grids, CUDA's launch limits, shared memory. */
#include <stdlib.h>

#include "emu/machine.h"

machine cemu_machine = {};
cemu_ids *cemu_current;
dim3 cemu_block_index, cemu_block_size, cemu_grid_size;

namespace {

enum { MAX_STATICS = 16, REDZONE = 32, MAX_ALLOWED = 64 };

/* Static shared memory of the launch, handed out at first use. Overruns meet closed bytes behind each one (ASan). */
struct static_shared {
  alignas(64) char memory[SHARED_LIMIT + MAX_STATICS * REDZONE];
  size_t used;
  struct {
    const void *key;
    char *at;
    size_t size;
  } variables[MAX_STATICS];
  int count;
} statics;

/* What ALLOW_SHARED raised: kernels that may have more than 48 KiB of dynamic shared memory. */
struct {
  const void *kernel;
  size_t bytes;
} allowed[MAX_ALLOWED];
int allowed_count;

struct locked {
  locked() { pthread_mutex_lock(&cemu_machine.lock); }
  ~locked() { pthread_mutex_unlock(&cemu_machine.lock); }
};

void statics_reset() {
  memory_open(statics.memory, sizeof statics.memory);
  statics.used = 0;
  statics.count = 0;
}

void statics_poison() {
  for (int i = 0; i < statics.count; i++) cemu_fill_nan(statics.variables[i].at, statics.variables[i].size);
}

size_t shared_allowance(const void *kernel) {
  for (int i = 0; i < allowed_count; i++)
    if (allowed[i].kernel == kernel) return allowed[i].bytes;
  return SHARED_DEFAULT;
}

bool within_limits(const void *kernel, dim3 g, dim3 b, size_t shared_bytes) {
  uint64_t threads = (uint64_t)b.x * b.y * b.z;
  if (!threads || threads > MAX_THREADS || b.z > 64) return false;
  if (!g.x || !g.y || !g.z || g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535) return false;
  return shared_bytes <= shared_allowance(kernel);
}

void choose_order() {
  machine *m = &cemu_machine;
  const char *text = getenv("CEMU_SCHED");
  m->order = ORDER_FORWARD;
  if (!text) return;
  if (!strncmp(text, "rev", 3)) m->order = ORDER_REVERSE;
  if (!strncmp(text, "rand", 4)) m->order = ORDER_RANDOM;
  if (!strncmp(text, "warp", 4)) m->order = ORDER_WARP;
  const char *colon = strchr(text, ':');
  uint64_t seed = colon ? strtoull(colon + 1, NULL, 10) : 0;
  m->random_state = UINT64_C(88172645463325252) ^ (seed * UINT64_C(0x9E3779B97F4A7C15));
}

void number_threads(dim3 b) {
  machine *m = &cemu_machine;
  for (int i = 0; i < m->count; i++) {
    cemu_ids *ids = &m->threads[i].ids;
    unsigned n = (unsigned)i;
    ids->thread = uint3{n % b.x, n / b.x % b.y, n / (b.x * b.y)};
    ids->linear = n;
    ids->lane = n & 31;
    ids->warp = n >> 5;
    m->start_order[i] = m->order == ORDER_REVERSE ? m->count - 1 - i : i;
  }
}

/* The next block's thread order; random orders differ from block to block. */
void shuffle_block() {
  machine *m = &cemu_machine;
  if (m->order == ORDER_WARP)
    for (int i = 0; i < MAX_WARPS; i++) m->warp_priority[i] = (int)(machine_random() & 0xffff);
  if (m->order != ORDER_RANDOM) return;
  for (int i = m->count - 1; i > 0; i--) {
    int j = (int)(machine_random() % (unsigned)(i + 1)), held = m->start_order[i];
    m->start_order[i] = m->start_order[j];
    m->start_order[j] = held;
  }
}

void run_grid(dim3 g, size_t shared_bytes) {
  machine *m = &cemu_machine;
  uint64_t blocks = (uint64_t)g.x * g.y * g.z;
  for (uint64_t i = 0; i < blocks; i++) {
    uint64_t n = m->order == ORDER_REVERSE ? blocks - 1 - i : i;
    cemu_block_index = dim3((unsigned)(n % g.x), (unsigned)(n / g.x % g.y), (unsigned)(n / ((uint64_t)g.x * g.y)));
    shuffle_block();
    statics_poison();
    cemu_fill_nan(m->dynamic_shared, shared_bytes);
    if (!schedule_block()) break;   /* deadlock: the rest of the grid is given up */
  }
}

}  // namespace

cudaError_t cemu_allow_shared(const void *kernel, size_t bytes) {
  locked hold;
  if (bytes > SHARED_LIMIT) return cemu_set_error(cudaErrorInvalidValue);
  int i = 0;
  while (i < allowed_count && allowed[i].kernel != kernel) i++;
  if (i == MAX_ALLOWED) return cemu_set_error(cudaErrorInvalidValue);
  allowed[i].kernel = kernel;
  allowed[i].bytes = bytes;
  if (i == allowed_count) allowed_count++;
  return cudaSuccess;
}

void *cemu_dynamic_shared() { return cemu_machine.dynamic_shared; }

void *cemu_static_shared(const void *key, size_t size) {
  static_shared *s = &statics;
  for (int i = 0; i < s->count; i++)
    if (s->variables[i].key == key) return s->variables[i].at;
  size_t rounded = (size + 15) & ~(size_t)15;
  if (s->count == MAX_STATICS || s->used + rounded > SHARED_DEFAULT)
    cemu_report("static shared memory: more than 16 variables or 48 KiB", "launch", 0);
  if (s->count == MAX_STATICS || s->used + rounded + REDZONE > sizeof s->memory) return s->memory;
  char *at = s->memory + s->used;
  s->variables[s->count].key = key;
  s->variables[s->count].at = at;
  s->variables[s->count++].size = size;
  s->used += rounded + REDZONE;
  memory_close(at + size, rounded - size + REDZONE);
  cemu_fill_nan(at, size);
  return at;
}

void cemu_launch(const char *name, const void *kernel, dim3 grid, dim3 block, size_t shared_bytes, void (*fn)(void *),
                 void *context) {
  locked hold;
  machine *m = &cemu_machine;
  if (!within_limits(kernel, grid, block, shared_bytes)) {
    cemu_set_error(cudaErrorInvalidConfiguration);
    return;
  }
  size_t rounded = (shared_bytes + 15) & ~(size_t)15;
  m->dynamic_shared = rounded ? (char *)aligned_alloc(16, rounded) : NULL;
  if (rounded && !m->dynamic_shared) {
    cemu_set_error(cudaErrorMemoryAllocation);
    return;
  }
  memory_close(m->dynamic_shared + shared_bytes, rounded - shared_bytes);
  int reports = cemu_report_count();
  m->kernel_name = name;
  m->body = fn;
  m->context = context;
  m->count = (int)(block.x * block.y * block.z);
  cemu_block_size = block;
  cemu_grid_size = grid;
  choose_order();
  number_threads(block);
  fiber_prepare(m->count);
  statics_reset();
  device_memory_open(true);
  run_grid(grid, shared_bytes);
  device_memory_open(false);
  sync_acquire(&m->grid_sync[m->block_parity]);
  cemu_current = NULL;
  free(m->dynamic_shared);
  m->dynamic_shared = NULL;
  if (cemu_report_count() != reports) cemu_set_error(cudaErrorLaunchFailure);
}
