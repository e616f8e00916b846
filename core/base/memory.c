/* memory.c - small memory, with fault injection and red zones in the hostile build: see memory.h.
 *
 * Plain build: the system's functions and nothing else. Hostile build: every block stands behind a header (its start,
 * its size, a guard word) and before a tail of known bytes, is filled with 0xFF when it is new (NaN as floats, -1 as
 * integers) and with 0xDD when it is freed, and always moves when it grows. Under AddressSanitizer there is no tail:
 * the sanitizer sees more.
 */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef MF_HOSTILE

enum { NEW_BYTE = 0xFF, FREED_BYTE = 0xDD, TAIL_BYTE = 0xA5 };
#ifdef __SANITIZE_ADDRESS__
enum { TAIL = 0 };
#else
enum { TAIL = 16 };
#endif
static const uint64_t guard_live = UINT64_C(0x6D6F6F6E666C6F77), guard_freed = UINT64_C(0xDEADDEADDEADDEAD);

/* Ends where the caller's block begins; 32 bytes, so that malloc's alignment of 16 is kept. */
typedef struct header {
  void *start;
  size_t size;
  uint64_t unused, guard;
} header;

/* fail_at counts down with every allocation; at 1 that one fails. */
static atomic_uint_fast64_t fail_at, allocations, damaged;
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

static void *block_new(size_t alignment, size_t size, int byte) {
  size_t front = alignment > sizeof(header) ? alignment : sizeof(header), total;
  void *start = NULL;
  if (refused() || __builtin_add_overflow(size, front + TAIL, &total)) return NULL;
  if (posix_memalign(&start, alignment < 16 ? 16 : alignment, total)) return NULL;
  char *block = (char *)start + front;
  header h = {.start = start, .size = size, .guard = guard_live};
  memcpy(block - sizeof h, &h, sizeof h);
  memset(block, byte, size);
  memset(block + size, TAIL_BYTE, TAIL);
  atomic_fetch_add(&live, 1);
  return block;
}

static bool tail_intact(const unsigned char *tail) {
  for (int i = 0; i < TAIL; i++)
    if (tail[i] != TAIL_BYTE) return false;
  return true;
}

static size_t block_size(const void *block) {
  header h;
  memcpy(&h, (const char *)block - sizeof h, sizeof h);
  return h.size;
}

/* A block whose header is damaged is counted and never returned to the system: its start is not known. */
static void block_end(void *block) {
  header h;
  if (!block) return;
  memcpy(&h, (char *)block - sizeof h, sizeof h);
  if (h.guard != guard_live) {
    atomic_fetch_add(&damaged, 1);
    return;
  }
  if (!tail_intact((unsigned char *)block + h.size)) atomic_fetch_add(&damaged, 1);
  atomic_fetch_sub(&live, 1);
  memset(block, FREED_BYTE, h.size);
  h.guard = guard_freed;
  memcpy((char *)block - sizeof h, &h, sizeof h);
  free(h.start);
}

void *mf_alloc(size_t size) { return block_new(16, size, NEW_BYTE); }

void *mf_alloc_zero(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? NULL : block_new(16, bytes, 0);
}

void *mf_realloc(void *old, size_t size) {
  void *block = block_new(16, size, NEW_BYTE);
  if (!block || !old) return block;
  size_t kept = block_size(old);
  memcpy(block, old, kept < size ? kept : size);
  block_end(old);
  return block;
}

void *mf_alloc_aligned(size_t alignment, size_t size) { return block_new(alignment, size, NEW_BYTE); }

void mf_free(void *block) { block_end(block); }

void mf_memory_fail_at(uint64_t n, bool sticky) {
  atomic_store(&fail_at, 0);
  atomic_store(&failing, false);
  atomic_store(&fail_sticky, sticky);
  atomic_store(&fail_at, n);
}

uint64_t mf_memory_allocation_count(void) { return atomic_load(&allocations); }
int64_t mf_memory_live_blocks(void) { return (int64_t)atomic_load(&live); }
uint64_t mf_memory_damaged_blocks(void) { return atomic_load(&damaged); }

#else

void *mf_alloc(size_t size) { return malloc(size ? size : 1); }

/* Overflow is looked for here: sanitizers end the process when calloc finds it. */
void *mf_alloc_zero(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? NULL : calloc(1, bytes ? bytes : 1);
}

void *mf_realloc(void *old, size_t size) { return realloc(old, size ? size : 1); }

void *mf_alloc_aligned(size_t alignment, size_t size) {
  void *block = NULL;
  if (alignment < sizeof(void *)) alignment = sizeof(void *);
  return posix_memalign(&block, alignment, size ? size : 1) ? NULL : block;
}

void mf_free(void *block) { free(block); }

void mf_memory_fail_at(uint64_t n, bool sticky) {
  (void)n;
  (void)sticky;
}
uint64_t mf_memory_allocation_count(void) { return 0; }
int64_t mf_memory_live_blocks(void) { return 0; }
uint64_t mf_memory_damaged_blocks(void) { return 0; }

#endif

/* ---- built on the above */

void *mf_alloc_array(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? NULL : mf_alloc(bytes);
}

char *mf_strndup(const char *text, size_t length) {
  char *copy = length == SIZE_MAX ? NULL : mf_alloc(length + 1);
  if (!copy) return NULL;
  if (length) memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

char *mf_strdup(const char *text) { return mf_strndup(text, strlen(text)); }

/* Grows by half at least: appending one by one stays linear. */
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
