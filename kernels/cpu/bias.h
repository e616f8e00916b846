/* bias.h - what the files of BiasAdd and BiasAddGrad share. Internal to kernels/cpu.
 *
 * A tensor is seen as [outer, channels, inner]: inner is 1 when the channels come last. BiasAddGrad sums positions in
 * pieces of `outer` fixed by the shape, each piece in order, and joins the pieces in order: the same bits for any number
 * of threads. */
#ifndef MF_KERNELS_CPU_BIAS_H
#define MF_KERNELS_CPU_BIAS_H

#include "base/pool.h"

typedef struct mfi_bias {
  const char *x, *bias;
  char *y;
  char *partial;             /* BiasAddGrad: one row of `channels` a piece */
  int64_t outer, channels, inner, pieces;
} mfi_bias;

/* Sums of a piece where the channels come last; pieces of mf_parallel_for with an mfi_bias. */
typedef struct mfi_bias_sums {
  mf_parallel_fn f32, f64;
} mfi_bias_sums;

extern const mfi_bias_sums mfi_bias_sums_base, mfi_bias_sums_avx2, mfi_bias_sums_avx512;

#endif
