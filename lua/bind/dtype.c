/* dtype.c - dtype objects: made once per state, compared by identity. See dtype.h. */
#include "bind/dtype.h"

#include <float.h>
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/sentinel.h"

/* Address used as registry key: the table number -> dtype object. */
static const char objects_key = 0;

void mfl_push_dtype(lua_State *L, mf_dtype type) {
  luaL_checkstack(L, 2, "dtype");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &objects_key);
  lua_rawgeti(L, -1, (lua_Integer)type);
  lua_remove(L, -2);
}

static const mf_dtype *test_dtype(lua_State *L, const mfl_state *S, int index) {
  const mf_dtype *type = lua_touserdata(L, index);
  if (!type || !lua_getmetatable(L, index)) return NULL;
  bool same = lua_topointer(L, -1) == S->dtype_meta;
  lua_pop(L, 1);
  return same ? type : NULL;
}

mf_dtype mfl_to_dtype(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TSTRING) return mf_dtype_from_name(lua_tostring(L, index));
  const mf_dtype *type = test_dtype(L, mfl_state_get(L), index);
  return type ? *type : MF_DTYPE_INVALID;
}

mf_dtype mfl_check_dtype(lua_State *L, int index, const char *op, const char *argument) {
  mf_dtype type = mfl_to_dtype(L, index);
  if (type == MF_DTYPE_INVALID) {
    mfl_push_description(L, index);
    mfl_invalid(L, op, "argument '%s': expected a dtype such as tf.float32 or 'float32', received %s", argument,
                lua_tostring(L, -1));
  }
  return type;
}

/* ---- fields */

static int is_kind(mf_dtype type, int first, int second) {
  int kind = mf_dtype_const(type)->kind;
  return kind == first || kind == second;
}

/* Greatest and least value; pushes nothing and returns false where there is none. */
static bool push_limit(lua_State *L, mf_dtype type, bool greatest) {
  size_t bits = 8 * mf_dtype_size(type);
  switch (type) {
    case MF_FLOAT32: lua_pushnumber(L, (double)(greatest ? FLT_MAX : -FLT_MAX)); return true;
    case MF_FLOAT64: lua_pushnumber(L, greatest ? DBL_MAX : -DBL_MAX); return true;
    case MF_FLOAT16: lua_pushnumber(L, greatest ? 65504.0 : -65504.0); return true;
    case MF_BFLOAT16: lua_pushnumber(L, (greatest ? 1 : -1) * ldexp(255.0 / 128.0, 127)); return true;
    case MF_BOOL: lua_pushboolean(L, greatest); return true;
    case MF_UINT64:
      if (greatest) lua_pushnumber(L, 18446744073709551615.0);
      else lua_pushinteger(L, 0);
      return true;
    default: break;
  }
  if (is_kind(type, MF_KIND_SIGNED, MF_KIND_SIGNED)) {
    lua_Integer high = (lua_Integer)((UINT64_C(1) << (bits - 1)) - 1);
    lua_pushinteger(L, greatest ? high : -high - 1);
    return true;
  }
  if (is_kind(type, MF_KIND_UNSIGNED, MF_KIND_UNSIGNED)) {
    lua_pushinteger(L, greatest ? (lua_Integer)((UINT64_C(1) << bits) - 1) : 0);
    return true;
  }
  return false;
}

static mf_dtype real_of(mf_dtype type) {
  return type == MF_COMPLEX64 ? MF_FLOAT32 : type == MF_COMPLEX128 ? MF_FLOAT64 : type;
}

static int push_field(lua_State *L, mf_dtype type, const char *key) {
  if (!strcmp(key, "name")) lua_pushstring(L, mf_dtype_name(type));
  else if (!strcmp(key, "size")) lua_pushinteger(L, (lua_Integer)mf_dtype_size(type));
  else if (!strcmp(key, "is_floating")) lua_pushboolean(L, mf_dtype_is_float(type));
  else if (!strcmp(key, "is_integer")) lua_pushboolean(L, mf_dtype_is_integer(type));
  else if (!strcmp(key, "is_bool")) lua_pushboolean(L, type == MF_BOOL);
  else if (!strcmp(key, "is_complex")) lua_pushboolean(L, is_kind(type, MF_KIND_COMPLEX, MF_KIND_COMPLEX));
  else if (!strcmp(key, "is_unsigned")) lua_pushboolean(L, is_kind(type, MF_KIND_UNSIGNED, MF_KIND_UNSIGNED));
  else if (!strcmp(key, "is_quantized")) lua_pushboolean(L, is_kind(type, MF_KIND_QUANTISED, MF_KIND_QUANTISED));
  else if (!strcmp(key, "is_numeric")) lua_pushboolean(L, mf_dtype_is_numeric(type));
  else if (!strcmp(key, "base_dtype")) mfl_push_dtype(L, type);
  else if (!strcmp(key, "real_dtype")) mfl_push_dtype(L, real_of(type));
  else if (!strcmp(key, "as_datatype_enum")) lua_pushinteger(L, (lua_Integer)type);
  else if (!strcmp(key, "max") || !strcmp(key, "min")) {
    if (!push_limit(L, type, key[1] == 'a'))
      return mfl_invalid(L, "DType", "%s has no %s", mf_dtype_name(type), key);
  } else return 0;
  return 1;
}

static int dtype_index(lua_State *L) {
  const mf_dtype *type = test_dtype(L, mfl_enter(L), 1);
  if (!type) return luaL_typeerror(L, 1, "dtype");
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  if (push_field(L, *type, lua_tostring(L, 2))) return 1;
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(2));
  return 1;
}

static int dtype_tostring(lua_State *L) {
  const mf_dtype *type = test_dtype(L, mfl_enter(L), 1);
  if (!type) return luaL_typeerror(L, 1, "dtype");
  lua_pushfstring(L, "<dtype: '%s'>", mf_dtype_name(*type));
  return 1;
}

static int dtype_is_compatible_with(lua_State *L) {
  mfl_enter(L);
  mf_dtype a = mfl_check_dtype(L, 1, "DType.is_compatible_with", "self");
  mf_dtype b = mfl_check_dtype(L, 2, "DType.is_compatible_with", "other");
  lua_pushboolean(L, a == b);
  return 1;
}

static int dtype_get(lua_State *L) {
  mfl_enter(L);
  mf_dtype type = mfl_to_dtype(L, 1);
  if (type == MF_DTYPE_INVALID) return 0;
  mfl_push_dtype(L, type);
  return 1;
}

/* ---- opening */

static void push_meta(lua_State *L, mfl_state *S) {
  static const luaL_Reg meta[] = {{"__tostring", dtype_tostring}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"is_compatible_with", dtype_is_compatible_with}, {NULL, NULL}};
  lua_createtable(L, 0, 6);
  mfl_set_functions(L, S, meta);
  lua_pushliteral(L, "dtype");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushliteral(L, "dtype");
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  lua_pushlightuserdata(L, S);
  lua_createtable(L, 0, 2);
  mfl_set_functions(L, S, methods);
  lua_pushcclosure(L, dtype_index, 2);
  lua_setfield(L, -2, "__index");
  S->dtype_meta = lua_topointer(L, -1);
}

int mfl_open_dtype(lua_State *L) {
  static const luaL_Reg functions[] = {{"get", dtype_get}, {NULL, NULL}};
  mfl_state *S = mfl_state_get(L);
  luaL_checkstack(L, 8, "dtype");
  lua_createtable(L, 0, MF_DTYPE_COUNT + 2);
  mfl_set_functions(L, S, functions);
  int names = lua_gettop(L);
  lua_createtable(L, MF_DTYPE_COUNT, 0);
  push_meta(L, S);
  for (int i = 1; i < MF_DTYPE_COUNT; i++) {
    mf_dtype *type = lua_newuserdatauv(L, sizeof *type, 0);
    *type = (mf_dtype)i;
    lua_pushvalue(L, -2);
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_setfield(L, names, mf_dtype_name((mf_dtype)i));
    lua_rawseti(L, -3, i);
  }
  lua_pop(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &objects_key);
  return 1;
}
