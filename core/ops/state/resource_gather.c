/* resource_gather.c - rows of a variable without reading all of it: ResourceGather, ResourceScatter*. */
#include <inttypes.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"
#include "ops/state/handle.h"

/* ---- ResourceGather */

static mf_status gather_infer(mf_infer *c) {
  mf_shape var, indices = *mf_in_shape(c, 1);
  int64_t batch = mf_attr_int(c->attrs, "batch_dims");
  MF_TRY(mfi_handle_value_shape(c, &var));
  if (var.rank == 0) return mf_infer_fail(c, "params must be at least 1 dimensional");
  if (var.rank < 0 || indices.rank < 0) return NULL;
  if (batch < 0) batch += indices.rank;
  if (batch < 0 || batch > indices.rank || batch >= var.rank)
    return mf_infer_fail(c, "batch_dims (%" PRId64 ") must be less than or equal to the rank of indices (%d)", batch,
                         indices.rank);
  c->out[0] = mf_shape_scalar();
  for (int i = 0; i < (int)batch; i++) MF_TRY(mf_shape_append(&c->out[0], var.dims[i]));
  for (int i = (int)batch; i < indices.rank; i++) MF_TRY(mf_shape_append(&c->out[0], indices.dims[i]));
  for (int i = (int)batch + 1; i < var.rank; i++) MF_TRY(mf_shape_append(&c->out[0], var.dims[i]));
  return NULL;
}

/* SLICES with respect to the handle: the rows of dy, at the flat indices, of a variable of that shape. */
static mf_status gather_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  if (!a->need[0] || !a->dy[0]) return NULL;
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *handle = a->in[0], *indices = mfi_b_flat(&b, a->in[1]), *shape = NULL, *tail = NULL;
  mf_variable *v = mfi_handle_variable(handle);
  mf_shape known = v ? mf_variable_shape(v) : mf_shape_unknown();
  int64_t one = 1, minus = -1;
  if (mf_shape_is_full(&known)) {
    shape = mf_b_ints(&b, known.dims, known.rank);
    tail = mf_b_ints(&b, known.dims + 1, known.rank - 1);
  } else {
    shape = MF_B(&b, VariableShape, handle);
    tail = MF_B(&b, Slice, shape, mf_b_ints(&b, &one, 1), mf_b_ints(&b, &minus, 1));
  }
  mf_tensor *dims = MF_B(&b, ConcatV2, mfi_b_count_of(&b, a->in[1]), tail, mf_b_int(&b, 0));
  mf_b_give_slices(&b, &dx[0], mf_b_reshape(&b, a->dy[0], dims), indices, shape);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_ResourceGather = {
    MF_OP_NAME(ResourceGather),
    .inputs = "resource: resource; indices: Tindices",
    .outputs = "output: dtype",
    .attrs = "batch_dims: int = 0; validate_indices: bool = true; dtype: type; Tindices: {int32, int64}",
    .flags = MF_OP_STATEFUL,
    .infer = gather_infer,
    .grad = gather_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .doc = "Rows of a variable; the gradient with respect to the handle stays IndexedSlices.",
};

/* ---- ResourceScatter*: updates has shape indices.shape + variable.shape[1:], or is a scalar */

static mf_status scatter_infer(mf_infer *c) {
  mf_shape var, want, merged, indices = *mf_in_shape(c, 1);
  const mf_shape *updates = mf_in_shape(c, 2);
  MF_TRY(mfi_handle_check(c, &var));
  if (updates->rank == 0 || var.rank < 0 || indices.rank < 0) return NULL;
  if (var.rank == 0) return mf_infer_fail(c, "a scalar variable has no rows to scatter into");
  mf_shape tail = {.rank = var.rank - 1};
  for (int i = 1; i < var.rank; i++) tail.dims[i - 1] = var.dims[i];
  MF_TRY(mf_shape_concat(&indices, &tail, &want));
  return mf_shape_merge(updates, &want, "updates must have the shape of indices followed by the rows' shape", &merged);
}

#define SCATTER_NUMBERS                                                                                            \
  "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, " \
  "quint16, uint16, complex128, half, uint32, uint64}; Tindices: {int32, int64}"

const mf_op_def mf_op_ResourceScatterAdd = {
    MF_OP_NAME(ResourceScatterAdd),
    .inputs = "resource: resource; indices: Tindices; updates: dtype",
    .attrs = SCATTER_NUMBERS,
    .flags = MF_OP_STATEFUL,
    .infer = scatter_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Adds rows of updates to the rows of the variable that indices name; duplicates add up.",
};

const mf_op_def mf_op_ResourceScatterSub = {
    MF_OP_NAME(ResourceScatterSub),
    .inputs = "resource: resource; indices: Tindices; updates: dtype",
    .attrs = SCATTER_NUMBERS,
    .flags = MF_OP_STATEFUL,
    .infer = scatter_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Subtracts rows of updates from the rows of the variable that indices name.",
};

const mf_op_def mf_op_ResourceScatterMul = {
    MF_OP_NAME(ResourceScatterMul),
    .inputs = "resource: resource; indices: Tindices; updates: dtype",
    .attrs = SCATTER_NUMBERS,
    .flags = MF_OP_STATEFUL,
    .infer = scatter_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Multiplies the rows of the variable that indices name by rows of updates.",
};

const mf_op_def mf_op_ResourceScatterUpdate = {
    MF_OP_NAME(ResourceScatterUpdate),
    .inputs = "resource: resource; indices: Tindices; updates: dtype",
    .attrs = "dtype: type; Tindices: {int32, int64}",
    .flags = MF_OP_STATEFUL,
    .infer = scatter_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Overwrites the rows of the variable that indices name; of duplicates the last one stays.",
};
