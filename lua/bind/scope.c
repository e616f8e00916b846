/* scope.c - tf.scope(): see scope.h. */
#include "bind/scope.h"

#include <lauxlib.h>


/* Address used as registry key: the metatable. */
static const char meta_key = 0;

typedef struct mfl_scope mfl_scope;
struct mfl_scope {
  mfl_box head;            /* of a ring: head.after is the first box */
  mfl_scope *outer;
  void *strand;
  bool open;
};

void mfl_scope_add(mfl_state *S, mfl_box *box) {
  mfl_scope *s = S->scope;
  while (s && s->strand != S->ctx->strand) s = s->outer;
  if (!s) return;
  box->before = s->head.before;
  box->after = &s->head;
  s->head.before->after = box;
  s->head.before = box;
}

void mfl_scope_remove(mfl_box *box) {
  if (!box->after) return;
  box->before->after = box->after;
  box->after->before = box->before;
  box->before = box->after = NULL;
}

/* Takes the scope off the state's list, wherever it stands in it. */
static void leave(mfl_state *S, mfl_scope *s) {
  mfl_scope **link = &S->scope;
  while (*link && *link != s) link = &(*link)->outer;
  if (*link) *link = s->outer;
  s->open = false;
}

static mfl_scope *check_scope(lua_State *L) {
  mfl_scope *s = lua_touserdata(L, 1);
  if (s && lua_getmetatable(L, 1)) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &meta_key);
    if (lua_rawequal(L, -1, -2)) {
      lua_pop(L, 2);
      return s;
    }
  }
  luaL_typeerror(L, 1, "tf.scope");
  return NULL;
}

static int scope_open(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mfl_scope *s = lua_newuserdatauv(L, sizeof *s, 0);
  *s = (mfl_scope){.strand = L, .open = true};
  s->head.before = s->head.after = &s->head;
  mfl_set_ending_meta(L, S, &meta_key);
  s->outer = S->scope;
  S->scope = s;
  return 1;
}

static int scope_close(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mfl_scope *s = check_scope(L);
  if (!s->open) return 0;
  leave(S, s);
  while (s->head.after != &s->head) {
    mfl_box *box = s->head.after;
    mfl_scope_remove(box);
    mfl_box_clear(S, box);
  }
  return 0;
}

static int scope_gc(lua_State *L) {
  mfl_state *S = lua_touserdata(L, lua_upvalueindex(1));
  mfl_scope *s = lua_touserdata(L, 1);
  if (s->open) leave(S, s);
  while (s->head.after != &s->head) mfl_scope_remove(s->head.after);
  return 0;
}

enum { DEEPEST = 64 };

/* Keeps the tensors at `index`, also those in nested tables. Kept boxes go to the outer scope, if there is one. */
static void keep(lua_State *L, mfl_state *S, const mfl_scope *s, int index, int depth) {
  mfl_box *box = mfl_test_box(L, S, index);
  if (box) {
    mfl_scope_remove(box);
    mfl_scope *inner = S->scope;
    S->scope = s->outer;
    mfl_scope_add(S, box);
    S->scope = inner;
    return;
  }
  if (!lua_istable(L, index) || depth == DEEPEST) return;
  luaL_checkstack(L, 4, "scope:keep");
  lua_pushnil(L);
  while (lua_next(L, index)) {
    keep(L, S, s, lua_gettop(L), depth + 1);
    lua_pop(L, 1);
  }
}

/* s:keep(...) keeps its arguments and returns them. */
static int scope_keep(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mfl_scope *s = check_scope(L);
  int n = lua_gettop(L);
  for (int i = 2; i <= n; i++) keep(L, S, s, i, 0);
  return n - 1;
}

int mfl_open_scope(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", scope_gc}, {"__close", scope_close}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"keep", scope_keep}, {"close", scope_close}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"open", scope_open}, {NULL, NULL}};
  mfl_state *S = mfl_state_get(L);
  luaL_checkstack(L, 8, "scope");
  lua_createtable(L, 0, 8);
  mfl_set_functions(L, S, meta);
  lua_pushliteral(L, "object");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushliteral(L, "tf.scope");
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  luaL_newlibtable(L, methods);
  mfl_set_functions(L, S, methods);
  lua_setfield(L, -2, "__index");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &meta_key);
  luaL_newlibtable(L, functions);
  mfl_set_functions(L, S, functions);
  return 1;
}
