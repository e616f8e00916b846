/* random_stream.h - where random kernels get their generator from. */
#ifndef MF_KERNELS_CPU_RANDOM_STREAM_H
#define MF_KERNELS_CPU_RANDOM_STREAM_H

#include "base/philox.h"
#include "ops/kernel.h"

/* Stateful ops: the generator in the call's slot, made from attributes seed and seed2 (both 0: from the system) at
 * first use. *out: the generator now; the one in the slot moves on by `blocks` blocks of four words. */
mf_status mfi_stream_reserve(mf_call *c, uint64_t blocks, mf_philox *out) MF_MUST_USE;
void mfi_stream_release(void *slot);

/* Stateless ops: the generator that a pair of seeds stands for (TensorFlow's GenerateKey). */
mf_philox mfi_stream_from_seeds(const mf_tensor *seed);

/* What to fill with. */
typedef enum mfi_random_kind {
  MFI_RANDOM_UNIFORM,
  MFI_RANDOM_NORMAL,
  MFI_RANDOM_TRUNCATED,
  MFI_RANDOM_INT,          /* [low, high) */
  MFI_RANDOM_FULL_INT
} mfi_random_kind;

/* Fills t (half, bfloat16, float, double; int32, int64, uint32, uint64) with the numbers that start at *g, in
 * parallel. */
mf_status mfi_random_fill(const mf_philox *g, mfi_random_kind kind, mf_tensor *t, int64_t low,
                          int64_t high) MF_MUST_USE;

#endif
