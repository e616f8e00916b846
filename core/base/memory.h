/* memory.h - the only place where core asks the system for small memory.
 *
 * Every allocation of core and kernels (tensor data excepted: tensor/allocator.h) goes through these functions, so
 * that the hostile build can let the n-th one fail and can fill fresh memory with a pattern. All return NULL on
 * failure; callers turn that into mf_fail_oom(). Sizes are in bytes; products are checked for overflow by
 * mf_alloc_array.
 */
#ifndef MF_BASE_MEMORY_H
#define MF_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void *mf_alloc(size_t size);                                  /* uninitialised; size 0 gives a unique pointer */
void *mf_alloc_zero(size_t count, size_t size);               /* zeroed */
void *mf_alloc_array(size_t count, size_t size);              /* NULL on overflow */
void *mf_realloc(void *old, size_t size);                     /* old block stays valid on failure */
void *mf_alloc_aligned(size_t alignment, size_t size);        /* alignment: a power of two; end with mf_free */
char *mf_strdup(const char *text);
char *mf_strndup(const char *text, size_t length);            /* copies `length` bytes and adds a NUL */
void mf_free(void *block);                                    /* NULL allowed */

/* Grows an array held as (pointer, count, capacity) so that at least `need` items of `item_size` bytes fit.
 * Returns false, and leaves the array as it was, when memory is out. */
bool mf_array_reserve(void **items, size_t *capacity, size_t need, size_t item_size);

/* Test hooks, active in the hostile build only (elsewhere they do nothing and counts stay 0). After
 * mf_memory_fail_at(n, sticky): the n-th allocation from now (1 = the next) returns NULL; with `sticky` every later
 * one too. n = 0 switches failing off. */
void mf_memory_fail_at(uint64_t n, bool sticky);
uint64_t mf_memory_allocation_count(void);                    /* allocations made since the process started */
int64_t mf_memory_live_blocks(void);                          /* blocks not yet freed (hostile build; else 0) */

/* Blocks freed so far with something written before or behind them, or freed twice (hostile build; else 0). */
uint64_t mf_memory_damaged_blocks(void);

#ifdef __cplusplus
}
#endif
#endif
