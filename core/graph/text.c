/* text.c - a graph as text, one line a node. */
#include <stdio.h>

#include "base/strbuf.h"
#include "graph/graph_data.h"

static void value_name(mf_strbuf *b, const mf_node *n, int output) {
  mf_strbuf_appendf(b, "%%%d", n->index);
  if (output) mf_strbuf_appendf(b, ":%d", output);
}

static void node_text(mf_strbuf *b, const mf_node *n) {
  char text[MF_SHAPE_TEXT];
  mf_strbuf_appendf(b, "%%%d = %s(", n->index, n->op->name);
  for (int i = 0; i < n->n_in; i++) {
    if (i) mf_strbuf_append(b, ", ", 2);
    value_name(b, n->in[i].tensor->node, n->in[i].tensor->output);
  }
  mf_strbuf_append(b, ") {", 3);
  for (int i = 0; i < n->op->rt->n_attrs; i++) {
    char value[256];
    mf_status none = mf_attr_text_of(&n->attrs[i], value, sizeof value);
    mf_status_release(none);
    mf_strbuf_appendf(b, "%s%s=%s", i ? ", " : "", n->op->rt->attrs[i].name, value);
  }
  mf_strbuf_append(b, "} :", 3);
  for (int i = 0; i < n->n_out; i++)
    mf_strbuf_appendf(b, " %s%s", mf_dtype_name(n->out[i].dtype), mf_shape_text(&n->out[i].shape, text));
  mf_strbuf_append(b, "\n", 1);
}

mf_status mf_graph_text(const mf_graph *g, char **text) {
  mf_strbuf b = {0};
  *text = NULL;
  for (size_t i = 0; i < g->region.n; i++) node_text(&b, g->region.nodes[i]);
  mf_strbuf_append(&b, "return", 6);
  for (int i = 0; i < g->n_outputs; i++) {
    mf_strbuf_append(&b, " ", 1);
    value_name(&b, g->outputs[i]->node, g->outputs[i]->output);
  }
  mf_strbuf_append(&b, "\n", 1);
  return mf_strbuf_take(&b, text);
}
