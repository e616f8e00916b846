/* one_hot.c - OneHot. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

static mf_status one_hot_infer(mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0);
  mf_shape scalar, one;
  int64_t axis = mf_attr_int(c->attrs, "axis"), depth;
  bool known;
  MF_TRY(mf_infer_rank(c, 1, 0, &scalar));
  MF_TRY(mf_infer_rank(c, 2, 0, &scalar));
  MF_TRY(mf_infer_rank(c, 3, 0, &scalar));
  MF_TRY(mf_const_int(c, 1, &depth, &known));
  if (known && depth < 0) return mf_infer_fail(c, "depth must be non-negative, got: %" PRId64, depth);
  if (!known) depth = mfi_dims_value(c->in[1], &one) && one.rank == 1 ? one.dims[0] : -1;
  if (axis < -1) return mf_infer_fail(c, "axis must be >= -1, received %" PRId64, axis);
  if (in->rank < 0) return NULL;
  if (axis > in->rank)
    return mf_infer_fail(c, "Expected axis to be -1 or between [0, %d).  But received: %" PRId64, in->rank + 1, axis);
  if (axis == -1) axis = in->rank;
  c->out[0] = mf_shape_scalar();
  for (int i = 0; i <= in->rank; i++)
    MF_TRY(mf_shape_append(&c->out[0], i < axis ? in->dims[i] : i == axis ? depth : in->dims[i - 1]));
  return NULL;
}

const mf_op_def mf_op_OneHot = {
    MF_OP_NAME(OneHot),
    .inputs = "indices: TI; depth: int32; on_value: T; off_value: T",
    .outputs = "output: T",
    .attrs = "axis: int = -1; T: type; TI: {uint8, int8, int32, int64} = DT_INT64",
    .infer = one_hot_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc =
        "on_value where the new dimension's index equals indices, off_value elsewhere; other indices give off_value "
        "only.",
};
