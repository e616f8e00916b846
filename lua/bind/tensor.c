/* tensor.c - the box around a tensor, its fields and methods. See tensor.h.
 *
 * A member is looked for in this order: fields, methods in C, methods that Lua modules added, the fallback (a Lua function that
 * maps a name to a method: the public functions whose first parameter is a tensor). A string that is no member may be a slice.
 */
#include "bind/tensor.h"

#include <lauxlib.h>
#include <string.h>

#include "bind/dtype.h"
#include "bind/error.h"
#include "bind/scope.h"
#include "bind/sentinel.h"
#include "bind/shape.h"
#include "bind/variable.h"

/* Addresses used as registry keys. */
static const char meta_key = 0, fallback_key = 0;

/* A small object costs its handle and its buffer's head beside the elements. */
enum { HANDLE_BYTES = 192 };

static mfl_box *new_box(lua_State *L, mfl_state *S) {
  mfl_collect_if_due(L, S);
  mfl_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (mfl_box){.state = S};
  return box;
}

mfl_box *mfl_push_box(lua_State *L, mfl_state *S) {
  mfl_box *box = new_box(L, S);
  mfl_set_ending_meta(L, S, &meta_key);
  if (S->scope) mfl_scope_add(S, box);
  return box;
}

mfl_box *mfl_push_box_like(lua_State *L, mfl_state *S, int like) {
  mfl_box *box = new_box(L, S);
  lua_getmetatable(L, like);
  lua_setmetatable(L, -2);
  if (S->closing) mfl_hold_late(L);
  if (S->scope) mfl_scope_add(S, box);
  return box;
}

/* Memory that somebody else holds too (a variable, another view) is that holder's: it would not go with this box. */
void mfl_box_set(mfl_state *S, mfl_box *box, mf_tensor *t) {
  if (!t) return;
  bool shared = t->buffer && atomic_load_explicit(&t->buffer->count, memory_order_relaxed) > 1;
  box->t = t;
  box->charged = HANDLE_BYTES + (t->buffer && !shared ? t->buffer->size : 0);
  mfl_charge(S, box->charged);
}

void mfl_box_clear(mfl_state *S, mfl_box *box) {
  mf_tensor *t = box->t;
  if (!t) return;
  box->t = NULL;
  mfl_credit(S, box->charged);
  mf_tensor_release(t);
}

void mfl_push_tensor(lua_State *L, mfl_state *S, mf_tensor *t) {
  luaL_checkstack(L, 3, "tensor");
  mfl_box *box = mfl_push_box(L, S);
  mfl_box_set(S, box, mf_tensor_retain(t));
}

static int box_gc(lua_State *L) {
  mfl_box *box = lua_touserdata(L, 1);
  if (box->after) mfl_scope_remove(box);
  mfl_box_clear(box->state, box);
  return 0;
}

int mfl_fail_emptied(lua_State *L) {
  return mfl_raise(L, "FAILED_PRECONDITION", "Tensor",
                   "Tensor: this tensor was closed at the end of a tf.scope(); pass what must live on to scope:keep(t)");
}

mf_tensor *mfl_get_tensor(lua_State *L, mfl_state *S, int index) {
  (void)S;
  mfl_box *box = lua_touserdata(L, index);
  if (!box->t) mfl_fail_emptied(L);
  return box->t;
}

mf_tensor *mfl_check_tensor(lua_State *L, mfl_state *S, int index, const char *op, const char *argument) {
  index = lua_absindex(L, index);
  if (!mfl_test_box(L, S, index)) {
    if (!mfl_is_tensor(L, index)) {
      mfl_push_description(L, index);
      mfl_invalid(L, op, "argument '%s': expected a tensor, received %s", argument, lua_tostring(L, -1));
    }
    mfl_to_tensor(L, S, index, (mfl_wish){.op = op, .argument = argument});
  }
  return mfl_get_tensor(L, S, index);
}

/* ---- fields */

static int push_device(lua_State *L, mfl_state *S, const mf_tensor *t) {
  const mf_device *device = mf_tensor_device(t);
  if (!device) device = S->ctx->device;
  if (device) lua_pushfstring(L, "/job:localhost/replica:0/task:0/device:%s", device->name);
  else lua_pushliteral(L, "");
  return 1;
}

static int no_name(lua_State *L) {
  return mfl_raise(L, "FAILED_PRECONDITION", "Tensor", "Tensor.name is undefined when eager execution is enabled.");
}

/* The fields; 0 when `key` is none. */
static int push_field(lua_State *L, mfl_state *S, mf_tensor *t, const char *key) {
  switch (key[0]) {
    case 's':
      if (strcmp(key, "shape")) return 0;
      mfl_push_shape(L, S, &t->shape);
      return 1;
    case 'd':
      if (!strcmp(key, "dtype")) return mfl_push_dtype(L, mf_tensor_dtype(t)), 1;
      return strcmp(key, "device") ? 0 : push_device(L, S, t);
    case 'n':
      if (!strcmp(key, "ndim")) break;
      return strcmp(key, "name") || mf_tensor_is_symbolic(t) ? 0 : no_name(L);
    case 'r':
      if (!strcmp(key, "rank")) break;
      return 0;
    default: return 0;
  }
  if (t->shape.rank < 0) lua_pushnil(L);
  else lua_pushinteger(L, t->shape.rank);
  return 1;
}

static int member_of_fallback(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &fallback_key) != LUA_TFUNCTION) return 0;
  lua_pushvalue(L, 2);
  lua_call(L, 1, 1);
  if (lua_isnil(L, -1)) return 0;
  lua_pushvalue(L, 2); /* found: next time it is an ordinary method */
  lua_pushvalue(L, -2);
  lua_rawset(L, lua_upvalueindex(2));
  return 1;
}

static int box_index(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mfl_box *box = mfl_test_box(L, S, 1);
  if (!box) return luaL_typeerror(L, 1, "tensor");
  if (lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) return 1;
    lua_pop(L, 1);
    if (!box->t) return mfl_fail_emptied(L);
    if (push_field(L, S, box->t, lua_tostring(L, 2))) return 1;
    if (!mfl_is_slice_text(L, 2)) {
      if (member_of_fallback(L)) return 1;
      mfl_push_description(L, 2);
      return mfl_invalid(L, "Tensor", "a tensor has no member %s", lua_tostring(L, -1));
    }
  }
  if (!box->t) return mfl_fail_emptied(L);
  mfl_push_indexed(L, S, 1, 2);
  return 1;
}

static int box_newindex(lua_State *L) {
  mfl_enter(L);
  return mfl_raise(L, "INVALID_ARGUMENT", "Tensor",
                   "Tensor: a tensor cannot be changed; use tf.Variable, or tf.tensor_scatter_nd_update for a changed copy");
}

static int box_pairs(lua_State *L) {
  mfl_enter(L);
  return mfl_raise(L, "INVALID_ARGUMENT", "Tensor", "Tensor: a tensor is data, not a Lua table; use x:iter() or x:totable()");
}

static int box_len(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tensor *t = mfl_get_tensor(L, S, 1);
  if (t->shape.rank == 0) return mfl_raise(L, "INVALID_ARGUMENT", "Tensor", "Tensor: a scalar tensor has no length");
  if (t->shape.rank < 0 || t->shape.dims[0] < 0)
    return mfl_raise(L, "INVALID_ARGUMENT", "Tensor", "Tensor: the length is not known while a function is traced; use tf.shape");
  lua_pushinteger(L, t->shape.dims[0]);
  return 1;
}

/* ---- methods */

static int box_item(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tensor *t = mfl_check_tensor(L, S, 1, "Tensor.item", "self");
  mfl_push_item(L, S, t, "Tensor.item");
  return 1;
}

static int box_totable(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tensor *t = mfl_check_tensor(L, S, 1, "Tensor.totable", "self");
  mfl_push_table(L, S, t, "Tensor.totable");
  return 1;
}

static int box_dim(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tensor *t = mfl_check_tensor(L, S, 1, "Tensor.dim", "self");
  lua_Integer axis = luaL_checkinteger(L, 2), rank = t->shape.rank;
  if (rank < 0) return mfl_push_none(L), 1;
  if (axis < -rank || axis >= rank)
    return mfl_invalid(L, "Tensor.dim", "axis %I is out of range for a tensor of rank %I", (LUAI_UACINT)axis, (LUAI_UACINT)rank);
  int64_t dim = t->shape.dims[axis < 0 ? axis + rank : axis];
  if (dim < 0) mfl_push_none(L);
  else lua_pushinteger(L, dim);
  return 1;
}

static int iter_next(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  lua_Integer i = lua_tointeger(L, lua_upvalueindex(3)), n = lua_tointeger(L, lua_upvalueindex(4));
  if (i >= n) return 0;
  lua_pushinteger(L, i + 1);
  lua_replace(L, lua_upvalueindex(3));
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushinteger(L, i);
  mfl_push_indexed(L, S, 1, 2);
  return 1;
}

static int box_iter(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tensor *t = mfl_check_tensor(L, S, 1, "Tensor.iter", "self");
  if (t->shape.rank == 0) return mfl_invalid(L, "Tensor.iter", "cannot iterate over a scalar tensor");
  if (t->shape.rank < 0 || t->shape.dims[0] < 0)
    return mfl_invalid(L, "Tensor.iter", "cannot iterate over a tensor with unknown first dimension");
  lua_pushlightuserdata(L, S);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  lua_pushinteger(L, t->shape.dims[0]);
  lua_pushcclosure(L, iter_next, 4);
  return 1;
}

static int box_get_shape(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mfl_push_shape(L, S, &mfl_check_tensor(L, S, 1, "Tensor.get_shape", "self")->shape);
  return 1;
}

/* Ends the handle now instead of at the next collection. */
static int box_close(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mfl_box *box = mfl_test_box(L, S, 1);
  if (!box) return luaL_typeerror(L, 1, "tensor");
  mfl_box_clear(S, box);
  return 0;
}

/* ---- text */

static int box_tostring(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tensor *t = mfl_get_tensor(L, S, 1);
  mfl_push_shape_text(L, &t->shape);
  const char *shape = lua_tostring(L, -1), *dtype = mf_dtype_name(mf_tensor_dtype(t));
  if (mf_tensor_is_symbolic(t)) {
    lua_pushfstring(L, "Tensor(\"Placeholder:0\", shape=%s, dtype=%s)", shape, dtype);
    return 1;
  }
  mf_tensor *host = mfl_push_host(L, S, t, "Tensor");
  mfl_push_numpy_text(L, host, false);
  const char *text = lua_tostring(L, -1);
  lua_pushfstring(L, "tf.Tensor(%s%s, shape=%s, dtype=%s)", strchr(text, '\n') ? "\n" : "", text, shape, dtype);
  return 1;
}

/* What Python's repr shows; the REPL echoes it. */
static int box_repr(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tensor *t = mfl_check_tensor(L, S, 1, "Tensor.repr", "self");
  if (mf_tensor_is_symbolic(t)) {
    lua_settop(L, 1);
    return box_tostring(L);
  }
  mfl_push_shape_text(L, &t->shape);
  const char *shape = lua_tostring(L, -1);
  mf_tensor *host = mfl_push_host(L, S, t, "Tensor");
  mfl_push_numpy_text(L, host, true);
  const char *text = lua_tostring(L, -1);
  lua_pushfstring(L, "<tf.Tensor: shape=%s, dtype=%s, numpy=%s%s>", shape, mf_dtype_name(mf_tensor_dtype(t)),
                  strchr(text, '\n') ? "\n" : "", text);
  return 1;
}

/* ---- opening */

static int set_fallback(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &fallback_key);
  return 0;
}

static int tensor_is(lua_State *L) {
  lua_pushboolean(L, mfl_test_box(L, mfl_enter(L), 1) != NULL);
  return 1;
}

static int tensor_is_symbolic(lua_State *L) {
  const mfl_box *box = mfl_test_box(L, mfl_enter(L), 1);
  lua_pushboolean(L, box && box->t && mf_tensor_is_symbolic(box->t));
  return 1;
}

static int tensor_serial(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  lua_pushinteger(L, (lua_Integer)mfl_check_tensor(L, S, 1, "Tensor", "self")->serial);
  return 1;
}

/* integers(value, op, argument): int32 or what the value says; floats that are whole numbers count as integers. */
static int tensor_integers(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  lua_settop(L, 3);
  mfl_wish wish = {.op = luaL_checkstring(L, 2), .argument = luaL_checkstring(L, 3), .preferred = MF_INT32, .whole = true};
  mfl_to_tensor(L, S, 1, wish);
  lua_settop(L, 1);
  return 1;
}

/* to(value, dtype or nil, op, argument, preferred or nil): the conversion that all functions use. */
static int tensor_to(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  lua_settop(L, 5);
  mfl_wish wish = {.op = luaL_optstring(L, 3, "convert_to_tensor"), .argument = luaL_optstring(L, 4, "value")};
  if (!lua_isnil(L, 2)) wish.dtype = mfl_check_dtype(L, 2, wish.op, "dtype");
  if (!lua_isnil(L, 5)) wish.preferred = mfl_check_dtype(L, 5, wish.op, "dtype_hint");
  mfl_to_tensor(L, S, 1, wish);
  lua_pushvalue(L, 1);
  return 1;
}

static void push_meta(lua_State *L, mfl_state *S) {
  static const luaL_Reg meta[] = {{"__gc", box_gc},       {"__newindex", box_newindex}, {"__pairs", box_pairs},
                                  {"__len", box_len},     {"__tostring", box_tostring}, {NULL, NULL}};
  lua_createtable(L, 0, 32);
  mfl_set_functions(L, S, meta);
  lua_pushliteral(L, "tensor");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushliteral(L, "tensor");
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  mfl_set_arithmetic(L, S);
  S->tensor_meta = lua_topointer(L, -1);
}

int mfl_open_tensor(lua_State *L) {
  static const luaL_Reg methods[] = {{"item", box_item},   {"totable", box_totable},     {"numpy", box_totable},
                                     {"dim", box_dim},     {"iter", box_iter},           {"get_shape", box_get_shape},
                                     {"close", box_close}, {"repr", box_repr},           {NULL, NULL}};
  static const luaL_Reg functions[] = {{"set_fallback", set_fallback}, {"is", tensor_is},   {"is_symbolic", tensor_is_symbolic},
                                       {"serial", tensor_serial},      {"to", tensor_to}, {"integers", tensor_integers},   {NULL, NULL}};
  mfl_state *S = mfl_state_get(L);
  luaL_checkstack(L, 8, "tensor");
  luaL_newlibtable(L, functions);
  mfl_set_functions(L, S, functions);
  push_meta(L, S);
  lua_pushlightuserdata(L, S);
  luaL_newlibtable(L, methods);
  mfl_set_functions(L, S, methods);
  lua_pushvalue(L, -1);
  lua_setfield(L, -5, "methods");
  lua_pushcclosure(L, box_index, 2);
  lua_setfield(L, -2, "__index");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &meta_key);
  return 1;
}
