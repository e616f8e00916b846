/* graph.h - recording ops into a graph, and the reference interpreter that runs it.
 *
 * mf_trace_begin puts a new graph on top of the context; every mf_apply then adds a node and returns symbolic values.
 * Concrete tensors that are used become Const nodes (small, not objects) or captures (by reference: extra inputs whose values
 * are kept by the graph). The interpreter runs the nodes in program order through the eager kernels: it is slow and simple, and
 * stays the judge of every optimising pass.
 */
#ifndef MF_GRAPH_GRAPH_H
#define MF_GRAPH_GRAPH_H

#include "ops/node.h"

typedef struct mf_graph mf_graph;

/* ---- tracing */
mf_status mf_trace_begin(mf_ctx *ctx, mf_graph **out) MF_MUST_USE;         /* [OUT] count 1; ctx->trace = it */
/* A symbolic input; the shape may be partial. [OUT] *out new handle. */
mf_status mf_trace_input(mf_graph *g, mf_dtype dtype, const mf_shape *shape, const char *name, mf_tensor **out) MF_MUST_USE;
/* Ends tracing: ctx goes back to the state before mf_trace_begin. `outputs` must be values of g or concrete tensors. On failure
 * tracing has ended all the same. */
mf_status mf_trace_end(mf_graph *g, mf_tensor *const *outputs, int n_outputs) MF_MUST_USE;
void mf_trace_abandon(mf_graph *g);                                        /* after an error: ends tracing, keeps g's count */

mf_graph *mf_graph_retain(mf_graph *g);
void mf_graph_release(mf_graph *g);

int mf_graph_input_count(const mf_graph *g);       /* without captures */
int mf_graph_output_count(const mf_graph *g);
mf_dtype mf_graph_output_dtype(const mf_graph *g, int i);
mf_shape mf_graph_output_shape(const mf_graph *g, int i);                  /* as inferred: may be partial */
const mf_region *mf_graph_region(const mf_graph *g);
mf_tensor *const *mf_graph_captures(const mf_graph *g, int *n);            /* captured concrete tensors, borrowed */

/* ---- the reference interpreter. Inputs must fit the traced dtypes and shapes. [OUT] out[n_outputs]: new handles.
 * Re-entrant: several contexts may run one graph at once. */
mf_status mf_graph_interpret(mf_ctx *ctx, const mf_graph *g, mf_tensor *const *in, int n_in, mf_tensor **out, int n_out)
    MF_MUST_USE;

/* One line a node: "%3 = MatMul(%0, %2) {transpose_a=false, T=float} : float32[?,10]". *text is ended with mf_free. */
mf_status mf_graph_text(const mf_graph *g, char **text) MF_MUST_USE;

#endif
