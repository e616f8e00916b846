/* decode_png.c - DecodePng: PNG bytes to an image [height, width, channels]. */
#include "ops/infer.h"

static mf_status decode_png_infer(mf_infer *c) {
  mf_shape contents;
  int64_t channels = mf_attr_int(c->attrs, "channels");
  MF_TRY(mf_infer_rank(c, 0, 0, &contents));
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
    return mf_infer_fail(c, "channels must be 0, 1, 3, or 4, got %lld", (long long)channels);
  c->out[0] = mf_shape_unknown_dims(3);
  if (channels) c->out[0].dims[2] = channels;
  return NULL;
}

const mf_op_def mf_op_DecodePng = {
    MF_OP_NAME(DecodePng),
    .inputs = "contents: string",
    .outputs = "image: dtype",
    .attrs = "channels: int = 0; dtype: {uint8, uint16} = uint8",
    .flags = MF_OP_DYNAMIC,
    .infer = decode_png_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Decodes PNG: 8 or 16 bit, gray, RGB, palette, alpha, interlaced. channels 0 keeps what the file has.",
};
