/* tape.c - tf.GradientTape's C half: a tape userdata with flat lists of tensors. moonflow/autodiff.lua walks the structures,
 * checks the arguments and adds jacobian.
 *
 * The core tape is always persistent; whether this one is follows here, so that jacobian may ask row by row. A tape that is not
 * persistent is taken off the stack and emptied by its first gradient.
 */
#include <lauxlib.h>

#include "autodiff/tape.h"
#include "bind/error.h"
#include "bind/sentinel.h"
#include "bind/tape.h"
#include "bind/variable.h"

/* Addresses used as registry keys: metatables of tapes and of lists of gradients. */
static const char meta_key = 0, grads_key = 0;

typedef struct tape_box {
  mf_tape *tape;
} tape_box;

static mf_tape *check_tape(lua_State *L) {
  tape_box *box = lua_touserdata(L, 1);
  bool same = false;
  if (box && lua_getmetatable(L, 1)) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &meta_key);
    same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
  }
  if (!same || !box->tape) luaL_typeerror(L, 1, "tf.GradientTape");
  return box->tape;
}

/* Every op looks at every open tape: those that nobody knows any more are ended in time. */
static void end_forgotten(lua_State *L, mfl_state *S) {
  enum { LEAST = 32 };
  if (S->open_tapes < S->most_open_tapes || S->open_tapes < LEAST) return;
  mfl_collect_all(L, S);
  S->most_open_tapes = 2 * S->open_tapes;
}

/* open(watch_accessed_variables) */
static int tape_open(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  bool watch = lua_toboolean(L, 1);
  end_forgotten(L, S);
  tape_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  box->tape = NULL;
  mfl_set_ending_meta(L, S, &meta_key);
  mfl_check(L, S, mf_tape_open(S->ctx, true, watch, &box->tape));
  S->open_tapes++;
  return 1;
}

static int tape_close(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tape *tape = check_tape(L);
  if (mf_tape_is_open(tape)) S->open_tapes--;
  mf_tape_close(tape);
  return 0;
}

static int tape_gc(lua_State *L) {
  tape_box *box = lua_touserdata(L, 1);
  mfl_state *S = mfl_state_get(L);
  if (S && box->tape && mf_tape_is_open(box->tape)) S->open_tapes--;
  mf_tape_release(box->tape);
  box->tape = NULL;
  return 0;
}

static int tape_is_open(lua_State *L) {
  mfl_enter(L);
  lua_pushboolean(L, mf_tape_is_open(check_tape(L)));
  return 1;
}

static int tape_pause(lua_State *L) {
  mfl_enter(L);
  mf_tape_pause(check_tape(L));
  return 0;
}

static int tape_resume(lua_State *L) {
  mfl_enter(L);
  mf_tape_resume(check_tape(L));
  return 0;
}

static int tape_reset(lua_State *L) {
  mfl_enter(L);
  mf_tape_reset(check_tape(L));
  return 0;
}

/* The handle by which a tape knows the value at `index`: a variable's resource handle, or the tensor. */
static mf_tensor *handle_at(lua_State *L, mfl_state *S, int index, const char *argument) {
  mfl_variable *v = mfl_test_variable(L, S, index);
  if (v && v->v) return v->handle;
  if (mfl_test_box(L, S, index)) return mfl_get_tensor(L, S, index);
  mfl_push_description(L, index);
  mfl_invalid(L, "GradientTape", "argument '%s': expected tensors or variables, received %s", argument, lua_tostring(L, -1));
  return NULL;
}

static int tape_watch(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tape *tape = check_tape(L);
  mfl_check(L, S, mf_tape_watch(tape, handle_at(L, S, 2, "tensor")));
  return 0;
}

static int tape_variables(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tape *tape = check_tape(L);
  size_t n;
  mf_tape_variables(tape, &n);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    size_t now;
    mf_tensor *handle = mf_tape_variables(tape, &now)[i];
    mf_variable *v;
    mfl_check(L, S, mf_variable_from_handle(handle, "GradientTape", &v));
    mfl_push_variable(L, S, v, handle);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* ---- gradient */

/* Gradients between core and their boxes: a userdata that ends what was not taken out of it. */
typedef struct grad_list {
  int n;
  mf_grad grads[];
} grad_list;

static int grads_gc(lua_State *L) {
  grad_list *list = lua_touserdata(L, 1);
  for (int i = 0; i < list->n; i++) mf_grad_release(&list->grads[i]);
  list->n = 0;
  return 0;
}

static grad_list *push_grads(lua_State *L, const mfl_state *S, int n) {
  size_t size = sizeof(grad_list) + (size_t)n * sizeof(mf_grad);
  grad_list *list = lua_newuserdatauv(L, size, 0);
  list->n = 0;
  for (int i = 0; i < n; i++) list->grads[i] = (mf_grad){0};
  list->n = n;
  mfl_set_ending_meta(L, S, &grads_key);
  return list;
}

static int list_length(lua_State *L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  lua_Unsigned n = lua_rawlen(L, index);
  if (n > INT32_MAX / 64) mfl_invalid(L, "GradientTape.gradient", "%I values are too many", (LUAI_UACINT)n);
  return (int)n;
}

/* Handles of the list at `index` into scratch memory; false in the list gives NULL when `optional`. */
static mf_tensor **push_handles(lua_State *L, mfl_state *S, int index, int n, const char *argument, bool optional) {
  mf_tensor **handles = mfl_push_scratch(L, (size_t)n * sizeof *handles);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, index, i + 1);
    bool absent = optional && !lua_toboolean(L, -1);
    handles[i] = absent ? NULL : handle_at(L, S, lua_gettop(L), argument);
    lua_pop(L, 1);
  }
  return handles;
}

static void take_part(lua_State *L, mfl_state *S, mf_tensor **part, const char *name) {
  mfl_box *box = mfl_push_box(L, S);
  mfl_box_set(S, box, *part);
  *part = NULL;
  lua_setfield(L, -2, name);
}

/* Pushes the gradient: a tensor, a table {values, indices, dense_shape}, or false. */
static void push_grad(lua_State *L, mfl_state *S, mf_grad *g) {
  if (g->kind == MF_GRAD_NONE) {
    lua_pushboolean(L, 0);
  } else if (g->kind == MF_GRAD_DENSE) {
    mfl_box *box = mfl_push_box(L, S);
    mfl_box_set(S, box, g->values);
    g->values = NULL;
  } else {
    lua_createtable(L, 0, 3);
    take_part(L, S, &g->values, "values");
    take_part(L, S, &g->indices, "indices");
    take_part(L, S, &g->dense_shape, "dense_shape");
  }
}

/* gradient(targets, sources, output_gradients or nil, quiet): lists; the result is a list as long as sources. `quiet`: the tape
 * does not record the computation. */
static int tape_gradient(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tape *tape = check_tape(L);
  bool quiet = lua_toboolean(L, 5);
  int n_targets = list_length(L, 2), n_sources = list_length(L, 3);
  lua_settop(L, 4);
  luaL_checkstack(L, 12, "gradient");
  lua_createtable(L, n_sources, 0);
  grad_list *list = push_grads(L, S, n_sources);
  mfl_collect_if_due(L, S);
  mf_tensor **outputs = lua_isnil(L, 4) ? NULL : push_handles(L, S, 4, n_targets, "output_gradients", true);
  mf_tensor **targets = push_handles(L, S, 2, n_targets, "target", false);
  mf_tensor **sources = push_handles(L, S, 3, n_sources, "sources", false);
  if (quiet) mf_tape_pause(tape);
  mf_status status = mf_tape_gradient(tape, targets, n_targets, outputs, sources, n_sources, list->grads);
  if (quiet) mf_tape_resume(tape);
  mfl_check(L, S, status);
  for (int i = 0; i < n_sources; i++) {
    push_grad(L, S, &list->grads[i]);
    lua_rawseti(L, 5, i + 1);
  }
  lua_settop(L, 5);
  return 1;
}

/* ---- opening */

static void make_metas(lua_State *L, mfl_state *S) {
  static const luaL_Reg meta[] = {{"__gc", tape_gc}, {"__close", tape_close}, {NULL, NULL}};
  lua_createtable(L, 0, 6);
  mfl_set_functions(L, S, meta);
  lua_pushliteral(L, "object");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushliteral(L, "tf.GradientTape");
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &meta_key);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, grads_gc);
  lua_setfield(L, -2, "__gc");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &grads_key);
}

/* Lua's half becomes the tape's __index. */
static int tape_set_methods(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &meta_key);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "__index");
  return 0;
}

/* A table that belongs to the tape: where Lua's half keeps its state. */
static int tape_data(lua_State *L) {
  check_tape(L);
  if (lua_getiuservalue(L, 1, 1) == LUA_TTABLE) return 1;
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, 1);
  return 1;
}

int mfl_open_tape(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"open", tape_open},     {"close", tape_close}, {"is_open", tape_is_open},     {"pause", tape_pause},
      {"resume", tape_resume}, {"reset", tape_reset}, {"watch", tape_watch},         {"variables", tape_variables},
      {"data", tape_data},     {"gradient", tape_gradient}, {"set_methods", tape_set_methods}, {NULL, NULL}};
  mfl_state *S = mfl_state_get(L);
  luaL_checkstack(L, 8, "tape");
  make_metas(L, S);
  luaL_newlibtable(L, functions);
  mfl_set_functions(L, S, functions);
  return 1;
}
