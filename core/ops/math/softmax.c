/* softmax.c - Softmax and LogSoftmax over the last axis. */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

static mf_status softmax_infer(mf_infer *c) { return mf_infer_min_rank(c, 0, 1, &c->out[0]); }

static mf_tensor *row_sum(mf_builder *b, mf_tensor *x) { return mf_b_sum(b, x, mf_b_int(b, -1), true); }

/* (dy - sum(dy y)) y */
static mf_status softmax_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *y = a->out[0], *dy = a->dy[0];
  mf_b_give(&b, &dx[0], mf_b_mul(&b, mf_b_sub(&b, dy, row_sum(&b, mf_b_mul(&b, dy, y))), y));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Softmax = {
    MF_OP_NAME(Softmax),
    .inputs = "logits: T", .outputs = "softmax: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_INPLACE, .saves = MF_SAVE_OUT(0), .infer = softmax_infer, .grad = softmax_grad,
    .doc = "exp(x) divided by its sum over the last axis.",
};

/* dy - sum(dy) exp(y) */
static mf_status log_softmax_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *dy = a->dy[0], *softmax = MF_B(&b, Exp, a->out[0]);
  mf_b_give(&b, &dx[0], mf_b_sub(&b, dy, mf_b_mul(&b, row_sum(&b, dy), softmax)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_LogSoftmax = {
    MF_OP_NAME(LogSoftmax),
    .inputs = "logits: T", .outputs = "logsoftmax: T", .attrs = MFI_T_FLOAT,
    .flags = MF_OP_INPLACE, .saves = MF_SAVE_OUT(0), .infer = softmax_infer, .grad = log_softmax_grad,
    .doc = "x - log(sum(exp(x)) over the last axis).",
};
