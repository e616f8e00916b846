/* graph.h - traces as Lua sees them: recording ops into a graph and running it with the reference interpreter. */
#ifndef MFL_BIND_GRAPH_H
#define MFL_BIND_GRAPH_H

#include "bind/tensor.h"
#include "graph/graph.h"

/* The graph at `index`; raises naming `op`. Borrowed. */
mf_graph *mfl_check_graph(lua_State *L, int index, const char *op);
/* Handles of the list of tensors at `index` (n of them) into scratch memory that is pushed. */
mf_tensor **mfl_push_tensor_list(lua_State *L, mfl_state *S, int index, int *n, const char *op, const char *argument);
/* Pushes a list with boxes of out[0..n-1], whose references it takes (also when it raises). `boxes` stands on top of the stack:
 * made by mfl_push_box_list before core was called. */
void mfl_push_box_list(lua_State *L, mfl_state *S, int n);
void mfl_fill_box_list(lua_State *L, mfl_state *S, int list, mf_tensor **out, int n);

/* Pushes a table: begin, input, finish, abandon, run, text: see graph.c. */
int mfl_open_graph(lua_State *L);

#endif
