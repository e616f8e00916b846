/* data.c - userdata around core datasets and iterators. Arguments were checked by moonflow/data/dataset.lua. */
#include "bind/data.h"

#include <lauxlib.h>

#include "bind/dtype.h"
#include "bind/graph.h"
#include "bind/shape.h"
#include "data/dataset.h"

static const char dataset_key = 0, iterator_key = 0;

typedef struct dataset_box {
  mf_dataset *d;
} dataset_box;

typedef struct iterator_box {
  mf_iterator *it;
  int n;
} iterator_box;

/* The userdata at `index` when its metatable is the one stored under `key`. */
static void *test_box(lua_State *L, int index, const char *key) {
  void *box = lua_touserdata(L, index);
  if (!box || !lua_getmetatable(L, index)) return NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same ? box : NULL;
}

static mf_dataset *check_dataset(lua_State *L, int index) {
  dataset_box *box = test_box(L, index, &dataset_key);
  if (!box || !box->d) luaL_typeerror(L, index, "dataset");
  return box->d;
}

static dataset_box *push_dataset(lua_State *L, const mfl_state *S) {
  dataset_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  box->d = NULL;
  mfl_set_ending_meta(L, S, &dataset_key);
  return box;
}

static int dataset_gc(lua_State *L) {
  dataset_box *box = lua_touserdata(L, 1);
  mf_dataset_release(box->d);
  box->d = NULL;
  return 0;
}

/* ---- making. Each returns one dataset. */

/* slices(list of tensors) */
static int data_slices(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  int n;
  dataset_box *box = push_dataset(L, S);
  mf_tensor **tensors = mfl_push_tensor_list(L, S, 1, &n, "Dataset.from_tensor_slices", "tensors");
  mfl_check(L, S, mf_dataset_slices(tensors, n, &box->d));
  lua_pop(L, 1);
  return 1;
}

/* range(start, stop, step) */
static int data_range(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  lua_Integer start = luaL_checkinteger(L, 1), stop = luaL_checkinteger(L, 2), step = luaL_checkinteger(L, 3);
  dataset_box *box = push_dataset(L, S);
  mfl_check(L, S, mf_dataset_range(start, stop, step, &box->d));
  return 1;
}

/* map(dataset, graph, parallel calls, seed) */
static int data_map(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_dataset *input = check_dataset(L, 1);
  mf_graph *g = mfl_check_graph(L, 2, "Dataset.map");
  lua_Integer parallel = luaL_checkinteger(L, 3), seed = luaL_checkinteger(L, 4);
  dataset_box *box = push_dataset(L, S);
  mfl_check(L, S, mf_dataset_map(input, g, parallel > 256 ? 256 : (int)parallel, seed, &box->d));
  return 1;
}

/* batch(dataset, size, drop_remainder) */
static int data_batch(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_dataset *input = check_dataset(L, 1);
  lua_Integer size = luaL_checkinteger(L, 2);
  bool drop = lua_toboolean(L, 3);
  dataset_box *box = push_dataset(L, S);
  mfl_check(L, S, mf_dataset_batch(input, size, drop, &box->d));
  return 1;
}

/* shuffle(dataset, buffer size, op seed or nil, reshuffle_each_iteration) */
static int data_shuffle(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_dataset *input = check_dataset(L, 1);
  int64_t seed, seed2;
  lua_Integer size = luaL_checkinteger(L, 2), op_seed = luaL_optinteger(L, 3, 0);
  bool reshuffle = lua_toboolean(L, 4);
  dataset_box *box = push_dataset(L, S);
  mf_ctx_op_seeds(S->ctx, !lua_isnoneornil(L, 3), op_seed, &seed, &seed2);
  mfl_check(L, S, mf_dataset_shuffle(input, size, seed, seed2, reshuffle, &box->d));
  return 1;
}

typedef mf_status (*counted_fn)(mf_dataset *input, int64_t count, mf_dataset **out);

static int counted(lua_State *L, counted_fn make) {
  mfl_state *S = mfl_enter(L);
  mf_dataset *input = check_dataset(L, 1);
  lua_Integer count = luaL_checkinteger(L, 2);
  dataset_box *box = push_dataset(L, S);
  mfl_check(L, S, make(input, count, &box->d));
  return 1;
}

static int data_repeat(lua_State *L) { return counted(L, mf_dataset_repeat); }
static int data_take(lua_State *L) { return counted(L, mf_dataset_take); }
static int data_skip(lua_State *L) { return counted(L, mf_dataset_skip); }
static int data_prefetch(lua_State *L) { return counted(L, mf_dataset_prefetch); }

/* zip(list of datasets) */
static int data_zip(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  int n = (int)lua_rawlen(L, 1);
  dataset_box *box = push_dataset(L, S);
  mf_dataset **inputs = mfl_push_scratch(L, (size_t)(n + 1) * sizeof *inputs);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 1, i + 1);
    inputs[i] = check_dataset(L, -1);
    lua_pop(L, 1);
  }
  mfl_check(L, S, mf_dataset_zip(inputs, n, &box->d));
  lua_pop(L, 1);
  return 1;
}

/* ---- asking */

/* spec(dataset): list of dtypes, list of shapes */
static int data_spec(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_dataset *d = check_dataset(L, 1);
  int n = mf_dataset_components(d);
  lua_createtable(L, n, 0);
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    mf_shape shape = mf_dataset_shape(d, i);
    mfl_push_dtype(L, mf_dataset_dtype(d, i));
    lua_rawseti(L, -3, i + 1);
    mfl_push_shape(L, S, &shape);
    lua_rawseti(L, -2, i + 1);
  }
  return 2;
}

static int data_cardinality(lua_State *L) {
  mfl_enter(L);
  lua_pushinteger(L, mf_dataset_cardinality(check_dataset(L, 1)));
  return 1;
}

static int data_name(lua_State *L) {
  mfl_enter(L);
  lua_pushstring(L, mf_dataset_name(check_dataset(L, 1)));
  return 1;
}

/* ---- iterating */

/* iterate(dataset): an iterator */
static int data_iterate(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_dataset *d = check_dataset(L, 1);
  iterator_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  box->it = NULL;
  box->n = mf_dataset_components(d);
  mfl_set_ending_meta(L, S, &iterator_key);
  mfl_check(L, S, mf_iterator_open(d, &box->it));
  return 1;
}

/* next(iterator): the components as that many values, or nothing at the end */
static int data_next(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  iterator_box *box = test_box(L, 1, &iterator_key);
  if (!box) luaL_typeerror(L, 1, "iterator");
  if (!box->it) return 0;
  lua_settop(L, 1);
  luaL_checkstack(L, box->n + 8, "components of an element");
  mf_tensor **out = mfl_push_scratch(L, (size_t)(box->n + 1) * sizeof *out);
  for (int i = 0; i < box->n; i++) mfl_push_box(L, S);
  bool end;
  mfl_check(L, S, mf_iterator_next(box->it, out, &end));
  if (end) return 0;
  for (int i = 0; i < box->n; i++) mfl_box_set(S, lua_touserdata(L, 3 + i), out[i]);
  return box->n;
}

static int data_close(lua_State *L) {
  iterator_box *box = test_box(L, 1, &iterator_key);
  if (!box) luaL_typeerror(L, 1, "iterator");
  mf_iterator *it = box->it;
  box->it = NULL;
  mf_iterator_close(it);
  return 0;
}

static void make_meta(lua_State *L, const char *key, const char *name, lua_CFunction end, bool closes) {
  lua_createtable(L, 0, 4);
  lua_pushstring(L, "object");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  lua_pushcfunction(L, end);
  lua_setfield(L, -2, "__gc");
  if (closes) {
    lua_pushcfunction(L, end);
    lua_setfield(L, -2, "__close");
  }
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

int mfl_open_data(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"slices", data_slices},   {"range", data_range},     {"map", data_map},           {"batch", data_batch},
      {"shuffle", data_shuffle}, {"repeat_", data_repeat},  {"take", data_take},         {"skip", data_skip},
      {"zip", data_zip},         {"prefetch", data_prefetch}, {"spec", data_spec},       {"cardinality", data_cardinality},
      {"name", data_name},       {"iterate", data_iterate}, {"next", data_next},         {"close", data_close},
      {NULL, NULL}};
  mfl_state *S = mfl_state_get(L);
  make_meta(L, &dataset_key, "core dataset", dataset_gc, false);
  make_meta(L, &iterator_key, "iterator", data_close, true);
  lua_createtable(L, 0, (int)(sizeof functions / sizeof *functions));
  mfl_set_functions(L, S, functions);
  return 1;
}
