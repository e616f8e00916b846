/* collect.c - Lua's collector sees boxes of a few dozen bytes, never the tensors behind them. Here native memory is counted and
 * the collector driven by it.
 *
 * The state runs in generational mode: a dead temporary is young, and a young collection costs time by the number of young
 * objects, however big the rest of the Lua heap is. New native memory as big as what is alive (LEAST_STEP to MOST_STEP) asks for
 * one young collection: so what a program keeps for a few steps only does not survive two of them. What does is old; when live
 * native memory has grown to twice what the last full collection left, a full collection finds it. As that walks the whole Lua
 * heap, native memory may grow by LEAST_LIMIT and by the heap's own size before it is done.
 */
#include "bind/ctx.h"

#include <lauxlib.h>

enum { LEAST_LIMIT = 32 << 20, LEAST_STEP = 8 << 20, MOST_STEP = 64 << 20 };

void mfl_charge(mfl_state *S, size_t bytes) {
  S->live += bytes;
  S->fresh += bytes;
}

void mfl_credit(mfl_state *S, size_t bytes) { S->live -= bytes < S->live ? bytes : S->live; }

static void set_limit(lua_State *L, mfl_state *S) {
  size_t heap = (size_t)lua_gc(L, LUA_GCCOUNT) << 10, twice = 2 * S->live;
  S->limit = S->live + heap > twice ? S->live + heap : twice;
  if (S->limit < LEAST_LIMIT) S->limit = LEAST_LIMIT;
  S->fresh = 0;
}

static void set_step(mfl_state *S) {
  S->step = S->live < LEAST_STEP ? LEAST_STEP : S->live > MOST_STEP ? MOST_STEP : S->live;
}

/* The collector may be stopped by the program, or be running us from a finaliser: then it is left alone. */
static bool may_collect(lua_State *L, mfl_state *S) {
  if (lua_gc(L, LUA_GCISRUNNING)) return true;
  S->fresh = 0;
  return false;
}

void mfl_collect_all(lua_State *L, mfl_state *S) {
  S->fulls++;
  lua_gc(L, LUA_GCCOLLECT);
  set_limit(L, S);
}

void mfl_collect(lua_State *L, mfl_state *S) {
  if (!may_collect(L, S)) return;
#ifdef MF_HOSTILE
  lua_gc(L, LUA_GCCOLLECT);
#endif
  S->fresh = 0;
  S->steps++;
  lua_gc(L, LUA_GCSTEP, 0);
  if (S->live > S->limit) mfl_collect_all(L, S);
  set_step(S);
  S->L = L;
  if (S->ctx) S->ctx->strand = L;
}

void mfl_collect_open(lua_State *L, mfl_state *S) {
  lua_gc(L, LUA_GCGEN, 0, 0);
  set_limit(L, S);
  set_step(S);
}
