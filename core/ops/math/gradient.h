/* gradient.h - small pieces that the gradients of several arithmetic ops share. Internal to core/ops/math. */
#ifndef MF_OPS_MATH_GRADIENT_H
#define MF_OPS_MATH_GRADIENT_H

#include "ops/build.h"
#include "ops/infer.h"

/* t itself, or its complex conjugate when it is complex. Borrowed from the builder. */
mf_tensor *mfi_b_conj(mf_builder *b, mf_tensor *t);

/* dx[i] = gi summed down to the shape of in[i]; gi NULL leaves it NONE. Ends nothing; the builder owns all. */
void mfi_give_pair(mf_builder *b, const mf_grad_args *a, mf_grad *dx, mf_tensor *g0, mf_tensor *g1);

/* where(condition, x, y) with broadcasting; and with a scalar zero of g's type in one branch. */
mf_tensor *mfi_b_where(mf_builder *b, mf_tensor *condition, mf_tensor *x, mf_tensor *y);

/* Bool vector [rank of input]: whether a dimension is among `axes` (any shape; negative ones count from the end). For
 * graphs in which shapes or axes are not known before the run. */
mf_tensor *mfi_b_reduced_mask(mf_builder *b, mf_tensor *input, mf_tensor *axes);

/* x with the dimensions of `axes` (input 1 of a reduction op, kept by the tape) put back as ones, where `input` (may
 * be a husk) is what was reduced. With keep_dims x has them already and is returned as it is. */
mf_tensor *mfi_b_keep_reduced(mf_builder *b, mf_tensor *x, mf_tensor *input, mf_tensor *axes, bool keep_dims);

#endif
