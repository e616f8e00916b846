/* array_gather.c - GatherV2 and GatherNd. */
#include "array_gather.h"

#include <string.h>

#include "base/memory.h"
#include "ops/op_list.h"

static mf_status move_gather(mfi_move *m) {
  const mf_call *c = m->call;
  const mf_shape *params = &c->in[0]->shape, *indices = &c->in[1]->shape;
  int64_t axis_value = mfi_int_at(c->in[2], 0), batch_value = mf_attr_int(c->attrs, "batch_dims");
  int axis = (int)(axis_value < 0 ? axis_value + params->rank : axis_value);
  int batch = (int)(batch_value < 0 ? batch_value + indices->rank : batch_value);
  int64_t outer = mf_shape_count_range(params, 0, axis), per = mf_shape_count_range(params, batch, axis);
  int64_t n = mf_shape_count_range(indices, batch, indices->rank);
  size_t row = (size_t)mf_shape_count_range(params, axis + 1, params->rank) * m->elem;
  return mfi_gather_rows("GatherV2", m->out[0], m->in[0], c->in[1], outer, per, params->dims[axis], n, row);
}

static mf_status run_gather(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_gather); }

/* ---- GatherNd */

static mf_status move_gather_nd(mfi_move *m) {
  const mf_call *c = m->call;
  const mf_shape *params = &c->in[0]->shape, *indices = &c->in[1]->shape;
  int64_t depth = indices->dims[indices->rank - 1], n = mf_shape_count_range(indices, 0, indices->rank - 1);
  size_t row = (size_t)mf_shape_count_range(params, (int)depth, params->rank) * m->elem;
  int64_t *at = mf_alloc_array((size_t)n + 1, sizeof *at);
  if (!at) return mf_fail_oom();
  mf_status status = mfi_flat_indices("GatherNd", c->in[1], params,
                                      mf_attr_is(c->attrs, "bad_indices_policy", "IGNORE"), at);
  for (int64_t i = 0; i < n && !status && row; i++) {
    if (at[i] < 0) memset(m->out[0] + (size_t)i * row, 0, row);
    else memcpy(m->out[0] + (size_t)i * row, m->in[0] + (size_t)at[i] * row, row);
  }
  mf_free(at);
  return status;
}

static mf_status run_gather_nd(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_gather_nd); }

const mf_kernel_def mf_kernels_array_gather[] = {
    {.op = &mf_op_GatherV2, .name = "rows", .device = MF_CPU, .rank = 10, .run = run_gather},
    {.op = &mf_op_GatherNd, .name = "rows", .device = MF_CPU, .rank = 10, .run = run_gather_nd},
    {0}};
