/* ctx.h - what the bindings of one Lua state share: its context, the running coroutine, the count of native memory.
 *
 * Every C function of the bindings is a closure whose first upvalue is the state's mfl_state (a light userdata). It starts with
 * mfl_enter, which notes the calling coroutine: tapes and scopes apply to the coroutine that opened them, and errors and graph
 * nodes get the position of the caller's line.
 *
 * The order of work in a binding function: read and convert the arguments (may raise), make the boxes of the results (may run
 * the collector), fetch the tensors from their boxes, call core, store, raise last. Between fetching and storing no Lua function
 * is called, so nothing can end a borrowed handle.
 */
#ifndef MFL_BIND_CTX_H
#define MFL_BIND_CTX_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "ops/apply.h"
#include "tensor/context.h"
#include "tensor/tensor.h"

struct mfl_scope;

typedef struct mfl_state {
  mf_ctx *ctx;                /* NULL once the state is closing */
  lua_State *L;               /* the coroutine that called last; valid while it calls */
  lua_State *main;            /* the main thread */
  const void *tensor_meta, *variable_meta, *dtype_meta, *shape_meta;   /* metatables, by identity */
  struct mfl_scope *scope;    /* innermost open tf.scope, or NULL */
  mf_status pending;          /* an error on its way into an error object */
  int open_tapes, most_open_tapes; /* tape.c */
  bool closing;               /* lua_close runs: see mfl_hold_late */

  /* Native memory in bytes, as far as boxes hold it: see collect.c */
  size_t live;                /* now */
  size_t fresh;               /* added since the last step of the collector */
  size_t step;                /* fresh memory that asks for the next one */
  size_t limit;               /* live memory that asks for a full collection */
  lua_Integer steps, fulls;   /* collections made on behalf of native memory */
} mfl_state;

/* Makes the state's mfl_state and its context, or finds it. Raises. */
mfl_state *mfl_state_open(lua_State *L);
/* The state's mfl_state; it must have been opened. */
mfl_state *mfl_state_get(lua_State *L);

int mfl_fail_closed(lua_State *L);

/* Lua calls no finaliser of an object that was made while its state closes, that is by another finaliser. Such an object stands
 * in a list, and the state's own finaliser, which runs last, calls its __gc. */
void mfl_hold_late(lua_State *L);
/* Gives the object on top of the stack the metatable that the registry holds under `key`: from now on its __gc will be called. */
/* Hides the metatable on top of the stack from getmetatable, which gives false: metamethods trust their first argument. */
void mfl_lock_meta(lua_State *L);
void mfl_set_ending_meta(lua_State *L, const mfl_state *S, const void *key);

/* Makes `state` remember who calls. Every binding function starts with one of these two. */
static inline mfl_state *mfl_enter_state(lua_State *L, mfl_state *state) {
  if (!state->ctx) mfl_fail_closed(L);
  state->L = L;
  state->ctx->strand = L;
  return state;
}
static inline mfl_state *mfl_enter(lua_State *L) { return mfl_enter_state(L, lua_touserdata(L, lua_upvalueindex(1))); }

/* Puts the functions, closures over the state, into the table on top of the stack. */
struct luaL_Reg;
void mfl_set_functions(lua_State *L, mfl_state *S, const struct luaL_Reg *functions);

/* ---- errors */

/* Raises `status`, which is ended. Never returns. */
int mfl_raise_status(lua_State *L, mfl_state *S, mf_status status);
static inline void mfl_check(lua_State *L, mfl_state *S, mf_status status) {
  if (status) mfl_raise_status(L, S, status);
}
/* The code called `name`; MF_UNKNOWN for other names. */
mf_code mfl_code_of(const char *name);
/* Raises INVALID_ARGUMENT: "<op>: " and a text as lua_pushfstring makes it. */
int mfl_invalid(lua_State *L, const char *op, const char *format, ...);

/* ---- calling ops */

/* True when nobody looks: no tape, no trace. Shortcuts past mf_apply are allowed then. */
static inline bool mfl_is_plain(const mfl_state *S) { return !S->ctx->record && !S->ctx->trace; }

/* ---- native memory */

/* Room for `bytes` on the stack that lives as long as its stack slot. */
void *mfl_push_scratch(lua_State *L, size_t bytes);

void mfl_charge(mfl_state *S, size_t bytes);
void mfl_credit(mfl_state *S, size_t bytes);
/* Lets the collector work when enough native memory was made since it last did. Called before a box is made. */
void mfl_collect(lua_State *L, mfl_state *S);
static inline void mfl_collect_if_due(lua_State *L, mfl_state *S) {
#ifdef MF_HOSTILE
  mfl_collect(L, S);
#else
  if (S->fresh >= S->step) mfl_collect(L, S);
#endif
}
/* A full collection, finalisers run. */
void mfl_collect_all(lua_State *L, mfl_state *S);
void mfl_collect_open(lua_State *L, mfl_state *S);

/* Pushes a table of Lua functions about the context: seeds, devices, threads, memory. */
int mfl_open_ctx(lua_State *L);

#endif
