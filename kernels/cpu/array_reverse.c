/* array_reverse.c - ReverseV2 and Roll. */
#include "array_move.h"
#include "ops/op_list.h"

static mf_status move_reverse(mfi_move *m) {
  const mf_call *c = m->call;
  const mf_shape *s = &m->shapes[0];
  int64_t stride[MF_MAX_RANK], first = 0;
  bool back[MF_MAX_RANK] = {false};
  mfi_box box = {.rank = 0};
  mfi_dense_strides(s, m->elem, stride);
  for (int64_t i = 0; i < mf_tensor_count(c->in[1]); i++) {
    int64_t axis = mfi_int_at(c->in[1], i);
    back[axis < 0 ? axis + s->rank : axis] = true;
  }
  if (mf_shape_count(s) == 0) return NULL;
  for (int i = 0; i < s->rank; i++) {
    mfi_box_add(&box, s->dims[i], stride[i], back[i] ? -stride[i] : stride[i]);
    if (back[i]) first += (s->dims[i] - 1) * stride[i];
  }
  mfi_box_copy(box, m->elem, m->out[0], m->in[0] + first);
  return NULL;
}

static mf_status run_reverse(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_reverse); }

/* ---- Roll: along each rolled axis the tensor falls into two parts that change places */

static void roll_from(mfi_move *m, const int64_t *stride, const int64_t *shift, int d, mfi_box box, int64_t to,
                      int64_t from) {
  const mf_shape *s = &m->shapes[0];
  if (d == s->rank) {
    mfi_box_copy(box, m->elem, m->out[0] + to, m->in[0] + from);
    return;
  }
  int64_t k = shift[d], n = s->dims[d];
  mfi_box tail = box;
  mfi_box_add(&box, n - k, stride[d], stride[d]);
  roll_from(m, stride, shift, d + 1, box, to + k * stride[d], from);
  if (k == 0) return;
  mfi_box_add(&tail, k, stride[d], stride[d]);
  roll_from(m, stride, shift, d + 1, tail, to, from + (n - k) * stride[d]);
}

static mf_status move_roll(mfi_move *m) {
  const mf_call *c = m->call;
  const mf_shape *s = &m->shapes[0];
  int64_t stride[MF_MAX_RANK], shift[MF_MAX_RANK] = {0};
  if (mf_shape_count(s) == 0) return NULL;
  mfi_dense_strides(s, m->elem, stride);
  for (int64_t i = 0; i < mf_tensor_count(c->in[1]); i++) {
    int64_t axis = mfi_int_at(c->in[2], i);
    int a = (int)(axis < 0 ? axis + s->rank : axis);
    int64_t n = s->dims[a], sum = (shift[a] + mfi_int_at(c->in[1], i)) % n;
    shift[a] = sum < 0 ? sum + n : sum;
  }
  roll_from(m, stride, shift, 0, (mfi_box){.rank = 0}, 0, 0);
  return NULL;
}

static mf_status run_roll(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_roll); }

const mf_kernel_def mf_kernels_array_reverse[] = {
    {.op = &mf_op_ReverseV2, .name = "box", .device = MF_CPU, .rank = 10, .run = run_reverse},
    {.op = &mf_op_Roll, .name = "box", .device = MF_CPU, .rank = 10, .run = run_roll},
    {0}};
