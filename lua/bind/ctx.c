/* ctx.c - one context per Lua state, found in the registry; errors of core on their way into Lua; ops that are tried again after
 * a collection. See ctx.h.
 */
#include "bind/ctx.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bind/error.h"
#include "moonflow.h"

/* Addresses used as registry keys: the state; the list of objects that were made while it closes. */
static const char state_key = 0, late_key = 0;

void mfl_set_ending_meta(lua_State *L, const mfl_state *S, const void *key) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  lua_setmetatable(L, -2);
  if (S->closing) mfl_hold_late(L);
}

void mfl_lock_meta(lua_State *L) {
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
}

void mfl_hold_late(lua_State *L) {
  luaL_checkstack(L, 3, "finalisers");
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &late_key) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &late_key);
  }
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  lua_pop(L, 1);
}

/* A finaliser may make further objects: the list grows while it is walked. */
static void end_late(lua_State *L) {
  luaL_checkstack(L, 4, "finalisers");
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &late_key) == LUA_TTABLE) {
    for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++) {
      luaL_getmetafield(L, -1, "__gc");
      lua_insert(L, -2);
      if (lua_pcall(L, 1, 0, 0)) lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static int state_gc(lua_State *L) {
  mfl_state *S = lua_touserdata(L, 1);
  end_late(L);
  mf_status_release(S->pending);
  S->pending = NULL;
  if (!S->ctx) return 0;
  mf_ctx_release(S->ctx);
  S->ctx = NULL;
  mf_close();
  return 0;
}

/* mf_position_fn: called by core, so it must neither raise nor allocate. */
static void position(mf_ctx *ctx, char *text, int size) {
  mfl_state *S = ctx->binding;
  text[0] = 0;
  mfl_format_position(S->L, text, size);
}

/* mf_reclaim_fn: finalisers may call ops from other coroutines. */
static void reclaim(mf_ctx *ctx) {
  mfl_state *S = ctx->binding;
  lua_State *L = S->L;
  mfl_collect_all(L, S);
  S->L = L;
  ctx->strand = L;
}

mfl_state *mfl_state_get(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  mfl_state *S = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return S;
}

mfl_state *mfl_state_open(lua_State *L) {
  mfl_state *S = mfl_state_get(L);
  if (S) return S;
  luaL_checkstack(L, 4, "moonflow");
  S = lua_newuserdatauv(L, sizeof *S, 0);
  memset(S, 0, sizeof *S);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, state_gc);
  lua_setfield(L, -2, "__gc");
  lua_pushliteral(L, "moonflow.state");
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  lua_setmetatable(L, -2);
  mf_status status = mf_init();
  if (!status) {
    status = mf_ctx_new(&S->ctx);
    if (status) mf_close();
  }
  mfl_check(L, S, status);
  S->L = L;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  S->main = lua_tothread(L, -1);
  lua_pop(L, 1);
  S->ctx->binding = S;
  S->ctx->position = position;
  S->ctx->reclaim = reclaim;
  mfl_collect_open(L, S);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
  return S;
}

int mfl_fail_closed(lua_State *L) {
  return luaL_error(L, "moonflow was used while its Lua state was closing");
}

void mfl_set_functions(lua_State *L, mfl_state *S, const luaL_Reg *functions) {
  lua_pushlightuserdata(L, S);
  luaL_setfuncs(L, functions, 1);
}

void *mfl_push_scratch(lua_State *L, size_t bytes) {
  luaL_checkstack(L, 1, "scratch");
  return lua_newuserdatauv(L, bytes ? bytes : 1, 0);
}

/* ---- errors */

int mfl_raise_status(lua_State *L, mfl_state *S, mf_status status) {
  mf_status_release(S->pending);
  S->pending = status; /* ended by the next error, or with the state, should Lua's memory run out below */
  luaL_checkstack(L, 4, "error");
  lua_pushstring(L, mf_status_message(status));
  mfl_error_new(L, mf_code_name(mf_status_code(status)), mf_status_op(status));
  mf_status_release(S->pending);
  S->pending = NULL;
  return lua_error(L);
}

mf_code mfl_code_of(const char *name) {
  for (int code = MF_CANCELLED; name && code <= MF_UNAUTHENTICATED; code++)
    if (!strcmp(mf_code_name((mf_code)code), name)) return (mf_code)code;
  return MF_UNKNOWN;
}

int mfl_invalid(lua_State *L, const char *op, const char *format, ...) {
  luaL_checkstack(L, 4, "error");
  lua_pushfstring(L, "%s: ", op);
  va_list args;
  va_start(args, format);
  lua_pushvfstring(L, format, args);
  va_end(args);
  lua_concat(L, 2);
  return mfl_raise_top(L, "INVALID_ARGUMENT", op);
}
