/* graph_data.h - the fields of mf_graph. Internal to core/graph. */
#ifndef MF_GRAPH_GRAPH_DATA_H
#define MF_GRAPH_GRAPH_DATA_H

#include "base/hash.h"
#include "graph/graph.h"

struct mf_graph {
  atomic_int count;
  mf_region region;
  mf_node **inputs;              /* Placeholder nodes of the declared inputs, counted */
  size_t n_inputs, input_capacity;
  mf_tensor **captures;          /* values of captured concrete tensors, counted */
  size_t n_captures, capture_capacity;
  mf_node **capture_nodes;       /* Placeholder nodes of the captures, counted */
  size_t capture_node_capacity;
  mf_tensor **outputs;           /* symbolic */
  int n_outputs;
  mf_map concrete;               /* serial of a lifted concrete tensor -> 1 + node index */

  mf_ctx *ctx;                   /* while tracing; NULL afterwards */
  mf_graph *outer;
  mf_trace_fn outer_add;
};

#endif
