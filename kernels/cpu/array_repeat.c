/* array_repeat.c - BroadcastTo, Tile, BroadcastArgs, BroadcastGradientArgs. */
#include <inttypes.h>

#include "array_move.h"
#include "ops/op_list.h"

static mf_status move_broadcast(mfi_move *m) {
  const mf_shape *in = &m->call->in[0]->shape, *out = &m->shapes[0];
  int64_t from[MF_MAX_RANK], to[MF_MAX_RANK];
  mfi_box box = {.rank = 0};
  mfi_dense_strides(in, m->elem, from);
  mfi_dense_strides(out, m->elem, to);
  for (int i = 0; i < out->rank; i++) {
    int k = i - (out->rank - in->rank);
    mfi_box_add(&box, out->dims[i], to[i], k < 0 || in->dims[k] == 1 ? 0 : from[k]);
  }
  mfi_box_copy(box, m->elem, m->out[0], m->in[0]);
  return NULL;
}

static mf_status run_broadcast(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_broadcast); }

/* ---- Tile: every dimension is two loops, the repetitions (standing still in the source) and the dimension itself */

static mf_status move_tile(mfi_move *m) {
  const mf_shape *in = &m->call->in[0]->shape, *out = &m->shapes[0];
  int64_t from[MF_MAX_RANK], to[MF_MAX_RANK];
  mfi_box box = {.rank = 0};
  mfi_dense_strides(in, m->elem, from);
  mfi_dense_strides(out, m->elem, to);
  for (int i = 0; i < in->rank; i++) {
    mfi_box_add(&box, mfi_int_at(m->call->in[1], i), to[i] * in->dims[i], 0);
    mfi_box_add(&box, in->dims[i], to[i], from[i]);
  }
  mfi_box_copy(box, m->elem, m->out[0], m->in[0]);
  return NULL;
}

static mf_status run_tile(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_tile); }

/* ---- arithmetic of shapes */

static void put(mf_tensor *t, int64_t i, int64_t v) {
  if (t->dtype == MF_INT64) MF_DATA(int64_t, t)[i] = v;
  else MF_DATA(int32_t, t)[i] = (int32_t)v;
}

/* Entry i from the end; missing ones count as 1. */
static int64_t from_end(const mf_tensor *t, int64_t i) {
  int64_t n = mf_tensor_count(t);
  return i < n ? mfi_int_at(t, n - 1 - i) : 1;
}

static mf_status mismatch(const mf_call *c, int64_t x, int64_t y) {
  return mf_fail(MF_INVALID_ARGUMENT, "%s: Incompatible shapes: a dimension of %" PRId64 " against one of %" PRId64,
                 c->attrs.op->name, x, y);
}

static mf_status run_broadcast_args(mf_call *c) {
  int64_t n = mf_tensor_count(c->out[0]);
  for (int64_t i = 0; i < n; i++) {
    int64_t x = from_end(c->in[0], i), y = from_end(c->in[1], i);
    if (x != y && x != 1 && y != 1) return mismatch(c, x, y);
    put(c->out[0], n - 1 - i, x == 1 ? y : x);
  }
  return NULL;
}

static bool same_vectors(const mf_tensor *x, const mf_tensor *y) {
  if (mf_tensor_count(x) != mf_tensor_count(y)) return false;
  for (int64_t i = 0; i < mf_tensor_count(x); i++)
    if (mfi_int_at(x, i) != mfi_int_at(y, i)) return false;
  return true;
}

static mf_status run_gradient_args(mf_call *c) {
  int64_t nx = mf_tensor_count(c->in[0]), ny = mf_tensor_count(c->in[1]), n = nx > ny ? nx : ny;
  int64_t axes[2][4 * MF_MAX_RANK], count[2] = {0, 0};
  if (n > 4 * MF_MAX_RANK)
    return mf_fail(MF_INVALID_ARGUMENT, "BroadcastGradientArgs: rank %" PRId64 " is too high", n);
  bool same = same_vectors(c->in[0], c->in[1]);
  for (int64_t axis = 0; axis < n && !same; axis++) {
    int64_t x = from_end(c->in[0], n - 1 - axis), y = from_end(c->in[1], n - 1 - axis);
    if (x != y && x != 1 && y != 1) return mismatch(c, x, y);
    if (x == 1) axes[0][count[0]++] = axis;
    if (y == 1) axes[1][count[1]++] = axis;
  }
  for (int k = 0; k < 2; k++) {
    mf_shape shape = mf_shape_1d(count[k]);
    MF_TRY(mf_out_alloc(c, k, &shape));
    for (int64_t i = 0; i < count[k]; i++) put(c->out[k], i, axes[k][i]);
  }
  return NULL;
}

const mf_kernel_def mf_kernels_array_repeat[] = {
    {.op = &mf_op_BroadcastTo, .name = "box", .device = MF_CPU, .rank = 10, .run = run_broadcast},
    {.op = &mf_op_Tile, .name = "box", .device = MF_CPU, .rank = 10, .run = run_tile},
    {.op = &mf_op_BroadcastArgs, .name = "shape", .device = MF_CPU, .rank = 10, .run = run_broadcast_args},
    {.op = &mf_op_BroadcastGradientArgs, .name = "shape", .device = MF_CPU, .rank = 10, .run = run_gradient_args},
    {0}};
