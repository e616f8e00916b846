/* const.c - values out of nothing: Const, Placeholder, Fill, ZerosLike, OnesLike. */
#include "ops/array/dims.h"
#include "ops/op_list.h"

/* ---- Const */

static mf_status const_infer(mf_infer *c) {
  const mf_tensor *value = mf_attr_tensor(c->attrs, "value");
  if (!value) return mf_infer_fail(c, "value must be a tensor, received none");
  if (value->dtype != mf_attr_type(c->attrs, "dtype"))
    return mf_infer_fail(c, "dtype is %s, value has dtype %s", mf_dtype_name(mf_attr_type(c->attrs, "dtype")),
                         mf_dtype_name((mf_dtype)value->dtype));
  c->out[0] = value->shape;
  return NULL;
}

const mf_op_def mf_op_Const = {
    MF_OP_NAME(Const),
    .outputs = "output: dtype",
    .attrs = "value: tensor; dtype: type",
    .flags = MF_OP_VIEW,
    .infer = const_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "A constant: the tensor in attribute value.",
};

/* ---- Placeholder */

static mf_status placeholder_infer(mf_infer *c) {
  c->out[0] = *mf_attr_shape(c->attrs, "shape");
  return NULL;
}

const mf_op_def mf_op_Placeholder = {
    MF_OP_NAME(Placeholder),
    .outputs = "output: dtype",
    .attrs = "dtype: type; shape: shape = unknown",
    .infer = placeholder_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "A value that is fed from outside; it cannot be run by itself.",
};

/* ---- Fill */

static mf_status fill_infer(mf_infer *c) {
  const mf_shape *value = mf_in_shape(c, 1);
  char text[MF_SHAPE_TEXT];
  /* A vector of one element passes for a scalar. */
  if (value->rank > 1 || (value->rank == 1 && value->dims[0] >= 0 && value->dims[0] != 1))
    return mf_infer_fail(c, "value must represent a scalar, but got shape %s", mf_shape_text(value, text));
  return mfi_dims_sizes(c, 0, &c->out[0]);
}

static mf_status fill_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[1] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  int64_t zero = 0;
  mf_b_give(&b, &dx[1], mf_b_sum(&b, mfi_b_flat(&b, a->dy[0]), mf_b_ints(&b, &zero, 1), false));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Fill = {
    MF_OP_NAME(Fill),
    .inputs = "dims: index_type; value: T",
    .outputs = "output: T",
    .attrs = "T: type; index_type: {int32, int64} = DT_INT32",
    .infer = fill_infer,
    .grad = fill_grad,
    .doc = "A tensor of shape dims whose elements are all value.",
};

/* ---- ZerosLike, OnesLike */

const mf_op_def mf_op_ZerosLike = {
    MF_OP_NAME(ZerosLike),
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: type",
    .infer = mf_infer_same,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Zeros of the shape and dtype of x (strings: empty ones; variants: their own zero).",
};

const mf_op_def mf_op_OnesLike = {
    MF_OP_NAME(OnesLike),
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, "
             "complex128, bool}",
    .infer = mf_infer_same,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Ones of the shape and dtype of x.",
};
