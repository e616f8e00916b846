/* allocator.c - size-class caching over the system's memory.
 *
 * Classes: 64 * 2^k * {1, 1.25, 1.5, 1.75}, so rounding wastes at most 25 %. Each class has a free list (a LIFO: the warmest
 * block first) whose links live in the free blocks themselves. One lock guards the lists; small tensors do not come here
 * (tensor.c keeps them in the C library's thread caches), so that it is taken a few times per kernel at most.
 */
#include "tensor/allocator.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/cpu.h"

enum { CLASSES = 4 * 44, SMALLEST = 64, HUGE_PAGE = 2 << 20 };

struct mf_allocator {
  pthread_mutex_t lock;
  mf_memory_source source;   /* take == NULL: this process's memory, cached here */
  void *free_blocks[CLASSES];
  mf_allocator_stats stats;
};

static mf_allocator cpu_allocator = {.lock = PTHREAD_MUTEX_INITIALIZER, .stats = {.limit = INT64_MAX}};

mf_allocator *mf_allocator_cpu(void) { return &cpu_allocator; }

static size_t class_size(int c) { return ((size_t)(4 + c % 4) << (c / 4)) * (SMALLEST / 4); }

/* The smallest class that holds `size`; -1 when none does. */
static int class_of(size_t size) {
  if (size <= SMALLEST) return 0;
  int log = 63 - __builtin_clzll((unsigned long long)(size - 1) / SMALLEST | 1);
  for (int c = 4 * (log > 0 ? log - 1 : 0); c < CLASSES; c++)
    if (class_size(c) >= size) return c;
  return -1;
}

static void *system_take(size_t size) {
  size_t alignment = size >= HUGE_PAGE ? HUGE_PAGE : 64;
  void *block = mf_alloc_aligned(alignment, size);
#ifdef MADV_HUGEPAGE
  if (block && size >= HUGE_PAGE) (void)madvise(block, size, MADV_HUGEPAGE);
#endif
  return block;
}

/* Returns every cached block to the system. Under the lock. */
static int64_t trim_locked(mf_allocator *a) {
  int64_t freed = 0;
  for (int c = 0; c < CLASSES; c++) {
    while (a->free_blocks[c]) {
      void *block = a->free_blocks[c];
      memcpy(&a->free_blocks[c], block, sizeof(void *));
      mf_free(block);
      freed += (int64_t)class_size(c);
    }
  }
  a->stats.bytes_cached -= freed;
  return freed;
}

static void *take_locked(mf_allocator *a, int c) {
  size_t size = class_size(c);
  void *block = a->free_blocks[c];
  if (block) {
    memcpy(&a->free_blocks[c], block, sizeof(void *));
    a->stats.bytes_cached -= (int64_t)size;
    return block;
  }
  if (a->stats.bytes_in_use + a->stats.bytes_cached + (int64_t)size > a->stats.limit) {
    trim_locked(a);
    if (a->stats.bytes_in_use + (int64_t)size > a->stats.limit) return NULL;
  }
  block = system_take(size);
  if (!block && trim_locked(a)) block = system_take(size);
  if (block) a->stats.system_calls++;
  return block;
}

/* The hostile build shows reads of memory that was never written: every byte 0xFF is a NaN in all float formats. */
static void poison(void *block, size_t size) {
#ifdef MF_HOSTILE
  memset(block, 0xFF, size);
#else
  (void)block;
  (void)size;
#endif
}

/* ---- allocators over a source: counted and limited, not cached */

enum { SOURCE_ROUND = 256 };

mf_status mf_allocator_new(const mf_memory_source *source, mf_allocator **out) {
  *out = mf_alloc_zero(1, sizeof **out);
  if (!*out) return mf_fail_oom();
  pthread_mutex_init(&(*out)->lock, NULL);
  (*out)->source = *source;
  (*out)->stats.limit = INT64_MAX;
  return NULL;
}

void mf_allocator_release(mf_allocator *a) {
  if (!a) return;
  pthread_mutex_destroy(&a->lock);
  mf_free(a);
}

/* Counts `bytes` in (out, when negative); false when the limit forbids it. */
static bool source_count(mf_allocator *a, int64_t bytes) {
  pthread_mutex_lock(&a->lock);
  bool fits = bytes <= 0 || a->stats.bytes_in_use + bytes <= a->stats.limit;
  if (fits) a->stats.bytes_in_use += bytes;
  if (a->stats.bytes_in_use > a->stats.peak_bytes_in_use) a->stats.peak_bytes_in_use = a->stats.bytes_in_use;
  if (bytes > 0) a->stats.allocations++;
  pthread_mutex_unlock(&a->lock);
  return fits;
}

static mf_status source_take(mf_allocator *a, size_t size, void **block, size_t *granted) {
  bool sane = size <= (size_t)INT64_MAX / 2;
  int64_t rounded = sane ? (int64_t)((size + SOURCE_ROUND - 1) & ~(size_t)(SOURCE_ROUND - 1)) : 0;
  if (sane && source_count(a, rounded)) {
    int code = a->source.take(a->source.user, (size_t)rounded, block);
    if (code) a->source.trim(a->source.user);
    if (code) code = a->source.take(a->source.user, (size_t)rounded, block);
    *granted = code ? 0 : (size_t)rounded;
    if (!code) return NULL;
    *block = NULL;
    source_count(a, -rounded);
  }
  mf_allocator_stats now = mf_allocator_stats_get(a);
  return mf_fail(MF_RESOURCE_EXHAUSTED, "Allocator: %zu bytes of device memory requested, %" PRId64 " in use, limit %" PRId64,
                 size, now.bytes_in_use, now.limit);
}

/* ---- the interface */

mf_status mf_allocator_take(mf_allocator *a, size_t size, void **block, size_t *granted) {
  *block = NULL;
  *granted = 0;
  if (a->source.take) return source_take(a, size, block, granted);
  int c = size > (size_t)INT64_MAX / 2 ? -1 : class_of(size);
  pthread_mutex_lock(&a->lock);
  a->stats.allocations++;
  void *got = c < 0 ? NULL : take_locked(a, c);
  if (got) {
    a->stats.bytes_in_use += (int64_t)class_size(c);
    if (a->stats.bytes_in_use > a->stats.peak_bytes_in_use) a->stats.peak_bytes_in_use = a->stats.bytes_in_use;
  }
  int64_t in_use = a->stats.bytes_in_use, limit = a->stats.limit;
  pthread_mutex_unlock(&a->lock);
  if (!got)
    return mf_fail(MF_RESOURCE_EXHAUSTED, "Allocator: %zu bytes requested, %" PRId64 " in use, limit %" PRId64, size, in_use,
                   limit);
  poison(got, class_size(c));
  *block = got;
  *granted = class_size(c);
  return NULL;
}

void mf_allocator_give(mf_allocator *a, void *block, size_t granted) {
  if (!block) return;
  if (a->source.take) {
    a->source.give(a->source.user, block);
    source_count(a, -(int64_t)granted);
    return;
  }
  int c = class_of(granted);
  poison(block, granted);
  pthread_mutex_lock(&a->lock);
  memcpy(block, &a->free_blocks[c], sizeof(void *));
  a->free_blocks[c] = block;
  a->stats.bytes_in_use -= (int64_t)granted;
  a->stats.bytes_cached += (int64_t)granted;
  pthread_mutex_unlock(&a->lock);
}

mf_allocator_stats mf_allocator_stats_get(mf_allocator *a) {
  pthread_mutex_lock(&a->lock);
  mf_allocator_stats stats = a->stats;
  pthread_mutex_unlock(&a->lock);
  return stats;
}

void mf_allocator_reset_peak(mf_allocator *a) {
  pthread_mutex_lock(&a->lock);
  a->stats.peak_bytes_in_use = a->stats.bytes_in_use;
  pthread_mutex_unlock(&a->lock);
}

void mf_allocator_set_limit(mf_allocator *a, int64_t bytes) {
  pthread_mutex_lock(&a->lock);
  a->stats.limit = bytes;
  pthread_mutex_unlock(&a->lock);
}

int64_t mf_allocator_trim(mf_allocator *a) {
  if (a->source.take) {
    a->source.trim(a->source.user);
    return 0;
  }
  pthread_mutex_lock(&a->lock);
  int64_t freed = trim_locked(a);
  pthread_mutex_unlock(&a->lock);
  return freed;
}
