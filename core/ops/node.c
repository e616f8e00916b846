/* node.c - nodes and regions: see node.h. One block holds a node with its attributes, their data, inputs and outputs. */
#include "ops/node.h"

#include <string.h>

#include "base/memory.h"

static size_t align8(size_t n) { return (n + 7) & ~(size_t)7; }

static size_t element_size(uint8_t kind) {
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

/* Bytes of data that a deep copy of `a` needs behind it. */
static size_t data_size(const mf_attr *a) {
  if (a->kind == MF_ATTR_STRING) return align8(a->v.s.size + 1);
  if (a->kind == MF_ATTR_SHAPE) return align8(sizeof(mf_shape));
  if (a->kind < MF_ATTR_LIST) return 0;
  uint8_t kind = (uint8_t)(a->kind - MF_ATTR_LIST);
  size_t size = align8((size_t)a->n * element_size(kind));
  for (int i = 0; kind == MF_ATTR_STRING && i < a->n; i++) size += align8(a->v.texts[i].size + 1);
  return size;
}

static char *copy_text(mf_text *to, mf_text from, char *at) {
  memcpy(at, from.bytes, from.size);
  at[from.size] = 0;
  *to = (mf_text){at, from.size};
  return at + align8(from.size + 1);
}

/* Copies `from` with its data to `at`; returns the end of what was used. Tensors are retained. */
static char *copy_attr(mf_attr *to, const mf_attr *from, char *at) {
  *to = *from;
  if (from->kind == MF_ATTR_TENSOR) mf_tensor_retain(from->v.tensor);
  if (from->kind == MF_ATTR_STRING) return copy_text(&to->v.s, from->v.s, at);
  if (from->kind == MF_ATTR_SHAPE) {
    memcpy(at, from->v.shape, sizeof(mf_shape));
    to->v.shape = (const mf_shape *)(const void *)at;
    return at + align8(sizeof(mf_shape));
  }
  if (from->kind < MF_ATTR_LIST) return at;
  uint8_t kind = (uint8_t)(from->kind - MF_ATTR_LIST);
  size_t bytes = (size_t)from->n * element_size(kind);
  to->v.ints = (const int64_t *)(const void *)at;
  if (kind == MF_ATTR_STRING) {
    mf_text *texts = (mf_text *)(void *)at;
    at += align8(bytes);
    for (int i = 0; i < from->n; i++) at = copy_text(&texts[i], from->v.texts[i], at);
    return at;
  }
  if (bytes) memcpy(at, from->v.ints, bytes);
  for (int i = 0; kind == MF_ATTR_TENSOR && i < from->n; i++) mf_tensor_retain(from->v.tensors[i]);
  return at + align8(bytes);
}

mf_status mf_node_new(const mf_op_def *op, const mf_attr *attrs, int n_in, int n_out, mf_node **out) {
  *out = NULL;
  int n_attrs = op->rt->n_attrs;
  size_t in_at = align8(sizeof(mf_node));
  size_t out_at = in_at + align8((size_t)n_in * sizeof(mf_node_in));
  size_t attr_at = out_at + align8((size_t)n_out * sizeof(mf_node_out));
  size_t data_at = attr_at + align8((size_t)n_attrs * sizeof(mf_attr));
  size_t size = data_at;
  for (int i = 0; i < n_attrs; i++) size += data_size(&attrs[i]);
  char *block = mf_alloc(size);
  if (!block) return mf_fail_oom();
  memset(block, 0, attr_at);
  mf_node *n = (mf_node *)(void *)block;
  atomic_init(&n->count, 1);
  n->op = op;
  n->n_in = n_in;
  n->n_out = n_out;
  n->in = (mf_node_in *)(void *)(block + in_at);
  n->out = (mf_node_out *)(void *)(block + out_at);
  n->attrs = (mf_attr *)(void *)(block + attr_at);
  char *at = block + data_at;
  for (int i = 0; i < n_attrs; i++) at = copy_attr(&n->attrs[i], &attrs[i], at);
  *out = n;
  return NULL;
}

static void release_attr(const mf_attr *a) {
  if (a->kind == MF_ATTR_TENSOR) mf_tensor_release(a->v.tensor);
  for (int i = 0; a->kind == MF_ATTR_LIST + MF_ATTR_TENSOR && i < a->n; i++) mf_tensor_release(a->v.tensors[i]);
}

/* The handles that tensor/ needs without seeing this header. */
mf_node *mf_node_retain_opaque(mf_node *n);
mf_node *mf_node_retain_opaque(mf_node *n) { return mf_node_retain(n); }

/* Chains of nodes are released in a loop, not by recursion: a graph of 100,000 nodes must not use up the stack. A node that
 * reached zero is put on a list, linked through its `name` field after that string is gone. */
void mf_node_release(mf_node *n) {
  mf_node *dead = NULL;
  if (n && atomic_fetch_sub_explicit(&n->count, 1, memory_order_acq_rel) == 1) dead = n;
  if (dead) {
    mf_free((void *)(uintptr_t)dead->name);
    dead->name = NULL;
  }
  while (dead) {
    mf_node *next = (mf_node *)(uintptr_t)dead->name;
    for (int i = 0; i < dead->n_in; i++) {
      mf_tensor *t = dead->in[i].tensor;
      bool last = t && t->node && atomic_load_explicit(&t->count, memory_order_acquire) == 1;
      mf_node *maker = last ? t->node : NULL;
      if (maker) t->node = NULL;
      mf_tensor_release(t);
      if (!maker || atomic_fetch_sub_explicit(&maker->count, 1, memory_order_acq_rel) != 1) continue;
      mf_free((void *)(uintptr_t)maker->name);
      maker->name = (const char *)next;
      next = maker;
    }
    for (int i = 0; i < dead->n_out; i++) mf_tensor_release(dead->out[i].saved);
    for (int i = 0; i < dead->op->rt->n_attrs; i++) release_attr(&dead->attrs[i]);
    for (int i = 0; i < dead->n_extra; i++) mf_free((void *)(uintptr_t)dead->extra[i].name);
    mf_free(dead->extra);
    mf_free((void *)(uintptr_t)dead->scope);
    mf_free((void *)(uintptr_t)dead->position);
    mf_free(dead);
    dead = next;
  }
}

mf_status mf_node_output(mf_node *n, int i, mf_tensor **out) {
  mf_node_out *o = &n->out[i];
  if (o->saved) {
    *out = mf_tensor_retain(o->saved);
    return NULL;
  }
  MF_TRY(mf_tensor_symbolic(o->dtype, &o->shape, n, i, out));
  (*out)->serial = o->serial;
  return NULL;
}

mf_status mf_region_append(mf_region *r, mf_node *n) {
  if (!mf_array_reserve((void **)&r->nodes, &r->capacity, r->n + 1, sizeof *r->nodes)) return mf_fail_oom();
  r->nodes[r->n++] = mf_node_retain(n);
  return NULL;
}

void mf_region_clear(mf_region *r) {
  for (size_t i = r->n; i > 0; i--) mf_node_release(r->nodes[i - 1]);
  mf_free(r->nodes);
  *r = (mf_region){0};
}
