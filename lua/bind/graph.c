/* graph.c - a graph userdata. moonflow/base/trace.lua pairs begin with finish or abandon; tests and datasets use it. */
#include "bind/graph.h"

#include <lauxlib.h>

#include "base/memory.h"
#include "bind/dtype.h"
#include "bind/error.h"
#include "bind/sentinel.h"
#include "bind/shape.h"

static const char meta_key = 0;

typedef struct graph_box {
  mf_graph *g;
  bool open;                 /* between begin and finish */
} graph_box;

static graph_box *test_graph(lua_State *L, int index) {
  graph_box *box = lua_touserdata(L, index);
  if (!box || !lua_getmetatable(L, index)) return NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &meta_key);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same && box->g ? box : NULL;
}

mf_graph *mfl_check_graph(lua_State *L, int index, const char *op) {
  graph_box *box = test_graph(L, index);
  if (!box) mfl_invalid(L, op, "expected a graph");
  return box->g;
}

/* ---- lists of tensors */

mf_tensor **mfl_push_tensor_list(lua_State *L, mfl_state *S, int index, int *n, const char *op, const char *argument) {
  luaL_checktype(L, index, LUA_TTABLE);
  lua_Unsigned length = lua_rawlen(L, index);
  if (length > INT32_MAX / 64) mfl_invalid(L, op, "argument '%s': too many tensors", argument);
  *n = (int)length;
  mf_tensor **list = mfl_push_scratch(L, (size_t)(*n + 1) * sizeof *list);
  for (int i = 0; i < *n; i++) {
    lua_rawgeti(L, index, i + 1);
    if (!mfl_test_box(L, S, -1)) {
      mfl_push_description(L, lua_gettop(L));
      mfl_invalid(L, op, "argument '%s': expected tensors, received %s", argument, lua_tostring(L, -1));
    }
    list[i] = mfl_get_tensor(L, S, lua_gettop(L));
    lua_pop(L, 1);
  }
  return list;
}

void mfl_push_box_list(lua_State *L, mfl_state *S, int n) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    mfl_push_box(L, S);
    lua_rawseti(L, -2, i + 1);
  }
}

void mfl_fill_box_list(lua_State *L, mfl_state *S, int list, mf_tensor **out, int n) {
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, list, i + 1);
    mfl_box_set(S, lua_touserdata(L, -1), out[i]);
    out[i] = NULL;
    lua_pop(L, 1);
  }
}

/* ---- functions */

static int graph_gc(lua_State *L) {
  graph_box *box = lua_touserdata(L, 1);
  if (box->g && box->open) mf_trace_abandon(box->g);
  mf_graph_release(box->g);
  box->g = NULL;
  return 0;
}

/* begin(): tracing starts; every op adds a node until finish or abandon. */
static int graph_begin(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  graph_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (graph_box){0};
  mfl_set_ending_meta(L, S, &meta_key);
  mfl_check(L, S, mf_trace_begin(S->ctx, &box->g));
  box->open = true;
  return 1;
}

/* input(graph, dtype, shape, name or nil): a symbolic tensor. */
static int graph_input(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_graph *g = mfl_check_graph(L, 1, "Graph.input");
  mf_dtype dtype = mfl_check_dtype(L, 2, "Graph.input", "dtype");
  mf_shape shape;
  mf_tensor *t;
  mfl_check_shape(L, S, 3, "Graph.input", "shape", &shape);
  const char *name = luaL_optstring(L, 4, NULL);
  mfl_box *box = mfl_push_box(L, S);
  mfl_check(L, S, mf_trace_input(g, dtype, &shape, name, &t));
  mfl_box_set(S, box, t);
  return 1;
}

/* finish(graph, list of tensors): tracing ends; these are the outputs. */
static int graph_finish(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  int n;
  mf_graph *g = mfl_check_graph(L, 1, "Graph.finish");
  mf_tensor **outputs = mfl_push_tensor_list(L, S, 2, &n, "Graph.finish", "outputs");
  ((graph_box *)lua_touserdata(L, 1))->open = false;
  mfl_check(L, S, mf_trace_end(g, outputs, n));
  return 0;
}

/* abandon(graph): tracing ends without a result; again is allowed. */
static int graph_abandon(lua_State *L) {
  mfl_enter(L);
  graph_box *box = test_graph(L, 1);
  if (box && box->open) mf_trace_abandon(box->g);
  if (box) box->open = false;
  return 0;
}

/* run(graph, list of tensors): a list of the outputs, by the reference interpreter. */
static int graph_run(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  int n_in;
  mf_graph *g = mfl_check_graph(L, 1, "Graph.run");
  int n_out = mf_graph_output_count(g);
  lua_settop(L, 2);
  mfl_push_box_list(L, S, n_out);
  mf_tensor **out = mfl_push_scratch(L, (size_t)(n_out + 1) * sizeof *out);
  mf_tensor **in = mfl_push_tensor_list(L, S, 2, &n_in, "Graph.run", "inputs");
  mfl_check(L, S, mf_graph_interpret(S->ctx, g, in, n_in, out, n_out));
  mfl_fill_box_list(L, S, 3, out, n_out);
  lua_settop(L, 3);
  return 1;
}

static int graph_text(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  char *text;
  mfl_check(L, S, mf_graph_text(mfl_check_graph(L, 1, "Graph.text"), &text));
  lua_pushstring(L, text);
  mf_free(text);
  return 1;
}

/* call(f, ...): f(...), which cannot yield: a coroutine that was left in the middle would leave the trace open. */
static int graph_call(lua_State *L) {
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

int mfl_open_graph(lua_State *L) {
  static const luaL_Reg functions[] = {{"begin", graph_begin},     {"input", graph_input}, {"finish", graph_finish},
                                       {"abandon", graph_abandon}, {"run", graph_run},     {"text", graph_text},
                                       {"call", graph_call},       {NULL, NULL}};
  mfl_state *S = mfl_state_get(L);
  lua_createtable(L, 0, 4);
  lua_pushstring(L, "object");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushstring(L, "Graph");
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  lua_pushcfunction(L, graph_gc);
  lua_setfield(L, -2, "__gc");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &meta_key);
  lua_createtable(L, 0, (int)(sizeof functions / sizeof *functions));
  mfl_set_functions(L, S, functions);
  return 1;
}
