/* variable.c - tf.Variable's C half: making, reading, assigning, fields, text. Methods that read keyword arguments are in
 * moonflow/variable.lua. See variable.h.
 *
 * Attributes that a program sets on a variable are kept in the box's user value, and found before the fields: Lua modules may
 * name a variable as they like (set_attribute).
 */
#include "bind/variable.h"

#include <lauxlib.h>
#include <string.h>

#include "bind/dtype.h"
#include "bind/error.h"
#include "bind/sentinel.h"
#include "bind/shape.h"
#include "ops/op_list.h"

/* Addresses used as registry keys: the metatable; core variable -> box (weak). */
static const char meta_key = 0, boxes_key = 0;

static mfl_variable *check_variable(lua_State *L, mfl_state *S, int index) {
  mfl_variable *v = mfl_test_variable(L, S, index);
  if (!v || !v->v) {
    mfl_push_description(L, index);
    mfl_invalid(L, "Variable", "expected a tf.Variable, received %s", lua_tostring(L, -1));
  }
  return v;
}

/* ---- life */

static mfl_variable *push_empty(lua_State *L, const mfl_state *S) {
  luaL_checkstack(L, 6, "variable");
  mfl_variable *box = lua_newuserdatauv(L, sizeof *box, 1);
  *box = (mfl_variable){0};
  mfl_set_ending_meta(L, S, &meta_key);
  return box;
}

/* Notes the box on top of the stack, so that tapes find it by its core variable. */
static void note_box(lua_State *L, const mfl_variable *box) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &boxes_key);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, box->v);
  lua_pop(L, 1);
}

void mfl_push_variable(lua_State *L, mfl_state *S, mf_variable *v, mf_tensor *handle) {
  luaL_checkstack(L, 4, "variable");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &boxes_key);
  if (lua_rawgetp(L, -1, v) == LUA_TUSERDATA) {
    lua_remove(L, -2);
    return;
  }
  lua_pop(L, 2);
  mfl_variable *box = push_empty(L, S);
  mf_object_retain(mf_variable_object(v));
  box->v = v;
  box->handle = mf_tensor_retain(handle);
  note_box(L, box);
}

static int variable_gc(lua_State *L) {
  mfl_state *S = lua_touserdata(L, lua_upvalueindex(1));
  mfl_variable *box = lua_touserdata(L, 1);
  if (box->v) mf_object_release(mf_variable_object(box->v));
  mf_tensor_release(box->handle);
  mfl_credit(S, box->charged);
  *box = (mfl_variable){0};
  return 0;
}

/* new(tensor, trainable, name, shape or nil): the value is converted already. */
static int variable_new(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_tensor *value = mfl_check_tensor(L, S, 1, "Variable", "initial_value");
  const char *name = luaL_checkstring(L, 3);
  mf_shape shape = value->shape;
  if (!lua_isnoneornil(L, 4)) mfl_check_shape(L, S, 4, "Variable", "shape", &shape);
  mfl_collect_if_due(L, S);
  mfl_variable *box = push_empty(L, S);
  value = mfl_get_tensor(L, S, 1);
  if (mf_tensor_is_symbolic(value))
    return mfl_raise(L, "FAILED_PRECONDITION", "Variable",
                     "Variable: a variable made while a function is traced needs a concrete initial value");
  mfl_check(L, S, mf_variable_new(mf_tensor_dtype(value), &shape, name, lua_toboolean(L, 2), &box->v));
  mfl_check(L, S, mf_tensor_scalar_object(MF_RESOURCE, mf_variable_object(box->v), &box->handle));
  mfl_check(L, S, mf_variable_assign(box->v, value));
  box->charged = mf_tensor_bytes(value);
  mfl_charge(S, box->charged);
  note_box(L, box);
  return 1;
}

/* ---- reading and assigning */

void mfl_push_variable_value(lua_State *L, mfl_state *S, int index) {
  luaL_checkstack(L, 4, "variable");
  mfl_box *box = mfl_push_box(L, S);
  mfl_variable *v = lua_touserdata(L, index);
  mf_tensor *t = NULL;
  mf_status status;
  if (mfl_is_plain(S)) {
    status = mf_variable_read(v->v, &t);
  } else {
    mf_named_attr attrs[] = {MF_A_TYPE("dtype", mf_variable_dtype(v->v))};
    status = mf_apply(S->ctx, &mf_op_ReadVariableOp, &v->handle, 1, attrs, 1, &t, 1, NULL);
  }
  mfl_box_set(S, box, t);
  mfl_check(L, S, status);
}

static int variable_read(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  check_variable(L, S, 1);
  mfl_push_variable_value(L, S, 1);
  return 1;
}

static int assign_with(lua_State *L, const mf_op_def *op, const char *method) {
  mfl_state *S = mfl_enter(L);
  lua_settop(L, 2);
  mfl_variable *v = check_variable(L, S, 1);
  mfl_to_tensor(L, S, 2, (mfl_wish){.op = method, .argument = "value", .dtype = mf_variable_dtype(v->v)});
  mf_tensor *value = mfl_get_tensor(L, S, 2);
  mf_status status;
  if (op == &mf_op_AssignVariableOp && !S->ctx->trace) {
    status = mf_variable_assign(v->v, value);
  } else {
    mf_tensor *in[] = {v->handle, value};
    mf_named_attr attrs[] = {MF_A_TYPE("dtype", mf_variable_dtype(v->v))};
    status = mf_apply(S->ctx, op, in, 2, attrs, 1, NULL, 0, NULL);
  }
  mfl_check(L, S, status);
  lua_settop(L, 1);
  return 1;
}

static int variable_assign(lua_State *L) { return assign_with(L, &mf_op_AssignVariableOp, "Variable.assign"); }
static int variable_assign_add(lua_State *L) { return assign_with(L, &mf_op_AssignAddVariableOp, "Variable.assign_add"); }
static int variable_assign_sub(lua_State *L) { return assign_with(L, &mf_op_AssignSubVariableOp, "Variable.assign_sub"); }

static int variable_handle(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mfl_push_tensor(L, S, check_variable(L, S, 1)->handle);
  return 1;
}

static int variable_set_trainable(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_variable_set_trainable(check_variable(L, S, 1)->v, lua_toboolean(L, 2));
  return 0;
}

/* ---- fields */

static int push_field(lua_State *L, mfl_state *S, const mfl_variable *box, const char *key) {
  mf_variable *v = box->v;
  mf_shape shape = mf_variable_shape(v);
  if (!strcmp(key, "shape")) mfl_push_shape(L, S, &shape);
  else if (!strcmp(key, "dtype")) mfl_push_dtype(L, mf_variable_dtype(v));
  else if (!strcmp(key, "name")) lua_pushfstring(L, "%s:0", mf_variable_name(v));
  else if (!strcmp(key, "trainable")) lua_pushboolean(L, mf_variable_trainable(v));
  else if (!strcmp(key, "handle")) mfl_push_tensor(L, S, box->handle);
  else if (!strcmp(key, "device")) lua_pushliteral(L, "/job:localhost/replica:0/task:0/device:CPU:0");
  else if (!strcmp(key, "ndim") || !strcmp(key, "rank")) {
    if (shape.rank < 0) lua_pushnil(L);
    else lua_pushinteger(L, shape.rank);
  } else return 0;
  return 1;
}

/* Upvalue 2: the variable's methods; behind them the tensor's (by their table's metatable). */
static int variable_index(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mfl_variable *box = check_variable(L, S, 1);
  if (lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) return 1;
    lua_pop(L, 1);
    if (lua_getiuservalue(L, 1, 1) == LUA_TTABLE) {
      lua_pushvalue(L, 2);
      if (lua_rawget(L, -2) != LUA_TNIL) return 1;
    }
    lua_settop(L, 2);
    if (push_field(L, S, box, lua_tostring(L, 2))) return 1;
    if (!mfl_is_slice_text(L, 2)) {
      lua_pushvalue(L, 2);
      lua_gettable(L, lua_upvalueindex(2)); /* nil for unknown names: a program may test its own attributes */
      return 1;
    }
  }
  mfl_push_variable_value(L, S, 1);
  lua_replace(L, 1);
  mfl_push_indexed(L, S, 1, 2);
  return 1;
}

/* set_attribute(variable, key, value) */
static int variable_set_attribute(lua_State *L) {
  check_variable(L, mfl_enter(L), 1);
  lua_settop(L, 3);
  if (lua_getiuservalue(L, 1, 1) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, 1, 1);
  }
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_rawset(L, -3);
  return 0;
}

static int variable_newindex(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mfl_variable *box = check_variable(L, S, 1);
  if (lua_type(L, 2) != LUA_TSTRING)
    return mfl_raise(L, "INVALID_ARGUMENT", "Variable",
                     "Variable: elements are not assigned one by one; use v:assign(...) or v:scatter_nd_update(indices, updates)");
  const char *key = lua_tostring(L, 2);
  if (!strcmp(key, "trainable"))
    return mfl_raise(L, "INVALID_ARGUMENT", "Variable", "Variable: 'trainable' is fixed when the variable is made");
  if (push_field(L, S, box, key)) return mfl_invalid(L, "Variable", "'%s' cannot be set", key);
  return variable_set_attribute(L);
}

static int variable_len(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_shape shape = mf_variable_shape(check_variable(L, S, 1)->v);
  if (shape.rank < 1 || shape.dims[0] < 0) return mfl_raise(L, "INVALID_ARGUMENT", "Variable", "Variable: has no length");
  lua_pushinteger(L, shape.dims[0]);
  return 1;
}

static int variable_tostring(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mfl_variable *box = check_variable(L, S, 1);
  mf_shape shape = mf_variable_shape(box->v);
  lua_settop(L, 1);
  mfl_push_shape_text(L, &shape);
  lua_pushfstring(L, "<tf.Variable '%s:0' shape=%s dtype=%s", mf_variable_name(box->v), lua_tostring(L, -1),
                  mf_dtype_name(mf_variable_dtype(box->v)));
  if (S->ctx->trace) {
    lua_pushfstring(L, "%s>", lua_tostring(L, -1));
    return 1;
  }
  mfl_push_variable_value(L, S, 1);
  mf_tensor *host = mfl_push_host(L, S, mfl_get_tensor(L, S, -1), "Variable");
  mfl_push_numpy_text(L, host, true);
  const char *text = lua_tostring(L, -1);
  lua_pushfstring(L, "%s, numpy=%s%s>", lua_tostring(L, 3), strchr(text, '\n') ? "\n" : "", text);
  return 1;
}

static int variable_is(lua_State *L) {
  lua_pushboolean(L, mfl_test_variable(L, mfl_enter(L), 1) != NULL);
  return 1;
}

/* ---- opening */

static void push_meta(lua_State *L, mfl_state *S) {
  static const luaL_Reg meta[] = {{"__gc", variable_gc},   {"__newindex", variable_newindex},
                                  {"__len", variable_len}, {"__tostring", variable_tostring}, {NULL, NULL}};
  lua_createtable(L, 0, 32);
  mfl_set_functions(L, S, meta);
  lua_pushliteral(L, "variable");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushliteral(L, "tf.Variable");
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  mfl_set_arithmetic(L, S);
  S->variable_meta = lua_topointer(L, -1);
}

static void make_box_list(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &boxes_key);
}

int mfl_open_variable(lua_State *L) {
  static const luaL_Reg functions[] = {{"new", variable_new},
                                       {"is", variable_is},
                                       {"read", variable_read},
                                       {"assign", variable_assign},
                                       {"assign_add", variable_assign_add},
                                       {"assign_sub", variable_assign_sub},
                                       {"handle", variable_handle},
                                       {"set_trainable", variable_set_trainable},
                                       {"set_attribute", variable_set_attribute},
                                       {NULL, NULL}};
  static const luaL_Reg methods[] = {{"read_value", variable_read}, {"value", variable_read}, {NULL, NULL}};
  mfl_state *S = mfl_state_get(L);
  luaL_checkstack(L, 8, "variable");
  make_box_list(L);
  luaL_newlibtable(L, functions);
  mfl_set_functions(L, S, functions);
  push_meta(L, S);
  lua_pushlightuserdata(L, S);
  luaL_newlibtable(L, methods);
  mfl_set_functions(L, S, methods);
  lua_pushvalue(L, -1);
  lua_setfield(L, -5, "methods");
  lua_pushcclosure(L, variable_index, 2);
  lua_setfield(L, -2, "__index");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &meta_key);
  return 1;
}
