/* custom_gradient.c - tf.custom_gradient's C half: a record on the open tapes whose gradient is a Lua function.
 *
 * The function lives in a userdata that the registry keeps under its own address, until core ends the record. Core calls it while
 * it walks backward: everything that touches Lua then runs inside one protected call, and an error becomes a status.
 */
#include "bind/custom_gradient.h"

#include <lauxlib.h>
#include <string.h>

#include "autodiff/tape.h"
#include "bind/error.h"
#include "bind/sentinel.h"
#include "bind/variable.h"

typedef struct holder {
  mfl_state *state;
} holder;

/* One call of the function, as the trampoline sees it. */
typedef struct gradient_call {
  holder *h;
  mf_tensor *const *dy;
  int n_out;
  mf_grad *dx;
  int n_in;
} gradient_call;

static void end_holder(void *user) {
  holder *h = user;
  lua_State *L = h->state->main;
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, h); /* the key exists: nothing is allocated */
}

/* The gradient on top of the stack into dx; the part of a table `name` into *part. */
static void take_part(lua_State *L, mfl_state *S, const char *name, mf_tensor **part) {
  lua_getfield(L, -1, name);
  if (!lua_isnil(L, -1)) {
    mfl_to_tensor(L, S, lua_gettop(L), (mfl_wish){.op = "custom_gradient", .argument = name});
    *part = mf_tensor_retain(mfl_get_tensor(L, S, -1));
  }
  lua_pop(L, 1);
}

static void take_gradient(lua_State *L, mfl_state *S, mf_grad *dx) {
  int index = lua_gettop(L);
  const char *kind = mfl_kind_of(L, index);
  if (!lua_toboolean(L, index) || mfl_is_none(L, index)) return;
  if (kind && !strcmp(kind, "composite")) {
    dx->kind = MF_GRAD_SLICES;
    take_part(L, S, "values", &dx->values);
    take_part(L, S, "indices", &dx->indices);
    take_part(L, S, "dense_shape", &dx->dense_shape);
    return;
  }
  mfl_to_tensor(L, S, index, (mfl_wish){.op = "custom_gradient", .argument = "gradient"});
  dx->kind = MF_GRAD_DENSE;
  dx->values = mf_tensor_retain(mfl_get_tensor(L, S, index));
}

/* Lua's function gets a list of dy (false: none) and returns a list of gradients, one an input. */
static int call_function(lua_State *L) {
  gradient_call *c = lua_touserdata(L, 1);
  mfl_state *S = c->h->state;
  luaL_checkstack(L, 12, "custom_gradient");
  lua_rawgetp(L, LUA_REGISTRYINDEX, c->h);
  lua_getiuservalue(L, -1, 1);
  lua_createtable(L, c->n_out, 0);
  for (int i = 0; i < c->n_out; i++) {
    if (c->dy[i]) mfl_push_tensor(L, S, c->dy[i]);
    else lua_pushboolean(L, 0);
    lua_rawseti(L, -2, i + 1);
  }
  lua_call(L, 1, 1);
  if (!lua_istable(L, -1) || (int)lua_rawlen(L, -1) != c->n_in)
    return mfl_invalid(L, "custom_gradient", "the gradient function must return %d gradients, received %d", c->n_in,
                       lua_istable(L, -1) ? (int)lua_rawlen(L, -1) : 0);
  for (int i = 0; i < c->n_in; i++) {
    lua_rawgeti(L, -1, i + 1);
    take_gradient(L, S, &c->dx[i]);
    lua_pop(L, 1);
  }
  return 0;
}

static mf_status take_error(lua_State *L) {
  mf_status status;
  if (mfl_is_error(L, -1)) {
    lua_getfield(L, -1, "message");
    lua_getfield(L, -2, "code");
    status = mf_fail(mfl_code_of(lua_tostring(L, -1)), "%s", lua_tostring(L, -2));
    lua_pop(L, 2);
  } else {
    status = mf_fail(MF_UNKNOWN, "%s", lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "custom_gradient: error");
  }
  lua_pop(L, 1);
  return status;
}

static mf_status call_gradient(mf_ctx *ctx, void *user, mf_tensor *const *dy, int n_out, mf_grad *dx, int n_in) {
  holder *h = user;
  lua_State *L = h->state->L;
  gradient_call c = {h, dy, n_out, dx, n_in};
  if (!lua_checkstack(L, 4)) return mf_fail_oom();
  lua_pushcfunction(L, call_function);
  lua_pushlightuserdata(L, &c);
  int rc = lua_pcall(L, 1, 0, 0);
  h->state->L = L;
  ctx->strand = L;
  if (!rc) return NULL;
  for (int i = 0; i < n_in; i++) mf_grad_release(&dx[i]);
  return take_error(L);
}

static mf_tensor **push_handles(lua_State *L, mfl_state *S, int index, int n) {
  mf_tensor **handles = mfl_push_scratch(L, (size_t)n * sizeof *handles);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, index, i + 1);
    mfl_variable *v = mfl_test_variable(L, S, lua_gettop(L));
    if (v && v->v) handles[i] = v->handle;
    else if (mfl_test_box(L, S, lua_gettop(L))) handles[i] = mfl_get_tensor(L, S, -1);
    else mfl_invalid(L, "custom_gradient", "expected tensors and variables");
    lua_pop(L, 1);
  }
  return handles;
}

/* record(inputs, outputs, function): lists of tensors or variables. */
static int custom_record(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TFUNCTION);
  int n_in = (int)lua_rawlen(L, 1), n_out = (int)lua_rawlen(L, 2);
  if (!S->ctx->record) return 0;
  holder *h = lua_newuserdatauv(L, sizeof *h, 1);
  h->state = S;
  lua_pushvalue(L, 3);
  lua_setiuservalue(L, -2, 1);
  mf_tensor **in = push_handles(L, S, 1, n_in), **out = push_handles(L, S, 2, n_out);
  lua_pushvalue(L, 4);
  lua_rawsetp(L, LUA_REGISTRYINDEX, h);
  mfl_check(L, S, mf_tape_record_custom(S->ctx, in, n_in, out, n_out, call_gradient, h, end_holder));
  return 0;
}

int mfl_open_custom_gradient(lua_State *L) {
  static const luaL_Reg functions[] = {{"record", custom_record}, {NULL, NULL}};
  luaL_newlibtable(L, functions);
  mfl_set_functions(L, mfl_state_get(L), functions);
  return 1;
}
