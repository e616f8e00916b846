/* reduce_shape.c - see reduce_shape.h. */
#include "ops/math/reduce_shape.h"

#include <inttypes.h>

static mf_status mark_axes(const mf_infer *c, const mf_tensor *axes, int rank, bool *reduced) {
  for (int64_t i = 0, n = mf_tensor_count(axes); i < n; i++) {
    int64_t axis = mf_tensor_get_i64(axes, i), at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank)
      return mf_infer_fail(c, "Invalid reduction dimension (%" PRId64 " for input with %d dimension(s))", axis, rank);
    if (reduced[at])
      return mf_infer_fail(c, "Invalid reduction arguments: Axes contains duplicate dimension: %" PRId64, at);
    reduced[at] = true;
  }
  return NULL;
}

mf_status mfi_reduce_infer(mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0);
  mf_tensor *axes = mf_const_input(c, 1);
  bool keep = mf_attr_bool(c->attrs, "keep_dims"), reduced[MF_MAX_RANK] = {false};
  if (in->rank < 0) return NULL;
  if (!axes) {
    c->out[0] = keep ? mf_shape_unknown_dims(in->rank) : mf_shape_unknown();
    return NULL;
  }
  MF_TRY(mark_axes(c, axes, in->rank, reduced));
  mf_shape *out = &c->out[0];
  out->rank = 0;
  for (int i = 0; i < in->rank; i++)
    if (!reduced[i] || keep) out->dims[out->rank++] = reduced[i] ? 1 : in->dims[i];
  return NULL;
}
