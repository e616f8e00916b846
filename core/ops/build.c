/* build.c - the builder of composed ops: see build.h. */
#include "ops/build.h"

#include <string.h>

#include "base/memory.h"
#include "ops/op_list.h"

mf_builder mf_builder_open(mf_ctx *ctx) { return (mf_builder){.ctx = ctx}; }

mf_status mf_builder_close(mf_builder *b) {
  mf_tensor **made = b->made ? b->made : b->inline_made;
  for (size_t i = b->n; i > 0; i--) mf_tensor_release(made[i - 1]);
  mf_free(b->made);
  b->made = NULL;
  b->n = 0;
  mf_status status = b->status;
  b->status = NULL;
  return status;
}

/* Remembers t so that the builder ends it; on lack of memory t is released at once. */
static mf_tensor *remember(mf_builder *b, mf_tensor *t) {
  size_t inline_count = sizeof b->inline_made / sizeof *b->inline_made;
  if (!t) return NULL;
  if (!b->made && b->n < inline_count) {
    b->inline_made[b->n++] = t;
    return t;
  }
  bool first = !b->made;
  if (!mf_array_reserve((void **)&b->made, &b->capacity, b->n + 1, sizeof *b->made)) {
    mf_tensor_release(t);
    if (!b->status) b->status = mf_fail_oom();
    return NULL;
  }
  if (first) memcpy(b->made, b->inline_made, b->n * sizeof *b->made);
  b->made[b->n++] = t;
  return t;
}

mf_tensor *mf_b_own(mf_builder *b, mf_tensor *t) { return remember(b, t); }

int mf_b_apply_many(mf_builder *b, const mf_op_def *op, mf_tensor *const *in, int n_in, const mf_named_attr *attrs, int n_attrs,
                    mf_tensor **out, int max_out) {
  int n = 0;
  for (int i = 0; i < max_out; i++) out[i] = NULL;
  for (int i = 0; i < n_in; i++)
    if (!in[i] && !b->status) b->status = mf_fail(MF_INTERNAL, "%s: input %d is missing", op->name, i);
  if (b->status) return 0;
  b->status = mf_apply(b->ctx, op, in, n_in, attrs, n_attrs, out, max_out, &n);
  for (int i = 0; i < n; i++) out[i] = remember(b, out[i]);
  return b->status ? 0 : n;
}

mf_tensor *mf_b_apply(mf_builder *b, const mf_op_def *op, mf_tensor *const *in, int n_in, const mf_named_attr *attrs,
                      int n_attrs) {
  mf_tensor *out[8];
  mf_b_apply_many(b, op, in, n_in, attrs, n_attrs, out, 8);
  return out[0];
}

mf_tensor *mf_b_apply_inputs(mf_builder *b, const mf_op_def *op, mf_inputs in, const mf_named_attr *attrs, int n_attrs) {
  return mf_b_apply(b, op, in.list, in.n, attrs, n_attrs);
}

void mf_b_give(mf_builder *b, mf_grad *slot, mf_tensor *t) {
  if (b->status || !t) return;
  *slot = (mf_grad){.kind = MF_GRAD_DENSE, .values = mf_tensor_retain(t)};
}

void mf_b_give_slices(mf_builder *b, mf_grad *slot, mf_tensor *values, mf_tensor *indices, mf_tensor *dense_shape) {
  if (b->status || !values || !indices || !dense_shape) return;
  *slot = (mf_grad){.kind = MF_GRAD_SLICES,
                    .values = mf_tensor_retain(values),
                    .indices = mf_tensor_retain(indices),
                    .dense_shape = mf_tensor_retain(dense_shape)};
}

mf_tensor *mf_b_keep(mf_builder *b, mf_tensor *t) { return b->status ? NULL : mf_tensor_retain(t); }

/* `t` is read after the call that fills it: hence its address. */
static mf_tensor *made(mf_builder *b, mf_status status, mf_tensor **t) {
  if (!status) return remember(b, *t);
  b->status = status;
  return NULL;
}

mf_tensor *mf_b_scalar(mf_builder *b, mf_dtype type, double value) {
  mf_tensor *t;
  return b->status ? NULL : made(b, mf_tensor_scalar_f64(type, value, &t), &t);
}

mf_tensor *mf_b_ints(mf_builder *b, const int64_t *values, int n) {
  mf_tensor *t;
  return b->status ? NULL : made(b, mf_tensor_from_i64(MF_INT32, values, n, &t), &t);
}

mf_tensor *mf_b_int(mf_builder *b, int64_t value) {
  mf_tensor *t;
  return b->status ? NULL : made(b, mf_tensor_scalar_i64(MF_INT32, value, &t), &t);
}

mf_tensor *mf_b_dims_of(mf_builder *b, mf_tensor *t) {
  if (b->status || !t) return NULL;
  if (mf_shape_is_full(&t->shape)) return mf_b_ints(b, t->shape.dims, t->shape.rank);
  return MF_B(b, Shape, t);
}

/* A filled tensor of t's shape. Shapes of more than 2^31 elements along one axis need int64. */
static mf_tensor *filled_like(mf_builder *b, mf_tensor *t, double value) {
  if (b->status || !t) return NULL;
  if (!mf_shape_is_full(&t->shape)) return value == 0 ? MF_B(b, ZerosLike, t) : MF_B(b, OnesLike, t);
  mf_tensor *dims;
  dims = made(b, mf_tensor_from_i64(MF_INT64, t->shape.dims, t->shape.rank, &dims), &dims);
  return MF_B(b, Fill, dims, mf_b_scalar(b, (mf_dtype)t->dtype, value));
}

mf_tensor *mf_b_zeros_like(mf_builder *b, mf_tensor *t) { return filled_like(b, t, 0); }
mf_tensor *mf_b_ones_like(mf_builder *b, mf_tensor *t) { return filled_like(b, t, 1); }

mf_tensor *mf_b_add(mf_builder *b, mf_tensor *x, mf_tensor *y) { return MF_B(b, AddV2, x, y); }
mf_tensor *mf_b_sub(mf_builder *b, mf_tensor *x, mf_tensor *y) { return MF_B(b, Sub, x, y); }
mf_tensor *mf_b_mul(mf_builder *b, mf_tensor *x, mf_tensor *y) { return MF_B(b, Mul, x, y); }
mf_tensor *mf_b_div(mf_builder *b, mf_tensor *x, mf_tensor *y) { return MF_B(b, RealDiv, x, y); }
mf_tensor *mf_b_neg(mf_builder *b, mf_tensor *x) { return MF_B(b, Neg, x); }

mf_tensor *mf_b_scale(mf_builder *b, mf_tensor *x, double factor) {
  return x ? MF_B(b, Mul, x, mf_b_scalar(b, (mf_dtype)x->dtype, factor)) : NULL;
}

mf_tensor *mf_b_shift(mf_builder *b, mf_tensor *x, double addend) {
  return x ? MF_B(b, AddV2, x, mf_b_scalar(b, (mf_dtype)x->dtype, addend)) : NULL;
}

mf_tensor *mf_b_matmul(mf_builder *b, mf_tensor *x, mf_tensor *y, bool transpose_x, bool transpose_y) {
  return MF_BA(b, MatMul, MF_INS(x, y), MF_A_BOOL("transpose_a", transpose_x), MF_A_BOOL("transpose_b", transpose_y));
}

mf_tensor *mf_b_reshape(mf_builder *b, mf_tensor *x, mf_tensor *shape) { return MF_B(b, Reshape, x, shape); }

mf_tensor *mf_b_reshape_like(mf_builder *b, mf_tensor *x, mf_tensor *like) {
  if (!x || !like) return NULL;
  if (mf_shape_is_full(&x->shape) && mf_shape_equal(&x->shape, &like->shape)) return x;
  return MF_B(b, Reshape, x, mf_b_dims_of(b, like));
}

mf_tensor *mf_b_sum(mf_builder *b, mf_tensor *x, mf_tensor *axes, bool keep_dims) {
  return MF_BA(b, Sum, MF_INS(x, axes), MF_A_BOOL("keep_dims", keep_dims));
}

mf_tensor *mf_b_cast(mf_builder *b, mf_tensor *x, mf_dtype type) {
  if (!x || x->dtype == type) return x;
  return MF_BA(b, Cast, MF_INS(x), MF_A_TYPE("DstT", type));
}

mf_tensor *mf_b_transpose(mf_builder *b, mf_tensor *x, mf_tensor *perm) { return MF_B(b, Transpose, x, perm); }

mf_tensor *mf_b_broadcast_to(mf_builder *b, mf_tensor *x, mf_tensor *shape) { return MF_B(b, BroadcastTo, x, shape); }

/* Known shapes: the axes to sum are told here. Unknown ones: BroadcastGradientArgs tells them at run time. */
mf_tensor *mf_grad_unbroadcast(mf_builder *b, mf_tensor *dy, mf_tensor *t) {
  if (b->status || !dy || !t) return NULL;
  if (mf_shape_is_full(&dy->shape) && mf_shape_is_full(&t->shape)) {
    if (mf_shape_equal(&dy->shape, &t->shape)) return dy;
    int64_t axes[MF_MAX_RANK];
    int n = 0, lead = dy->shape.rank - t->shape.rank;
    for (int i = 0; i < dy->shape.rank; i++)
      if (i < lead || (t->shape.dims[i - lead] == 1 && dy->shape.dims[i] != 1)) axes[n++] = i;
    return mf_b_reshape_like(b, mf_b_sum(b, dy, mf_b_ints(b, axes, n), false), t);
  }
  mf_tensor *dims = mf_b_dims_of(b, t), *parts[2] = {NULL, NULL};
  mf_tensor *pair[] = {mf_b_dims_of(b, dy), dims};
  if (!pair[0] || !dims) return NULL;
  mf_b_apply_many(b, &mf_op_BroadcastGradientArgs, pair, 2, NULL, 0, parts, 2);
  return mf_b_reshape(b, mf_b_sum(b, dy, parts[1], false), dims);
}
