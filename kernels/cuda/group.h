/* group.h - reductions over a group of threads: one warp, or one block of MFI_THREADS.
 *
 * A group works on one row. Short rows are given to warps, eight to a block; long ones to whole blocks. All lanes of a
 * group call together and all get the result; the order in which values are joined is fixed, so results do not depend
 * on timing.
 */
#ifndef MF_CUDA_GROUP_H
#define MF_CUDA_GROUP_H

#include "elementwise.h"

constexpr int MFI_WARPS = MFI_THREADS / 32;
/* Rows up to this many elements go to a warp. */
constexpr int64_t MFI_WARP_ROW = 512;

/* Where a thread stands: `size` threads share a row, this is number `lane` of them. */
struct mfi_group {
  int size;
  int lane;
  int64_t row;
};

/* Blocks are one-dimensional, of MFI_THREADS; every block owns MFI_THREADS / size neighbouring rows. */
__device__ __forceinline__ mfi_group mfi_group_make(int size) {
  int rows = MFI_THREADS / size, tid = (int)threadIdx.x;
  return mfi_group{size, tid & (size - 1), (int64_t)blockIdx.x * rows + tid / size};
}

/* Values of more than 8 bytes move in parts: add an overload of mfi_shuffle_xor for the type. */
template <class T>
__device__ __forceinline__ T mfi_shuffle_xor(T v, int distance) {
  return __shfl_xor_sync(0xffffffffu, v, distance);
}

/* Join: a function object with join(a, b). `scratch` holds MFI_WARPS values in shared memory; it may be used again at
 * once. */
template <class T, class Join>
__device__ __forceinline__ T mfi_group_reduce(mfi_group g, T v, T *scratch, Join join) {
  for (int distance = 16; distance; distance >>= 1) v = join(v, mfi_shuffle_xor(v, distance));
  if (g.size == 32) return v;
  int warp = (int)threadIdx.x >> 5;
  if ((threadIdx.x & 31) == 0) scratch[warp] = v;
  __syncthreads();
  v = scratch[0];
  for (int w = 1; w < MFI_WARPS; w++) v = join(v, scratch[w]);
  __syncthreads();   /* before somebody writes the scratch of the next reduction */
  return v;
}

/* Launch shape for `rows` rows of `length` elements. */
static inline int mfi_group_size(int64_t length) { return length <= MFI_WARP_ROW ? 32 : MFI_THREADS; }
static inline int64_t mfi_group_blocks(int64_t rows, int size) {
  int64_t per_block = MFI_THREADS / size;
  return (rows + per_block - 1) / per_block;
}

#endif
