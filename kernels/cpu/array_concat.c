/* array_concat.c - ConcatV2, Pack, ConcatOffset. */
#include <inttypes.h>
#include <string.h>

#include "array_move.h"
#include "ops/op_list.h"

/* Writes input i as block [outer, run] into the output, whose rows are `row` bytes apart, at byte `offset` of each
 * row. */
static void put_block(mfi_move *m, int i, int64_t outer, int64_t run, int64_t row, int64_t offset) {
  enum { SMALL = 1 << 15 };
  if (run && outer * run <= SMALL) {
    for (int64_t o = 0; o < outer; o++) memcpy(m->out[0] + offset + o * row, m->in[i] + o * run, (size_t)run);
    return;
  }
  mfi_box box = {.rank = 0};
  mfi_box_add(&box, outer, row, run);
  mfi_box_add(&box, run / (int64_t)m->elem, (int64_t)m->elem, (int64_t)m->elem);
  mfi_box_copy(box, m->elem, m->out[0] + offset, m->in[i]);
}

static mf_status move_concat(mfi_move *m) {
  int n = m->call->n_in - 1;
  const mf_shape *out = &m->shapes[0];
  int64_t axis = mfi_int_at(m->call->in[n], 0);
  int a = (int)(axis < 0 ? axis + out->rank : axis);
  int64_t outer = mf_shape_count_range(out, 0, a),
          inner = mf_shape_count_range(out, a + 1, out->rank) * (int64_t)m->elem;
  int64_t row = inner * out->dims[a], offset = 0;
  for (int i = 0; i < n; i++) {
    int64_t run = inner * m->call->in[i]->shape.dims[a];
    put_block(m, i, outer, run, row, offset);
    offset += run;
  }
  return NULL;
}

static mf_status run_concat(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_concat); }

/* ---- Pack */

static mf_status move_pack(mfi_move *m) {
  int n = m->call->n_in;
  const mf_shape *one = &m->call->in[0]->shape;
  int64_t axis = mf_attr_int(m->call->attrs, "axis");
  int a = (int)(axis < 0 ? axis + one->rank + 1 : axis);
  int64_t outer = mf_shape_count_range(one, 0, a), run = mf_shape_count_range(one, a, one->rank) * (int64_t)m->elem;
  if (outer * run == (int64_t)m->elem) { /* scalars: shapes being put together */
    for (int i = 0; i < n; i++) memcpy(m->out[0] + (size_t)i * m->elem, m->in[i], m->elem);
    return NULL;
  }
  for (int i = 0; i < n; i++) put_block(m, i, outer, run, run * n, run * i);
  return NULL;
}

static mf_status run_pack(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_pack); }

/* ---- ConcatOffset */

/* Shape i against shape 0, the axis apart. */
static mf_status check_shape(const mf_call *c, int i, int64_t axis) {
  const mf_tensor *first = c->in[1], *this = c->in[i + 1];
  int64_t rank = mf_tensor_count(first);
  if (mf_tensor_count(this) != rank)
    return mf_fail(MF_INVALID_ARGUMENT, "ConcatOffset: input %d should contain %" PRId64 " elements, but got %" PRId64,
                   i, rank, mf_tensor_count(this));
  for (int64_t d = 0; d < rank; d++)
    if (d != axis && mfi_int_at(first, d) != mfi_int_at(this, d))
      return mf_fail(MF_INVALID_ARGUMENT,
                     "ConcatOffset: All dimensions except %" PRId64 " must match. Dimension %" PRId64
                     " of input %d is %" PRId64 ", of input 0 %" PRId64,
                     axis, d, i, mfi_int_at(this, d), mfi_int_at(first, d));
  return NULL;
}

static mf_status run_concat_offset(mf_call *c) {
  int64_t axis = mfi_int_at(c->in[0], 0), rank = mf_tensor_count(c->in[1]), sum = 0;
  if (axis < -rank || axis >= rank)
    return mf_fail(MF_INVALID_ARGUMENT, "ConcatOffset: Concat dim is out of range: %d vs. %d", (int)axis, (int)rank);
  if (axis < 0) axis += rank;
  for (int i = 0; i < c->n_out; i++) {
    MF_TRY(check_shape(c, i, axis));
    mfi_zero(mf_data(c->out[i]), mf_tensor_bytes(c->out[i]));
    if (c->out[i]->dtype == MF_INT64) MF_DATA(int64_t, c->out[i])[axis] = sum;
    else MF_DATA(int32_t, c->out[i])[axis] = (int32_t)sum;
    sum += mfi_int_at(c->in[i + 1], axis);
  }
  return NULL;
}

const mf_kernel_def mf_kernels_array_concat[] = {
    {.op = &mf_op_ConcatV2, .name = "copy", .device = MF_CPU, .rank = 10, .run = run_concat},
    {.op = &mf_op_Pack, .name = "copy", .device = MF_CPU, .rank = 10, .run = run_pack},
    {.op = &mf_op_ConcatOffset, .name = "sum", .device = MF_CPU, .rank = 10, .run = run_concat_offset},
    {0}};
