/* norm.c - kernels of FusedBatchNormV3 and its gradient op, float32. */
#include "norm.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/pool.h"
#include "ops/kernel.h"
#include "ops/op_list.h"

enum { MOST_PIECES = 32 };

static void open_norm(const mf_call *c, const mf_tensor *x, mfi_norm *n) {
  int axis = mf_attr_text(c->attrs, "data_format").bytes[1] == 'C' ? 1 : x->shape.rank - 1;
  *n = (mfi_norm){.x = MF_DATA(float, x)};
  n->channels = x->shape.dims[axis];
  n->outer = mf_shape_count_range(&x->shape, 0, axis);
  n->inner = mf_shape_count_range(&x->shape, axis + 1, x->shape.rank);
  if (n->channels == 1) { /* one channel: whole images are rows, wherever the channel stands */
    n->outer = x->shape.dims[0];
    n->inner = mf_shape_count_range(&x->shape, 1, x->shape.rank);
  }
  n->pieces = mf_pieces_for(n->outer, (double)(n->channels * n->inner) * 0.3);
  if (n->pieces > MOST_PIECES) n->pieces = MOST_PIECES;
  if (n->pieces < 1) n->pieces = 1;
}

static void pass(mfi_norm *n, mfi_norm_kind kind) {
  static const mf_parallel_fn *const levels[] = {mfi_norm_base, mfi_norm_avx2, mfi_norm_avx512};
  mf_parallel_fn fn = levels[mf_cpu_isa()][kind];
  if (n->pieces > 1) mf_parallel_for(n->pieces, fn, n);
  else fn(n, 0);
}

/* Joins the pieces' sums into the first one, in piece order. */
static void join(const mfi_norm *n) {
  for (int64_t p = 1; p < n->pieces; p++)
    for (int64_t i = 0; i < 2 * n->channels; i++) n->sums[i] += n->sums[p * 2 * n->channels + i];
}

/* Workspace: sums, then five vectors of one float a channel. */
static size_t norm_workspace(const mf_call *c) {
  mfi_norm n;
  open_norm(c, c->attrs.op == &mf_op_FusedBatchNormV3 ? c->in[0] : c->in[1], &n);
  return (size_t)(n.pieces * 2 * n.channels) * sizeof(double) + (size_t)(5 * n.channels) * sizeof(float);
}

static float *vectors_of(const mf_call *c, mfi_norm *n) {
  n->sums = c->workspace;
  float *v = (float *)(void *)(n->sums + n->pieces * 2 * n->channels);
  memset(v, 0, sizeof(float) * (size_t)(5 * n->channels));
  return v;
}

static void fill(mf_tensor *t, float value) {
  for (int64_t i = 0; i < mf_tensor_count(t); i++) MF_DATA(float, t)[i] = value;
}

/* Statistics of the batch into reserve_space_1, 2; running statistics into batch_mean, batch_variance. */
static void batch_statistics(mf_call *c, mfi_norm *n, float *zero) {
  float *mean = MF_DATA(float, c->out[3]), *variance = MF_DATA(float, c->out[4]);
  float *new_mean = MF_DATA(float, c->out[1]), *new_variance = MF_DATA(float, c->out[2]);
  float factor = mf_attr_float(c->attrs, "exponential_avg_factor");
  double count = (double)(n->outer * n->inner), unbiased = count / (count > 1 ? count - 1 : 1);
  n->mean = zero;
  pass(n, MFI_NORM_SUM);
  join(n);
  for (int64_t i = 0; i < n->channels; i++) mean[i] = (float)(n->sums[i] / count);
  n->mean = mean;
  pass(n, MFI_NORM_SQUARES);
  join(n);
  for (int64_t i = 0; i < n->channels; i++) {
    variance[i] = (float)(n->sums[i] / count);
    float v = (float)(n->sums[i] / count * unbiased);
    new_mean[i] = factor == 1 ? mean[i] : (1 - factor) * MF_DATA(float, c->in[3])[i] + factor * mean[i];
    new_variance[i] = factor == 1 ? v : (1 - factor) * MF_DATA(float, c->in[4])[i] + factor * v;
  }
}

static void given_statistics(mf_call *c, const mfi_norm *n) {
  size_t bytes = sizeof(float) * (size_t)n->channels;
  for (int i = 1; i < 5; i++) memcpy(c->out[i]->data, c->in[i % 2 ? 3 : 4]->data, bytes);
}

static mf_status run_norm(mf_call *c) {
  mfi_norm n;
  bool training = mf_attr_bool(c->attrs, "is_training");
  open_norm(c, c->in[0], &n);
  fill(c->out[5], 0);
  if (training && mf_tensor_count(c->in[0]) == 0) { /* an empty batch has no mean */
    for (int i = 1; i < 5; i++) fill(c->out[i], i < 3 ? NAN : 0);
    return NULL;
  }
  float *v = vectors_of(c, &n), epsilon = mf_attr_float(c->attrs, "epsilon");
  if (training) batch_statistics(c, &n, v);
  else given_statistics(c, &n);
  const float *scale = MF_DATA(float, c->in[1]), *variance = MF_DATA(float, c->out[4]);
  float *a = v + n.channels;
  for (int64_t i = 0; i < n.channels; i++) a[i] = scale[i] / sqrtf(variance[i] + epsilon);
  n.mean = MF_DATA(float, c->out[3]);
  n.a = a;
  n.b = MF_DATA(float, c->in[2]);
  n.out = MF_DATA(float, c->out[0]);
  pass(&n, MFI_NORM_AFFINE);
  return NULL;
}

/* With N elements a channel: dx = s r (dy - sum(dy) / N - (x - mean) r^2 sum(dy (x - mean)) / N); with given
 * statistics the sums do not depend on x and dx = s r dy. */
static mf_status run_norm_grad(mf_call *c) {
  mfi_norm n;
  open_norm(c, c->in[1], &n);
  bool training = mf_attr_bool(c->attrs, "is_training");
  if (mf_tensor_count(c->in[1]) == 0) {
    fill(c->out[1], 0);
    fill(c->out[2], 0);
    return NULL;
  }
  float *v = vectors_of(c, &n), epsilon = mf_attr_float(c->attrs, "epsilon");
  double count = (double)(n.outer * n.inner);
  const float *scale = MF_DATA(float, c->in[2]), *variance = MF_DATA(float, c->in[4]);
  n.dy = MF_DATA(float, c->in[0]);
  n.mean = MF_DATA(float, c->in[3]);
  pass(&n, MFI_NORM_PRODUCTS);
  join(&n);
  float *a = v + n.channels, *b = a + n.channels, *d = b + n.channels;
  for (int64_t i = 0; i < n.channels; i++) {
    double r = 1 / sqrt((double)variance[i] + (double)epsilon), dy = n.sums[i], product = n.sums[n.channels + i];
    MF_DATA(float, c->out[1])[i] = (float)(product * r);
    MF_DATA(float, c->out[2])[i] = (float)dy;
    a[i] = (float)(scale[i] * r);
    b[i] = training ? (float)(-scale[i] * r * dy / count) : 0;
    d[i] = training ? (float)(-scale[i] * r * r * r * product / count) : 0;
  }
  n.a = a, n.b = b, n.c = d;
  n.out = MF_DATA(float, c->out[0]);
  pass(&n, MFI_NORM_BACKWARD);
  return NULL;
}

static const char *float_statistics(const mf_call *c) {
  return mf_attr_type(c->attrs, "U") == MF_FLOAT32 ? NULL : "U must be float32";
}

const mf_kernel_def mf_kernels_norm[] = {
    {.op = &mf_op_FusedBatchNormV3, .name = "vector", .rank = 10, .type_attr = "T", .types = MF_TYPE(MF_FLOAT32),
     .supports = float_statistics, .workspace = norm_workspace, .run = run_norm},
    {.op = &mf_op_FusedBatchNormGradV3, .name = "vector", .rank = 10, .type_attr = "T", .types = MF_TYPE(MF_FLOAT32),
     .supports = float_statistics, .workspace = norm_workspace, .run = run_norm_grad},
    {0}};
