/* state_gather.c - rows of variables: ResourceGather, ResourceScatter*. */
#include <string.h>

#include "array_gather.h"
#include "ops/op_list.h"
#include "state_update.h"
#include "tensor/variable.h"

/* ---- ResourceGather */

static mf_status gather_from(mf_call *c, mf_tensor *params) {
  const mf_tensor *indices = c->in[1];
  int64_t value = mf_attr_int(c->attrs, "batch_dims");
  int batch = (int)(value < 0 ? value + indices->shape.rank : value);
  int64_t outer = mf_shape_count_range(&params->shape, 0, batch);
  int64_t n = mf_shape_count_range(&indices->shape, batch, indices->shape.rank);
  size_t elem = mf_dtype_size(mf_tensor_dtype(params));
  size_t row = (size_t)mf_shape_count_range(&params->shape, batch + 1, params->shape.rank) * elem;
  if (!c->out[0]) return mf_fail(MF_UNIMPLEMENTED, "ResourceGather: dtype %s", mf_dtype_name(mf_tensor_dtype(params)));
  return mfi_gather_rows("ResourceGather", mf_data(c->out[0]), mf_data(params), indices, outer, 1,
                         params->shape.dims[batch], n, row);
}

static mf_status run_gather(mf_call *c) {
  mf_variable *v;
  mf_tensor *params;
  MF_TRY(mf_variable_from_handle(c->in[0], "ResourceGather", &v));
  MF_TRY(mf_variable_read(v, &params));
  mf_status status = gather_from(c, params);
  mf_tensor_release(params);
  return status;
}

/* ---- ResourceScatter* */

typedef struct scatter {
  const char *op;
  mfi_update_kind kind;
  const mf_tensor *indices, *updates;
} scatter;

static mf_status apply_scatter(void *user, mf_tensor *own) {
  const scatter *s = user;
  int64_t rows = own->shape.dims[0], inner = mf_shape_count_range(&own->shape, 1, own->shape.rank);
  MF_TRY(mfi_check_indices(s->op, s->indices, rows));
  return mfi_update_rows(s->op, s->kind, mf_tensor_dtype(own), mf_data(own), rows, inner,
                         (mfi_rows){.tensor = s->indices, .n = mf_tensor_count(s->indices)}, mf_data(s->updates),
                         s->updates->shape.rank == 0);
}

static mf_status run_scatter(mf_call *c) {
  mf_variable *v;
  const mf_op_def *op = c->attrs.op;
  scatter s = {.op = op->name, .indices = c->in[1], .updates = c->in[2]};
  s.kind = op == &mf_op_ResourceScatterAdd   ? MFI_UPDATE_ADD
           : op == &mf_op_ResourceScatterSub ? MFI_UPDATE_SUB
           : op == &mf_op_ResourceScatterMul ? MFI_UPDATE_MUL
                                             : MFI_UPDATE_SET;
  MF_TRY(mf_variable_from_handle(c->in[0], s.op, &v));
  if (mf_variable_shape(v).rank == 0) return mf_fail(MF_INVALID_ARGUMENT, "%s: a scalar variable has no rows", s.op);
  if (mf_tensor_count(s.indices) == 0) return NULL;
  return mf_variable_update(v, apply_scatter, &s);
}

const mf_kernel_def mf_kernels_state_gather[] = {
    {.op = &mf_op_ResourceGather, .name = "rows", .device = MF_CPU, .rank = 10, .type_attr = "dtype",
     .types = MF_TYPES_PLAIN,
     .run = run_gather},
    {.op = &mf_op_ResourceScatterAdd, .name = "rows", .device = MF_CPU, .rank = 10, .type_attr = "dtype",
     .types = MF_TYPES_NUMERIC, .run = run_scatter},
    {.op = &mf_op_ResourceScatterSub, .name = "rows", .device = MF_CPU, .rank = 10, .type_attr = "dtype",
     .types = MF_TYPES_NUMERIC, .run = run_scatter},
    {.op = &mf_op_ResourceScatterMul, .name = "rows", .device = MF_CPU, .rank = 10, .type_attr = "dtype",
     .types = MF_TYPES_NUMERIC, .run = run_scatter},
    {.op = &mf_op_ResourceScatterUpdate, .name = "rows", .device = MF_CPU, .rank = 10, .type_attr = "dtype",
     .types = MF_TYPES_PLAIN, .run = run_scatter},
    {0}};
