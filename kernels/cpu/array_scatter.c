/* array_scatter.c - ScatterNd, TensorScatter*, UnsortedSegmentSum, SegmentSum. */
#include <inttypes.h>
#include <string.h>

#include "array_gather.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "ops/op_list.h"
#include "state_update.h"

/* ---- ScatterNd and TensorScatter*: `indices_at` is the input with the index vectors, the next one has the updates */

static mfi_update_kind kind_of(const mf_op_def *op) {
  return op == &mf_op_TensorScatterUpdate ? MFI_UPDATE_SET
         : op == &mf_op_TensorScatterSub  ? MFI_UPDATE_SUB
                                          : MFI_UPDATE_ADD;
}

static mf_status scatter_into(const mf_call *c, int indices_at, const mf_shape *table, mf_dtype type, char *to,
                              const char *updates) {
  const mf_tensor *indices = c->in[indices_at];
  const mf_shape *s = &indices->shape;
  int64_t depth = s->dims[s->rank - 1], n = mf_shape_count_range(s, 0, s->rank - 1);
  int64_t rows = mf_shape_count_range(table, 0, (int)depth),
          inner = mf_shape_count_range(table, (int)depth, table->rank);
  int64_t *at = mf_alloc_array((size_t)n + 1, sizeof *at);
  if (!at) return mf_fail_oom();
  mf_status status =
      mfi_flat_indices(c->attrs.op->name, indices, table, mf_attr_is(c->attrs, "bad_indices_policy", "IGNORE"), at);
  if (!status)
    status = mfi_update_rows(c->attrs.op->name, kind_of(c->attrs.op), type, to, rows, inner,
                             (mfi_rows){.flat = at, .n = n}, updates, false);
  mf_free(at);
  return status;
}

static mf_status run_scatter_nd(mf_call *c) {
  mf_tensor *out = c->out[0];
  mfi_zero(mf_data(out), mf_tensor_bytes(out));
  return scatter_into(c, 0, &out->shape, mf_tensor_dtype(out), mf_data(out), mf_data(c->in[1]));
}

/* Strings that meet are joined in the order of the indices. next[i]: the update after i that goes to the same row;
 * first and last an entry a row; -1 ends. */
static mf_status join_rows(const mf_call *c, const mf_shape *shape, int64_t inner, const int64_t *first,
                           const int64_t *next, mf_string_builder *b) {
  for (int64_t e = 0; e < mf_shape_count(shape); e++) {
    mf_strbuf text = {0};
    for (int64_t i = first[e / inner]; i >= 0; i = next[i]) {
      size_t size;
      const char *bytes = mf_string_at(c->in[1], i * inner + e % inner, &size);
      mf_strbuf_append(&text, bytes, size);
    }
    mf_status status = text.failed ? mf_fail_oom() : mf_string_builder_add(b, text.text ? text.text : "", text.size);
    mf_strbuf_release(&text);
    if (status) return status;
  }
  return NULL;
}

static mf_status run_scatter_strings(mf_call *c) {
  mf_shape shape;
  mf_string_builder *b = NULL;
  mf_tensor *t = NULL;
  MF_TRY(mfi_out_shapes(c, &shape));
  const mf_shape *s = &c->in[0]->shape;
  int64_t depth = s->dims[s->rank - 1], n = mf_shape_count_range(s, 0, s->rank - 1);
  int64_t rows = mf_shape_count_range(&shape, 0, (int)depth),
          inner = mf_shape_count_range(&shape, (int)depth, shape.rank);
  int64_t *at = mf_alloc_array(2 * ((size_t)n + (size_t)rows) + 1, sizeof *at), *next = at + n, *first = next + n,
          *last = first + rows;
  if (!at) return mf_fail_oom();
  mf_status status = mfi_flat_indices("ScatterNd", c->in[0], &shape,
                                      mf_attr_is(c->attrs, "bad_indices_policy", "IGNORE"), at);
  for (int64_t r = 0; r < rows && !status; r++) first[r] = last[r] = -1;
  for (int64_t i = 0; i < n && !status; i++) {
    next[i] = -1;
    if (at[i] < 0) continue;
    if (last[at[i]] < 0) first[at[i]] = i;
    else next[last[at[i]]] = i;
    last[at[i]] = i;
  }
  if (!status) status = mf_string_builder_new(&shape, &b);
  if (!status) status = join_rows(c, &shape, inner, first, next, b);
  mf_free(at);
  if (status) {
    mf_string_builder_release(b);
    return status;
  }
  MF_TRY(mf_string_builder_take(b, &t));
  mf_out_take(c, 0, t);
  return NULL;
}

static mf_status run_tensor_scatter(mf_call *c) {
  mf_tensor *out = c->out[0];
  mfi_box whole = {.rank = 0};
  mfi_box_add(&whole, (int64_t)mf_tensor_bytes(out), 1, 1);
  mfi_box_copy(whole, 1, mf_data(out), mf_data(c->in[0]));
  return scatter_into(c, 1, &out->shape, mf_tensor_dtype(out), mf_data(out), mf_data(c->in[2]));
}

/* Strings and objects can be overwritten only: cells of 16 or 8 bytes, moved as complex128 or int64 would be. */
static mf_status move_tensor_update(mfi_move *m) {
  memcpy(m->out[0], m->in[0], (size_t)mf_shape_count(&m->shapes[0]) * m->elem);
  return scatter_into(m->call, 1, &m->shapes[0], m->elem == 16 ? MF_COMPLEX128 : MF_INT64, m->out[0], m->in[2]);
}

static mf_status run_tensor_update(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_tensor_update); }

/* ---- segments */

static mf_status run_unsorted(mf_call *c) {
  mf_tensor *out = c->out[0];
  const mf_tensor *ids = c->in[1];
  int64_t rows = out->shape.dims[0], inner = mf_shape_count_range(&out->shape, 1, out->shape.rank);
  for (int64_t i = 0; i < mf_tensor_count(ids); i++) {
    int64_t id = mfi_int_at(ids, i);
    if (id >= rows)
      return mf_fail(MF_INVALID_ARGUMENT,
                     "UnsortedSegmentSum: segment_ids[%" PRId64 "] = %" PRId64 " is out of range [0, %" PRId64 ")", i,
                     id, rows);
  }
  mfi_zero(mf_data(out), mf_tensor_bytes(out));
  return mfi_update_rows("UnsortedSegmentSum", MFI_UPDATE_ADD, mf_tensor_dtype(out), mf_data(out), rows, inner,
                         (mfi_rows){.tensor = ids, .n = mf_tensor_count(ids)}, mf_data(c->in[0]), false);
}

static mf_status run_segment(mf_call *c) {
  const mf_tensor *ids = c->in[1];
  int64_t n = mf_tensor_count(ids), last = -1;
  mf_shape shape = c->in[0]->shape;
  for (int64_t i = 0; i < n; i++) {
    int64_t id = mfi_int_at(ids, i);
    if (id < 0) return mf_fail(MF_INVALID_ARGUMENT, "SegmentSum: segment ids must be >= 0");
    if (id < last) return mf_fail(MF_INVALID_ARGUMENT, "SegmentSum: segment ids are not increasing");
    last = id;
  }
  shape.dims[0] = last + 1;
  MF_TRY(mf_out_alloc(c, 0, &shape));
  mf_tensor *out = c->out[0];
  mfi_zero(mf_data(out), mf_tensor_bytes(out));
  return mfi_update_rows("SegmentSum", MFI_UPDATE_ADD, mf_tensor_dtype(out), mf_data(out), last + 1,
                         mf_shape_count_range(&shape, 1, shape.rank), (mfi_rows){.tensor = ids, .n = n},
                         mf_data(c->in[0]), false);
}

const mf_kernel_def mf_kernels_array_scatter[] = {
    {.op = &mf_op_ScatterNd, .name = "rows", .device = MF_CPU, .rank = 10, .type_attr = "T", .types = MF_TYPES_PLAIN,
     .run = run_scatter_nd},
    {.op = &mf_op_ScatterNd, .name = "strings", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPE(MF_STRING),
     .run = run_scatter_strings},
    {.op = &mf_op_TensorScatterUpdate, .name = "rows", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPES_PLAIN,
     .run = run_tensor_scatter},
    {.op = &mf_op_TensorScatterUpdate, .name = "cells", .device = MF_CPU, .rank = 10, .run = run_tensor_update},
    {.op = &mf_op_TensorScatterAdd, .name = "rows", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPES_NUMERIC,
     .run = run_tensor_scatter},
    {.op = &mf_op_TensorScatterSub, .name = "rows", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPES_NUMERIC,
     .run = run_tensor_scatter},
    {.op = &mf_op_UnsortedSegmentSum, .name = "rows", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPES_NUMERIC, .run = run_unsorted},
    {.op = &mf_op_SegmentSum, .name = "rows", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPES_NUMERIC,
     .run = run_segment},
    {0}};
