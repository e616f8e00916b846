/* array_const.c - Const, Fill, ZerosLike, OnesLike. */
#include <string.h>

#include "array_move.h"
#include "base/half.h"
#include "ops/op_list.h"

static mf_status run_const(mf_call *c) {
  mf_tensor *view;
  MF_TRY(mf_tensor_view(mf_attr_tensor(c->attrs, "value"), NULL, &view));
  mf_out_take(c, 0, view);
  return NULL;
}

/* ---- Fill */

static mf_status move_fill(mfi_move *m) {
  mfi_fill(m->out[0], mf_shape_count(&m->shapes[0]), m->elem, m->in[1]);
  return NULL;
}

static mf_status run_fill(mf_call *c) { return mfi_move_run(c, mf_out_type(c, 0), move_fill); }

/* ---- ZerosLike */

static mf_status zero_strings(mf_call *c) {
  mf_string_builder *b;
  mf_tensor *t;
  MF_TRY(mf_string_builder_new(&c->in[0]->shape, &b));
  for (int64_t i = 0; i < mf_tensor_count(c->in[0]); i++) {
    mf_status status = mf_string_builder_add(b, "", 0);
    if (status) {
      mf_string_builder_release(b);
      return status;
    }
  }
  MF_TRY(mf_string_builder_take(b, &t));
  mf_out_take(c, 0, t);
  return NULL;
}

static mf_status run_zero_strings(mf_call *c) { return zero_strings(c); }

static mf_status run_zero_objects(mf_call *c) {
  for (int64_t i = 0; i < mf_tensor_count(c->in[0]); i++) {
    mf_object *o = mf_object_at(c->in[0], i);
    if (!o) continue;
    if (!o->type->zeros_like) return mf_fail(MF_INVALID_ARGUMENT, "ZerosLike: a %s has no zero", o->type->name);
    MF_TRY(o->type->zeros_like(o, &MF_DATA(mf_object *, c->out[0])[i]));
  }
  return NULL;
}

static mf_status run_zeros(mf_call *c) {
  mfi_zero(mf_data(c->out[0]), mf_tensor_bytes(c->out[0]));
  return NULL;
}

/* ---- OnesLike */

/* The bytes of 1 in `type`; little-endian integers of every width start with the byte 1. */
static void one_of(mf_dtype type, char bytes[16]) {
  float f = 1;
  double d = 1;
  uint16_t h;
  memset(bytes, 0, 16);
  if (type == MF_FLOAT32 || type == MF_COMPLEX64) memcpy(bytes, &f, sizeof f);
  else if (type == MF_FLOAT64 || type == MF_COMPLEX128) memcpy(bytes, &d, sizeof d);
  else if (type == MF_FLOAT16 || type == MF_BFLOAT16) {
    h = type == MF_FLOAT16 ? mf_half_from_float(f) : mf_bfloat16_from_float(f);
    memcpy(bytes, &h, sizeof h);
  } else {
    bytes[0] = 1;
  }
}

static mf_status run_ones(mf_call *c) {
  char one[16];
  mf_dtype type = mf_tensor_dtype(c->out[0]);
  one_of(type, one);
  mfi_fill(mf_data(c->out[0]), mf_tensor_count(c->out[0]), mf_dtype_size(type), one);
  return NULL;
}

static mf_status run_placeholder(mf_call *c) {
  (void)c;
  return mf_fail(MF_INVALID_ARGUMENT, "Placeholder: You must feed a value for this placeholder");
}

const mf_kernel_def mf_kernels_array_const[] = {
    {.op = &mf_op_Const, .name = "view", .device = MF_CPU, .rank = 10, .run = run_const},
    {.op = &mf_op_Placeholder, .name = "none", .device = MF_CPU, .rank = 10, .run = run_placeholder},
    {.op = &mf_op_Fill, .name = "fill", .device = MF_CPU, .rank = 10, .run = run_fill},
    {.op = &mf_op_ZerosLike, .name = "strings", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPE(MF_STRING),
     .run = run_zero_strings},
    {.op = &mf_op_ZerosLike, .name = "objects", .device = MF_CPU, .rank = 10, .type_attr = "T",
     .types = MF_TYPES_OBJECT,
     .run = run_zero_objects},
    {.op = &mf_op_ZerosLike, .name = "memset", .device = MF_CPU, .rank = 10, .run = run_zeros},
    {.op = &mf_op_OnesLike, .name = "fill", .device = MF_CPU, .rank = 10, .run = run_ones},
    {0}};
