/* op_attr.c - Lua values become attributes of ops. See op.h. Lists are copied to scratch memory on the Lua stack, which lives as
 * long as the call.
 */
#include <lauxlib.h>
#include <string.h>

#include "bind/dtype.h"
#include "bind/error.h"
#include "bind/op.h"
#include "bind/sentinel.h"
#include "bind/shape.h"

static int fail_kind(lua_State *L, int index, const mf_op_def *op, const mf_attr_sig *sig, const char *expected) {
  mfl_push_description(L, index);
  return mfl_invalid(L, op->name, "argument '%s': expected %s, received %s", sig->name, expected, lua_tostring(L, -1));
}

static lua_Integer check_integer(lua_State *L, int index, const mf_op_def *op, const mf_attr_sig *sig) {
  int is_integer = 0;
  lua_Integer v = lua_tointegerx(L, index, &is_integer);
  if (!is_integer || lua_type(L, index) != LUA_TNUMBER) fail_kind(L, index, op, sig, "an integer");
  return v;
}

static float check_float(lua_State *L, int index, const mf_op_def *op, const mf_attr_sig *sig) {
  if (lua_type(L, index) != LUA_TNUMBER) fail_kind(L, index, op, sig, "a number");
  return (float)lua_tonumber(L, index);
}

static bool check_bool(lua_State *L, int index, const mf_op_def *op, const mf_attr_sig *sig) {
  if (lua_type(L, index) != LUA_TBOOLEAN) fail_kind(L, index, op, sig, "a boolean");
  return lua_toboolean(L, index);
}

static mf_text check_text(lua_State *L, int index, const mf_op_def *op, const mf_attr_sig *sig) {
  mf_text s;
  if (lua_type(L, index) != LUA_TSTRING) fail_kind(L, index, op, sig, "a string");
  s.bytes = lua_tolstring(L, index, &s.size);
  return s;
}

static const mf_shape *push_shape_copy(lua_State *L, mfl_state *S, int index, const mf_op_def *op, const mf_attr_sig *sig) {
  mf_shape shape;
  mfl_check_shape(L, S, index, op->name, sig->name, &shape);
  mf_shape *copy = mfl_push_scratch(L, sizeof *copy);
  *copy = shape;
  return copy;
}

static size_t item_size(int kind) {
  switch (kind) {
    case MF_ATTR_INT: return sizeof(int64_t);
    case MF_ATTR_FLOAT: return sizeof(float);
    case MF_ATTR_BOOL: return sizeof(bool);
    case MF_ATTR_STRING: return sizeof(mf_text);
    case MF_ATTR_TYPE: return sizeof(mf_dtype);
    case MF_ATTR_SHAPE: return sizeof(mf_shape);
    default: return sizeof(void *);
  }
}

static void check_item(lua_State *L, mfl_state *S, const mf_op_def *op, const mf_attr_sig *sig, int kind, void *at) {
  int index = lua_gettop(L);
  switch (kind) {
    case MF_ATTR_INT: *(int64_t *)at = check_integer(L, index, op, sig); break;
    case MF_ATTR_FLOAT: *(float *)at = check_float(L, index, op, sig); break;
    case MF_ATTR_BOOL: *(bool *)at = check_bool(L, index, op, sig); break;
    case MF_ATTR_STRING: *(mf_text *)at = check_text(L, index, op, sig); break;
    case MF_ATTR_TYPE: *(mf_dtype *)at = mfl_check_dtype(L, index, op->name, sig->name); break;
    case MF_ATTR_SHAPE: mfl_check_shape(L, S, index, op->name, sig->name, at); break;
    case MF_ATTR_TENSOR: *(mf_tensor **)at = mfl_check_tensor(L, S, index, op->name, sig->name); break;
    default: mfl_raisef(L, "UNIMPLEMENTED", op->name, "%s: functions as attributes are not supported here", op->name);
  }
}

/* Texts and tensors in the list stay alive through the list itself, which stands in the caller's slot. */
static void check_list(lua_State *L, mfl_state *S, int index, const mf_op_def *op, const mf_attr_sig *sig, mf_attr *out) {
  int kind = sig->kind - MF_ATTR_LIST;
  bool is_shape = mfl_test_shape(L, S, index) != NULL;
  if (!is_shape && !mfl_is_plain_table(L, index)) fail_kind(L, index, op, sig, "a list");
  lua_Integer n = is_shape ? luaL_len(L, index) : (lua_Integer)lua_rawlen(L, index);
  if (n > INT32_MAX / 32) fail_kind(L, index, op, sig, "a shorter list");
  char *items = mfl_push_scratch(L, (size_t)n * item_size(kind));
  for (lua_Integer i = 1; i <= n; i++) {
    lua_geti(L, index, i);
    check_item(L, S, op, sig, kind, items + (size_t)(i - 1) * item_size(kind));
    lua_pop(L, 1);
  }
  out->n = (int32_t)n;
  out->v.ints = (const int64_t *)(void *)items;
}

void mfl_check_attr(lua_State *L, mfl_state *S, int index, const mf_op_def *op, const mf_attr_sig *sig, mf_attr *out) {
  luaL_checkstack(L, 6, op->name);
  memset(out, 0, sizeof *out);
  out->kind = sig->kind;
  if (sig->kind >= MF_ATTR_LIST) {
    check_list(L, S, index, op, sig, out);
    return;
  }
  switch (sig->kind) {
    case MF_ATTR_INT: out->v.i = check_integer(L, index, op, sig); break;
    case MF_ATTR_FLOAT: out->v.f = check_float(L, index, op, sig); break;
    case MF_ATTR_BOOL: out->v.b = check_bool(L, index, op, sig); break;
    case MF_ATTR_STRING: out->v.s = check_text(L, index, op, sig); break;
    case MF_ATTR_TYPE: out->v.type = mfl_check_dtype(L, index, op->name, sig->name); break;
    case MF_ATTR_SHAPE: out->v.shape = push_shape_copy(L, S, index, op, sig); break;
    case MF_ATTR_TENSOR:
      mfl_to_tensor(L, S, index, (mfl_wish){.op = op->name, .argument = sig->name});
      out->v.tensor = mfl_get_tensor(L, S, index);
      break;
    default: mfl_raisef(L, "UNIMPLEMENTED", op->name, "%s: functions as attributes are not supported here", op->name);
  }
}
