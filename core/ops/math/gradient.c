/* gradient.c - see gradient.h. */
#include "ops/math/gradient.h"

#include "ops/op_list.h"

mf_tensor *mfi_b_conj(mf_builder *b, mf_tensor *t) {
  if (!t || mf_dtype_const((mf_dtype)t->dtype)->kind != MF_KIND_COMPLEX) return t;
  return MF_B(b, Conj, t);
}

void mfi_give_pair(mf_builder *b, const mf_grad_args *a, mf_grad *dx, mf_tensor *g0, mf_tensor *g1) {
  if (g0) mf_b_give(b, &dx[0], mf_grad_unbroadcast(b, g0, a->in[0]));
  if (g1) mf_b_give(b, &dx[1], mf_grad_unbroadcast(b, g1, a->in[1]));
}

mf_tensor *mfi_b_where(mf_builder *b, mf_tensor *condition, mf_tensor *x, mf_tensor *y) {
  return MF_B(b, SelectV2, condition, x, y);
}

/* The shape with ones at the reduced axes, from known values; false when something is not known. */
static bool kept_shape(const mf_tensor *input, const mf_tensor *axes, mf_shape *out) {
  if (!axes->buffer || axes->buffer->device->type != MF_CPU || !mf_shape_is_full(&input->shape)) return false;
  *out = input->shape;
  for (int64_t i = 0, n = mf_tensor_count(axes); i < n; i++) {
    int64_t axis = mf_tensor_get_i64(axes, i);
    axis += axis < 0 ? out->rank : 0;
    if (axis >= 0 && axis < out->rank) out->dims[axis] = 1;
  }
  return true;
}

mf_tensor *mfi_b_reduced_mask(mf_builder *b, mf_tensor *input, mf_tensor *axes) {
  mf_tensor *ones = mf_b_ones_like(b, mf_b_dims_of(b, input)), *first = mf_b_ints(b, (int64_t[]){0}, 1);
  mf_tensor *count = mf_b_sum(b, ones, first, false);
  mf_tensor *positions = MF_BA(b, Cumsum, MF_INS(ones, mf_b_int(b, 0)), MF_A_BOOL("exclusive", true));
  mf_tensor *wanted = MF_B(b, FloorMod, mf_b_cast(b, axes, MF_INT32), count);
  mf_tensor *column = mf_b_reshape(b, wanted, mf_b_ints(b, (int64_t[]){-1, 1}, 2));
  return MF_B(b, Any, MF_B(b, Equal, column, positions), first);
}

/* The same as ops: where(reduced, 1, dims). */
static mf_tensor *kept_shape_ops(mf_builder *b, mf_tensor *input, mf_tensor *axes) {
  mf_tensor *mask = mfi_b_reduced_mask(b, input, axes);
  return mfi_b_where(b, mask, mf_b_int(b, 1), mf_b_dims_of(b, input));
}

mf_tensor *mfi_b_keep_reduced(mf_builder *b, mf_tensor *x, mf_tensor *input, mf_tensor *axes, bool keep_dims) {
  mf_shape kept;
  if (keep_dims || b->status || !x) return x;
  if (kept_shape(input, axes, &kept)) return mf_b_reshape(b, x, mf_b_ints(b, kept.dims, kept.rank));
  return mf_b_reshape(b, x, kept_shape_ops(b, input, axes));
}
