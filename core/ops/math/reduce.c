/* reduce.c - reductions over axes: Sum, Mean, Prod, Max, Min, All, Any, EuclideanNorm; and L2Loss. */
#include <inttypes.h>

#include "ops/math/gradient.h"
#include "ops/math/reduce_shape.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

#define REDUCE_INPUTS "input: T; reduction_indices: Tidx"
#define TIDX "Tidx: {int32, int64} = int32"

/* ---- Sum: dy spread over what was summed */
static mf_tensor *spread(mf_builder *b, const mf_grad_args *a) {
  mf_tensor *kept = mfi_b_keep_reduced(b, a->dy[0], a->in[0], a->in[1], mf_attr_bool(a->attrs, "keep_dims"));
  return mf_b_broadcast_to(b, kept, mf_b_dims_of(b, a->in[0]));
}

static mf_status sum_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], spread(&b, a));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Sum = {
    MF_OP_NAME(Sum),
    .inputs = REDUCE_INPUTS, .outputs = "output: T", .attrs = "keep_dims: bool = false; " MFI_T_ALL_NUMBERS "; " TIDX,
    .saves = MF_SAVE_IN(1), .infer = mfi_reduce_infer, .grad = sum_grad,
    .doc = "Sum over the axes reduction_indices; with keep_dims they stay as dimensions of 1.",
};

/* ---- Mean: the same, divided by the number of elements that made one */
static mf_tensor *elements_each(mf_builder *b, const mf_grad_args *a) {
  mf_dtype type = (mf_dtype)a->dy[0]->dtype;
  int64_t in = mf_shape_count(&a->in[0]->shape), out = mf_shape_count(&a->out[0]->shape);
  if (in >= 0 && out >= 0) return mf_b_scalar(b, type, (double)(in / (out > 1 ? out : 1)));
  mf_tensor *mask = mfi_b_reduced_mask(b, a->in[0], a->in[1]);
  mf_tensor *dims = mfi_b_where(b, mask, mf_b_dims_of(b, a->in[0]), mf_b_int(b, 1));
  return mf_b_cast(b, MF_B(b, Prod, dims, mf_b_ints(b, (int64_t[]){0}, 1)), type);
}

static mf_status mean_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_div(&b, spread(&b, a), elements_each(&b, a)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Mean = {
    MF_OP_NAME(Mean),
    .inputs = REDUCE_INPUTS, .outputs = "output: T", .attrs = "keep_dims: bool = false; " MFI_T_ALL_NUMBERS "; " TIDX,
    .saves = MF_SAVE_IN(1), .infer = mfi_reduce_infer, .grad = mean_grad,
    .doc = "Mean over the axes reduction_indices: NaN where there is nothing to average.",
};

/* ---- Max, Min: dy shared equally by the elements that are the extremum */
static mf_status extremum_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  bool keep = mf_attr_bool(a->attrs, "keep_dims");
  mf_tensor *y = mfi_b_keep_reduced(&b, a->out[0], a->in[0], a->in[1], keep);
  mf_tensor *dy = mfi_b_keep_reduced(&b, a->dy[0], a->in[0], a->in[1], keep);
  mf_tensor *mine = mf_b_cast(&b, MF_B(&b, Equal, y, a->in[0]), (mf_dtype)a->dy[0]->dtype);
  mf_tensor *share = mf_b_div(&b, mine, mf_b_sum(&b, mine, a->in[1], true));
  mf_b_give(&b, &dx[0], mf_b_mul(&b, share, dy));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Max = {
    MF_OP_NAME(Max),
    .inputs = REDUCE_INPUTS, .outputs = "output: T",
    .attrs = "keep_dims: bool = false; " MFI_T_ORDERED_NUMBERS_OPEN "}; " TIDX,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1) | MF_SAVE_OUT(0), .infer = mfi_reduce_infer, .grad = extremum_grad,
    .doc = "Largest value over the axes reduction_indices; NaN when one is NaN.",
};

const mf_op_def mf_op_Min = {
    MF_OP_NAME(Min),
    .inputs = REDUCE_INPUTS, .outputs = "output: T",
    .attrs = "keep_dims: bool = false; " MFI_T_ORDERED_NUMBERS_OPEN "}; " TIDX,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1) | MF_SAVE_OUT(0), .infer = mfi_reduce_infer, .grad = extremum_grad,
    .doc = "Smallest value over the axes reduction_indices; NaN when one is NaN.",
};

/* ---- EuclideanNorm: x / (y / dy) */
static mf_status norm_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  bool keep = mf_attr_bool(a->attrs, "keep_dims");
  mf_tensor *y = mfi_b_keep_reduced(&b, a->out[0], a->in[0], a->in[1], keep);
  mf_tensor *dy = mfi_b_keep_reduced(&b, a->dy[0], a->in[0], a->in[1], keep);
  mf_b_give(&b, &dx[0], mf_b_div(&b, a->in[0], mf_b_div(&b, y, dy)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_EuclideanNorm = {
    MF_OP_NAME(EuclideanNorm),
    .inputs = REDUCE_INPUTS, .outputs = "output: T", .attrs = "keep_dims: bool = false; " MFI_T_ALL_NUMBERS "; " TIDX,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1) | MF_SAVE_OUT(0), .infer = mfi_reduce_infer, .grad = norm_grad,
    .doc = "Square root of the sum of squares over the axes reduction_indices.",
};

/* ---- logic */
const mf_op_def mf_op_All = {
    MF_OP_NAME(All),
    .inputs = "input: bool; reduction_indices: Tidx", .outputs = "output: bool",
    .attrs = "keep_dims: bool = false; " TIDX,
    .infer = mfi_reduce_infer, .grad = MF_NO_GRADIENT,
    .doc = "Whether all values over the axes reduction_indices hold.",
};

const mf_op_def mf_op_Any = {
    MF_OP_NAME(Any),
    .inputs = "input: bool; reduction_indices: Tidx", .outputs = "output: bool",
    .attrs = "keep_dims: bool = false; " TIDX,
    .infer = mfi_reduce_infer, .grad = MF_NO_GRADIENT,
    .doc = "Whether a value over the axes reduction_indices holds.",
};

/* ---- Prod */
const mf_op_def mf_op_Prod = {
    MF_OP_NAME(Prod),
    .inputs = REDUCE_INPUTS, .outputs = "output: T", .attrs = "keep_dims: bool = false; " MFI_T_ALL_NUMBERS "; " TIDX,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1), .infer = mfi_reduce_infer, .grad = mfi_prod_grad,
    .doc = "Product over the axes reduction_indices.",
};

/* ---- L2Loss = sum(t^2) / 2 */
static mf_status l2_loss_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, a->in[0], a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_L2Loss = {
    MF_OP_NAME(L2Loss),
    .inputs = "t: T", .outputs = "output: T", .attrs = MFI_T_FLOAT,
    .saves = MF_SAVE_IN(0), .infer = mf_infer_scalar, .grad = l2_loss_grad,
    .doc = "Half the sum of squares.",
};
