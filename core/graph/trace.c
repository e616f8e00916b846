/* trace.c - recording nodes into a graph: the other half of mf_apply. See graph.h.
 *
 * A concrete tensor that meets a trace becomes a Const node when it is small and plain (so that shape rules can read it), and a
 * capture otherwise: an extra input whose value the graph keeps. The same handle becomes the same node.
 */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "graph/graph_data.h"
#include "ops/apply.h"
#include "ops/infer.h"
#include "ops/op_list.h"

enum { CONST_ELEMENTS = 64 };

static mf_status trace_add(mf_ctx *ctx, const mf_op_def *op, const mf_attr *attrs, mf_tensor *const *in, int n_in,
                           mf_tensor **out, int n_out, mf_node **node);

mf_graph *mf_graph_retain(mf_graph *g) {
  if (g) atomic_fetch_add_explicit(&g->count, 1, memory_order_relaxed);
  return g;
}

void mf_graph_release(mf_graph *g) {
  if (!g || atomic_fetch_sub_explicit(&g->count, 1, memory_order_acq_rel) != 1) return;
  for (int i = 0; i < g->n_outputs; i++) mf_tensor_release(g->outputs[i]);
  for (size_t i = 0; i < g->n_captures; i++) mf_tensor_release(g->captures[i]);
  for (size_t i = 0; i < g->n_inputs; i++) mf_node_release(g->inputs[i]);
  for (size_t i = 0; i < g->n_captures; i++) mf_node_release(g->capture_nodes[i]);
  mf_region_clear(&g->region);
  mf_map_clear(&g->concrete);
  mf_free(g->outputs);
  mf_free(g->captures);
  mf_free(g->capture_nodes);
  mf_free(g->inputs);
  mf_free(g);
}

mf_status mf_trace_begin(mf_ctx *ctx, mf_graph **out) {
  mf_graph *g = *out = mf_alloc_zero(1, sizeof *g);
  if (!g) return mf_fail_oom();
  atomic_init(&g->count, 1);
  mf_map_init(&g->concrete);
  g->ctx = ctx;
  g->outer = ctx->trace;
  g->outer_add = ctx->trace_add;
  ctx->trace = g;
  ctx->trace_add = trace_add;
  return NULL;
}

static void leave(mf_graph *g) {
  if (!g->ctx) return;
  g->ctx->trace = g->outer;
  g->ctx->trace_add = g->outer_add;
  g->ctx = NULL;
}

void mf_trace_abandon(mf_graph *g) { leave(g); }

/* ---- nodes */

/* Appends a node whose outputs have the given types and shapes; each gets a fresh serial. */
static mf_status add_node(mf_graph *g, mf_node *n, const mf_dtype *types, const mf_shape *shapes, mf_tensor **out) {
  mf_status status = NULL;
  n->index = (int)g->region.n;
  for (int i = 0; i < n->n_out && !status; i++) {
    n->out[i].dtype = types[i];
    n->out[i].shape = shapes[i];
    status = mf_tensor_symbolic(types[i], &shapes[i], n, i, &out[i]);
    if (!status) n->out[i].serial = out[i]->serial;
  }
  if (!status) status = mf_region_append(&g->region, n);
  if (status) mf_tensor_release_all(out, n->n_out);
  return status;
}

static mf_status source_node(mf_graph *g, const mf_op_def *op, const mf_named_attr *attrs, int n_attrs, mf_dtype dtype,
                             const mf_shape *shape, const char *name, mf_tensor **out) {
  mf_resolved r;
  mf_node *n;
  *out = NULL;
  MF_TRY(mf_resolve(op, NULL, 0, attrs, n_attrs, &r));
  mf_status status = mf_node_new(op, r.values, 0, 1, &n);
  mf_resolved_release(&r);
  if (status) return status;
  if (name) n->name = mf_strdup(name);
  status = add_node(g, n, &dtype, shape, out);
  mf_node_release(n);
  return status;
}

mf_status mf_trace_input(mf_graph *g, mf_dtype dtype, const mf_shape *shape, const char *name, mf_tensor **out) {
  mf_named_attr attrs[] = {MF_A_TYPE("dtype", dtype), MF_A_SHAPE("shape", shape)};
  *out = NULL;
  if (!mf_array_reserve((void **)&g->inputs, &g->input_capacity, g->n_inputs + 1, sizeof *g->inputs)) return mf_fail_oom();
  MF_TRY(source_node(g, &mf_op_Placeholder, attrs, 2, dtype, shape, name, out));
  g->inputs[g->n_inputs++] = mf_node_retain((*out)->node);
  return NULL;
}

static mf_status capture(mf_graph *g, mf_tensor *t, mf_tensor **out) {
  mf_named_attr attrs[] = {MF_A_TYPE("dtype", (mf_dtype)t->dtype), MF_A_SHAPE("shape", &t->shape)};
  size_t need = g->n_captures + 1;
  if (!mf_array_reserve((void **)&g->captures, &g->capture_capacity, need, sizeof *g->captures) ||
      !mf_array_reserve((void **)&g->capture_nodes, &g->capture_node_capacity, need, sizeof *g->capture_nodes))
    return mf_fail_oom();
  MF_TRY(source_node(g, &mf_op_Placeholder, attrs, 2, (mf_dtype)t->dtype, &t->shape, NULL, out));
  g->captures[g->n_captures] = mf_tensor_retain(t);
  g->capture_nodes[g->n_captures++] = mf_node_retain((*out)->node);
  return NULL;
}

static bool becomes_const(const mf_tensor *t) {
  bool plain = mf_dtype_const((mf_dtype)t->dtype)->kind != MF_KIND_OBJECT;
  return plain && t->buffer->device->type == MF_CPU && mf_shape_count(&t->shape) <= CONST_ELEMENTS;
}

/* The symbolic value that stands for concrete `t` (new handle), with t's own serial: tapes keep recognising it. */
static mf_status lift(mf_graph *g, mf_tensor *t, mf_tensor **out) {
  uint64_t known = 0;
  if (mf_map_get(&g->concrete, t->serial, &known)) return mf_node_output(g->region.nodes[known - 1], 0, out);
  mf_named_attr attrs[] = {MF_A_TENSOR("value", t), MF_A_TYPE("dtype", (mf_dtype)t->dtype)};
  if (becomes_const(t)) MF_TRY(source_node(g, &mf_op_Const, attrs, 2, (mf_dtype)t->dtype, &t->shape, NULL, out));
  else MF_TRY(capture(g, t, out));
  mf_node *n = (*out)->node;
  (*out)->serial = n->out[0].serial = t->serial;
  if (mf_map_put(&g->concrete, t->serial, (uint64_t)n->index + 1)) return NULL;
  mf_tensor_release(*out);
  *out = NULL;
  return mf_fail_oom();
}

static void set_position(mf_ctx *ctx, mf_node *n) {
  char text[256];
  if (!ctx->position) return;
  text[0] = 0;
  ctx->position(ctx, text, (int)sizeof text);
  if (text[0]) n->position = mf_strdup(text);
}

/* `in` are the values of the call: a concrete handle tells the rule the shape of its variable, which a capture does not. */
static mf_status infer_node(mf_ctx *ctx, mf_node *n, mf_tensor *const *in, mf_dtype *types, mf_shape *shapes) {
  for (int i = 0; i < n->n_out; i++) {
    types[i] = mf_resolved_out_type(n->op, n->attrs, i);
    shapes[i] = mf_shape_unknown();
  }
  mf_infer c = {.ctx = ctx, .attrs = mf_node_attrs(n), .in = in, .n_in = n->n_in, .out = shapes, .out_types = types,
                .n_out = n->n_out};
  return n->op->infer(&c);
}

static mf_status trace_add(mf_ctx *ctx, const mf_op_def *op, const mf_attr *attrs, mf_tensor *const *in, int n_in,
                           mf_tensor **out, int n_out, mf_node **node) {
  mf_graph *g = ctx->trace;
  mf_node *n;
  MF_TRY(mf_node_new(op, attrs, n_in, n_out, &n));
  mf_status status = NULL;
  mf_dtype *types = mf_alloc_array((size_t)n_out + 1, sizeof *types);
  mf_shape *shapes = mf_alloc_array((size_t)n_out + 1, sizeof *shapes);
  if (!types || !shapes) status = mf_fail_oom();
  for (int i = 0; i < n_in && !status; i++) {
    n->in[i].serial = in[i]->serial;
    if (in[i]->node) n->in[i].tensor = mf_tensor_retain(in[i]);
    else status = lift(g, in[i], &n->in[i].tensor);
  }
  if (!status) status = infer_node(ctx, n, in, types, shapes);
  if (!status) status = add_node(g, n, types, shapes, out);
  if (!status) set_position(ctx, n);
  mf_free(types);
  mf_free(shapes);
  if (!status) *node = n; /* borrowed: the region holds it */
  mf_node_release(n);
  return status;
}

mf_status mf_trace_end(mf_graph *g, mf_tensor *const *outputs, int n_outputs) {
  mf_status status = NULL;
  g->outputs = mf_alloc_zero((size_t)n_outputs + 1, sizeof *g->outputs);
  if (!g->outputs) status = mf_fail_oom();
  for (int i = 0; i < n_outputs && !status; i++) {
    if (outputs[i]->node) g->outputs[i] = mf_tensor_retain(outputs[i]);
    else status = lift(g, outputs[i], &g->outputs[i]);
    if (!status) g->n_outputs = i + 1;
  }
  leave(g);
  return status;
}

/* ---- asking */

int mf_graph_input_count(const mf_graph *g) { return (int)g->n_inputs; }
int mf_graph_output_count(const mf_graph *g) { return g->n_outputs; }
mf_dtype mf_graph_output_dtype(const mf_graph *g, int i) { return (mf_dtype)g->outputs[i]->dtype; }
mf_shape mf_graph_output_shape(const mf_graph *g, int i) { return g->outputs[i]->shape; }
const mf_region *mf_graph_region(const mf_graph *g) { return &g->region; }

mf_tensor *const *mf_graph_captures(const mf_graph *g, int *n) {
  *n = (int)g->n_captures;
  return g->captures;
}
