/* cross_entropy.c - softmax and cross-entropy in one: SoftmaxCrossEntropyWithLogits,
 * SparseSoftmaxCrossEntropyWithLogits.
 *
 * Both give the loss of each row and, as output 1, the gradient of that loss by the logits, which the gradient only
 * has to scale.
 */
#include "ops/math/gradient.h"
#include "ops/math/type_sets.h"
#include "ops/op_list.h"

static mf_status dense_infer(mf_infer *c) {
  const mf_shape *logits = mf_in_shape(c, 0), *labels = mf_in_shape(c, 1);
  mf_shape both;
  mf_status status = mf_shape_broadcast(logits, labels, &both);
  if (status) {
    char x[MF_SHAPE_TEXT], y[MF_SHAPE_TEXT];
    mf_status_release(status);
    return mf_infer_fail(c, "logits and labels must be broadcastable: logits_size=%s labels_size=%s",
                         mf_shape_text(logits, x), mf_shape_text(labels, y));
  }
  if (both.rank >= 0 && both.rank != 2) {
    char x[MF_SHAPE_TEXT];
    return mf_infer_fail(c, "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional: "
                            "received %s", mf_shape_text(&both, x));
  }
  c->out[1] = both.rank == 2 ? both : mf_shape_unknown_dims(2);
  c->out[0] = mf_shape_1d(c->out[1].dims[0]);
  return NULL;
}

/* By the logits: dloss * backprop, and for a gradient g of backprop itself (g - sum(g s)) s with
 * s = softmax(logits). */
static mf_tensor *logits_grad(mf_builder *b, const mf_grad_args *a, mf_tensor *column) {
  mf_tensor *by_loss = column ? mf_b_mul(b, column, a->out[1]) : NULL, *g = a->dy[1];
  if (!g) return by_loss;
  mf_tensor *softmax = MF_B(b, Softmax, a->in[0]);
  mf_tensor *mean = mf_b_sum(b, mf_b_mul(b, g, softmax), mf_b_int(b, 1), true);
  mf_tensor *by_backprop = mf_b_mul(b, mf_b_sub(b, g, mean), softmax);
  return by_loss ? mf_b_add(b, by_loss, by_backprop) : by_backprop;
}

/* The gradient of the losses as a column [rows, 1]; NULL when there is none. */
static mf_tensor *loss_column(mf_builder *b, const mf_grad_args *a) {
  return a->dy[0] ? mf_b_reshape(b, a->dy[0], mf_b_ints(b, (int64_t[]){-1, 1}, 2)) : NULL;
}

static mf_status dense_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *column = loss_column(&b, a);
  mf_tensor *gx = a->need[0] ? logits_grad(&b, a, column) : NULL, *gy = NULL;
  if (a->need[1] && column) gy = mf_b_mul(&b, column, mf_b_neg(&b, MF_B(&b, LogSoftmax, a->in[0])));
  else if (a->need[1]) gy = mf_b_zeros_like(&b, a->in[1]); /* as TensorFlow: what comes by backprop is left out */
  mfi_give_pair(&b, a, dx, gx, gy);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_SoftmaxCrossEntropyWithLogits = {
    MF_OP_NAME(SoftmaxCrossEntropyWithLogits),
    .inputs = "features: T; labels: T", .outputs = "loss: T; backprop: T", .attrs = MFI_T_FLOAT,
    .saves = MF_SAVE_IN(0) | MF_SAVE_OUT(1), .infer = dense_infer, .grad = dense_grad,
    .doc = "Cross-entropy of softmax(features) [rows, classes] against label distributions: loss [rows], and its "
           "gradient by features.",
};

static mf_status sparse_infer(mf_infer *c) {
  const mf_shape *logits = mf_in_shape(c, 0), *labels = mf_in_shape(c, 1);
  char x[MF_SHAPE_TEXT], y[MF_SHAPE_TEXT];
  mf_shape_text(logits, x);
  mf_shape_text(labels, y);
  if (logits->rank >= 0 && logits->rank != 2) return mf_infer_fail(c, "logits must be 2-D, but got shape %s", x);
  if (labels->rank >= 0 && labels->rank != 1) return mf_infer_fail(c, "labels must be 1-D, but got shape %s", y);
  mf_shape rows = labels->rank == 1 ? *labels : mf_shape_unknown_dims(1);
  mf_shape both = logits->rank == 2 ? *logits : mf_shape_unknown_dims(2);
  if (rows.dims[0] >= 0 && both.dims[0] >= 0 && rows.dims[0] != both.dims[0])
    return mf_infer_fail(c, "logits and labels must have the same first dimension, got logits shape %s and labels "
                            "shape %s", x, y);
  if (both.dims[1] == 0) return mf_infer_fail(c, "Must have at least one class, but got logits shape %s", x);
  if (rows.dims[0] < 0) rows.dims[0] = both.dims[0];
  if (both.dims[0] < 0) both.dims[0] = rows.dims[0];
  c->out[0] = rows;
  c->out[1] = both;
  return NULL;
}

static mf_status sparse_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  if (a->need[0]) mf_b_give(&b, &dx[0], logits_grad(&b, a, loss_column(&b, a)));
  return mf_builder_close(&b);
}

const mf_op_def mf_op_SparseSoftmaxCrossEntropyWithLogits = {
    MF_OP_NAME(SparseSoftmaxCrossEntropyWithLogits),
    .inputs = "features: T; labels: Tlabels", .outputs = "loss: T; backprop: T",
    .attrs = MFI_T_FLOAT "; Tlabels: {int32, int64} = int64",
    .saves = MF_SAVE_IN(0) | MF_SAVE_OUT(1), .infer = sparse_infer, .grad = sparse_grad,
    .doc = "Cross-entropy of softmax(features) [rows, classes] against class numbers [rows]: loss [rows], and its "
           "gradient by features. A label outside [0, classes) is an error.",
};
