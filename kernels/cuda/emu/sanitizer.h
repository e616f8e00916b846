/* sanitizer.h - what the emulator tells AddressSanitizer and ThreadSanitizer; nothing in plain builds.
 *
 * The emulator itself is compiled without sanitizers (it switches stacks under their feet) but with CEMU_ASAN or
 * CEMU_TSAN when the kernels beside it are instrumented.
 *
 * ThreadSanitizer's picture of a block: every CUDA thread is one TSan fiber, switches create no order (no_sync), and
 * order comes from barriers alone: release before, acquire after. Three rules, each found the hard way:
 *   - all fibers are created by the launching thread, before the first block: creation is an edge;
 *   - two CUDA threads of one block never share a TSan fiber;
 *   - blocks are chained by one release/acquire pair each, so that races between blocks are NOT looked for.
 */
#ifndef MF_CUDA_EMU_SANITIZER_H
#define MF_CUDA_EMU_SANITIZER_H

#include <stddef.h>

#if defined(CEMU_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(CEMU_TSAN)
#include <sanitizer/tsan_interface.h>
enum { CEMU_ONE_THREAD_A_FIBER = 1 };
#else
enum { CEMU_ONE_THREAD_A_FIBER = 0 };
#endif

/* An address that stands for "everything before this barrier". */
struct sync_point {
  char address[8];
};

static inline void sync_release(sync_point *p) {
#if defined(CEMU_TSAN)
  __tsan_release(p);
#else
  (void)p;
#endif
}

static inline void sync_acquire(sync_point *p) {
#if defined(CEMU_TSAN)
  __tsan_acquire(p);
#else
  (void)p;
#endif
}

/* Bytes that nobody may touch (ASan only), and their end. */
static inline void memory_close(const void *p, size_t size) {
#if defined(CEMU_ASAN)
  __asan_poison_memory_region(p, size);
#else
  (void)p, (void)size;
#endif
}

static inline void memory_open(const void *p, size_t size) {
#if defined(CEMU_ASAN)
  __asan_unpoison_memory_region(p, size);
#else
  (void)p, (void)size;
#endif
}

#endif
