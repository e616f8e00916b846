/* attr.c - reading, comparing, hashing and printing attribute values. */
#include "ops/attr.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "ops/op.h"

const mf_attr *mf_attr_find(mf_attrs a, const char *name) {
  const mf_op_rt *rt = a.op->rt;
  for (int i = 0; i < rt->n_attrs; i++)
    if (rt->attrs[i].name == name || !strcmp(rt->attrs[i].name, name)) return &a.values[i];
  return NULL;
}

static const mf_attr absent = {0};

static const mf_attr *find_or_absent(mf_attrs a, const char *name) {
  const mf_attr *v = mf_attr_find(a, name);
  return v ? v : &absent;
}

int64_t mf_attr_int(mf_attrs a, const char *name) { return find_or_absent(a, name)->v.i; }
float mf_attr_float(mf_attrs a, const char *name) { return find_or_absent(a, name)->v.f; }
bool mf_attr_bool(mf_attrs a, const char *name) { return find_or_absent(a, name)->v.b; }
mf_dtype mf_attr_type(mf_attrs a, const char *name) { return find_or_absent(a, name)->v.type; }

mf_text mf_attr_text(mf_attrs a, const char *name) {
  const mf_attr *v = find_or_absent(a, name);
  return v->kind == MF_ATTR_STRING ? v->v.s : (mf_text){"", 0};
}

bool mf_attr_is(mf_attrs a, const char *name, const char *text) {
  mf_text s = mf_attr_text(a, name);
  return s.size == strlen(text) && !memcmp(s.bytes, text, s.size);
}

const mf_shape *mf_attr_shape(mf_attrs a, const char *name) { return find_or_absent(a, name)->v.shape; }
mf_tensor *mf_attr_tensor(mf_attrs a, const char *name) { return find_or_absent(a, name)->v.tensor; }

static const mf_attr *list_of(mf_attrs a, const char *name, int *n) {
  const mf_attr *v = find_or_absent(a, name);
  *n = v->kind >= MF_ATTR_LIST ? v->n : 0;
  return v;
}

const int64_t *mf_attr_ints(mf_attrs a, const char *name, int *n) { return list_of(a, name, n)->v.ints; }
const float *mf_attr_floats(mf_attrs a, const char *name, int *n) { return list_of(a, name, n)->v.floats; }
const mf_dtype *mf_attr_types(mf_attrs a, const char *name, int *n) { return list_of(a, name, n)->v.types; }
const mf_text *mf_attr_texts(mf_attrs a, const char *name, int *n) { return list_of(a, name, n)->v.texts; }

/* ---- equality and hash. Tensors by identity of the buffer: constants are shared, never compared element by element. */

static size_t item_size(uint8_t kind) {
  switch (kind) {
    case MF_ATTR_INT: return sizeof(int64_t);
    case MF_ATTR_FLOAT: return sizeof(float);
    case MF_ATTR_BOOL: return sizeof(bool);
    case MF_ATTR_TYPE: return sizeof(mf_dtype);
    case MF_ATTR_STRING: return sizeof(mf_text);
    case MF_ATTR_SHAPE: return sizeof(mf_shape);
    default: return sizeof(void *);
  }
}

static bool item_equal(uint8_t kind, const void *x, const void *y) {
  if (kind == MF_ATTR_STRING) {
    const mf_text *a = x, *b = y;
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
  }
  if (kind == MF_ATTR_SHAPE) return mf_shape_equal(x, y);
  return !memcmp(x, y, item_size(kind));
}

bool mf_attr_equal(const mf_attr *a, const mf_attr *b) {
  if (a->kind != b->kind) return false;
  if (a->kind == MF_ATTR_NONE) return true;
  if (a->kind == MF_ATTR_SHAPE) return mf_shape_equal(a->v.shape, b->v.shape);
  if (a->kind < MF_ATTR_LIST) return item_equal(a->kind, &a->v, &b->v);
  if (a->n != b->n) return false;
  uint8_t kind = (uint8_t)(a->kind - MF_ATTR_LIST);
  const char *x = (const char *)a->v.ints, *y = (const char *)b->v.ints;
  for (int i = 0; i < a->n; i++)
    if (!item_equal(kind, x + (size_t)i * item_size(kind), y + (size_t)i * item_size(kind))) return false;
  return true;
}

static uint64_t item_hash(uint8_t kind, const void *x, uint64_t seed) {
  if (kind == MF_ATTR_STRING) return mf_hash_bytes(((const mf_text *)x)->bytes, ((const mf_text *)x)->size, seed);
  if (kind == MF_ATTR_SHAPE) {
    const mf_shape *s = x;
    size_t dims = s->rank > 0 ? (size_t)s->rank * sizeof(int64_t) : 0;
    return mf_hash_bytes(s->dims, dims, seed + (uint64_t)(s->rank + 1));
  }
  return mf_hash_bytes(x, item_size(kind), seed);
}

uint64_t mf_attr_hash(const mf_attr *a, uint64_t seed) {
  seed = seed * 31 + a->kind;
  if (a->kind == MF_ATTR_NONE) return seed;
  if (a->kind == MF_ATTR_SHAPE) return item_hash(MF_ATTR_SHAPE, a->v.shape, seed);
  if (a->kind < MF_ATTR_LIST) return item_hash(a->kind, &a->v, seed);
  uint8_t kind = (uint8_t)(a->kind - MF_ATTR_LIST);
  const char *x = (const char *)a->v.ints;
  for (int i = 0; i < a->n; i++) seed = item_hash(kind, x + (size_t)i * item_size(kind), seed);
  return seed;
}

/* ---- text */

static int item_text(uint8_t kind, const void *x, char *text, size_t size) {
  char shape[MF_SHAPE_TEXT];
  switch (kind) {
    case MF_ATTR_INT: return snprintf(text, size, "%" PRId64, *(const int64_t *)x);
    case MF_ATTR_FLOAT: return snprintf(text, size, "%g", (double)*(const float *)x);
    case MF_ATTR_BOOL: return snprintf(text, size, "%s", *(const bool *)x ? "true" : "false");
    case MF_ATTR_TYPE: return snprintf(text, size, "%s", mf_dtype_name(*(const mf_dtype *)x));
    case MF_ATTR_STRING:
      return snprintf(text, size, "\"%.*s\"", (int)((const mf_text *)x)->size, ((const mf_text *)x)->bytes);
    case MF_ATTR_SHAPE: return snprintf(text, size, "%s", mf_shape_text(x, shape));
    case MF_ATTR_TENSOR: return snprintf(text, size, "<tensor>");
    default: return snprintf(text, size, "<function>");
  }
}

mf_status mf_attr_text_of(const mf_attr *a, char *text, size_t size) {
  if (!size) return NULL;
  text[0] = 0;
  if (a->kind == MF_ATTR_NONE) return NULL;
  if (a->kind < MF_ATTR_LIST) {
    (void)item_text(a->kind, a->kind == MF_ATTR_SHAPE ? (const void *)a->v.shape : (const void *)&a->v, text, size);
    return NULL;
  }
  uint8_t kind = (uint8_t)(a->kind - MF_ATTR_LIST);
  const char *x = (const char *)a->v.ints;
  size_t used = (size_t)snprintf(text, size, "[");
  for (int i = 0; i < a->n && used + 2 < size; i++) {
    if (i) used += (size_t)snprintf(text + used, size - used, ",");
    if (used < size) used += (size_t)item_text(kind, x + (size_t)i * item_size(kind), text + used, size - used);
  }
  if (used + 1 < size) snprintf(text + used, size - used, "]");
  return NULL;
}
