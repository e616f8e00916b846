/* array_split.c - Split, SplitV, Unpack: views along the first axis, boxes along the others. */
#include "array_move.h"
#include "ops/op_list.h"

/* Output i of the call takes `size` of the value's dimension `axis`, all outputs one after the other. */
typedef struct parts {
  const mf_tensor *value;
  int value_at, axis;
} parts;

static parts parts_of(const mf_call *c) {
  const mf_op_def *op = c->attrs.op;
  parts p = {.value_at = op == &mf_op_Split ? 1 : 0};
  p.value = c->in[p.value_at];
  int64_t axis = op == &mf_op_Unpack ? mf_attr_int(c->attrs, "axis")
                                     : mfi_int_at(c->in[op == &mf_op_Split ? 0 : 2], 0);
  p.axis = (int)(axis < 0 ? axis + p.value->shape.rank : axis);
  return p;
}

static int64_t size_of(const mf_call *c, const parts *p, const mf_shape *out) {
  return c->attrs.op == &mf_op_Unpack ? 1 : out->dims[p->axis];
}

static mf_status move_parts(mfi_move *m) {
  const mf_call *c = m->call;
  parts p = parts_of(c);
  const mf_shape *in = &p.value->shape;
  int64_t outer = mf_shape_count_range(in, 0, p.axis);
  int64_t inner = mf_shape_count_range(in, p.axis + 1, in->rank) * (int64_t)m->elem, offset = 0;
  for (int i = 0; i < c->n_out; i++) {
    int64_t run = size_of(c, &p, &m->shapes[i]) * inner;
    mfi_box box = {.rank = 0};
    mfi_box_add(&box, outer, run, inner * in->dims[p.axis]);
    mfi_box_add(&box, run / (int64_t)m->elem, (int64_t)m->elem, (int64_t)m->elem);
    mfi_box_copy(box, m->elem, m->out[i], m->in[p.value_at] + offset);
    offset += run;
  }
  return NULL;
}

static mf_status row_view(mf_call *c, mf_tensor *value, int i, int64_t first, int64_t size, bool drop_axis) {
  mf_tensor *rows, *view;
  mf_shape shape = value->shape;
  MF_TRY(mf_tensor_rows(value, first, size, &rows));
  if (!drop_axis) {
    mf_out_take(c, i, rows);
    return NULL;
  }
  shape.rank--;
  for (int d = 0; d < shape.rank; d++) shape.dims[d] = value->shape.dims[d + 1];
  mf_status status = mf_tensor_view(rows, &shape, &view);
  mf_tensor_release(rows);
  if (status) return status;
  mf_out_take(c, i, view);
  return NULL;
}

/* Sizes along the axis without asking the shape rule again: equal parts, or the vector with its one open entry. */
static int64_t part_size(const mf_call *c, int64_t whole, int i) {
  if (c->attrs.op == &mf_op_Unpack) return 1;
  if (c->attrs.op == &mf_op_Split) return whole / c->n_out;
  int64_t size = mfi_int_at(c->in[1], i);
  if (size >= 0) return size;
  for (int k = 0; k < c->n_out; k++)
    if (k != i) whole -= mfi_int_at(c->in[1], k);
  return whole;
}

static mf_status run_parts(mf_call *c) {
  parts p = parts_of(c);
  mf_tensor *value = c->in[p.value_at];
  if (p.axis != 0 || !(MF_TYPE(value->dtype) & MF_TYPES_PLAIN))
    return mfi_move_run(c, mf_tensor_dtype(value), move_parts);
  int64_t first = 0;
  for (int i = 0; i < c->n_out; i++) {
    int64_t size = part_size(c, value->shape.dims[0], i);
    MF_TRY(row_view(c, value, i, first, size, c->attrs.op == &mf_op_Unpack));
    first += size;
  }
  return NULL;
}

const mf_kernel_def mf_kernels_array_split[] = {
    {.op = &mf_op_Split, .name = "box", .device = MF_CPU, .rank = 10, .run = run_parts},
    {.op = &mf_op_SplitV, .name = "box", .device = MF_CPU, .rank = 10, .run = run_parts},
    {.op = &mf_op_Unpack, .name = "box", .device = MF_CPU, .rank = 10, .run = run_parts},
    {0}};
