/* broadcast.h - numpy broadcasting of up to three operands, reduced to as few dimensions as it takes.
 *
 * The host makes a plan: dimensions of the output and each operand's stride in elements along them (0 where it is
 * repeated). Dimensions of length 1 are dropped and neighbours that every operand walks through evenly are merged, so
 * that the usual cases have rank 1 or 2. Kernels turn the linear number of an output element into operand offsets. The
 * plan travels by value as a kernel argument (under 500 bytes).
 */
#ifndef MF_CUDA_BROADCAST_H
#define MF_CUDA_BROADCAST_H

#include "call.h"
#include "launch.h"

enum { MFI_BROADCAST_OPERANDS = 3, MFI_BROADCAST_RANK = 12 };

struct mfi_broadcast {
  int rank;                  /* at least 1 */
  int operands;
  int64_t count;             /* elements of the output */
  int64_t dims[MFI_BROADCAST_RANK];
  int64_t strides[MFI_BROADCAST_OPERANDS][MFI_BROADCAST_RANK];
};

/* Shapes of the operands are aligned with the output's at the last dimension. They were checked by the op's shape
 * rule. */
mfi_broadcast mfi_broadcast_make(const mfi_cuda_tensor *out, const mfi_cuda_tensor *operands, int n);
/* Does operand i lie exactly like the output? Is it one element? Both are facts of a plan. */
bool mfi_broadcast_is_dense(const mfi_broadcast *p, int i);
bool mfi_broadcast_is_scalar(const mfi_broadcast *p, int i);

/* a / b for numbers that usually fit 32 bits, where the division is several times faster. */
__device__ __forceinline__ int64_t mfi_divide(int64_t a, int64_t b) {
  if (((uint64_t)a | (uint64_t)b) >> 32) return a / b;
  return (int64_t)((uint32_t)a / (uint32_t)b);
}

template <int OPERANDS>
__device__ __forceinline__ void mfi_broadcast_offsets(const mfi_broadcast &p, int64_t i,
                                                      int64_t (&offsets)[OPERANDS]) {
  for (int k = 0; k < OPERANDS; k++) offsets[k] = 0;
  for (int d = p.rank - 1; d > 0; d--) {
    int64_t rest = mfi_divide(i, p.dims[d]), at = i - rest * p.dims[d];
    for (int k = 0; k < OPERANDS; k++) offsets[k] += at * p.strides[k][d];
    i = rest;
  }
  for (int k = 0; k < OPERANDS; k++) offsets[k] += i * p.strides[k][0];
}

#endif
