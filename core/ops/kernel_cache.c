/* kernel_cache.c - a small hash table with least-recently-used order for prepared kernels; another for slots.
 *
 * Entries keep deep copies of the attributes (inside a node without inputs) and the shapes that made the key: those of the
 * inputs, and of the outputs that exist, for an output's shape may follow from the values of an input (Conv2DBackpropFilter).
 */
#include "ops/kernel_cache.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "ops/node.h"

enum { BUCKETS = 1024 };

typedef struct entry {
  struct entry *next;                /* same bucket */
  struct entry *newer, *older;       /* use order */
  uint64_t hash;
  const mf_kernel_def *def;
  mf_device *device;
  mf_node *attrs;                    /* holds the deep copies */
  void *value;
  int n_in, n_out;
  struct value_key { uint8_t dtype; mf_shape shape; } *in;   /* n_in inputs, then n_out outputs */
} entry;

typedef struct table {
  entry *buckets[BUCKETS];
  entry *newest, *oldest;
  int count;
} table;

struct mf_kernel_cache { table t; };
struct mf_slots { table t; };

/* Inputs, then outputs (NULL: made by the kernel). */
static const mf_tensor *value_at(const mf_call *c, int i) { return i < c->n_in ? c->in[i] : c->out[i - c->n_in]; }

static uint64_t key_hash(const mf_kernel_def *def, const mf_call *c, bool with_inputs) {
  uint64_t h = (uint64_t)(uintptr_t)def * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)(uintptr_t)c->device;
  for (int i = 0; i < c->attrs.op->rt->n_attrs; i++) h = mf_attr_hash(&c->attrs.values[i], h);
  for (int i = 0; with_inputs && i < c->n_in + c->n_out; i++) {
    const mf_tensor *t = value_at(c, i);
    if (!t) continue;
    h = h * 31 + t->dtype;
    for (int d = 0; d < t->shape.rank; d++)
      h = (h ^ (uint64_t)t->shape.dims[d]) * UINT64_C(0x9E3779B97F4A7C15) + (h >> 29);
  }
  return h;
}

static bool value_equal(const struct value_key *k, const mf_tensor *t) {
  if (!t) return k->dtype == MF_DTYPE_INVALID;
  return k->dtype == t->dtype && mf_shape_equal(&k->shape, &t->shape);
}

static bool key_equal(const entry *e, const mf_kernel_def *def, const mf_call *c, bool with_inputs) {
  if (e->def != def || e->device != c->device) return false;
  for (int i = 0; i < def->op->rt->n_attrs; i++)
    if (!mf_attr_equal(&e->attrs->attrs[i], &c->attrs.values[i])) return false;
  if (!with_inputs) return true;
  if (e->n_in != c->n_in || e->n_out != c->n_out) return false;
  for (int i = 0; i < c->n_in + c->n_out; i++)
    if (!value_equal(&e->in[i], value_at(c, i))) return false;
  return true;
}

static void unlink_use(table *t, entry *e) {
  if (e->newer) e->newer->older = e->older;
  else t->newest = e->older;
  if (e->older) e->older->newer = e->newer;
  else t->oldest = e->newer;
}

static void link_newest(table *t, entry *e) {
  e->newer = NULL;
  e->older = t->newest;
  if (t->newest) t->newest->newer = e;
  else t->oldest = e;
  t->newest = e;
}

static entry *find(table *t, uint64_t hash, const mf_kernel_def *def, const mf_call *c, bool with_inputs) {
  for (entry *e = t->buckets[hash % BUCKETS]; e; e = e->next)
    if (e->hash == hash && key_equal(e, def, c, with_inputs)) {
      if (t->newest != e) {
        unlink_use(t, e);
        link_newest(t, e);
      }
      return e;
    }
  return NULL;
}

static void entry_free(entry *e) {
  mf_node_release(e->attrs);
  mf_free(e->in);
  mf_free(e);
}

static mf_status insert(table *t, uint64_t hash, const mf_kernel_def *def, const mf_call *c, bool with_inputs, entry **out) {
  *out = NULL;
  entry *e = mf_alloc_zero(1, sizeof *e);
  if (!e) return mf_fail_oom();
  e->hash = hash;
  e->def = def;
  e->device = c->device;
  mf_status status = mf_node_new(c->attrs.op, c->attrs.values, 0, 0, &e->attrs);
  if (!status && with_inputs) {
    e->n_in = c->n_in;
    e->n_out = c->n_out;
    e->in = mf_alloc_zero((size_t)(c->n_in + c->n_out) + 1, sizeof *e->in);
    if (!e->in) status = mf_fail_oom();
  }
  if (status) {
    entry_free(e);
    return status;
  }
  for (int i = 0; i < e->n_in + e->n_out; i++) {
    const mf_tensor *v = value_at(c, i);
    if (v) e->in[i] = (struct value_key){v->dtype, v->shape};
  }
  e->next = t->buckets[hash % BUCKETS];
  t->buckets[hash % BUCKETS] = e;
  link_newest(t, e);
  t->count++;
  *out = e;
  return NULL;
}

static void drop(table *t, entry *e, void (*end_value)(const mf_kernel_def *def, void *value)) {
  entry **at = &t->buckets[e->hash % BUCKETS];
  while (*at != e) at = &(*at)->next;
  *at = e->next;
  unlink_use(t, e);
  t->count--;
  if (e->value) end_value(e->def, e->value);
  entry_free(e);
}

static void end_prepared(const mf_kernel_def *def, void *value) {
  if (def->unprepare) def->unprepare(value);
}

static void end_slot(const mf_kernel_def *def, void *value) {
  if (def->slot_release) def->slot_release(value);
}

mf_status mfi_prepared_get(mf_ctx *ctx, const mf_kernel_def *def, const mf_call *call, void **prepared) {
  *prepared = NULL;
  if (!ctx->kernels && !(ctx->kernels = mf_alloc_zero(1, sizeof *ctx->kernels))) return mf_fail_oom();
  table *t = &ctx->kernels->t;
  uint64_t hash = key_hash(def, call, true);
  entry *e = find(t, hash, def, call, true);
  if (!e) {
    void *value = NULL;
    MF_TRY(def->prepare(call, &value));
    mf_status status = insert(t, hash, def, call, true, &e);
    if (status) {
      end_prepared(def, value);
      return status;
    }
    e->value = value;
    if (t->count > MF_PREPARED_LIMIT) drop(t, t->oldest, end_prepared);
  }
  *prepared = e->value;
  return NULL;
}

mf_status mfi_slot_get(mf_ctx *ctx, const mf_kernel_def *def, const mf_call *call, void ***slot) {
  *slot = NULL;
  if (!ctx->slots && !(ctx->slots = mf_alloc_zero(1, sizeof *ctx->slots))) return mf_fail_oom();
  uint64_t hash = key_hash(def, call, false);
  entry *e = find(&ctx->slots->t, hash, def, call, false);
  if (!e) MF_TRY(insert(&ctx->slots->t, hash, def, call, false, &e));
  *slot = &e->value;
  return NULL;
}

void mfi_slots_clear(mf_ctx *ctx) {
  while (ctx->slots && ctx->slots->t.oldest) drop(&ctx->slots->t, ctx->slots->t.oldest, end_slot);
}

void mfi_kernel_cache_release(mf_ctx *ctx) {
  mfi_slots_clear(ctx);
  mf_free(ctx->slots);
  ctx->slots = NULL;
  while (ctx->kernels && ctx->kernels->t.oldest) drop(&ctx->kernels->t, ctx->kernels->t.oldest, end_prepared);
  mf_free(ctx->kernels);
  ctx->kernels = NULL;
}

int mfi_prepared_count(const mf_ctx *ctx) { return ctx->kernels ? ctx->kernels->t.count : 0; }
