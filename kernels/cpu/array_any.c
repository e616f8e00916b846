/* array_any.c - one moving kernel for every dtype: strings as cells, objects as counted pointers. See array_move.h. */
#include <string.h>

#include "array_move.h"
#include "base/memory.h"

mf_status mfi_out_shapes(const mf_call *c, mf_shape *shapes) {
  mf_dtype inline_types[8];
  mf_dtype *types = c->n_out <= 8 ? inline_types : mf_alloc_array((size_t)c->n_out, sizeof *types);
  if (!types) return mf_fail_oom();
  for (int i = 0; i < c->n_out; i++) {
    shapes[i].rank = MF_UNKNOWN_DIM;
    types[i] = mf_out_type(c, i);
  }
  mf_infer rule = {.ctx = c->ctx, .attrs = c->attrs, .in = c->in, .n_in = c->n_in, .out = shapes, .out_types = types,
                   .n_out = c->n_out};
  mf_status status = c->attrs.op->infer(&rule);
  if (types != inline_types) mf_free(types);
  return status;
}

/* Cells of all string inputs and outputs of one call, in one block. */
static mf_status cells_make(mfi_move *m, mf_text **block) {
  mf_call *c = m->call;
  int64_t total = 1;
  for (int i = 0; i < c->n_in; i++) total += c->in[i]->dtype == MF_STRING ? mf_tensor_count(c->in[i]) : 0;
  for (int i = 0; i < c->n_out; i++) total += mf_out_type(c, i) == MF_STRING ? mf_shape_count(&m->shapes[i]) : 0;
  mf_text *cell = *block = mf_alloc_array((size_t)total, sizeof *cell);
  if (!cell) return mf_fail_oom();
  for (int i = 0; i < c->n_in; i++) {
    if (c->in[i]->dtype != MF_STRING) continue;
    m->in[i] = (const char *)cell;
    for (int64_t k = 0; k < mf_tensor_count(c->in[i]); k++, cell++)
      cell->bytes = mf_string_at(c->in[i], k, &cell->size);
  }
  for (int i = 0; i < c->n_out; i++) {
    if (mf_out_type(c, i) != MF_STRING) continue;
    m->out[i] = (char *)cell;
    cell += mf_shape_count(&m->shapes[i]);
  }
  return NULL;
}

static mf_status string_output(mfi_move *m, int i) {
  const mf_text *cell = (const mf_text *)(const void *)m->out[i];
  mf_string_builder *b;
  mf_tensor *t;
  MF_TRY(mf_string_builder_new(&m->shapes[i], &b));
  for (int64_t k = 0; k < mf_shape_count(&m->shapes[i]); k++) {
    mf_status status = mf_string_builder_add(b, cell[k].bytes, cell[k].size);
    if (status) {
      mf_string_builder_release(b);
      return status;
    }
  }
  MF_TRY(mf_string_builder_take(b, &t));
  mf_out_take(m->call, i, t);
  return NULL;
}

static void objects_finish(mfi_move *m, bool keep) {
  for (int i = 0; i < m->call->n_out; i++) {
    mf_tensor *t = m->call->out[i];
    if (!t || mf_dtype_const((mf_dtype)t->dtype)->kind != MF_KIND_OBJECT) continue;
    if (!keep) memset(t->data, 0, mf_tensor_bytes(t));
    for (int64_t k = 0; keep && k < mf_tensor_count(t); k++) mf_object_retain(mf_object_at(t, k));
  }
}

static mf_status outputs_make(mfi_move *m, mf_dtype type) {
  mf_call *c = m->call;
  bool missing = false;
  for (int i = 0; i < c->n_in; i++) m->in[i] = mf_data(c->in[i]);
  for (int i = 0; i < c->n_out; i++) missing = missing || !c->out[i];
  if (missing) MF_TRY(mfi_out_shapes(c, m->shapes));
  for (int i = 0; i < c->n_out; i++) {
    if (c->out[i]) m->shapes[i] = c->out[i]->shape;
    else if (mf_out_type(c, i) != MF_STRING || type != MF_STRING) MF_TRY(mf_out_alloc(c, i, &m->shapes[i]));
    if (c->out[i]) m->out[i] = mf_data(c->out[i]);
  }
  return NULL;
}

static mf_status move(mfi_move *m, mf_dtype type, mfi_move_fn fn) {
  mf_text *block = NULL;
  mf_status status = outputs_make(m, type);
  if (!status && type == MF_STRING) status = cells_make(m, &block);
  if (!status) {
    status = fn(m);
    objects_finish(m, status == NULL);
  }
  for (int i = 0; !status && type == MF_STRING && i < m->call->n_out; i++)
    if (mf_out_type(m->call, i) == MF_STRING) status = string_output(m, i);
  mf_free(block);
  return status;
}

mf_status mfi_move_run(mf_call *c, mf_dtype type, mfi_move_fn fn) {
  enum { FEW_IN = 8, FEW_OUT = 2 };
  const char *in[FEW_IN];
  char *out[FEW_OUT];
  mf_shape shapes[FEW_OUT];
  mfi_move m = {.call = c, .elem = type == MF_STRING ? sizeof(mf_text) : mf_dtype_size(type), .in = in, .out = out,
                .shapes = shapes};
  if (c->n_in <= FEW_IN && c->n_out <= FEW_OUT) return move(&m, type, fn);
  m.in = mf_alloc_array((size_t)c->n_in, sizeof *m.in);
  m.out = mf_alloc_array((size_t)c->n_out, sizeof *m.out);
  m.shapes = mf_alloc_array((size_t)c->n_out, sizeof *m.shapes);
  mf_status status = m.in && m.out && m.shapes ? move(&m, type, fn) : mf_fail_oom();
  mf_free((void *)m.in);
  mf_free(m.out);
  mf_free(m.shapes);
  return status;
}
