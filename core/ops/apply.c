/* apply.c - the one entry: resolve, then run eagerly or add a node, then record. See apply.h.
 *
 * The eager path keeps everything on the stack: attributes, inferred shapes, the call. The heap is touched for outputs only.
 */
#include "ops/apply.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "ops/kernel.h"
#include "ops/kernel_cache.h"
#include "ops/place.h"
#include "tensor/allocator.h"

/* ---- what kernels call */

mf_dtype mf_out_type(const mf_call *c, int i) { return mf_resolved_out_type(c->attrs.op, c->attrs.values, i); }

mf_status mf_out_alloc(mf_call *c, int i, const mf_shape *shape) {
  mf_tensor_release(c->out[i]);
  return mf_tensor_new(c->device, mf_out_type(c, i), shape, &c->out[i]);
}

void mf_out_take(mf_call *c, int i, mf_tensor *t) {
  mf_tensor_release(c->out[i]);
  c->out[i] = t;
}

/* ---- choosing and running a kernel */

static bool takes_type(const mf_kernel_row *row, const mf_attr *values) {
  if (row->type_index < 0 || !row->def->types) return true;
  const mf_attr *v = &values[row->type_index];
  return v->kind != MF_ATTR_TYPE || (row->def->types & MF_TYPE(v->v.type));
}

static mf_status no_kernel(const mf_call *c, const char *reason) {
  char types[96] = "";
  size_t used = 0;
  for (int i = 0; i < c->n_in && used + 16 < sizeof types; i++)
    used += (size_t)snprintf(types + used, sizeof types - used, "%s%s", i ? ", " : "", mf_dtype_name((mf_dtype)c->in[i]->dtype));
  return mf_fail(MF_UNIMPLEMENTED, "%s: no kernel for (%s) on %s%s%s", c->attrs.op->name, types, c->device->name,
                 reason ? ": " : "", reason ? reason : "");
}

/* Soft placement: what no kernel of a GPU takes (a dtype, an attribute) runs on the CPU. */
static mf_status select_kernel(mf_call *c, const mf_kernel_def **out) {
  const char *reason = NULL;
  *out = NULL;
  for (const mf_kernel_row *row = c->attrs.op->rt->kernels[c->device->type]; row && row->def; row++) {
    if (!takes_type(row, c->attrs.values)) continue;
    const char *refusal = row->def->supports ? row->def->supports(c) : NULL;
    if (!refusal) {
      *out = row->def;
      return NULL;
    }
    mf_log(MF_LOG_DEBUG, "%s: kernel \"%s\" refused: %s", c->attrs.op->name, row->def->name, refusal);
    reason = refusal;
  }
  if (c->device->type == MF_CPU) return no_kernel(c, reason);
  c->device = mf_device_cpu();
  c->stream = NULL;
  return select_kernel(c, out);
}

static mf_status run_kernel(const mf_kernel_def *k, mf_call *c) {
  void *workspace = NULL;
  size_t granted = 0;
  mf_allocator *allocator = c->device->allocator;
  if (k->prepare) MF_TRY(mfi_prepared_get(c->ctx, k, c, &c->prepared));
  if (k->slot_release) MF_TRY(mfi_slot_get(c->ctx, k, c, &c->slot));
  c->workspace_size = k->workspace ? k->workspace(c) : 0;
  if (c->workspace_size) MF_TRY(mf_allocator_take(allocator, c->workspace_size, &workspace, &granted));
  c->workspace = workspace;
  mf_status status = k->run(c);
  if (workspace) mf_allocator_give(allocator, workspace, granted);
  return status;
}

static mf_status infer(mf_ctx *ctx, mf_attrs attrs, mf_tensor *const *in, int n_in, mf_shape *shapes, mf_dtype *types,
                       int n_out) {
  for (int i = 0; i < n_out; i++) {
    shapes[i].rank = MF_UNKNOWN_DIM;
    types[i] = mf_resolved_out_type(attrs.op, attrs.values, i);
  }
  mf_infer c = {.ctx = ctx, .attrs = attrs, .in = in, .n_in = n_in, .out = shapes, .out_types = types, .n_out = n_out};
  return attrs.op->infer(&c);
}

/* Outputs of known shape are allocated here; views, dynamic shapes and strings are made by the kernel. */
static mf_status allocate(mf_call *c, const mf_shape *shapes, const mf_dtype *types) {
  if (c->attrs.op->flags & (MF_OP_VIEW | MF_OP_DYNAMIC)) return NULL;
  for (int i = 0; i < c->n_out; i++)
    if (types[i] != MF_STRING) MF_TRY(mf_tensor_new(c->device, types[i], &shapes[i], &c->out[i]));
  return NULL;
}

static mf_status run_with(mf_ctx *ctx, const mf_op_def *op, const mf_attr *values, mf_tensor *const *in, int n_in,
                          mf_tensor **out, int n_out, mf_shape *shapes, mf_dtype *types) {
  mf_call c = {.ctx = ctx, .attrs = {op, values}, .in = in, .n_in = n_in, .out = out, .n_out = n_out};
  const mf_kernel_def *kernel;
  mfi_placement placed = {0};
  MF_TRY(infer(ctx, c.attrs, in, n_in, shapes, types, n_out));
  mf_status status = mfi_place(ctx, &c, &placed);
  if (!status) status = select_kernel(&c, &kernel);
  if (!status) status = mfi_place_inputs(&c, kernel, &placed);
  if (!status) status = allocate(&c, shapes, types);
  if (!status) status = run_kernel(kernel, &c);
  mfi_placement_release(&placed);
  for (int i = 0; i < n_out && !status; i++)
    if (!out[i]) status = mf_fail(MF_INTERNAL, "%s: kernel \"%s\" left output %d empty", op->name, kernel->name, i);
  if (status) mf_tensor_release_all(out, n_out);
  return status;
}

mf_status mf_run_eager(mf_ctx *ctx, const mf_op_def *op, const mf_attr *values, mf_tensor *const *in, int n_in,
                       mf_tensor **out, int n_out) {
  mf_shape inline_shapes[4];
  mf_dtype inline_types[4];
  for (int i = 0; i < n_out; i++) out[i] = NULL;
  if (n_out <= 4) return run_with(ctx, op, values, in, n_in, out, n_out, inline_shapes, inline_types);
  mf_shape *shapes = mf_alloc_array((size_t)n_out, sizeof *shapes);
  mf_dtype *types = mf_alloc_array((size_t)n_out, sizeof *types);
  mf_status status = shapes && types ? run_with(ctx, op, values, in, n_in, out, n_out, shapes, types) : mf_fail_oom();
  mf_free(shapes);
  mf_free(types);
  return status;
}

/* ---- the entry */

static bool any_symbolic(mf_tensor *const *in, int n) {
  for (int i = 0; i < n; i++)
    if (in[i]->node) return true;
  return false;
}

static mf_status check_handles(mf_ctx *ctx, const mf_op_def *op, mf_tensor *const *in, int n_in) {
  for (int i = 0; i < n_in; i++)
    if (!in[i]) return mf_fail(MF_INVALID_ARGUMENT, "%s: input %d is missing", op->name, i);
  if (!ctx->trace && any_symbolic(in, n_in))
    return mf_fail(MF_INVALID_ARGUMENT,
                   "%s: a symbolic tensor was used outside of the function that made it; return it from the function, or keep "
                   "values in a tf.Variable",
                   op->name);
  return NULL;
}

/* Private ops become TensorFlow ops whenever somebody looks: a trace, a tape without an own gradient, a device without kernel. */
static bool must_lower(const mf_ctx *ctx, const mf_op_def *op) {
  if (!op->lower) return false;
  return ctx->trace || (ctx->record && !op->grad) || !op->rt->kernels[MF_CPU];
}

/* What reclaim ends may be what the caller borrowed its handles from: the inputs get references of their own meanwhile. */
static mf_status run(mf_ctx *ctx, const mf_op_def *op, const mf_attr *attrs, mf_tensor *const *in, int n_in, mf_tensor **out, int n_out) {
  mf_status status = mf_run_eager(ctx, op, attrs, in, n_in, out, n_out);
  if (mf_status_code(status) != MF_RESOURCE_EXHAUSTED || !ctx->reclaim) return status;
  mf_status_release(status);
  mf_tensor_release_all(out, n_out);
  for (int i = 0; i < n_in; i++) mf_tensor_retain(in[i]);
  ctx->reclaim(ctx);
  status = mf_run_eager(ctx, op, attrs, in, n_in, out, n_out);
  for (int i = 0; i < n_in; i++) mf_tensor_release(in[i]);
  return status;
}

mf_status mf_apply(mf_ctx *ctx, const mf_op_def *op, mf_tensor *const *in, int n_in, const mf_named_attr *attrs, int n_attrs,
                   mf_tensor **out, int max_out, int *n_out) {
  mf_resolved r;
  struct mf_node *node = NULL;
  if (n_out) *n_out = 0;
  for (int i = 0; i < max_out; i++) out[i] = NULL;
  mf_status status = check_handles(ctx, op, in, n_in);
  if (status) return mf_status_with_op(status, op->name);
  status = mf_resolve(op, in, n_in, attrs, n_attrs, &r);
  if (status) return mf_status_with_op(status, op->name);
  if (r.n_out > max_out) {
    status = mf_fail(MF_INTERNAL, "%s: has %d outputs, the caller has room for %d", op->name, r.n_out, max_out);
  } else if (must_lower(ctx, op)) {
    status = op->lower(ctx, (mf_attrs){op, r.values}, in, n_in, out, r.n_out);
  } else {
    status = ctx->trace ? ctx->trace_add(ctx, op, r.values, in, n_in, out, r.n_out, &node)
                        : run(ctx, op, r.values, in, n_in, out, r.n_out);
    if (!status && ctx->record) status = ctx->record(ctx, op, r.values, in, n_in, out, r.n_out, node);
  }
  if (status) mf_tensor_release_all(out, r.n_out <= max_out ? r.n_out : 0);
  else if (n_out) *n_out = r.n_out;
  mf_resolved_release(&r);
  return mf_status_with_op(status, op->name);
}
