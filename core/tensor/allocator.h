/* allocator.h - the caching allocator of tensor memory, one a device.
 *
 * Sizes are rounded to classes (four a power of two); blocks that are released are kept in their class and handed out again, so
 * that a training loop asks the system once. Big blocks (2 MB and more) are aligned to 2 MB with MADV_HUGEPAGE; everything is
 * aligned to 64 bytes. Fresh memory is not zeroed; in the hostile build it is filled with NaN patterns and has red zones.
 * When the limit is reached cached blocks are returned to the system first; only then does the call fail.
 * All calls are thread-safe.
 */
#ifndef MF_TENSOR_ALLOCATOR_H
#define MF_TENSOR_ALLOCATOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "tensor/device.h"

typedef struct mf_allocator mf_allocator;

typedef struct mf_allocator_stats {
  int64_t bytes_in_use;      /* handed out, rounded */
  int64_t peak_bytes_in_use;
  int64_t bytes_cached;      /* kept for reuse */
  int64_t limit;             /* bytes; INT64_MAX: none */
  int64_t allocations;       /* calls since start */
  int64_t system_calls;      /* allocations that reached the system */
} mf_allocator_stats;

/* The CPU's allocator; created by mf_init with the limit = memory available at start (cgroup included). */
mf_allocator *mf_allocator_cpu(void);

/* Memory that is not the CPU's, one source an allocator: it caches blocks itself and is never read or written from here, so the
 * allocator only counts and limits. Functions return 0 or a code; they are called from any thread, without the lock. */
typedef struct mf_memory_source {
  int (*take)(void *user, size_t size, void **block);
  void (*give)(void *user, void *block);
  void (*trim)(void *user);                     /* gives its cache back */
  void *user;
} mf_memory_source;

/* [OUT] *out: an allocator over `source` (copied), without a limit; sizes are rounded up to 256 bytes. */
mf_status mf_allocator_new(const mf_memory_source *source, mf_allocator **out) MF_MUST_USE;
void mf_allocator_release(mf_allocator *a);     /* of mf_allocator_new; nothing of it may be in use */

/* [OUT] *block: at least `size` bytes, 64-byte aligned; *granted: usable bytes. RESOURCE_EXHAUSTED names size, in use, limit. */
mf_status mf_allocator_take(mf_allocator *a, size_t size, void **block, size_t *granted) MF_MUST_USE;
void mf_allocator_give(mf_allocator *a, void *block, size_t granted);

mf_allocator_stats mf_allocator_stats_get(mf_allocator *a);
void mf_allocator_reset_peak(mf_allocator *a);
void mf_allocator_set_limit(mf_allocator *a, int64_t bytes);
/* Returns cached blocks to the system; the number of bytes freed. */
int64_t mf_allocator_trim(mf_allocator *a);

#endif
