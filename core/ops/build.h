/* build.h - writing ops in C shortly: for gradient functions, `lower` and other code that composes ops.
 *
 * A builder keeps the first error and owns every handle it makes; after an error all calls return NULL and do nothing. The
 * pattern:
 *     mf_builder b = mf_builder_open(ctx);
 *     if (a->need[0]) mf_b_give(&b, &dx[0], mf_b_matmul(&b, a->dy[0], a->in[1], false, true));
 *     return mf_builder_close(&b);
 */
#ifndef MF_OPS_BUILD_H
#define MF_OPS_BUILD_H

#include "ops/apply.h"

typedef struct mf_builder {
  mf_ctx *ctx;
  mf_status status;
  mf_tensor **made;
  size_t n, capacity;
  mf_tensor *inline_made[16];
} mf_builder;

mf_builder mf_builder_open(mf_ctx *ctx);
/* Releases everything made and not kept; returns the first error. */
mf_status mf_builder_close(mf_builder *b) MF_MUST_USE;

/* Any op; the first output. */
mf_tensor *mf_b_apply(mf_builder *b, const mf_op_def *op, mf_tensor *const *in, int n_in, const mf_named_attr *attrs,
                      int n_attrs);
/* All outputs into out[0..max_out-1], owned by the builder. Returns how many. */
int mf_b_apply_many(mf_builder *b, const mf_op_def *op, mf_tensor *const *in, int n_in, const mf_named_attr *attrs, int n_attrs,
                    mf_tensor **out, int max_out);
#define MF_B(b_, op_, ...) \
  mf_b_apply((b_), &mf_op_##op_, (mf_tensor *[]){__VA_ARGS__}, \
             (int)(sizeof((mf_tensor *[]){__VA_ARGS__}) / sizeof(mf_tensor *)), NULL, 0)
/* With attributes: MF_BA(b, Sum, MF_INS(x, axes), MF_A_BOOL("keep_dims", true)) */
typedef struct mf_inputs {
  mf_tensor *const *list;
  int n;
} mf_inputs;
#define MF_INS(...) \
  ((mf_inputs){(mf_tensor *[]){__VA_ARGS__}, (int)(sizeof((mf_tensor *[]){__VA_ARGS__}) / sizeof(mf_tensor *))})
mf_tensor *mf_b_apply_inputs(mf_builder *b, const mf_op_def *op, mf_inputs in, const mf_named_attr *attrs, int n_attrs);
#define MF_BA(b_, op_, ins_, ...) \
  mf_b_apply_inputs((b_), &mf_op_##op_, ins_, (mf_named_attr[]){__VA_ARGS__}, \
             (int)(sizeof((mf_named_attr[]){__VA_ARGS__}) / sizeof(mf_named_attr)))

/* *slot = DENSE t (retained); NULL t leaves NONE. */
void mf_b_give(mf_builder *b, mf_grad *slot, mf_tensor *t);
void mf_b_give_slices(mf_builder *b, mf_grad *slot, mf_tensor *values, mf_tensor *indices, mf_tensor *dense_shape);
/* Hands t over to the caller with a reference of its own (NULL passes). */
mf_tensor *mf_b_keep(mf_builder *b, mf_tensor *t);
/* The builder ends t with itself (takes the reference). */
mf_tensor *mf_b_own(mf_builder *b, mf_tensor *t);

/* Constants. A scalar of dtype `type`; an int32 vector. */
mf_tensor *mf_b_scalar(mf_builder *b, mf_dtype type, double value);
mf_tensor *mf_b_ints(mf_builder *b, const int64_t *values, int n);
mf_tensor *mf_b_int(mf_builder *b, int64_t value);            /* int32 scalar */
/* The shape of t as an int32 vector: a constant when it is fully known, a Shape node otherwise. Works on husks. */
mf_tensor *mf_b_dims_of(mf_builder *b, mf_tensor *t);
mf_tensor *mf_b_zeros_like(mf_builder *b, mf_tensor *t);      /* by shape and dtype: works on husks */
mf_tensor *mf_b_ones_like(mf_builder *b, mf_tensor *t);

/* Arithmetic with the usual broadcasting. */
mf_tensor *mf_b_add(mf_builder *b, mf_tensor *x, mf_tensor *y);
mf_tensor *mf_b_sub(mf_builder *b, mf_tensor *x, mf_tensor *y);
mf_tensor *mf_b_mul(mf_builder *b, mf_tensor *x, mf_tensor *y);
mf_tensor *mf_b_div(mf_builder *b, mf_tensor *x, mf_tensor *y);
mf_tensor *mf_b_neg(mf_builder *b, mf_tensor *x);
mf_tensor *mf_b_scale(mf_builder *b, mf_tensor *x, double factor);      /* x * constant of x's dtype */
mf_tensor *mf_b_shift(mf_builder *b, mf_tensor *x, double addend);      /* x + constant of x's dtype */
mf_tensor *mf_b_matmul(mf_builder *b, mf_tensor *x, mf_tensor *y, bool transpose_x, bool transpose_y);
mf_tensor *mf_b_reshape(mf_builder *b, mf_tensor *x, mf_tensor *shape);
mf_tensor *mf_b_reshape_like(mf_builder *b, mf_tensor *x, mf_tensor *like);
mf_tensor *mf_b_sum(mf_builder *b, mf_tensor *x, mf_tensor *axes, bool keep_dims);
mf_tensor *mf_b_cast(mf_builder *b, mf_tensor *x, mf_dtype type);
mf_tensor *mf_b_transpose(mf_builder *b, mf_tensor *x, mf_tensor *perm);
mf_tensor *mf_b_broadcast_to(mf_builder *b, mf_tensor *x, mf_tensor *shape);

/* The one broadcasting rule: dy (shape of the result) summed down to the shape of t. */
mf_tensor *mf_grad_unbroadcast(mf_builder *b, mf_tensor *dy, mf_tensor *t);

#endif
