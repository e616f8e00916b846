/* emu_device.h - what CUDA code may call inside a kernel: barriers, warp primitives, atomics, intrinsics.
 *
 * Barriers and warp primitives carry the source position, so that threads that meet at different places are named.
 */
#ifndef MF_CUDA_EMU_DEVICE_H
#define MF_CUDA_EMU_DEVICE_H

#include "emu/emu_types.h"

/* ==== barriers ==== */

enum { CEMU_VOTE_OR, CEMU_VOTE_AND, CEMU_VOTE_COUNT };
/* Waits for the block; the vote over all threads' predicates. */
int cemu_block_barrier(int vote, int predicate, const char *file, int line);
void cemu_warp_barrier(unsigned mask, const char *file, int line);

/* Keeps the compiler from holding shared memory in registers across a barrier. */
#define CEMU_FENCE() __asm__ volatile("" ::: "memory")
#define __syncthreads()                                            \
  do {                                                             \
    CEMU_FENCE();                                                  \
    cemu_block_barrier(CEMU_VOTE_OR, 0, __FILE__, __LINE__);       \
    CEMU_FENCE();                                                  \
  } while (0)
#define __syncthreads_or(p) cemu_block_barrier(CEMU_VOTE_OR, (p), __FILE__, __LINE__)
#define __syncthreads_and(p) cemu_block_barrier(CEMU_VOTE_AND, (p), __FILE__, __LINE__)
#define __syncthreads_count(p) cemu_block_barrier(CEMU_VOTE_COUNT, (p), __FILE__, __LINE__)
#define __syncwarp(...)                                            \
  do {                                                             \
    CEMU_FENCE();                                                  \
    cemu_warp_barrier(cemu_mask(__VA_ARGS__), __FILE__, __LINE__); \
    CEMU_FENCE();                                                  \
  } while (0)
static inline unsigned cemu_mask(unsigned mask = 0xffffffffu) { return mask; }
static inline void __threadfence() { CEMU_FENCE(); }
static inline void __threadfence_block() { CEMU_FENCE(); }

/* ==== warp primitives ==== */

enum { CEMU_SHUFFLE_INDEX, CEMU_SHUFFLE_UP, CEMU_SHUFFLE_DOWN, CEMU_SHUFFLE_XOR };
uint64_t cemu_shuffle(int kind, unsigned mask, uint64_t value, int argument, int width, const char *file, int line);
unsigned cemu_ballot(unsigned mask, int predicate, const char *file, int line);
/* Legal, and hostile on purpose: just the calling lane. */
unsigned cemu_activemask(void);

template <class T>
static inline T cemu_shuffle_as(int kind, const char *file, int line, unsigned mask, T value, int argument,
                                int width = 32) {
  static_assert(sizeof(T) <= 8, "a shuffle moves 8 bytes at most");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  bits = cemu_shuffle(kind, mask, bits, argument, width, file, line);
  memcpy(&value, &bits, sizeof value);
  return value;
}
#define __shfl_sync(...) cemu_shuffle_as(CEMU_SHUFFLE_INDEX, __FILE__, __LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) cemu_shuffle_as(CEMU_SHUFFLE_UP, __FILE__, __LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) cemu_shuffle_as(CEMU_SHUFFLE_DOWN, __FILE__, __LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) cemu_shuffle_as(CEMU_SHUFFLE_XOR, __FILE__, __LINE__, __VA_ARGS__)
#define __ballot_sync(mask, p) cemu_ballot((mask), !!(p), __FILE__, __LINE__)
#define __any_sync(mask, p) (__ballot_sync(mask, p) != 0)
#define __all_sync(mask, p) (__ballot_sync(mask, !(p)) == 0)
#define __activemask() cemu_activemask()

/* ==== atomics: relaxed, so that ThreadSanitizer sees mixes of atomic and plain accesses as races ==== */

template <class T>
static inline T atomicAdd(T *p, T v) {
  return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
template <class T>
static inline T atomicExch(T *p, T v) {
  return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);
}
template <class T>
static inline T atomicCAS(T *p, T expected, T v) {
  __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
static inline T atomicMax(T *p, T v) {
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (old < v && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
template <class T>
static inline T atomicMin(T *p, T v) {
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (old > v && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
/* Floating-point sums through an integer of the same size. */
template <class F, class U>
static inline F cemu_add_float(F *p, F v) {
  U old = __atomic_load_n((U *)p, __ATOMIC_RELAXED), wanted;
  F f;
  do {
    memcpy(&f, &old, sizeof f);
    f += v;
    memcpy(&wanted, &f, sizeof wanted);
  } while (!__atomic_compare_exchange_n((U *)p, &old, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  memcpy(&f, &old, sizeof f);
  return f;
}
static inline float atomicAdd(float *p, float v) { return cemu_add_float<float, uint32_t>(p, v); }
static inline double atomicAdd(double *p, double v) { return cemu_add_float<double, uint64_t>(p, v); }

/* ==== intrinsics ==== */

template <class T>
static inline T __ldg(const T *p) {
  return *p;
}
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
/* The C library declares functions of these names: macros stand in front of them. */
#define __expf(x) expf(x)
#define __logf(x) logf(x)
static inline float __fdividef(float a, float b) { return a / b; }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __float_as_int(float f) {
  int i;
  memcpy(&i, &f, 4);
  return i;
}
static inline float __int_as_float(int i) {
  float f;
  memcpy(&f, &i, 4);
  return f;
}

#endif
