/* array_pad.c - Pad, PadV2, MirrorPad, MirrorPadGrad. */
#include <string.h>

#include "array_move.h"
#include "ops/op_list.h"
#include "state_update.h"

static int64_t before(const mf_call *c, int i) { return mfi_int_at(c->in[1], 2 * i); }

static mf_status move_pad(mfi_move *m) {
  const mf_call *c = m->call;
  const mf_shape *in = &c->in[0]->shape;
  static const char zero[16] = {0};
  int64_t from[MF_MAX_RANK], to[MF_MAX_RANK], first = 0;
  mfi_box box = {.rank = 0};
  mfi_fill(m->out[0], mf_shape_count(&m->shapes[0]), m->elem, c->n_in == 3 ? m->in[2] : zero);
  mfi_dense_strides(in, m->elem, from);
  mfi_dense_strides(&m->shapes[0], m->elem, to);
  for (int i = 0; i < in->rank; i++) {
    mfi_box_add(&box, in->dims[i], to[i], from[i]);
    first += before(c, i) * to[i];
  }
  mfi_box_copy(box, m->elem, m->out[0] + first, m->in[0]);
  return NULL;
}

static mf_status run_pad(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_pad); }

/* ---- MirrorPad: the inside first, then dimension by dimension the borders from what is there already */

/* Copies `n` slices of dimension d; slice k goes to index to + k and comes from index from - k. */
static void mirror(mfi_move *m, const int64_t *stride, const int64_t *begin, const int64_t *count, int d, int64_t to,
                   int64_t from, int64_t n) {
  mfi_box box = {.rank = 0};
  int64_t shared = 0;
  for (int i = 0; i < m->shapes[0].rank; i++) {
    if (i == d) mfi_box_add(&box, n, stride[i], -stride[i]);
    else mfi_box_add(&box, count[i], stride[i], stride[i]);
    shared += i == d ? 0 : begin[i] * stride[i];
  }
  mfi_box_copy(box, m->elem, m->out[0] + shared + to * stride[d], m->out[0] + shared + from * stride[d]);
}

static mf_status move_mirror(mfi_move *m) {
  const mf_call *c = m->call;
  const mf_shape *in = &c->in[0]->shape;
  int64_t begin[MF_MAX_RANK], count[MF_MAX_RANK], from[MF_MAX_RANK], to[MF_MAX_RANK], first = 0;
  int64_t skip = mf_attr_is(c->attrs, "mode", "REFLECT") ? 1 : 0;
  mfi_box box = {.rank = 0};
  mfi_dense_strides(in, m->elem, from);
  mfi_dense_strides(&m->shapes[0], m->elem, to);
  for (int i = 0; i < in->rank; i++) {
    begin[i] = before(c, i), count[i] = in->dims[i];
    mfi_box_add(&box, in->dims[i], to[i], from[i]);
    first += begin[i] * to[i];
  }
  mfi_box_copy(box, m->elem, m->out[0] + first, m->in[0]);
  for (int d = 0; d < in->rank; d++) {
    int64_t left = before(c, d), right = mfi_int_at(c->in[1], 2 * d + 1), n = in->dims[d];
    mirror(m, to, begin, count, d, 0, 2 * left - 1 + skip, left);
    mirror(m, to, begin, count, d, left + n, left + n - 1 - skip, right);
    begin[d] = 0, count[d] = m->shapes[0].dims[d];
  }
  return NULL;
}

static mf_status run_mirror(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_mirror); }

/* ---- MirrorPadGrad: each element of dy is added to the element it was copied from */

static int64_t source(int64_t i, int64_t left, int64_t n, int64_t skip) {
  i -= left;
  if (i < 0) i = -i - 1 + skip;
  if (i >= n) i = 2 * n - 1 - i - skip;
  return i;
}

static mf_status run_fold(mf_call *c) {
  const mf_tensor *dy = c->in[0];
  mf_tensor *out = c->out[0];
  mf_dtype type = mf_tensor_dtype(out);
  mfi_update_fn add = mfi_update_row(MFI_UPDATE_ADD, type);
  size_t elem = mf_dtype_size(type);
  int64_t skip = mf_attr_is(c->attrs, "mode", "REFLECT") ? 1 : 0, at[MF_MAX_RANK] = {0}, stride[MF_MAX_RANK];
  int rank = out->shape.rank;
  mfi_dense_strides(&out->shape, elem, stride);
  mfi_zero(mf_data(out), mf_tensor_bytes(out));
  for (int64_t i = 0; i < mf_tensor_count(dy); i++) {
    int64_t to = 0;
    for (int d = 0; d < rank; d++) to += source(at[d], before(c, d), out->shape.dims[d], skip) * stride[d];
    add(out->data + to, dy->data + (size_t)i * elem, 1);
    for (int d = rank - 1; d >= 0 && ++at[d] == dy->shape.dims[d]; d--) at[d] = 0;
  }
  return NULL;
}

const mf_kernel_def mf_kernels_array_pad[] = {
    {.op = &mf_op_Pad, .name = "box", .device = MF_CPU, .rank = 10, .run = run_pad},
    {.op = &mf_op_PadV2, .name = "box", .device = MF_CPU, .rank = 10, .run = run_pad},
    {.op = &mf_op_MirrorPad, .name = "box", .device = MF_CPU, .rank = 10, .run = run_mirror},
    {.op = &mf_op_MirrorPadGrad, .name = "fold", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPES_NUMERIC,
     .run = run_fold},
    {0}};
