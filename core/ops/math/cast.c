/* cast.c - Cast: every numeric type and bool to every other. */
#include "ops/math/gradient.h"
#include "ops/op_list.h"

/* Back to the source type, where both are floating point or complex; otherwise nothing flows. */
static mf_status cast_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  const uint32_t smooth = MF_TYPES_FLOAT | MF_TYPES_COMPLEX;
  mf_dtype from = (mf_dtype)a->in[0]->dtype, to = (mf_dtype)a->dy[0]->dtype;
  if (!(smooth & MF_TYPE(from)) || !(smooth & MF_TYPE(to))) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], mf_b_cast(&b, a->dy[0], from));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Cast = {
    MF_OP_NAME(Cast),
    .inputs = "x: SrcT", .outputs = "y: DstT", .attrs = "SrcT: type; DstT: type; Truncate: bool = false",
    .flags = MF_OP_ELEMENTWISE,
    .infer = mf_infer_same, .grad = cast_grad,
    .doc = "x converted to DstT. Floating point to integer cuts the fraction off; with Truncate, wide floating point "
           "to narrow cuts digits off instead of rounding.",
};
