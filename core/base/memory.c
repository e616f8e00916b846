/* memory.c - small memory, with fault injection in the hostile build: see memory.h. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef MF_HOSTILE

/* fail_at counts down with every allocation; at 1 that one fails. */
static atomic_uint_fast64_t fail_at, allocations;
static atomic_bool fail_sticky, failing;
static atomic_int_fast64_t live;

static bool refused(void) {
  atomic_fetch_add(&allocations, 1);
  if (atomic_load(&failing)) return true;
  uint_fast64_t n = atomic_load(&fail_at);
  while (n && !atomic_compare_exchange_weak(&fail_at, &n, n - 1)) {
  }
  if (n != 1) return false;
  if (atomic_load(&fail_sticky)) atomic_store(&failing, true);
  return true;
}

static void *note(void *block, size_t size, bool fill) {
  if (block) atomic_fetch_add(&live, 1);
  if (block && fill) memset(block, 0xFF, size);
  return block;
}

void mf_memory_fail_at(uint64_t n, bool sticky) {
  atomic_store(&failing, false);
  atomic_store(&fail_sticky, sticky);
  atomic_store(&fail_at, n);
}

uint64_t mf_memory_allocation_count(void) { return atomic_load(&allocations); }
int64_t mf_memory_live_blocks(void) { return (int64_t)atomic_load(&live); }
static void forget(const void *block) {
  if (block) atomic_fetch_sub(&live, 1);
}

#else

static inline bool refused(void) { return false; }
static inline void *note(void *block, size_t size, bool fill) {
  (void)size;
  (void)fill;
  return block;
}
static inline void forget(const void *block) { (void)block; }
void mf_memory_fail_at(uint64_t n, bool sticky) {
  (void)n;
  (void)sticky;
}
uint64_t mf_memory_allocation_count(void) { return 0; }
int64_t mf_memory_live_blocks(void) { return 0; }

#endif

void *mf_alloc(size_t size) { return refused() ? NULL : note(malloc(size ? size : 1), size, true); }

void *mf_alloc_zero(size_t count, size_t size) {
  return refused() ? NULL : note(calloc(count ? count : 1, size ? size : 1), 0, false);
}

void *mf_alloc_array(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? NULL : mf_alloc(bytes);
}

void *mf_realloc(void *old, size_t size) {
  if (refused()) return NULL;
  void *block = realloc(old, size ? size : 1);
  return old ? block : note(block, 0, false);
}

void *mf_alloc_aligned(size_t alignment, size_t size) {
  void *block = NULL;
  if (refused() || posix_memalign(&block, alignment, size ? size : 1)) return NULL;
  return note(block, size, true);
}

char *mf_strndup(const char *text, size_t length) {
  char *copy = length == SIZE_MAX ? NULL : mf_alloc(length + 1);
  if (!copy) return NULL;
  if (length) memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

char *mf_strdup(const char *text) { return mf_strndup(text, strlen(text)); }

void mf_free(void *block) {
  forget(block);
  free(block);
}

bool mf_array_reserve(void **items, size_t *capacity, size_t need, size_t item_size) {
  size_t bytes;
  if (need <= *capacity) return true;
  size_t grown = *capacity ? *capacity + *capacity / 2 : 8;
  if (grown < need) grown = need;
  if (__builtin_mul_overflow(grown, item_size, &bytes)) return false;
  void *block = mf_realloc(*items, bytes);
  if (!block) return false;
  *items = block;
  *capacity = grown;
  return true;
}
