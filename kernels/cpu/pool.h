/* pool.h - loops of max and mean pooling. Internal to kernels/cpu.
 *
 * All of them see images as [batch, height, width, channels] with windows over height and width; pool.c turns NCHW and
 * pooling over channels into that form. One call does one piece: forward functions output rows [begin, end) counted
 * through the batch, gradient functions whole images [begin, end). */
#ifndef MF_KERNELS_CPU_POOL_H
#define MF_KERNELS_CPU_POOL_H

#include "ops/nn/window.h"

typedef struct mfi_pool {
  mf_conv2d g;
  const void *image;         /* the pooled image */
  const void *pooled;        /* max: its maxima */
  const void *grad;          /* shape of the pooled image; MAX_PICK: shape of the image */
  void *out;
  int64_t items, pieces;     /* output rows or images, and into how many pieces they are cut */
  void (*fn)(const struct mfi_pool *p, int64_t begin, int64_t end);
} mfi_pool;

typedef void (*mfi_pool_fn)(const mfi_pool *p, int64_t begin, int64_t end);

/* MAX, MEAN: out = pooled image. MAX_SPREAD: out = gradient of the image, grad given to the first maximum of each
 * window. MAX_PICK: out = grad at the first maximum of each window. MEAN_SPREAD: out = gradient of the image. */
typedef enum mfi_pool_kind { MFI_POOL_MAX, MFI_POOL_MEAN, MFI_POOL_MAX_SPREAD, MFI_POOL_MAX_PICK, MFI_POOL_MEAN_SPREAD,
                             MFI_POOL_KINDS } mfi_pool_kind;

#define MFI_POOL_TABLES(level) \
  extern const mfi_pool_fn mfi_pool_f32_##level[MFI_POOL_KINDS]; \
  extern const mfi_pool_fn mfi_pool_f64_##level[MFI_POOL_KINDS]
MFI_POOL_TABLES(base);
MFI_POOL_TABLES(avx2);
MFI_POOL_TABLES(avx512);

#endif
