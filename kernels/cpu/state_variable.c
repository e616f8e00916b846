/* state_variable.c - kernels of variable handles: making, reading, assigning, asking. */
#include <inttypes.h>
#include <string.h>

#include "array_move.h"
#include "ops/op_list.h"
#include "state_update.h"
#include "tensor/variable.h"

/* ---- VarHandleOp. A shared name stands for one variable per context: the slot keeps it. */

static const char anonymous[] = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

static mf_status run_handle(mf_call *c) {
  mf_text name = mf_attr_text(c->attrs, "shared_name"), shown = mf_attr_text(c->attrs, "debug_name");
  bool own = name.size == 0 || (name.size == sizeof anonymous - 1 && !memcmp(name.bytes, anonymous, name.size));
  mf_variable *v = own ? NULL : *c->slot;
  if (!v) {
    char text[128];
    mf_text use = shown.size ? shown : own ? (mf_text){"", 0} : name;
    size_t n = use.size < sizeof text - 1 ? use.size : sizeof text - 1;
    if (n) memcpy(text, use.bytes, n);
    text[n] = 0;
    MF_TRY(mf_variable_new(mf_attr_type(c->attrs, "dtype"), mf_attr_shape(c->attrs, "shape"), text, true, &v));
    if (!own) *c->slot = v;
  }
  mf_tensor *handle;
  mf_status status = mf_tensor_scalar_object(MF_RESOURCE, mf_variable_object(v), &handle);
  if (own) mf_object_release(mf_variable_object(v));
  if (status) return status;
  mf_out_take(c, 0, handle);
  return NULL;
}

static void release_handle(void *slot) {
  if (slot) mf_object_release(mf_variable_object(slot));
}

/* ---- reading and assigning */

static mf_status run_read(mf_call *c) {
  mf_variable *v;
  mf_tensor *value;
  MF_TRY(mf_variable_from_handle(c->in[0], "ReadVariableOp", &v));
  MF_TRY(mf_variable_read(v, &value));
  mf_out_take(c, 0, value);
  return NULL;
}

static mf_status run_assign(mf_call *c) {
  mf_variable *v;
  MF_TRY(mf_variable_from_handle(c->in[0], "AssignVariableOp", &v));
  return mf_variable_assign(v, c->in[1]);
}

typedef struct step {
  const char *op;
  const mf_tensor *value;
  mfi_update_kind kind;
} step;

static mf_status apply_step(void *user, mf_tensor *own) {
  const step *s = user;
  if (!mf_shape_equal(&own->shape, &s->value->shape)) {
    char a[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
    return mf_fail(MF_INVALID_ARGUMENT,
                   "%s: Cannot update variable with shape %s using a Tensor with shape %s, shapes must be equal.",
                   s->op, mf_shape_text(&own->shape, a), mf_shape_text(&s->value->shape, b));
  }
  return mfi_update(s->op, s->kind, mf_tensor_dtype(own), mf_data(own), mf_data(s->value), mf_tensor_count(own));
}

static mf_status run_step(mf_call *c) {
  mf_variable *v;
  step s = {c->attrs.op->name, c->in[1], c->attrs.op == &mf_op_AssignAddVariableOp ? MFI_UPDATE_ADD : MFI_UPDATE_SUB};
  MF_TRY(mf_variable_from_handle(c->in[0], s.op, &v));
  return mf_variable_update(v, apply_step, &s);
}

/* ---- questions */

static mf_status run_is_initialized(mf_call *c) {
  mf_variable *v;
  MF_TRY(mf_variable_from_handle(c->in[0], "VarIsInitializedOp", &v));
  *MF_DATA(bool, c->out[0]) = mf_variable_is_initialized(v);
  return NULL;
}

static mf_status run_shape(mf_call *c) {
  mf_variable *v;
  mf_tensor *value;
  MF_TRY(mf_variable_from_handle(c->in[0], "VariableShape", &v));
  MF_TRY(mf_variable_read(v, &value));
  for (int i = 0; i < value->shape.rank; i++) {
    if (c->out[0]->dtype == MF_INT64) MF_DATA(int64_t, c->out[0])[i] = value->shape.dims[i];
    else MF_DATA(int32_t, c->out[0])[i] = (int32_t)value->shape.dims[i];
  }
  mf_tensor_release(value);
  return NULL;
}

static mf_status run_destroy(mf_call *c) {
  if (mf_attr_bool(c->attrs, "ignore_lookup_error") || mf_object_at(c->in[0], 0)) return NULL;
  return mf_fail(MF_NOT_FOUND, "DestroyResourceOp: the handle holds no resource");
}

const mf_kernel_def mf_kernels_state_variable[] = {
    {.op = &mf_op_VarHandleOp, .name = "variable", .device = MF_CPU, .rank = 10, .run = run_handle,
     .slot_release = release_handle},
    {.op = &mf_op_ReadVariableOp, .name = "view", .device = MF_CPU, .rank = 10, .run = run_read},
    {.op = &mf_op_AssignVariableOp, .name = "view", .device = MF_CPU, .rank = 10, .run = run_assign},
    {.op = &mf_op_AssignAddVariableOp, .name = "in place", .device = MF_CPU, .rank = 10, .type_attr = "dtype",
     .types = MF_TYPES_NUMERIC, .run = run_step},
    {.op = &mf_op_AssignSubVariableOp, .name = "in place", .device = MF_CPU, .rank = 10, .type_attr = "dtype",
     .types = MF_TYPES_NUMERIC, .run = run_step},
    {.op = &mf_op_VarIsInitializedOp, .name = "variable", .device = MF_CPU, .rank = 10, .run = run_is_initialized},
    {.op = &mf_op_VariableShape, .name = "variable", .device = MF_CPU, .rank = 10, .run = run_shape},
    {.op = &mf_op_DestroyResourceOp, .name = "variable", .device = MF_CPU, .rank = 10, .run = run_destroy},
    {0}};
