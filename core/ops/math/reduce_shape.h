/* reduce_shape.h - the shape rule of reductions over axes, and the gradient of Prod, which needs a file of its own.
 * Internal to core/ops/math. */
#ifndef MF_OPS_MATH_REDUCE_SHAPE_H
#define MF_OPS_MATH_REDUCE_SHAPE_H

#include "ops/infer.h"

/* Output 0 = input 0 without the axes of input 1 (a scalar or any list of int32 or int64, negative ones count from the
 * end), or with ones in their place when the attribute keep_dims is set.
 * INVALID_ARGUMENT: an axis outside [-rank, rank), or the same axis twice. Unknown axes: unknown dimensions
 * (keep_dims) or unknown rank. */
mf_status mfi_reduce_infer(mf_infer *c);

/* Gradient of Prod: dy times the product of all other elements, made of two running products, so that zeros are no
 * hazard. */
mf_status mfi_prod_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx);

#endif
