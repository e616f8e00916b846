/* reverse.c - ReverseV2 and Roll: the same elements in another order along axes. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

/* ---- ReverseV2 */

static mf_status reverse_infer(mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0);
  const mf_tensor *axes = mf_const_input(c, 1);
  bool seen[MF_MAX_RANK] = {false};
  mf_shape vector;
  MF_TRY(mf_infer_rank(c, 1, 1, &vector));
  c->out[0] = *in;
  for (int64_t i = 0; axes && in->rank >= 0 && i < mf_tensor_count(axes); i++) {
    int64_t axis = mf_tensor_get_i64(axes, i);
    if (axis < -in->rank || axis >= in->rank)
      return mf_infer_fail(c, "'axis'[%" PRId64 "] = %" PRId64 " is out of valid range [0, %d].", i, axis,
                           in->rank - 1);
    if (axis < 0) axis += in->rank;
    if (seen[axis]) return mf_infer_fail(c, "axis %" PRId64 " specified more than once.", axis);
    seen[axis] = true;
  }
  return NULL;
}

static mf_status reverse_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, ReverseV2, a->dy[0], a->in[1]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_ReverseV2 = {
    MF_OP_NAME(ReverseV2),
    .inputs = "tensor: T; axis: Tidx",
    .outputs = "output: T",
    .attrs =
        "Tidx: {int32, int64} = DT_INT32; T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, "
        "bfloat16, "
        "half, float, double, complex64, complex128, string}",
    .infer = reverse_infer,
    .grad = reverse_grad,
    .saves = MF_SAVE_IN(1),
    .doc = "The elements of tensor backwards along each axis in axis.",
};

/* ---- Roll */

static mf_status roll_infer(mf_infer *c) {
  mf_shape in;
  MF_TRY(mf_infer_min_rank(c, 0, 1, &in));
  const mf_shape *shift = mf_in_shape(c, 1), *axis = mf_in_shape(c, 2);
  if (shift->rank > 1 || axis->rank > 1) return mf_infer_fail(c, "shift and axis must be scalars or 1-D vectors");
  if (!mf_shape_compatible(shift, axis)) return mf_infer_fail(c, "shift and axis must have the same size");
  const mf_tensor *axes = mf_const_input(c, 2);
  for (int64_t i = 0; axes && in.rank >= 0 && i < mf_tensor_count(axes); i++) {
    int64_t a = mf_tensor_get_i64(axes, i);
    if (a < -in.rank || a >= in.rank) return mf_infer_fail(c, "axis %" PRId64 " is out of range", a);
  }
  c->out[0] = in;
  return NULL;
}

static mf_status roll_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], MF_B(&b, Roll, a->dy[0], mf_b_neg(&b, a->in[1]), a->in[2]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Roll = {
    MF_OP_NAME(Roll),
    .inputs = "input: T; shift: Tshift; axis: Taxis",
    .outputs = "output: T",
    .attrs = "T: type; Tshift: {int32, int64}; Taxis: {int32, int64}",
    .infer = roll_infer,
    .grad = roll_grad,
    .saves = MF_SAVE_IN(1) | MF_SAVE_IN(2),
    .doc = "Moves elements by shift along axis, around the end; shifts of one axis add up.",
};
