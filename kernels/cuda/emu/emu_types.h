/* emu_types.h - CUDA's qualifiers, built-in types and variables for the emulator. */
#ifndef MF_CUDA_EMU_TYPES_H
#define MF_CUDA_EMU_TYPES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __global__ static
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

/* The vector types with CUDA's alignment: a misaligned access is then seen by UndefinedBehaviorSanitizer. */
struct __align__(8) float2 {
  float x, y;
};
struct __align__(16) float4 {
  float x, y, z, w;
};
struct __align__(16) double2 {
  double x, y;
};
struct __align__(8) int2 {
  int x, y;
};
struct __align__(16) int4 {
  int x, y, z, w;
};

/* Where the running thread is. cemu_current is exchanged on every switch of fibers. */
struct cemu_ids {
  uint3 thread;            /* threadIdx */
  unsigned linear;         /* number in the block */
  unsigned lane, warp;
};
extern cemu_ids *cemu_current;
extern dim3 cemu_block_index, cemu_block_size, cemu_grid_size;

#define threadIdx (cemu_current->thread)
#define blockIdx cemu_block_index
#define blockDim cemu_block_size
#define gridDim cemu_grid_size
static const int warpSize = 32;

#endif
