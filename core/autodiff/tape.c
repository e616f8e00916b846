/* tape.c - tapes, the stack of open tapes of a context, and recording: see tape.h. */
#include "autodiff/tape.h"

#include "autodiff/backward.h"
#include "base/hash.h"
#include "base/memory.h"
#include "ops/apply.h"
#include "ops/node.h"
#include "ops/op_list.h"
#include "tensor/variable.h"

struct mf_tape {
  mf_ctx *ctx;
  void *strand;              /* applies only while this coroutine calls */
  bool open, persistent, watch_variables, used;
  int paused;
  mf_region region;
  mf_map watched;            /* serials of values on the tape */
  mf_tensor **variables;     /* watched handles in the order of first use */
  size_t n_variables, variable_capacity;
};

typedef struct mf_tape_stack mf_tape_stack;
struct mf_tape_stack {
  mf_tape **tapes;
  size_t n, capacity;
};

static mf_status on_apply(mf_ctx *ctx, const mf_op_def *op, const mf_attr *attrs, mf_tensor *const *in, int n_in,
                          mf_tensor *const *out, int n_out, mf_node *node);

/* ---- life */

mf_status mf_tape_open(mf_ctx *ctx, bool persistent, bool watch_variables, mf_tape **out) {
  *out = NULL;
  if (!ctx->tapes && !(ctx->tapes = mf_alloc_zero(1, sizeof *ctx->tapes))) return mf_fail_oom();
  mf_tape_stack *s = ctx->tapes;
  if (!mf_array_reserve((void **)&s->tapes, &s->capacity, s->n + 1, sizeof *s->tapes)) return mf_fail_oom();
  mf_tape *t = mf_alloc_zero(1, sizeof *t);
  if (!t) return mf_fail_oom();
  t->ctx = ctx;
  t->strand = ctx->strand;
  t->open = true;
  t->persistent = persistent;
  t->watch_variables = watch_variables;
  mf_map_init(&t->watched);
  s->tapes[s->n++] = t;
  ctx->record = on_apply;
  *out = t;
  return NULL;
}

void mf_tape_close(mf_tape *t) {
  if (!t->open) return;
  t->open = false;
  mf_tape_stack *s = t->ctx->tapes;
  size_t kept = 0;
  for (size_t i = 0; i < s->n; i++)
    if (s->tapes[i] != t) s->tapes[kept++] = s->tapes[i];
  s->n = kept;
  if (!kept) t->ctx->record = NULL;
}

static void clear(mf_tape *t) {
  mf_region_clear(&t->region);
  mf_map_clear(&t->watched);
  mf_tensor_release_all(t->variables, (int)t->n_variables);
  t->n_variables = 0;
}

void mf_tape_release(mf_tape *t) {
  if (!t) return;
  mf_tape_close(t);
  clear(t);
  mf_free(t->variables);
  mf_free(t);
}

void mfi_tapes_release(mf_ctx *ctx) {
  if (!ctx->tapes) return;
  while (ctx->tapes->n) mf_tape_close(ctx->tapes->tapes[ctx->tapes->n - 1]);
  mf_free(ctx->tapes->tapes);
  mf_free(ctx->tapes);
  ctx->tapes = NULL;
}

bool mf_tape_is_open(const mf_tape *t) { return t->open; }
bool mf_tape_is_persistent(const mf_tape *t) { return t->persistent; }
void mf_tape_pause(mf_tape *t) { t->paused++; }
void mf_tape_resume(mf_tape *t) { t->paused--; }

void mf_tape_reset(mf_tape *t) {
  clear(t);
  t->used = false;
}

/* ---- watching */

bool mf_tape_watches(const mf_tape *t, const mf_tensor *value) { return mf_map_get(&t->watched, value->serial, NULL); }

static mf_status watch(mf_tape *t, uint64_t serial) { return mf_map_put(&t->watched, serial, 1) ? NULL : mf_fail_oom(); }

static mf_status watch_variable(mf_tape *t, mf_tensor *handle) {
  if (mf_tape_watches(t, handle)) return NULL;
  if (!mf_array_reserve((void **)&t->variables, &t->variable_capacity, t->n_variables + 1, sizeof *t->variables))
    return mf_fail_oom();
  MF_TRY(watch(t, handle->serial));
  t->variables[t->n_variables++] = mf_tensor_retain(handle);
  return NULL;
}

mf_status mf_tape_watch(mf_tape *t, mf_tensor *value) {
  return value->dtype == MF_RESOURCE ? watch_variable(t, value) : watch(t, value->serial);
}

mf_tensor *const *mf_tape_variables(const mf_tape *t, size_t *n) {
  *n = t->n_variables;
  return t->variables;
}

/* ---- recording */

/* An op that reads a trainable variable puts that variable on the tape. */
static mf_status watch_read_variables(mf_tape *t, mf_tensor *const *in, int n_in) {
  mf_variable *v;
  for (int i = 0; i < n_in; i++) {
    if (in[i]->dtype != MF_RESOURCE || !in[i]->buffer || mf_tape_watches(t, in[i])) continue;
    mf_status not_a_variable = mf_variable_from_handle(in[i], "GradientTape", &v);
    if (not_a_variable) mf_status_release(not_a_variable);
    else if (mf_variable_trainable(v)) MF_TRY(watch_variable(t, in[i]));
  }
  return NULL;
}

static bool any_watched(const mf_tape *t, mf_tensor *const *in, int n_in) {
  for (int i = 0; i < n_in; i++)
    if (mf_map_get(&t->watched, in[i]->serial, NULL)) return true;
  return false;
}

enum { SMALL_BYTES = 64 };

/* What a record holds of a value: the value when the gradient reads it, or when it is small or symbolic anyway; else a husk. */
static mf_status hold(mf_tensor *t, bool saved, mf_tensor **out) {
  bool whole = saved || t->node || !t->buffer || t->buffer->size <= SMALL_BYTES;
  if (!whole) return mf_tensor_husk(t, out);
  *out = mf_tensor_retain(t);
  return NULL;
}

static bool saves(const mf_op_def *op, int first_bit, int i) { return (op->saves >> (first_bit + (i < 15 ? i : 15))) & 1u; }

static mf_status record_new(const mf_op_def *op, const mf_attr *attrs, mf_tensor *const *in, int n_in,
                            mf_tensor *const *out, int n_out, mf_node **node) {
  MF_TRY(mf_node_new(op, attrs, n_in, n_out, node));
  mf_status status = NULL;
  for (int i = 0; i < n_in && !status; i++) {
    (*node)->in[i].serial = in[i]->serial;
    status = hold(in[i], saves(op, 0, i), &(*node)->in[i].tensor);
  }
  for (int i = 0; i < n_out && !status; i++) {
    (*node)->out[i].serial = out[i]->serial;
    status = hold(out[i], saves(op, 16, i), &(*node)->out[i].saved);
  }
  if (!status) return NULL;
  mf_node_release(*node);
  *node = NULL;
  return status;
}

static bool differentiable_output(mf_tensor *const *out, int n_out) {
  for (int i = 0; i < n_out; i++)
    if (mf_dtype_is_differentiable((mf_dtype)out[i]->dtype)) return true;
  return false;
}

static mf_status append(mf_tape *t, mf_node *node, mf_tensor *const *out, int n_out) {
  MF_TRY(mf_region_append(&t->region, node));
  for (int i = 0; i < n_out; i++)
    if (mf_dtype_is_differentiable((mf_dtype)out[i]->dtype)) MF_TRY(watch(t, out[i]->serial));
  return NULL;
}

static bool listens(const mf_tape *t, const mf_ctx *ctx) { return !t->paused && t->strand == ctx->strand; }

/* One record serves all tapes that need it. */
static mf_status on_apply(mf_ctx *ctx, const mf_op_def *op, const mf_attr *attrs, mf_tensor *const *in, int n_in,
                          mf_tensor *const *out, int n_out, mf_node *node) {
  mf_node *made = NULL;
  mf_status status = NULL;
  for (size_t i = 0; i < ctx->tapes->n && !status; i++) {
    mf_tape *t = ctx->tapes->tapes[i];
    if (!listens(t, ctx)) continue;
    if (t->watch_variables) status = watch_read_variables(t, in, n_in);
    if (status || op->grad == mf_grad_stop || !any_watched(t, in, n_in) || !differentiable_output(out, n_out)) continue;
    if (!node) {
      status = record_new(op, attrs, in, n_in, out, n_out, &made);
      node = made;
    }
    if (!status) status = append(t, node, out, n_out);
  }
  mf_node_release(made);
  return status;
}

mf_status mf_tape_record_custom(mf_ctx *ctx, mf_tensor *const *in, int n_in, mf_tensor *const *out, int n_out,
                                mf_custom_grad_fn fn, void *user, void (*end_user)(void *user)) {
  mf_tensor *holder;
  mf_node *node = NULL;
  mf_resolved r;
  MF_TRY(mf_custom_gradient_new(fn, user, end_user, &holder));
  mf_dtype *types = mf_alloc_array((size_t)n_out + 1, sizeof *types);
  for (int i = 0; types && i < n_out; i++) types[i] = (mf_dtype)out[i]->dtype;
  mf_named_attr attrs[] = {MF_A_TYPES("Tout", types, n_out), MF_A_TENSOR("gradient", holder)};
  mf_status status = types ? mf_resolve(&mf_op_MfCustomGradient, in, n_in, attrs, 2, &r) : mf_fail_oom();
  if (!status) {
    status = record_new(&mf_op_MfCustomGradient, r.values, in, n_in, out, n_out, &node);
    mf_resolved_release(&r);
  }
  for (size_t i = 0; ctx->tapes && i < ctx->tapes->n && !status; i++) {
    mf_tape *t = ctx->tapes->tapes[i];
    if (listens(t, ctx) && any_watched(t, in, n_in)) status = append(t, node, out, n_out);
  }
  mf_node_release(node);
  mf_free(types);
  mf_tensor_release(holder);
  return status;
}

/* ---- gradient */

mf_status mf_tape_gradient(mf_tape *t, mf_tensor *const *targets, int n_targets, mf_tensor *const *output_grads,
                           mf_tensor *const *sources, int n_sources, mf_grad *dx) {
  for (int i = 0; i < n_sources; i++) dx[i] = (mf_grad){0};
  if (t->used && !t->persistent)
    return mf_fail(MF_FAILED_PRECONDITION,
                   "GradientTape.gradient: a non-persistent GradientTape can only be used to compute one set of gradients "
                   "(pass persistent=true)");
  t->used = true;
  t->paused += !t->persistent;
  mf_status status = mf_backward(t->ctx, &t->region, targets, n_targets, output_grads, sources, n_sources, dx);
  t->paused -= !t->persistent;
  if (!t->persistent) clear(t);
  return status;
}

void mf_grad_release(mf_grad *g) {
  mf_tensor_release(g->values);
  mf_tensor_release(g->indices);
  mf_tensor_release(g->dense_shape);
  *g = (mf_grad){0};
}
