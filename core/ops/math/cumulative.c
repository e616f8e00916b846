/* cumulative.c - running sums and products along one axis: Cumsum, Cumprod. */
#include <inttypes.h>

#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

#define CUMULATIVE_ATTRS \
  "exclusive: bool = false; reverse: bool = false; " MFI_T_ALL_NUMBERS "; Tidx: {int32, int64} = int32"

static mf_status cumulative_infer(mf_infer *c) {
  const mf_shape *in = mf_in_shape(c, 0);
  int64_t axis;
  bool known;
  MF_TRY(mf_const_int(c, 1, &axis, &known));
  c->out[0] = *in;
  if (!known || in->rank < 0 || (axis >= -in->rank && axis < in->rank)) return NULL;
  return mf_infer_fail(c, "ScanOp: Expected scan axis in the range [%d, %d), but got %" PRId64, -in->rank, in->rank,
                       axis);
}

/* The running sum of g the other way round. */
static mf_tensor *back_sum(mf_builder *b, const mf_grad_args *a, mf_tensor *g) {
  return MF_BA(b, Cumsum, MF_INS(g, a->in[1]), MF_A_COPY(a->attrs, "exclusive"),
               MF_A_BOOL("reverse", !mf_attr_bool(a->attrs, "reverse")));
}

static mf_status cumsum_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_b_give(&b, &dx[0], back_sum(&b, a, a->dy[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Cumsum = {
    MF_OP_NAME(Cumsum),
    .inputs = "x: T; axis: Tidx", .outputs = "out: T", .attrs = CUMULATIVE_ATTRS,
    .saves = MF_SAVE_IN(1), .infer = cumulative_infer, .grad = cumsum_grad,
    .doc = "Running sum along an axis; exclusive: without the element itself; reverse: from the end.",
};

/* back_sum(y dy) / x, 0 where x is 0. */
static mf_status cumprod_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *product = MF_BA(&b, Cumprod, MF_INS(a->in[0], a->in[1]), MF_A_COPY(a->attrs, "exclusive"),
                             MF_A_COPY(a->attrs, "reverse"));
  mf_tensor *sum = back_sum(&b, a, mf_b_mul(&b, product, a->dy[0]));
  mf_b_give(&b, &dx[0], MF_B(&b, DivNoNan, sum, a->in[0]));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Cumprod = {
    MF_OP_NAME(Cumprod),
    .inputs = "x: T; axis: Tidx", .outputs = "out: T", .attrs = CUMULATIVE_ATTRS,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1), .infer = cumulative_infer, .grad = cumprod_grad,
    .doc = "Running product along an axis; exclusive: without the element itself; reverse: from the end.",
};
