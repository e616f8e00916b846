/* array_view.c - kernels that move nothing: Identity and its kin, Reshape, ExpandDims, Squeeze, and the questions
 * about shapes. */
#include <inttypes.h>

#include "array_move.h"
#include "ops/op_list.h"

/* ---- views */

static mf_status run_identity(mf_call *c) {
  for (int i = 0; i < c->n_in; i++) {
    mf_tensor *view;
    MF_TRY(mf_tensor_view(c->in[i], NULL, &view));
    mf_out_take(c, i, view);
  }
  return NULL;
}

static mf_status run_reshape(mf_call *c) {
  mf_shape shape;
  mf_tensor *view;
  MF_TRY(mfi_out_shapes(c, &shape));
  MF_TRY(mf_tensor_view(c->in[0], &shape, &view));
  mf_out_take(c, 0, view);
  return NULL;
}

/* ---- shapes */

static mf_status put_int(mf_tensor *t, int64_t i, int64_t value) {
  if (t->dtype == MF_INT64) {
    MF_DATA(int64_t, t)[i] = value;
    return NULL;
  }
  if (value > INT32_MAX)
    return mf_fail(MF_INVALID_ARGUMENT, "Shape: %" PRId64 " does not fit into int32: use out_type = int64", value);
  MF_DATA(int32_t, t)[i] = (int32_t)value;
  return NULL;
}

static mf_status run_shape(mf_call *c) {
  for (int i = 0; i < c->n_in; i++)
    for (int d = 0; d < c->in[i]->shape.rank; d++) MF_TRY(put_int(c->out[i], d, c->in[i]->shape.dims[d]));
  return NULL;
}

static mf_status run_size(mf_call *c) { return put_int(c->out[0], 0, mf_tensor_count(c->in[0])); }

static mf_status run_rank(mf_call *c) { return put_int(c->out[0], 0, c->in[0]->shape.rank); }

const mf_kernel_def mf_kernels_array_view[] = {
    {.op = &mf_op_Identity, .name = "view", .device = MF_CPU, .rank = 10, .run = run_identity},
    {.op = &mf_op_IdentityN, .name = "view", .device = MF_CPU, .rank = 10, .run = run_identity},
    {.op = &mf_op_StopGradient, .name = "view", .device = MF_CPU, .rank = 10, .run = run_identity},
    {.op = &mf_op_PreventGradient, .name = "view", .device = MF_CPU, .rank = 10, .run = run_identity},
    {.op = &mf_op_EnsureShape, .name = "view", .device = MF_CPU, .rank = 10, .run = run_identity},
    {.op = &mf_op_Reshape, .name = "view", .device = MF_CPU, .rank = 10, .run = run_reshape},
    {.op = &mf_op_ExpandDims, .name = "view", .device = MF_CPU, .rank = 10, .run = run_reshape},
    {.op = &mf_op_Squeeze, .name = "view", .device = MF_CPU, .rank = 10, .run = run_reshape},
    {.op = &mf_op_Shape, .name = "shape", .device = MF_CPU, .rank = 10, .run = run_shape},
    {.op = &mf_op_ShapeN, .name = "shape", .device = MF_CPU, .rank = 10, .run = run_shape},
    {.op = &mf_op_Size, .name = "shape", .device = MF_CPU, .rank = 10, .run = run_size},
    {.op = &mf_op_Rank, .name = "shape", .device = MF_CPU, .rank = 10, .run = run_rank},
    {0}};
