/* dims.c - shapes under construction: see dims.h. */
#include "ops/array/dims.h"

#include "ops/op_list.h"

mf_tensor *mfi_dims_exact(mf_tensor *t) {
  if (t->buffer) return t->buffer->device == mf_device_cpu() ? t : NULL;
  if (t->node && t->node->op == &mf_op_Const) return mf_attr_tensor(mf_node_attrs(t->node), "value");
  return NULL;
}

bool mfi_dims_value(mf_tensor *t, mf_shape *out) {
  mf_tensor *value = mfi_dims_exact(t);
  if (!value) return t->node && t->node->op->shape_value && t->node->op->shape_value(t->node, t->output, out);
  if (!mf_dtype_is_integer((mf_dtype)value->dtype) || value->shape.rank > 1) return false;
  int64_t n = mf_tensor_count(value);
  if (n > MF_MAX_RANK) return false;
  out->rank = (int)n;
  for (int i = 0; i < out->rank; i++) out->dims[i] = mf_tensor_get_i64(value, i);
  return true;
}

mf_status mfi_dims_sizes(const mf_infer *c, int i, mf_shape *out) {
  MF_TRY(mf_const_shape(c, i, out));
  if (mf_const_input(c, i))
    for (int d = 0; d < out->rank; d++)
      if (out->dims[d] < 0) return mf_infer_fail(c, "Dimension %d must be >= 0, received %d", d, -1);
  return NULL;
}

/* -1: not known */
static int64_t known_dim(const mfi_dim *d) {
  if (!d->of) return d->value;
  const mf_shape *s = &d->of->shape;
  return s->rank < 0 ? -1 : s->dims[d->axis < 0 ? d->axis + s->rank : d->axis];
}

static mf_tensor *one_dim(mf_builder *b, const mfi_dim *d) {
  int64_t known = known_dim(d);
  if (!d->of || known >= 0) return mf_b_int(b, known);
  int64_t begin = d->axis, end = d->axis + 1, step = 1;
  return MF_BA(b, StridedSlice,
               MF_INS(MF_B(b, Shape, d->of), mf_b_ints(b, &begin, 1), mf_b_ints(b, &end, 1), mf_b_ints(b, &step, 1)),
               MF_A_INT("shrink_axis_mask", 1));
}

mf_tensor *mfi_b_dims(mf_builder *b, const mfi_dim *dims, int n) {
  int64_t values[2 * MF_MAX_RANK];
  mf_tensor *parts[2 * MF_MAX_RANK];
  bool known = true;
  for (int i = 0; i < n; i++) {
    values[i] = known_dim(&dims[i]);
    known = known && (!dims[i].of || values[i] >= 0);
  }
  if (known) return mf_b_ints(b, values, n);
  for (int i = 0; i < n; i++) parts[i] = one_dim(b, &dims[i]);
  return b->status ? NULL : mf_b_apply(b, &mf_op_Pack, parts, n, NULL, 0);
}

mf_tensor *mfi_b_dim(mf_builder *b, mf_tensor *of, int axis) {
  mfi_dim d = {.of = of, .axis = axis};
  return one_dim(b, &d);
}

mf_tensor *mfi_b_dims_as(mf_builder *b, mf_tensor *t, mf_dtype type) {
  mf_tensor *dims = mf_b_dims_of(b, t);
  return type == MF_INT32 ? dims : mf_b_cast(b, dims, type);
}

mf_tensor *mfi_b_count_of(mf_builder *b, mf_tensor *t) {
  int64_t count = mf_shape_count(&t->shape), minus = -1;
  if (count >= 0) return mf_b_ints(b, &count, 1);
  return mf_b_reshape(b, MF_B(b, Size, t), mf_b_ints(b, &minus, 1));
}

mf_tensor *mfi_b_flat(mf_builder *b, mf_tensor *t) {
  int64_t minus = -1, count = mf_shape_count(&t->shape);
  return mf_b_reshape(b, t, mf_b_ints(b, count >= 0 ? &count : &minus, 1));
}

mf_tensor *mfi_b_iota(mf_builder *b, int from, int to) {
  int64_t values[2 * MF_MAX_RANK];
  for (int i = from; i < to; i++) values[i - from] = i;
  return mf_b_ints(b, values, to > from ? to - from : 0);
}
