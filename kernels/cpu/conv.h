/* conv.h - convolutions by im2col and matrix products: any numeric type, any geometry, no library needed. Internal to
 * kernels/cpu.
 *
 * The work is cut into blocks of whole output rows of one image. Per block and group: the input windows are copied
 * into a matrix [positions, filter_h * filter_w * filter_in] and multiplied with the filter [.., out]. The gradient of
 * the input is the transposed product, added back window by window, so its pieces are whole images. The gradient of
 * the filter is summed over a number of pieces that follows from the shape, and the pieces are joined in order.
 */
#ifndef MF_KERNELS_CPU_CONV_H
#define MF_KERNELS_CPU_CONV_H

#include "gemm.h"
#include "ops/kernel.h"
#include "ops/nn/window.h"
#include "onednn.h"

/* Geometry of a call of one of the six convolution ops. */
mf_status mfi_conv_read(const mf_call *c, mf_conv2d *g) MF_MUST_USE;

/* What to do: image, filter, result (and their gradients) by their role. */
typedef struct mfi_conv_work {
  const mf_conv2d *g;
  mfi_conv_kind kind;
  mf_dtype type;
  char *image, *filter, *result;
  char *scratch;
} mfi_conv_work;

size_t mfi_conv_im2col_scratch(const mf_conv2d *g, mfi_conv_kind kind, mf_dtype type);
void mfi_conv_im2col(const mfi_conv_work *w);

/* How many pieces of whole images: each at least `ns` nanoseconds of work, at most `most`; then all have the same
 * number of images but the last. [OUT] *images: images of a piece. */
int64_t mfi_conv_pieces(const mf_conv2d *g, double ns, int64_t most, int64_t *images);
/* Estimated nanoseconds for one image. */
double mfi_conv_image_cost(const mf_conv2d *g);

/* to[0..count) = sum over p of from[p * stride ..], p = 0 .. pieces-1 in this order. float32. On the pool. */
void mfi_conv_join(float *to, const float *from, int64_t count, int64_t stride, int64_t pieces);

#endif
