/* infer.c - questions of shape rules, and shared rules: see infer.h. */
#include "ops/infer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "ops/node.h"

mf_status mf_infer_fail(const mf_infer *c, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return mf_fail(MF_INVALID_ARGUMENT, "%s: %s", c->attrs.op->name, text);
}

static const char *input_name(const mf_infer *c, int i) {
  const mf_op_rt *rt = c->attrs.op->rt;
  if (rt->simple && i < rt->n_inputs) return rt->inputs[i].name;
  return rt->n_inputs == 1 ? rt->inputs[0].name : "input";
}

/* A Const node's value, or a concrete tensor in host memory. */
static mf_tensor *value_of(mf_tensor *t) {
  if (t->buffer) return t->buffer->device->type == MF_CPU ? t : NULL;
  if (!t->node || !t->node->op->rt->n_attrs || t->node->n_in) return NULL;
  const mf_attr *v = mf_attr_find(mf_node_attrs(t->node), "value");
  return v && v->kind == MF_ATTR_TENSOR ? v->v.tensor : NULL;
}

mf_tensor *mf_const_input(const mf_infer *c, int i) { return value_of(c->in[i]); }

static mf_status shape_from_value(const mf_infer *c, int i, const mf_tensor *v, mf_shape *out) {
  int64_t dims[MF_MAX_RANK], n = mf_shape_count(&v->shape);
  if (n > MF_MAX_RANK)
    return mf_infer_fail(c, "%s must have at most %d entries, received %" PRId64, input_name(c, i), MF_MAX_RANK, n);
  for (int64_t d = 0; d < n; d++) {
    dims[d] = mf_tensor_get_i64(v, d);
    if (dims[d] < MF_UNKNOWN_DIM)
      return mf_infer_fail(c, "%s must hold dimensions of at least -1, received %" PRId64, input_name(c, i), dims[d]);
  }
  return mf_shape_make(dims, n, out);
}

mf_status mf_const_shape(const mf_infer *c, int i, mf_shape *out) {
  mf_tensor *t = c->in[i], *value = value_of(t);
  *out = mf_shape_unknown();
  if (t->dtype != MF_INT32 && t->dtype != MF_INT64)
    return mf_infer_fail(c, "%s must be int32 or int64, received %s", input_name(c, i), mf_dtype_name((mf_dtype)t->dtype));
  if (t->shape.rank == 0 && value && mf_tensor_get_i64(value, 0) == -1) return NULL; /* a scalar -1: unknown, as TensorFlow */
  if (t->shape.rank >= 0 && t->shape.rank != 1)
    return mf_infer_fail(c, "%s must be a vector, received rank %d", input_name(c, i), t->shape.rank);
  if (value) return shape_from_value(c, i, value, out);
  mf_shape known;
  if (t->node && t->node->op->shape_value && t->node->op->shape_value(t->node, t->output, &known)) {
    *out = known;
    return NULL;
  }
  if (t->shape.rank == 1 && t->shape.dims[0] >= 0 && t->shape.dims[0] <= MF_MAX_RANK)
    *out = mf_shape_unknown_dims((int)t->shape.dims[0]);
  return NULL;
}

mf_status mf_const_int(const mf_infer *c, int i, int64_t *value, bool *known) {
  mf_tensor *t = c->in[i], *v = value_of(t);
  *known = false;
  *value = 0;
  if (!mf_dtype_is_integer((mf_dtype)t->dtype))
    return mf_infer_fail(c, "%s must be an integer, received %s", input_name(c, i), mf_dtype_name((mf_dtype)t->dtype));
  int64_t count = mf_shape_count(&t->shape);
  if (t->shape.rank > 1 || (count >= 0 && count != 1)) {
    char text[MF_SHAPE_TEXT];
    return mf_infer_fail(c, "%s must be a scalar, received shape %s", input_name(c, i), mf_shape_text(&t->shape, text));
  }
  if (!v) return NULL;
  *value = mf_tensor_get_i64(v, 0);
  *known = true;
  return NULL;
}

mf_status mf_infer_rank(const mf_infer *c, int i, int rank, mf_shape *out) {
  const mf_shape *s = mf_in_shape(c, i);
  char text[MF_SHAPE_TEXT];
  *out = s->rank < 0 ? mf_shape_unknown_dims(rank) : *s;
  if (s->rank < 0 || s->rank == rank) return NULL;
  return mf_infer_fail(c, "%s must be rank %d, received rank %d (shape %s)", input_name(c, i), rank, s->rank,
                       mf_shape_text(s, text));
}

mf_status mf_infer_min_rank(const mf_infer *c, int i, int rank, mf_shape *out) {
  const mf_shape *s = mf_in_shape(c, i);
  char text[MF_SHAPE_TEXT];
  *out = *s;
  if (s->rank < 0 || s->rank >= rank) return NULL;
  return mf_infer_fail(c, "%s must be at least rank %d, received rank %d (shape %s)", input_name(c, i), rank, s->rank,
                       mf_shape_text(s, text));
}

mf_status mf_infer_axis(const mf_infer *c, int64_t axis, int rank, int *out) {
  *out = 0;
  if (axis < -rank || axis >= rank)
    return mf_infer_fail(c, "axis must be in [%d, %d), received %" PRId64, -rank, rank, axis);
  *out = (int)(axis < 0 ? axis + rank : axis);
  return NULL;
}

mf_status mf_infer_same(mf_infer *c) {
  for (int i = 0; i < c->n_out; i++) c->out[i] = *mf_in_shape(c, 0);
  return NULL;
}

mf_status mf_infer_broadcast(mf_infer *c) {
  mf_shape s = *mf_in_shape(c, 0);
  for (int i = 1; i < c->n_in; i++) {
    mf_status status = mf_shape_broadcast(&s, mf_in_shape(c, i), &s);
    if (status) return mf_status_prefix(status, "%s", c->attrs.op->name);
  }
  c->out[0] = s;
  return NULL;
}

mf_status mf_infer_scalar(mf_infer *c) {
  for (int i = 0; i < c->n_out; i++) c->out[i] = mf_shape_scalar();
  return NULL;
}

mf_status mf_infer_unknown(mf_infer *c) {
  (void)c;
  return NULL;
}

mf_status mf_infer_none(mf_infer *c) {
  (void)c;
  return NULL;
}

mf_status mf_infer_merge_all(mf_infer *c) {
  mf_shape s = *mf_in_shape(c, 0);
  for (int i = 1; i < c->n_in; i++) MF_TRY(mf_shape_merge(&s, mf_in_shape(c, i), c->attrs.op->name, &s));
  for (int i = 0; i < c->n_out; i++) c->out[i] = s;
  return NULL;
}
