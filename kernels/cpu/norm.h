/* norm.h - loops of batch normalisation, float32. Internal to kernels/cpu.
 *
 * An image is seen as [outer, channels, inner]: inner is 1 where the channels come last. Sums over a channel are made
 * in pieces of `outer` fixed by the shape, in double within a piece from float32 blocks of 64, and joined in piece
 * order. */
#ifndef MF_KERNELS_CPU_NORM_H
#define MF_KERNELS_CPU_NORM_H

#include "base/pool.h"

typedef struct mfi_norm {
  int64_t outer, channels, inner, pieces;
  const float *x, *dy;
  float *out;
  const float *mean;         /* centre: subtracted from x before anything else; one a channel */
  const float *a, *b, *c;    /* coefficients, one a channel */
  double *sums;              /* [pieces][2][channels] */
} mfi_norm;

/* The functions are pieces of mf_parallel_for; their argument is an mfi_norm. */
/* SUM: sums[0] = sum x. SQUARES: sums[0] = sum (x - mean)^2. PRODUCTS: sums[0] = sum dy, sums[1] = sum dy (x - mean).
 * AFFINE: out = (x - mean) a + b. BACKWARD: out = a dy + b + (x - mean) c. */
typedef enum mfi_norm_kind { MFI_NORM_SUM, MFI_NORM_SQUARES, MFI_NORM_PRODUCTS, MFI_NORM_AFFINE, MFI_NORM_BACKWARD,
                             MFI_NORM_KINDS } mfi_norm_kind;

extern const mf_parallel_fn mfi_norm_base[MFI_NORM_KINDS];
extern const mf_parallel_fn mfi_norm_avx2[MFI_NORM_KINDS];
extern const mf_parallel_fn mfi_norm_avx512[MFI_NORM_KINDS];

#endif
