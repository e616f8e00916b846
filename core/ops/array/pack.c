/* pack.c - stacking along a new axis and its opposite: Pack, Unpack. */
#include <inttypes.h>

#include "base/memory.h"
#include "ops/array/dims.h"
#include "ops/op_list.h"

/* ---- Pack */

static mf_status pack_infer(mf_infer *c) {
  mf_shape one = *mf_in_shape(c, 0);
  for (int i = 1; i < c->n_in; i++) {
    const mf_shape *s = mf_in_shape(c, i);
    if (!mf_shape_compatible(&one, s)) {
      char a[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
      return mf_infer_fail(c, "Shapes of all inputs must match: values[0].shape = %s != values[%d].shape = %s",
                           mf_shape_text(mf_in_shape(c, 0), a), i, mf_shape_text(s, b));
    }
    MF_TRY(mf_shape_merge(&one, s, "Pack", &one));
  }
  if (one.rank < 0) return NULL;
  int64_t axis = mf_attr_int(c->attrs, "axis");
  if (axis < -one.rank - 1 || axis > one.rank)
    return mf_infer_fail(c, "axis = %" PRId64 " not in [%d, %d)", axis, -one.rank - 1, one.rank + 1);
  if (axis < 0) axis += one.rank + 1;
  c->out[0] = mf_shape_scalar();
  for (int i = 0; i <= one.rank; i++)
    MF_TRY(mf_shape_append(&c->out[0], i < axis ? one.dims[i] : i == axis ? c->n_in : one.dims[i - 1]));
  return NULL;
}

static bool pack_value(const mf_node *node, int output, mf_shape *out) {
  (void)output;
  if (node->n_in > MF_MAX_RANK || !mf_dtype_is_integer((mf_dtype)mfi_node_in(node, 0)->dtype)) return false;
  out->rank = node->n_in;
  for (int i = 0; i < node->n_in; i++) {
    mf_tensor *t = mfi_node_in(node, i);
    mf_shape one;
    if (t->shape.rank != 0) return false;
    out->dims[i] = mfi_dims_value(t, &one) && one.rank == 1 ? one.dims[0] : -1;
  }
  return true;
}

static mf_status pack_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_tensor **parts = mf_alloc_array((size_t)a->n_in, sizeof *parts);
  if (!parts) return mf_fail_oom();
  int n = mf_b_apply_many(&b, &mf_op_Unpack, a->dy, 1,
                          (mf_named_attr[]){MF_A_INT("num", a->n_in), MF_A_COPY(a->attrs, "axis")}, 2, parts, a->n_in);
  for (int i = 0; i < n && !b.status; i++)
    if (a->need[i]) mf_b_give(&b, &dx[i], parts[i]);
  mf_free(parts);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Pack = {
    MF_OP_NAME(Pack),
    .inputs = "values: N * T",
    .outputs = "output: T",
    .attrs = "N: int >= 1; T: type; axis: int = 0",
    .infer = pack_infer,
    .grad = pack_grad,
    .shape_value = pack_value,
    .doc = "Stacks values of one shape along a new axis.",
};

/* ---- Unpack */

static mf_status unpack_infer(mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0);
  int64_t value = mf_attr_int(c->attrs, "axis");
  if (in->rank < 0) return NULL;
  if (in->rank == 0) return mf_infer_fail(c, "value must have rank 1 or more, received a scalar");
  if (value < -in->rank || value >= in->rank)
    return mf_infer_fail(c, "axis = %" PRId64 " not in [%d, %d)", value, -in->rank, in->rank);
  int axis = (int)(value < 0 ? value + in->rank : value);
  if (in->dims[axis] >= 0 && in->dims[axis] != c->n_out)
    return mf_infer_fail(c, "Input shape axis %d must equal %d, got shape %" PRId64, axis, c->n_out, in->dims[axis]);
  mf_shape out = mf_shape_scalar();
  for (int i = 0; i < in->rank; i++)
    if (i != axis) MF_TRY(mf_shape_append(&out, in->dims[i]));
  for (int i = 0; i < c->n_out; i++) c->out[i] = out;
  return NULL;
}

static bool unpack_value(const mf_node *node, int output, mf_shape *out) {
  mf_shape whole;
  if (!mfi_dims_value(mfi_node_in(node, 0), &whole) || output >= whole.rank) return false;
  *out = mf_shape_1d(whole.dims[output]);
  return true;
}

static mf_status unpack_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || a->n_out == 0) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_tensor **parts = mf_alloc_array((size_t)a->n_out, sizeof *parts);
  if (!parts) return mf_fail_oom();
  for (int i = 0; i < a->n_out; i++) parts[i] = a->dy[i] ? a->dy[i] : mf_b_zeros_like(&b, a->out[i]);
  if (!b.status)
    mf_b_give(&b, &dx[0],
              mf_b_apply(&b, &mf_op_Pack, parts, a->n_out, (mf_named_attr[]){MF_A_COPY(a->attrs, "axis")}, 1));
  mf_free(parts);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Unpack = {
    MF_OP_NAME(Unpack),
    .inputs = "value: T",
    .outputs = "output: num * T",
    .attrs = "num: int >= 0; T: type; axis: int = 0",
    .flags = MF_OP_VIEW,
    .infer = unpack_infer,
    .grad = unpack_grad,
    .shape_value = unpack_value,
    .doc = "Splits value along axis into num tensors without that axis; along axis 0 they share its memory.",
};
