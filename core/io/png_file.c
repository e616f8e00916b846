/* png_file.c - see png_file.h. libpng reports errors by longjmp: everything it may jump over lives in one struct that the one
 * function with setjmp owns, and no cleanup is between setjmp and the jump. */
#include "io/png_file.h"

#include <string.h>

#include "base/memory.h"

#ifdef MF_HAVE_PNG
#include <png.h>
#include <setjmp.h>

typedef struct decoder {
  const char *bytes;
  size_t size, at;
  int channels;
  mf_dtype dtype;
  char message[128];
  jmp_buf back;
  png_structp png;
  png_infop info;
  png_bytep *rows;
  mf_tensor *image;
  mf_status status;
} decoder;

static void on_error(png_structp png, png_const_charp message) {
  decoder *d = png_get_error_ptr(png);
  strncpy(d->message, message, sizeof d->message - 1);
  longjmp(d->back, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void on_read(png_structp png, png_bytep out, size_t n) {
  decoder *d = png_get_io_ptr(png);
  if (n > d->size - d->at) png_error(png, "truncated file");
  memcpy(out, d->bytes + d->at, n);
  d->at += n;
}

/* Asks libpng for the channels and depth that are wanted. */
static void set_transformations(decoder *d) {
  png_byte color = png_get_color_type(d->png, d->info), depth = png_get_bit_depth(d->png, d->info);
  bool palette = color == PNG_COLOR_TYPE_PALETTE, transparent = png_get_valid(d->png, d->info, PNG_INFO_tRNS) != 0;
  bool alpha = (color & PNG_COLOR_MASK_ALPHA) || transparent, gray = !(color & PNG_COLOR_MASK_COLOR);
  if (d->channels == 0) d->channels = (gray ? 1 : 3) + ((color & PNG_COLOR_MASK_ALPHA) || (palette && transparent) ? 1 : 0);
  bool want_alpha = d->channels == 2 || d->channels == 4, want_gray = d->channels <= 2;
  if (palette) png_set_palette_to_rgb(d->png);
  if (gray && depth < 8) png_set_expand_gray_1_2_4_to_8(d->png);
  if (transparent && want_alpha) png_set_tRNS_to_alpha(d->png);
  if (depth == 16 && d->dtype == MF_UINT8) png_set_strip_16(d->png);
  if (depth < 16 && d->dtype == MF_UINT16) png_set_expand_16(d->png);
  if (d->dtype == MF_UINT16) png_set_swap(d->png);
  /* TensorFlow fills alpha with the greatest value of the file's own depth: 1 for a one-bit image. */
  png_uint_32 opaque = (1u << depth) - 1;
  if (depth < 16 && d->dtype == MF_UINT16) opaque *= 257;
  if (!alpha && want_alpha) png_set_add_alpha(d->png, opaque, PNG_FILLER_AFTER);
  if (alpha && !want_alpha) png_set_strip_alpha(d->png);
  if (gray && !want_gray) png_set_gray_to_rgb(d->png);
  if (!gray && want_gray) png_set_rgb_to_gray(d->png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  (void)png_set_interlace_handling(d->png);
}

static void read_image(decoder *d) {
  png_read_info(d->png, d->info);
  png_uint_32 height = png_get_image_height(d->png, d->info), width = png_get_image_width(d->png, d->info);
  if ((uint64_t)height * width > UINT64_C(1) << 29) png_error(d->png, "image is too large");
  set_transformations(d);
  png_read_update_info(d->png, d->info);
  mf_shape shape = {.rank = 3, .dims = {(int64_t)height, (int64_t)width, d->channels}};
  size_t row = png_get_rowbytes(d->png, d->info);
  if (row != (size_t)width * (size_t)d->channels * mf_dtype_size(d->dtype)) png_error(d->png, "unexpected row size");
  d->status = mf_tensor_new(mf_device_cpu(), d->dtype, &shape, &d->image);
  d->rows = d->status ? NULL : mf_alloc_array(height, sizeof *d->rows);
  if (!d->status && !d->rows) d->status = mf_fail_oom();
  if (d->status) return;
  for (png_uint_32 i = 0; i < height; i++) d->rows[i] = (png_bytep)d->image->data + (size_t)i * row;
  png_read_image(d->png, d->rows);
  png_read_end(d->png, NULL);
}

/* The only frame with setjmp: nothing but *d changes between the two returns. */
static void decode(decoder *d) {
  if (setjmp(d->back)) {
    if (!d->status) d->status = mf_fail(MF_INVALID_ARGUMENT, "decode_png: invalid PNG data: %s (byte %zu of %zu)", d->message,
                                        d->at, d->size);
    return;
  }
  d->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, d, on_error, on_warning);
  d->info = d->png ? png_create_info_struct(d->png) : NULL;
  if (!d->info) {
    d->status = mf_fail_oom();
    return;
  }
  png_set_read_fn(d->png, d, on_read);
  png_set_user_limits(d->png, 1u << 20, 1u << 20);
  read_image(d);
}

mf_status mf_png_decode(const char *bytes, size_t size, int channels, mf_dtype dtype, mf_tensor **out) {
  *out = NULL;
  if (channels < 0 || channels > 4)
    return mf_fail(MF_INVALID_ARGUMENT, "decode_png: channels must be 0, 1, 2, 3 or 4, received %d", channels);
  decoder *d = mf_alloc_zero(1, sizeof *d);
  if (!d) return mf_fail_oom();
  d->bytes = bytes;
  d->size = size;
  d->channels = channels;
  d->dtype = dtype;
  decode(d);
  png_destroy_read_struct(d->png ? &d->png : NULL, d->info ? &d->info : NULL, NULL);
  mf_free(d->rows);
  mf_status status = d->status;
  if (status) mf_tensor_release(d->image);
  else *out = d->image;
  mf_free(d);
  return status;
}

#else

mf_status mf_png_decode(const char *bytes, size_t size, int channels, mf_dtype dtype, mf_tensor **out) {
  (void)bytes;
  (void)size;
  (void)channels;
  (void)dtype;
  *out = NULL;
  return mf_fail(MF_UNIMPLEMENTED, "decode_png: this build has no libpng (install libpng-dev and build again)");
}

#endif
