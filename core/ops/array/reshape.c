/* reshape.c - the same elements under another shape: Reshape, ExpandDims, Squeeze. All share the memory of their
 * input. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

/* Gradient of all three: dy in the shape of the input. One unknown dimension becomes -1, so that no Shape node is
 * needed. */
static mf_status reshape_back_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  const mf_shape *s = &a->in[0]->shape;
  int unknown = 0;
  bool zero = false;
  for (int i = 0; i < s->rank; i++) {
    unknown += s->dims[i] < 0;
    zero = zero || s->dims[i] == 0;
  }
  mf_tensor *dims = s->rank >= 0 && unknown == 1 && !zero ? mf_b_ints(&b, s->dims, s->rank)
                                                          : mf_b_dims_of(&b, a->in[0]);
  mf_b_give(&b, &dx[0], mf_b_reshape(&b, a->dy[0], dims));
  return mf_builder_close(&b);
}

/* ---- Reshape */

static mf_status wildcard_fail(const mf_infer *c, const mf_tensor *dims) {
  int64_t first = -1;
  for (int64_t i = 0; i < mf_tensor_count(dims); i++) {
    if (mf_tensor_get_i64(dims, i) != -1) continue;
    if (first >= 0)
      return mf_infer_fail(c, "Only one input size may be -1, not both %" PRId64 " and %" PRId64, first, i);
    first = i;
  }
  return NULL;
}

static mf_status count_fail(const mf_infer *c, const mf_shape *s, int64_t have, int64_t want, bool multiple) {
  char text[MF_SHAPE_TEXT];
  return mf_infer_fail(c,
                       "Input to reshape is a tensor with %" PRId64 " values, but the requested shape %s %s %" PRId64,
                       have, mf_shape_text(s, text), multiple ? "requires a multiple of" : "has", want);
}

static int64_t product_without_zeros(const mf_shape *s) {
  int64_t product = 1;
  for (int i = 0; i < s->rank; i++)
    if (s->dims[i] > 0) product *= s->dims[i];
  return product;
}

static mf_status reshape_infer(mf_infer *c) {
  mf_shape *s = &c->out[0];
  MF_TRY(mf_const_shape(c, 1, s));
  if (s->rank < 0) return NULL;
  const mf_tensor *exact = mf_const_input(c, 1);
  if (exact) MF_TRY(wildcard_fail(c, exact));
  int64_t have = mf_shape_count(mf_in_shape(c, 0)), want = 1;
  int unknown = -1, unknowns = 0;
  for (int i = 0; i < s->rank; i++) {
    if (s->dims[i] < 0) {
      unknown = i;
      unknowns++;
    } else if (__builtin_mul_overflow(want, s->dims[i], &want)) {
      return mf_infer_fail(c, "shape has too many elements");
    }
  }
  if (have < 0 || unknowns > 1) return NULL;
  if (unknowns == 0) return have == want ? NULL : count_fail(c, s, have, want, false);
  if (want == 0) { /* anything fits: TensorFlow takes what the dimensions that are not 0 would need */
    if (exact && have != 0) return count_fail(c, s, have, want, true);
    if (exact) s->dims[unknown] = product_without_zeros(mf_in_shape(c, 0)) / product_without_zeros(s);
    return NULL;
  }
  if (have % want) return count_fail(c, s, have, want, true);
  s->dims[unknown] = have / want;
  return NULL;
}

static bool reshape_value(const mf_node *node, int output, mf_shape *out) {
  (void)output;
  return mfi_dims_value(mfi_node_in(node, 0), out);
}

const mf_op_def mf_op_Reshape = {
    MF_OP_NAME(Reshape),
    .inputs = "tensor: T; shape: Tshape",
    .outputs = "output: T",
    .attrs = "T: type; Tshape: {int32, int64} = DT_INT32",
    .flags = MF_OP_VIEW,
    .infer = reshape_infer,
    .grad = reshape_back_grad,
    .shape_value = reshape_value,
    .doc = "The elements of tensor, in row-major order, under another shape; one entry -1 is inferred.",
};

/* ---- ExpandDims */

static mf_status expand_dims_infer(mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0);
  const mf_tensor *value = mf_const_input(c, 1);
  int64_t axis;
  bool known;
  if (value && mf_tensor_count(value) != 1)
    return mf_infer_fail(c, "'dim' input must be a tensor with a single value, received %" PRId64 " values",
                         mf_tensor_count(value));
  MF_TRY(mf_const_int(c, 1, &axis, &known));
  if (in->rank < 0) return NULL;
  if (!known) {
    c->out[0] = mf_shape_unknown_dims(in->rank + 1);
    return NULL;
  }
  if (axis < -in->rank - 1 || axis > in->rank)
    return mf_infer_fail(c, "Tried to expand dim index %" PRId64 " for tensor with %d dimensions", axis, in->rank);
  if (axis < 0) axis += in->rank + 1;
  mf_shape *out = &c->out[0];
  *out = mf_shape_scalar();
  for (int i = 0; i <= in->rank; i++)
    MF_TRY(mf_shape_append(out, i < axis ? in->dims[i] : i == axis ? 1 : in->dims[i - 1]));
  return NULL;
}

const mf_op_def mf_op_ExpandDims = {
    MF_OP_NAME(ExpandDims),
    .inputs = "input: T; dim: Tdim",
    .outputs = "output: T",
    .attrs = "T: type; Tdim: {int32, int64} = DT_INT32",
    .flags = MF_OP_VIEW,
    .infer = expand_dims_infer,
    .grad = reshape_back_grad,
    .shape_value = reshape_value,
    .doc = "Inserts a dimension of size 1 at index dim.",
};

/* ---- Squeeze */

static mf_status squeeze_marks(const mf_infer *c, const mf_shape *in, bool *drop) {
  int n;
  const int64_t *axes = mf_attr_ints(c->attrs, "squeeze_dims", &n);
  for (int i = 0; i < in->rank; i++) drop[i] = n == 0 && in->dims[i] == 1;
  for (int i = 0; i < n; i++) {
    if (axes[i] < -in->rank || axes[i] >= in->rank)
      return mf_infer_fail(c, "Tried to squeeze dim index %" PRId64 " for tensor with %d dimensions", axes[i],
                           in->rank);
    int axis = (int)(axes[i] < 0 ? axes[i] + in->rank : axes[i]);
    if (in->dims[axis] > 1)
      return mf_infer_fail(c, "Can not squeeze dim[%d], expected a dimension of 1, got %" PRId64, axis,
                           in->dims[axis]);
    if (in->dims[axis] == 0)
      return mf_infer_fail(c, "Can not squeeze dim[%d], expected a dimension of 1, got 0", axis);
    drop[axis] = true;
  }
  return NULL;
}

static mf_status squeeze_infer(mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0);
  bool drop[MF_MAX_RANK];
  int n;
  (void)mf_attr_ints(c->attrs, "squeeze_dims", &n);
  if (in->rank < 0) return NULL;
  /* Without a list every dimension of 1 goes: an unknown one may be such, so not even the rank is known. */
  if (n == 0 && !mf_shape_is_full(in)) return NULL;
  MF_TRY(squeeze_marks(c, in, drop));
  c->out[0] = mf_shape_scalar();
  for (int i = 0; i < in->rank; i++)
    if (!drop[i]) MF_TRY(mf_shape_append(&c->out[0], in->dims[i]));
  return NULL;
}

const mf_op_def mf_op_Squeeze = {
    MF_OP_NAME(Squeeze),
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type; squeeze_dims: list(int) >= 0 = []",
    .flags = MF_OP_VIEW,
    .infer = squeeze_infer,
    .grad = reshape_back_grad,
    .shape_value = reshape_value,
    .doc = "Removes dimensions of size 1: those listed, or all.",
};
