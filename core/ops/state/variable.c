/* variable.c - variables as ops: VarHandleOp, ReadVariableOp, AssignVariableOp and its adding and subtracting forms,
 * VarIsInitializedOp, VariableShape, DestroyResourceOp. */
#include "ops/state/handle.h"

#include "ops/array/dims.h"
#include "ops/op_list.h"

mf_variable *mfi_handle_variable(mf_tensor *handle) {
  mf_variable *v = NULL;
  if (!handle->buffer || handle->dtype != MF_RESOURCE || mf_tensor_count(handle) != 1) return NULL;
  mf_object *o = mf_object_at(handle, 0);
  if (o && o->type == &mf_variable_type) v = (mf_variable *)(void *)o;
  return v;
}

mf_status mfi_handle_check(const mf_infer *c, mf_shape *shape) {
  mf_shape scalar;
  *shape = mf_shape_unknown();
  MF_TRY(mf_infer_rank(c, 0, 0, &scalar));
  const mf_variable *v = mfi_handle_variable(c->in[0]);
  if (!v) return NULL;
  mf_dtype want = mf_attr_type(c->attrs, "dtype");
  if (mf_variable_dtype(v) != want)
    return mf_infer_fail(c, "Trying to access variable '%s' of dtype %s as %s", mf_variable_name(v),
                         mf_dtype_name(mf_variable_dtype(v)), mf_dtype_name(want));
  *shape = mf_variable_shape(v);
  return NULL;
}

mf_status mfi_handle_value_shape(const mf_infer *c, mf_shape *shape) {
  mf_variable *v = mfi_handle_variable(c->in[0]);
  MF_TRY(mfi_handle_check(c, shape));
  if (v && !c->ctx->trace && !mf_shape_is_full(shape) && mf_variable_is_initialized(v)) {
    mf_tensor *now;
    MF_TRY(mf_variable_read(v, &now));
    *shape = now->shape;
    mf_tensor_release(now);
  }
  return NULL;
}

/* ---- VarHandleOp */

const mf_op_def mf_op_VarHandleOp = {
    MF_OP_NAME(VarHandleOp),
    .outputs = "resource: resource",
    .attrs = "container: string = ''; shared_name: string = ''; debug_name: string = ''; dtype: type; shape: shape; "
             "allowed_devices: list(string) = []",
    .flags = MF_OP_STATEFUL,
    .infer = mf_infer_scalar,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "A handle of a variable: of a new one, or of the one that shared_name stands for.",
};

/* ---- ReadVariableOp */

static mf_status read_infer(mf_infer *c) { return mfi_handle_value_shape(c, &c->out[0]); }

static mf_status pass_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  if (a->need[0]) mf_b_give(&b, &dx[0], a->dy[0]);
  return mf_builder_close(&b);
}

const mf_op_def mf_op_ReadVariableOp = {
    MF_OP_NAME(ReadVariableOp),
    .inputs = "resource: resource",
    .outputs = "value: dtype",
    .attrs = "dtype: type",
    .flags = MF_OP_STATEFUL | MF_OP_VIEW | MF_OP_PASS_GRAD,
    .infer = read_infer,
    .grad = pass_grad,
    .doc = "The value of a variable now: a snapshot that later assignments do not change.",
};

/* ---- assignments */

static mf_status assign_infer(mf_infer *c) {
  mf_shape variable, merged;
  MF_TRY(mfi_handle_check(c, &variable));
  return mf_shape_merge(&variable, mf_in_shape(c, 1), c->attrs.op->name, &merged);
}

const mf_op_def mf_op_AssignVariableOp = {
    MF_OP_NAME(AssignVariableOp),
    .inputs = "resource: resource; value: dtype",
    .attrs = "dtype: type; validate_shape: bool = false",
    .flags = MF_OP_STATEFUL,
    .infer = assign_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "The variable holds value from now on.",
};

const mf_op_def mf_op_AssignAddVariableOp = {
    MF_OP_NAME(AssignAddVariableOp),
    .inputs = "resource: resource; value: dtype",
    .attrs = "dtype: type",
    .flags = MF_OP_STATEFUL,
    .infer = assign_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Adds value to the variable.",
};

const mf_op_def mf_op_AssignSubVariableOp = {
    MF_OP_NAME(AssignSubVariableOp),
    .inputs = "resource: resource; value: dtype",
    .attrs = "dtype: type",
    .flags = MF_OP_STATEFUL,
    .infer = assign_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Subtracts value from the variable.",
};

/* ---- questions */

const mf_op_def mf_op_VarIsInitializedOp = {
    MF_OP_NAME(VarIsInitializedOp),
    .inputs = "resource: resource",
    .outputs = "is_initialized: bool",
    .flags = MF_OP_STATEFUL,
    .infer = mf_infer_scalar,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Does the variable hold a value?",
};

static mf_status variable_shape_infer(mf_infer *c) {
  const mf_variable *v = mfi_handle_variable(c->in[0]);
  int rank = v ? mf_variable_shape(v).rank : -1;
  mf_tensor *now = NULL;
  if (v && rank < 0 && !c->ctx->trace) MF_TRY(mf_variable_read((mf_variable *)(uintptr_t)v, &now));
  if (now) rank = now->shape.rank;
  mf_tensor_release(now);
  c->out[0] = mf_shape_1d(rank < 0 ? MF_UNKNOWN_DIM : rank);
  return NULL;
}

static bool variable_shape_value(const mf_node *node, int output, mf_shape *out) {
  (void)output;
  const mf_variable *v = mfi_handle_variable(mfi_node_in(node, 0));
  if (!v) return false;
  *out = mf_variable_shape(v);
  return out->rank >= 0;
}

const mf_op_def mf_op_VariableShape = {
    MF_OP_NAME(VariableShape),
    .inputs = "input: resource",
    .outputs = "output: out_type",
    .attrs = "out_type: {int32, int64} = DT_INT32",
    .flags = MF_OP_STATEFUL,
    .infer = variable_shape_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .shape_value = variable_shape_value,
    .doc = "The shape of a variable's value.",
};

const mf_op_def mf_op_DestroyResourceOp = {
    MF_OP_NAME(DestroyResourceOp),
    .inputs = "resource: resource",
    .attrs = "ignore_lookup_error: bool = true",
    .flags = MF_OP_STATEFUL,
    .infer = mf_infer_none,
    .grad = MF_NO_GRADIENT,
    .doc =
        "Ends a resource. Handles are counted here, so memory goes when the last of them does; this call only checks.",
};
