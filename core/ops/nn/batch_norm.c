/* batch_norm.c - FusedBatchNormV3, its gradient op, and the gradient of that, composed of plain ops. */
#include <inttypes.h>
#include <string.h>

#include "ops/build.h"
#include "ops/infer.h"
#include "ops/op_list.h"

#define NORM_FORMAT "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'; is_training: bool = true"

static int channel_axis(mf_attrs attrs) { return mf_attr_text(attrs, "data_format").bytes[1] == 'C' ? 1 : -1; }

/* x has rank 4, or 5 with a depth format; *channels is -1 when unknown. */
static mf_status image_of(const mf_infer *c, int i, mf_shape *x, int64_t *channels) {
  int rank = (int)mf_attr_text(c->attrs, "data_format").size;
  char text[MF_SHAPE_TEXT];
  if (mf_in_shape(c, i)->rank >= 0 && mf_in_shape(c, i)->rank != rank)
    return mf_infer_fail(c, "input must be %d-dimensional%s", rank, mf_shape_text(mf_in_shape(c, i), text));
  MF_TRY(mf_infer_rank(c, i, rank, x));
  *channels = x->dims[channel_axis(c->attrs) == 1 ? 1 : rank - 1];
  return NULL;
}

/* Argument i holds one number a channel. `when`: "" or the condition that asks for it. */
static mf_status check_vector(const mf_infer *c, int i, const char *name, const char *when, int64_t *channels) {
  mf_shape v;
  MF_TRY(mf_infer_rank(c, i, 1, &v));
  if (*channels < 0) *channels = v.dims[0];
  if (v.dims[0] < 0 || v.dims[0] == *channels) return NULL;
  return mf_infer_fail(c,
                       "%s%s must have the same number of elements as the channels of x, got %" PRId64 " and %" PRId64,
                       when, name, v.dims[0], *channels);
}

static mf_status norm_infer(mf_infer *c) {
  mf_shape x;
  int64_t channels;
  MF_TRY(image_of(c, 0, &x, &channels));
  MF_TRY(check_vector(c, 1, "scale", "", &channels));
  MF_TRY(check_vector(c, 2, "offset", "", &channels));
  bool training = mf_attr_bool(c->attrs, "is_training"),
       whole = mf_attr_float(c->attrs, "exponential_avg_factor") == 1.0F;
  const char *when = training ? "When exponential_avg_factor != 1, " : "When is_training=false, ";
  if (!training || !whole) {
    MF_TRY(check_vector(c, 3, "mean", when, &channels));
    MF_TRY(check_vector(c, 4, "variance", when, &channels));
  }
  c->out[0] = x;
  c->out[0].dims[channel_axis(c->attrs) == 1 ? 1 : x.rank - 1] = channels;
  for (int i = 1; i < 5; i++) c->out[i] = mf_shape_1d(channels);
  c->out[5] = mf_shape_scalar();
  return NULL;
}

/* With fixed statistics those are inputs 3 and 4; in training they are what the forward pass reserved. */
static mf_status norm_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  bool training = mf_attr_bool(a->attrs, "is_training");
  mf_tensor *out[5];
  if (a->dy[0] && (a->need[0] || a->need[1] || a->need[2])) {
    mf_tensor *in[] = {a->dy[0], a->in[0], a->in[1], training ? a->out[3] : a->in[3], training ? a->out[4] : a->in[4],
                       a->out[5]};
    mf_named_attr named[] = {MF_A_COPY(a->attrs, "epsilon"), MF_A_COPY(a->attrs, "data_format"),
                             MF_A_COPY(a->attrs, "is_training")};
    mf_b_apply_many(&b, &mf_op_FusedBatchNormGradV3, in, 6, named, 3, out, 5);
    for (int i = 0; i < 3; i++)
      if (a->need[i]) mf_b_give(&b, &dx[i], out[i]);
  }
  return mf_builder_close(&b);
}

const mf_op_def mf_op_FusedBatchNormV3 = {
    MF_OP_NAME(FusedBatchNormV3),
    .inputs = "x: T; scale: U; offset: U; mean: U; variance: U",
    .outputs = "y: T; batch_mean: U; batch_variance: U; reserve_space_1: U; reserve_space_2: U; reserve_space_3: U",
    .attrs =
        "T: {half, bfloat16, float}; U: {bfloat16, float}; epsilon: float = 0.0001; exponential_avg_factor: float = "
        "1.0; " NORM_FORMAT,
    .infer = norm_infer,
    .grad = norm_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1) | MF_SAVE_IN(3) | MF_SAVE_IN(4) | MF_SAVE_OUT(3) | MF_SAVE_OUT(4) |
             MF_SAVE_OUT(5),
    .doc =
        "Normalises every channel of x to mean 0 and variance 1, then scales and shifts it: with the batch's "
        "statistics in "
        "training, else with those given.",
};

/* ---- the gradient op */

static mf_status norm_grad_infer(mf_infer *c) {
  mf_shape dy, x, both;
  int64_t channels;
  MF_TRY(image_of(c, 0, &dy, &channels));
  MF_TRY(image_of(c, 1, &x, &channels));
  MF_TRY(mf_shape_merge(&dy, &x, "FusedBatchNormGradV3: y_backprop and x", &both));
  MF_TRY(check_vector(c, 2, "scale", "", &channels));
  MF_TRY(check_vector(c, 3, "reserve_space_1", "", &channels));
  MF_TRY(check_vector(c, 4, "reserve_space_2", "", &channels));
  c->out[0] = both;
  c->out[1] = c->out[2] = mf_shape_1d(channels);
  c->out[3] = c->out[4] = mf_shape_1d(0);
  return NULL;
}

/* What the second-order formulas share; every field is NULL when nothing is to be computed. */
typedef struct norm {
  mf_builder *b;
  int rank, axis;
  mf_tensor *axes;           /* all but the channels */
  mf_tensor *dy, *x, *scale; /* scale: as [1, .., C, .., 1] */
  mf_tensor *r;              /* 1 / sqrt(variance + epsilon) */
  mf_tensor *centred, *hat;  /* x - mean, (x - mean) * r */
} norm;

static mf_tensor *mean_of(const norm *n, mf_tensor *t) {
  return MF_BA(n->b, Mean, MF_INS(t, n->axes), MF_A_BOOL("keep_dims", true));
}

/* One number a channel as [1, .., C, .., 1], and back. */
static mf_tensor *spread(const norm *n, mf_tensor *v) {
  int64_t dims[MF_MAX_RANK];
  for (int i = 0; i < n->rank; i++) dims[i] = i == n->axis ? -1 : 1;
  return v ? mf_b_reshape(n->b, v, mf_b_ints(n->b, dims, n->rank)) : NULL;
}

static void open_norm(norm *n, mf_builder *b, const mf_grad_args *a) {
  int64_t axes[MF_MAX_RANK];
  int count = 0;
  *n = (norm){.b = b, .dy = a->in[0], .x = a->in[1]};
  n->rank = (int)mf_attr_text(a->attrs, "data_format").size;
  n->axis = channel_axis(a->attrs) == 1 ? 1 : n->rank - 1;
  for (int i = 0; i < n->rank; i++)
    if (i != n->axis) axes[count++] = i;
  n->axes = mf_b_ints(b, axes, count);
  n->scale = spread(n, a->in[2]);
  mf_tensor *mean = spread(n, a->in[3]), *variance = spread(n, a->in[4]);
  if (mf_attr_bool(a->attrs, "is_training")) {
    mean = mean_of(n, n->x);
    variance = mean_of(n, MF_B(b, SquaredDifference, n->x, mean));
  }
  n->centred = mf_b_sub(b, n->x, mean);
  n->r = MF_B(b, Rsqrt, mf_b_shift(b, variance, (double)mf_attr_float(a->attrs, "epsilon")));
  n->hat = mf_b_mul(b, n->centred, n->r);
}

static mf_tensor *plus(mf_builder *b, mf_tensor *x, mf_tensor *y) { return !x ? y : !y ? x : mf_b_add(b, x, y); }

/* Fixed statistics: x_backprop = dy s r, scale_backprop = sum(dy hat), offset_backprop = sum(dy). */
static void fixed_grad(norm *n, const mf_grad_args *a, mf_tensor *gx, mf_tensor *gs, mf_tensor *go, mf_grad *dx) {
  mf_builder *b = n->b;
  mf_tensor *sr = mf_b_mul(b, n->scale, n->r);
  mf_tensor *ddy = plus(b, plus(b, gx ? mf_b_mul(b, gx, sr) : NULL, gs ? mf_b_mul(b, n->hat, gs) : NULL), go);
  if (a->need[0] && ddy) mf_b_give(b, &dx[0], plus(b, ddy, mf_b_zeros_like(b, n->dy)));
  if (a->need[1] && gs) mf_b_give(b, &dx[1], mf_b_mul(b, mf_b_mul(b, n->dy, gs), n->r));
  if (a->need[2] && gx) {
    mf_tensor *sum = mf_b_sum(b, mf_b_mul(b, mf_b_mul(b, gx, n->dy), n->r), n->axes, false);
    mf_b_give(b, &dx[2], sum);
  }
}

/* Batch statistics. With m() the mean over a channel, A = m(gx hat), B = m(dy hat), P(g) = g - m(g) - hat m(g hat):
 *   x_backprop = s r P(dy), and sum(gx x_backprop) = s r sum(dy P(gx)), P being symmetric. Hence
 *   by dy:    s r P(gx) + hat gs + go
 *   by scale: r sum(dy P(gx))
 *   by hat:   h = -s r (A dy + B gx) + gs dy; by r beside it: s N q with q = m(gx dy) - m(gx) m(dy) - A B
 *   by x:     r (h - m(h) - hat m(h hat)) - s q r^2 hat. */
static void batch_grad(norm *n, const mf_grad_args *a, mf_tensor *gx, mf_tensor *gs, mf_tensor *go, mf_grad *dx) {
  mf_builder *b = n->b;
  mf_tensor *sr = mf_b_mul(b, n->scale, n->r), *p = NULL, *h = NULL, *q = NULL;
  if (gx) {
    mf_tensor *mgx = mean_of(n, gx), *mdy = mean_of(n, n->dy);
    mf_tensor *ma = mean_of(n, mf_b_mul(b, gx, n->hat)), *mb = mean_of(n, mf_b_mul(b, n->dy, n->hat));
    p = mf_b_sub(b, mf_b_sub(b, gx, mgx), mf_b_mul(b, n->hat, ma));
    h = mf_b_neg(b, mf_b_mul(b, sr, mf_b_add(b, mf_b_mul(b, ma, n->dy), mf_b_mul(b, mb, gx))));
    q = mf_b_sub(b, mf_b_sub(b, mean_of(n, mf_b_mul(b, gx, n->dy)), mf_b_mul(b, mgx, mdy)), mf_b_mul(b, ma, mb));
  }
  if (gs) h = plus(b, h, mf_b_mul(b, gs, n->dy));
  mf_tensor *ddy = plus(b, plus(b, p ? mf_b_mul(b, sr, p) : NULL, gs ? mf_b_mul(b, n->hat, gs) : NULL), go);
  if (a->need[0] && ddy) mf_b_give(b, &dx[0], plus(b, ddy, mf_b_zeros_like(b, n->dy)));
  if (a->need[1] && h) {
    mf_tensor *through =
        mf_b_sub(b, mf_b_sub(b, h, mean_of(n, h)), mf_b_mul(b, n->hat, mean_of(n, mf_b_mul(b, h, n->hat))));
    mf_tensor *g = mf_b_mul(b, n->r, through);
    if (q) g = mf_b_sub(b, g, mf_b_mul(b, mf_b_mul(b, n->scale, q), mf_b_mul(b, MF_B(b, Square, n->r), n->hat)));
    mf_b_give(b, &dx[1], g);
  }
  if (a->need[2] && p) {
    mf_tensor *sum = mf_b_sum(b, mf_b_mul(b, mf_b_mul(b, n->dy, p), n->r), n->axes, false);
    mf_b_give(b, &dx[2], sum);
  }
}

static mf_status norm_grad_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->dy[0] && !a->dy[1] && !a->dy[2]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  norm n;
  open_norm(&n, &b, a);
  mf_tensor *gs = spread(&n, a->dy[1]), *go = spread(&n, a->dy[2]);
  if (mf_attr_bool(a->attrs, "is_training")) batch_grad(&n, a, a->dy[0], gs, go, dx);
  else fixed_grad(&n, a, a->dy[0], gs, go, dx);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_FusedBatchNormGradV3 = {
    MF_OP_NAME(FusedBatchNormGradV3),
    .inputs = "y_backprop: T; x: T; scale: float; reserve_space_1: U; reserve_space_2: U; reserve_space_3: U",
    .outputs = "x_backprop: T; scale_backprop: U; offset_backprop: U; reserve_space_4: U; reserve_space_5: U",
    .attrs = "T: {half, bfloat16, float}; U: {float}; epsilon: float = 0.0001; " NORM_FORMAT,
    .infer = norm_grad_infer,
    .grad = norm_grad_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1) | MF_SAVE_IN(2) | MF_SAVE_IN(3) | MF_SAVE_IN(4),
    .doc = "Gradient of FusedBatchNormV3; reserve_space_1 and 2 are the mean and variance that were used.",
};
