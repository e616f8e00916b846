/* position.c - where the extremum stands: ArgMax, ArgMin. */
#include <inttypes.h>

#include "ops/infer.h"
#include "ops/math/type_sets.h"

static mf_status position_infer(mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0);
  int64_t axis;
  bool known;
  MF_TRY(mf_const_int(c, 1, &axis, &known));
  if (in->rank < 0) return NULL;
  if (!known) {
    if (in->rank > 0) c->out[0] = mf_shape_unknown_dims(in->rank - 1);
    return NULL;
  }
  int64_t at = axis < 0 ? axis + in->rank : axis;
  if (at < 0 || at >= in->rank)
    return mf_infer_fail(c, "Expected dimension in the range [%d, %d), but got %" PRId64, -in->rank, in->rank, axis);
  if (in->dims[at] == 0) {
    char text[MF_SHAPE_TEXT];
    return mf_infer_fail(c, "Reduction axis %" PRId64 " is empty in shape %s", at, mf_shape_text(in, text));
  }
  mf_shape *out = &c->out[0];
  out->rank = 0;
  for (int i = 0; i < in->rank; i++)
    if (i != at) out->dims[out->rank++] = in->dims[i];
  return NULL;
}

const mf_op_def mf_op_ArgMax = {
    MF_OP_NAME(ArgMax),
    .inputs = "input: T; dimension: Tidx", .outputs = "output: output_type",
    .attrs = MFI_T_ORDERED_NUMBERS_OPEN ", bool}; Tidx: {int16, int32, int64} = int32; "
             "output_type: {int16, uint16, int32, int64} = int64",
    .infer = position_infer, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Position of the largest value along an axis; the first one of equals; NaN is passed over.",
};

const mf_op_def mf_op_ArgMin = {
    MF_OP_NAME(ArgMin),
    .inputs = "input: T; dimension: Tidx", .outputs = "output: output_type",
    .attrs = MFI_T_ORDERED_NUMBERS_OPEN ", bool}; Tidx: {int32, int64} = int32; output_type: {int32, int64} = int64",
    .infer = position_infer, .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Position of the smallest value along an axis; the first one of equals; NaN is passed over.",
};
