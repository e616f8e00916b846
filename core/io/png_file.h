/* png_file.h - PNG images in memory to tensors, over libpng. */
#ifndef MF_IO_PNG_FILE_H
#define MF_IO_PNG_FILE_H

#include "tensor/tensor.h"

/* Decodes as tf.io.decode_png: [height, width, channels] of uint8 or uint16 (`dtype`).
 * channels 0: as the file has them (palette counts as RGB, with transparency RGBA); 1 gray, 2 gray+alpha, 3 RGB, 4 RGBA.
 * INVALID_ARGUMENT "decode_png: ..." for anything that is not a whole, valid PNG. */
mf_status mf_png_decode(const char *bytes, size_t size, int channels, mf_dtype dtype, mf_tensor **out) MF_MUST_USE;

#endif
