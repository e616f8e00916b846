/* interpret.c - the reference interpreter: nodes in program order, each through the eager kernels. See graph.h.
 *
 * All intermediate values stay alive until the end. It never records and never traces.
 */
#include <string.h>

#include "base/memory.h"
#include "graph/graph_data.h"
#include "ops/apply.h"

typedef struct interpretation {
  mf_ctx *ctx;
  const mf_graph *g;
  mf_tensor **values;      /* outputs of all nodes, one after the other */
  size_t *first;           /* node index -> first value */
  size_t n_values;
} interpretation;

static mf_status open_values(interpretation *s) {
  const mf_region *r = &s->g->region;
  s->first = mf_alloc_array(r->n + 1, sizeof *s->first);
  if (!s->first) return mf_fail_oom();
  for (size_t i = 0; i < r->n; i++) {
    s->first[i] = s->n_values;
    s->n_values += (size_t)r->nodes[i]->n_out;
  }
  s->values = mf_alloc_zero(s->n_values + 1, sizeof *s->values);
  return s->values ? NULL : mf_fail_oom();
}

static mf_status feed(interpretation *s, mf_node *placeholder, mf_tensor *value, int position) {
  const mf_node_out *o = &placeholder->out[0];
  char want[MF_SHAPE_TEXT], got[MF_SHAPE_TEXT];
  if (value->dtype != o->dtype)
    return mf_fail(MF_INVALID_ARGUMENT, "Graph: input %d has dtype %s, expected %s", position,
                   mf_dtype_name((mf_dtype)value->dtype), mf_dtype_name(o->dtype));
  if (!mf_shape_compatible(&value->shape, &o->shape))
    return mf_fail(MF_INVALID_ARGUMENT, "Graph: input %d has shape %s, expected %s", position,
                   mf_shape_text(&value->shape, got), mf_shape_text(&o->shape, want));
  s->values[s->first[placeholder->index]] = mf_tensor_retain(value);
  return NULL;
}

static bool is_fed(const interpretation *s, size_t i) {
  const mf_node *n = s->g->region.nodes[i];
  return n->n_in == 0 && n->n_out == 1 && s->values[s->first[i]];
}

static mf_status run_node(interpretation *s, size_t i) {
  const mf_node *n = s->g->region.nodes[i];
  mf_tensor *inline_in[16];
  mf_tensor **in = n->n_in <= 16 ? inline_in : mf_alloc_array((size_t)n->n_in, sizeof *in);
  if (!in) return mf_fail_oom();
  for (int k = 0; k < n->n_in; k++) {
    const mf_tensor *t = n->in[k].tensor;
    in[k] = s->values[s->first[t->node->index] + (size_t)t->output];
  }
  mf_status status = mf_run_eager(s->ctx, n->op, n->attrs, in, n->n_in, &s->values[s->first[i]], n->n_out);
  if (in != inline_in) mf_free(in);
  if (status && n->position) status = mf_status_prefix(status, "%s", n->position);
  return mf_status_with_op(status, n->op->name);
}

mf_status mf_graph_interpret(mf_ctx *ctx, const mf_graph *g, mf_tensor *const *in, int n_in, mf_tensor **out, int n_out) {
  interpretation s = {.ctx = ctx, .g = g};
  for (int i = 0; i < n_out; i++) out[i] = NULL;
  if (n_in != (int)g->n_inputs || n_out != g->n_outputs)
    return mf_fail(MF_INVALID_ARGUMENT, "Graph: expected %d inputs and %d outputs, received %d and %d", (int)g->n_inputs,
                   g->n_outputs, n_in, n_out);
  mf_status status = open_values(&s);
  for (int i = 0; i < n_in && !status; i++) status = feed(&s, g->inputs[i], in[i], i);
  for (size_t i = 0; i < g->n_captures && !status; i++) status = feed(&s, g->capture_nodes[i], g->captures[i], (int)i);
  for (size_t i = 0; i < g->region.n && !status; i++)
    if (!is_fed(&s, i)) status = run_node(&s, i);
  for (int i = 0; i < n_out && !status; i++) {
    const mf_tensor *t = g->outputs[i];
    out[i] = mf_tensor_retain(s.values[s.first[t->node->index] + (size_t)t->output]);
  }
  for (size_t i = 0; s.values && i < s.n_values; i++) mf_tensor_release(s.values[i]);
  mf_free(s.values);
  mf_free(s.first);
  return status;
}
