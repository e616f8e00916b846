/* backward.c - the backward walker: see backward.h.
 *
 * One forward sweep marks what depends on a source; one backward sweep calls the gradient of every marked node that has an
 * incoming gradient. Gradients of inner values are dropped as soon as their maker has used them.
 */
#include "autodiff/backward.h"

#include <string.h>

#include "autodiff/tape.h"
#include "base/hash.h"
#include "base/memory.h"
#include "ops/build.h"
#include "ops/op_list.h"

typedef struct walk {
  mf_ctx *ctx;
  mf_map reach;            /* serials that depend on a source; 2 = is a source */
  mf_map slots;            /* serial -> 1 + index into grads */
  mf_grad *grads;
  size_t n_grads, capacity;
} walk;

enum { DEPENDS = 1, SOURCE = 2 };

static uint64_t reach_of(const walk *w, uint64_t serial) {
  uint64_t v = 0;
  return mf_map_get(&w->reach, serial, &v) ? v : 0;
}

/* ---- sums */

mf_status mf_grad_densify(mf_ctx *ctx, const mf_grad *g, mf_tensor **out) {
  *out = NULL;
  if (g->kind != MF_GRAD_SLICES) {
    *out = mf_tensor_retain(g->values);
    return NULL;
  }
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *zero = mf_b_ints(&b, (const int64_t[]){0}, 1), *one = mf_b_ints(&b, (const int64_t[]){1}, 1);
  mf_tensor *rows = MF_BA(&b, StridedSlice, MF_INS(g->dense_shape, zero, one, one), MF_A_INT("shrink_axis_mask", 1));
  *out = mf_b_keep(&b, MF_B(&b, UnsortedSegmentSum, g->values, g->indices, rows));
  return mf_builder_close(&b);
}

static mf_status join_slices(mf_ctx *ctx, mf_grad *sum, mf_grad *more) {
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *axis = mf_b_int(&b, 0), *indices = more->indices;
  if (indices->dtype != sum->indices->dtype) indices = mf_b_cast(&b, indices, (mf_dtype)sum->indices->dtype);
  mf_grad joined = {.kind = MF_GRAD_SLICES};
  joined.values = mf_b_keep(&b, MF_B(&b, ConcatV2, sum->values, more->values, axis));
  joined.indices = mf_b_keep(&b, MF_B(&b, ConcatV2, sum->indices, indices, axis));
  joined.dense_shape = mf_b_keep(&b, sum->dense_shape);
  mf_grad_release(sum);
  mf_grad_release(more);
  *sum = joined;
  mf_status status = mf_builder_close(&b);
  if (status) mf_grad_release(sum);
  return status;
}

mf_status mf_grad_accumulate(mf_ctx *ctx, mf_grad *sum, mf_grad *more) {
  if (more->kind == MF_GRAD_NONE) return NULL;
  if (sum->kind == MF_GRAD_NONE) {
    *sum = *more;
    *more = (mf_grad){0};
    return NULL;
  }
  if (sum->kind == MF_GRAD_SLICES && more->kind == MF_GRAD_SLICES) return join_slices(ctx, sum, more);
  mf_tensor *x = NULL, *y = NULL, *total = NULL;
  mf_status status = mf_grad_densify(ctx, sum, &x);
  if (!status) status = mf_grad_densify(ctx, more, &y);
  if (!status) status = mf_apply(ctx, &mf_op_AddV2, (mf_tensor *[]){x, y}, 2, NULL, 0, &total, 1, NULL);
  mf_tensor_release(x);
  mf_tensor_release(y);
  mf_grad_release(sum);
  mf_grad_release(more);
  if (!status) *sum = (mf_grad){.kind = MF_GRAD_DENSE, .values = total};
  return status;
}

/* Adds `g` (taken) to what `serial` has so far. */
static mf_status add(walk *w, uint64_t serial, mf_grad *g) {
  uint64_t slot = 0;
  if (g->kind == MF_GRAD_NONE) return NULL;
  if (mf_map_get(&w->slots, serial, &slot)) return mf_grad_accumulate(w->ctx, &w->grads[slot - 1], g);
  if (!mf_array_reserve((void **)&w->grads, &w->capacity, w->n_grads + 1, sizeof *w->grads) ||
      !mf_map_put(&w->slots, serial, w->n_grads + 1)) {
    mf_grad_release(g);
    return mf_fail_oom();
  }
  w->grads[w->n_grads++] = *g;
  *g = (mf_grad){0};
  return NULL;
}

/* ---- sweeps */

static mf_status mark(walk *w, const mf_region *region, mf_tensor *const *sources, int n_sources, unsigned char *relevant) {
  for (int i = 0; i < n_sources; i++)
    if (!mf_map_put(&w->reach, sources[i]->serial, SOURCE)) return mf_fail_oom();
  for (size_t k = 0; k < region->n; k++) {
    const mf_node *n = region->nodes[k];
    bool depends = false;
    for (int i = 0; i < n->n_in && !depends; i++) depends = reach_of(w, n->in[i].serial) != 0;
    relevant[k] = depends && n->op->grad != mf_grad_stop;
    for (int i = 0; relevant[k] && i < n->n_out; i++)
      if (!reach_of(w, n->out[i].serial) && !mf_map_put(&w->reach, n->out[i].serial, DEPENDS)) return mf_fail_oom();
  }
  return NULL;
}

/* A gradient may have its target's shape, or broadcast to it. */
static mf_status check_given(const mf_tensor *given, const mf_tensor *target, int i) {
  mf_shape both;
  char g[MF_SHAPE_TEXT], t[MF_SHAPE_TEXT];
  if (!mf_shape_is_full(&given->shape) || !mf_shape_is_full(&target->shape)) return NULL;
  mf_status status = mf_shape_broadcast(&given->shape, &target->shape, &both);
  bool fits = !status && mf_shape_count(&both) == mf_shape_count(&target->shape);
  mf_status_release(status);
  if (fits) return NULL;
  return mf_fail(MF_INVALID_ARGUMENT, "gradient: argument 'output_gradients': item %d has the shape %s, its target %s", i,
                 mf_shape_text(&given->shape, g), mf_shape_text(&target->shape, t));
}

static mf_status seed(walk *w, mf_tensor *const *targets, int n_targets, mf_tensor *const *output_grads) {
  for (int i = 0; i < n_targets; i++) {
    if (!reach_of(w, targets[i]->serial) || !mf_dtype_is_differentiable((mf_dtype)targets[i]->dtype)) continue;
    mf_grad g = {0};
    mf_tensor *given = output_grads ? output_grads[i] : NULL;
    if (given) MF_TRY(check_given(given, targets[i], i));
    mf_builder b = mf_builder_open(w->ctx);
    mf_b_give(&b, &g, given ? given : mf_b_ones_like(&b, targets[i]));
    MF_TRY(mf_builder_close(&b));
    MF_TRY(add(w, targets[i]->serial, &g));
  }
  return NULL;
}

/* The gradient of one output, taken out unless the output is a source itself. */
static mf_grad take_output(walk *w, uint64_t serial) {
  uint64_t slot = 0;
  if (!mf_map_get(&w->slots, serial, &slot)) return (mf_grad){0};
  mf_grad *stored = &w->grads[slot - 1], g = *stored;
  if (reach_of(w, serial) == SOURCE) {
    mf_tensor_retain(g.values);
    mf_tensor_retain(g.indices);
    mf_tensor_retain(g.dense_shape);
  } else {
    *stored = (mf_grad){0};
  }
  return g;
}

enum { INLINE = 16 };

typedef struct frame {
  mf_tensor *in[INLINE], *out[INLINE], *dy[INLINE];
  mf_grad dx[INLINE];
  bool need[INLINE];
  mf_tensor **in_p, **out_p, **dy_p;
  mf_grad *dx_p;
  bool *need_p;
  void *heap;
} frame;

static bool frame_open(frame *f, int n_in, int n_out) {
  f->heap = NULL;
  f->in_p = f->in, f->out_p = f->out, f->dy_p = f->dy, f->dx_p = f->dx, f->need_p = f->need;
  if (n_in > INLINE || n_out > INLINE) {
    size_t i = (size_t)n_in, o = (size_t)n_out;
    char *block = f->heap = mf_alloc(i * (sizeof(mf_tensor *) + sizeof(mf_grad) + sizeof(bool)) + 2 * o * sizeof(mf_tensor *));
    if (!block) return false;
    f->dx_p = (mf_grad *)(void *)block;
    f->in_p = (mf_tensor **)(void *)(f->dx_p + i);
    f->out_p = f->in_p + i;
    f->dy_p = f->out_p + o;
    f->need_p = (bool *)(f->dy_p + o);
  }
  memset(f->dx_p, 0, (size_t)n_in * sizeof *f->dx_p);
  memset(f->out_p, 0, (size_t)n_out * sizeof *f->out_p);
  memset(f->dy_p, 0, (size_t)n_out * sizeof *f->dy_p);
  return true;
}

/* Dense dy of every output into f; *any says whether there is one. */
static mf_status collect(walk *w, const mf_node *n, frame *f, bool *any) {
  mf_status status = NULL;
  for (int i = 0; i < n->n_out && !status; i++) {
    mf_grad g = take_output(w, n->out[i].serial);
    if (g.kind == MF_GRAD_NONE) continue;
    *any = true;
    status = mf_grad_densify(w->ctx, &g, &f->dy_p[i]);
    mf_grad_release(&g);
  }
  return status;
}

static mf_status call_gradient(walk *w, mf_node *n, frame *f) {
  if (!n->op->grad || n->op->grad == mf_grad_missing)
    return mf_fail(MF_UNIMPLEMENTED, "gradient registry has no entry for: %s", n->op->name);
  for (int i = 0; i < n->n_in; i++) {
    f->in_p[i] = n->in[i].tensor;
    f->need_p[i] = reach_of(w, n->in[i].serial) && mf_dtype_is_differentiable((mf_dtype)n->in[i].tensor->dtype);
  }
  for (int i = 0; i < n->n_out; i++) MF_TRY(mf_node_output(n, i, &f->out_p[i]));
  mf_grad_args a = {.attrs = mf_node_attrs(n), .in = f->in_p, .n_in = n->n_in, .out = f->out_p, .n_out = n->n_out,
                    .dy = f->dy_p, .need = f->need_p};
  return mf_status_with_op(mf_status_prefix(n->op->grad(w->ctx, &a, f->dx_p), "gradient of %s", n->op->name), n->op->name);
}

static mf_status differentiate(walk *w, mf_node *n) {
  frame f;
  bool any = false;
  if (n->op->flags & MF_OP_PASS_GRAD) {
    mf_grad g = take_output(w, n->out[0].serial);
    return add(w, n->in[0].serial, &g);
  }
  if (!frame_open(&f, n->n_in, n->n_out)) return mf_fail_oom();
  mf_status status = collect(w, n, &f, &any);
  if (!status && any) status = call_gradient(w, n, &f);
  for (int i = 0; i < n->n_in; i++) {
    if (!status && any && f.need_p[i]) status = add(w, n->in[i].serial, &f.dx_p[i]);
    mf_grad_release(&f.dx_p[i]);
  }
  mf_tensor_release_all(f.dy_p, n->n_out);
  mf_tensor_release_all(f.out_p, n->n_out);
  mf_free(f.heap);
  return status;
}

static mf_status results(walk *w, mf_tensor *const *sources, int n_sources, mf_grad *dx) {
  uint64_t slot = 0;
  for (int i = 0; i < n_sources; i++) {
    if (!mf_map_get(&w->slots, sources[i]->serial, &slot)) continue;
    dx[i] = w->grads[slot - 1];
    mf_tensor_retain(dx[i].values);
    mf_tensor_retain(dx[i].indices);
    mf_tensor_retain(dx[i].dense_shape);
  }
  return NULL;
}

mf_status mf_backward(mf_ctx *ctx, const mf_region *region, mf_tensor *const *targets, int n_targets,
                      mf_tensor *const *output_grads, mf_tensor *const *sources, int n_sources, mf_grad *dx) {
  walk w = {.ctx = ctx};
  size_t n_nodes = region->n; /* a persistent tape may grow while its gradient is computed */
  mf_map_init(&w.reach);
  mf_map_init(&w.slots);
  for (int i = 0; i < n_sources; i++) dx[i] = (mf_grad){0};
  unsigned char *relevant = mf_alloc_zero(n_nodes + 1, 1);
  mf_status status = relevant ? mark(&w, region, sources, n_sources, relevant) : mf_fail_oom();
  if (!status) status = seed(&w, targets, n_targets, output_grads);
  for (size_t k = n_nodes; k > 0 && !status; k--)
    if (relevant[k - 1]) {
      mf_node *n = mf_node_retain(region->nodes[k - 1]);
      status = differentiate(&w, n);
      mf_node_release(n);
    }
  if (!status) status = results(&w, sources, n_sources, dx);
  for (size_t i = 0; i < w.n_grads; i++) mf_grad_release(&w.grads[i]);
  mf_free(w.grads);
  mf_free(relevant);
  mf_map_clear(&w.reach);
  mf_map_clear(&w.slots);
  return status;
}
