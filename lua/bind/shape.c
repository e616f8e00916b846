/* shape.c - tf.TensorShape: a read-only list of dimensions. See shape.h. */
#include "bind/shape.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "bind/args.h"
#include "bind/error.h"
#include "bind/sentinel.h"

/* Address used as registry key: the metatable. */
static const char meta_key = 0;

static size_t size_of(const mf_shape *shape) {
  int rank = shape->rank < 0 ? 0 : shape->rank;
  return offsetof(mf_shape, dims) + (size_t)rank * sizeof(int64_t);
}

/* Only the used part of the shape is kept. */
void mfl_push_shape(lua_State *L, mfl_state *S, const mf_shape *shape) {
  (void)S;
  luaL_checkstack(L, 2, "shape");
  size_t size = size_of(shape);
  void *copy = lua_newuserdatauv(L, size, 0);
  memcpy(copy, shape, size);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &meta_key);
  lua_setmetatable(L, -2);
}

const mf_shape *mfl_test_shape(lua_State *L, mfl_state *S, int index) {
  const mf_shape *shape = lua_touserdata(L, index);
  if (!shape || !lua_getmetatable(L, index)) return NULL;
  bool same = lua_topointer(L, -1) == S->shape_meta;
  lua_pop(L, 1);
  return same ? shape : NULL;
}

static void copy_shape(const mf_shape *from, mf_shape *to) { memcpy(to, from, size_of(from)); }

static const mf_shape *check_self(lua_State *L, mfl_state *S) {
  const mf_shape *shape = mfl_test_shape(L, S, 1);
  if (!shape) luaL_typeerror(L, 1, "TensorShape");
  return shape;
}

/* ---- reading */

static int64_t check_dim(lua_State *L, int index, const char *op, const char *argument) {
  int is_integer = 0;
  lua_Integer d = lua_tointegerx(L, index, &is_integer);
  if (mfl_is_none(L, index)) return MF_UNKNOWN_DIM;
  if (lua_type(L, index) == LUA_TNUMBER && is_integer && d >= -1) return d;
  mfl_push_description(L, index);
  mfl_invalid(L, op, "argument '%s': expected dimensions of 0 or more, -1 or None, received %s", argument,
              lua_tostring(L, -1));
  return 0;
}

static void check_list(lua_State *L, mfl_state *S, int index, const char *op, const char *argument, mf_shape *out) {
  lua_Unsigned n = lua_rawlen(L, index);
  int64_t dims[MF_MAX_RANK];
  if (n > MF_MAX_RANK)
    mfl_invalid(L, op, "argument '%s': a shape has at most %d dimensions, received %d", argument, MF_MAX_RANK, (int)n);
  for (int i = 0; i < (int)n; i++) {
    lua_rawgeti(L, index, i + 1);
    dims[i] = check_dim(L, lua_gettop(L), op, argument);
    lua_pop(L, 1);
  }
  mfl_check(L, S, mf_shape_make(dims, (int64_t)n, out));
}

void mfl_check_shape(lua_State *L, mfl_state *S, int index, const char *op, const char *argument, mf_shape *out) {
  index = lua_absindex(L, index);
  const mf_shape *shape = mfl_test_shape(L, S, index);
  if (shape) {
    copy_shape(shape, out);
  } else if (lua_isnoneornil(L, index) || mfl_is_none(L, index)) {
    *out = mf_shape_unknown();
  } else if (mfl_is_plain_table(L, index)) {
    check_list(L, S, index, op, argument, out);
  } else if (lua_type(L, index) == LUA_TNUMBER) {
    *out = mf_shape_1d(check_dim(L, index, op, argument));
  } else {
    mfl_push_description(L, index);
    mfl_invalid(L, op, "argument '%s': expected a shape (a list of integers), received %s", argument, lua_tostring(L, -1));
  }
}

/* ---- text */

void mfl_push_shape_text(lua_State *L, const mf_shape *shape) {
  if (shape->rank < 0) {
    lua_pushliteral(L, "<unknown>");
    return;
  }
  luaL_Buffer b;
  char number[24];
  luaL_buffinit(L, &b);
  luaL_addchar(&b, '(');
  for (int i = 0; i < shape->rank; i++) {
    if (i) luaL_addstring(&b, ", ");
    snprintf(number, sizeof number, "%" PRId64, shape->dims[i]);
    luaL_addstring(&b, shape->dims[i] < 0 ? "None" : number);
  }
  if (shape->rank == 1) luaL_addchar(&b, ',');
  luaL_addchar(&b, ')');
  luaL_pushresult(&b);
}

static int shape_tostring(lua_State *L) {
  mfl_push_shape_text(L, check_self(L, mfl_enter(L)));
  return 1;
}

/* ---- elements */

static void push_dim(lua_State *L, int64_t dim) {
  if (dim < 0) mfl_push_none(L);
  else lua_pushinteger(L, dim);
}

static void check_known_rank(lua_State *L, const mf_shape *shape, const char *what) {
  if (shape->rank < 0) mfl_raisef(L, "INVALID_ARGUMENT", "TensorShape", "TensorShape: %s of a shape of unknown rank", what);
}

static int shape_at(lua_State *L, const mf_shape *shape, lua_Integer i) {
  check_known_rank(L, shape, "an element");
  if (i == 0)
    return mfl_raise(L, "OUT_OF_RANGE", "TensorShape",
                     "TensorShape: a shape is a Lua list, its first dimension is s[1] (x:dim(0) counts axes from 0)");
  if (i < 0) i += shape->rank + 1;
  if (i < 1 || i > shape->rank) return 0; /* nil ends ipairs */
  push_dim(L, shape->dims[i - 1]);
  return 1;
}

static int shape_index(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const mf_shape *shape = check_self(L, S);
  if (lua_isinteger(L, 2)) return shape_at(L, shape, lua_tointeger(L, 2));
  if (lua_type(L, 2) == LUA_TSTRING) {
    const char *key = lua_tostring(L, 2);
    if (!strcmp(key, "rank") || !strcmp(key, "ndims")) {
      if (shape->rank < 0) return 0;
      lua_pushinteger(L, shape->rank);
      return 1;
    }
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) return 1;
  }
  return 0;
}

static int shape_newindex(lua_State *L) {
  return mfl_raise(L, "INVALID_ARGUMENT", "TensorShape", "TensorShape: a shape is read-only; s:as_list() gives a table");
}

static int shape_len(lua_State *L) {
  const mf_shape *shape = check_self(L, mfl_enter(L));
  check_known_rank(L, shape, "the length");
  lua_pushinteger(L, shape->rank);
  return 1;
}

static int shape_next(lua_State *L) {
  const mf_shape *shape = check_self(L, mfl_enter(L));
  lua_Integer i = lua_isnil(L, 2) ? 1 : lua_tointeger(L, 2) + 1;
  if (i > shape->rank) return 0;
  lua_pushinteger(L, i);
  push_dim(L, shape->dims[i - 1]);
  return 2;
}

static int shape_pairs(lua_State *L) {
  check_self(L, mfl_enter(L));
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, shape_next, 1);
  lua_pushvalue(L, 1);
  return 2;
}

static int shape_eq(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const mf_shape *a = mfl_test_shape(L, S, 1), *b = mfl_test_shape(L, S, 2);
  lua_pushboolean(L, a && b && mf_shape_equal(a, b));
  return 1;
}

/* ---- methods. `other` may be anything mfl_check_shape reads. */

static int shape_as_list(lua_State *L) {
  const mf_shape *shape = check_self(L, mfl_enter(L));
  check_known_rank(L, shape, "as_list");
  lua_createtable(L, shape->rank, 0);
  for (int i = 0; i < shape->rank; i++) {
    push_dim(L, shape->dims[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int shape_num_elements(lua_State *L) {
  const mf_shape *shape = check_self(L, mfl_enter(L));
  if (!mf_shape_is_full(shape)) return 0;
  lua_pushinteger(L, mf_shape_count(shape));
  return 1;
}

static int shape_is_fully_defined(lua_State *L) {
  lua_pushboolean(L, mf_shape_is_full(check_self(L, mfl_enter(L))));
  return 1;
}

static int shape_is_compatible_with(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_shape self, other;
  copy_shape(check_self(L, S), &self);
  mfl_check_shape(L, S, 2, "TensorShape.is_compatible_with", "other", &other);
  lua_pushboolean(L, mf_shape_compatible(&self, &other));
  return 1;
}

static int shape_merge_with(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_shape self, other, merged;
  copy_shape(check_self(L, S), &self);
  mfl_check_shape(L, S, 2, "TensorShape.merge_with", "other", &other);
  mfl_check(L, S, mf_shape_merge(&self, &other, "TensorShape.merge_with", &merged));
  mfl_push_shape(L, S, &merged);
  return 1;
}

static int shape_concatenate(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_shape self, other, joined;
  copy_shape(check_self(L, S), &self);
  mfl_check_shape(L, S, 2, "TensorShape.concatenate", "other", &other);
  mfl_check(L, S, mf_shape_concat(&self, &other, &joined));
  mfl_push_shape(L, S, &joined);
  return 1;
}

static int shape_with_rank(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_shape self, other, merged;
  copy_shape(check_self(L, S), &self);
  lua_Integer rank = luaL_checkinteger(L, 2);
  if (rank < 0 || rank > MF_MAX_RANK) return mfl_invalid(L, "TensorShape.with_rank", "rank %I is out of range", (LUAI_UACINT)rank);
  other = mf_shape_unknown_dims((int)rank);
  mfl_check(L, S, mf_shape_merge(&self, &other, "TensorShape.with_rank", &merged));
  mfl_push_shape(L, S, &merged);
  return 1;
}

/* s:slice(first, last): dimensions first .. last, counted as Lua lists are; negative from the end. */
static int shape_slice(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const mf_shape *self = check_self(L, S);
  check_known_rank(L, self, "slice");
  lua_Integer rank = self->rank, first = luaL_checkinteger(L, 2), last = luaL_optinteger(L, 3, -1);
  if (first < 0) first += rank + 1;
  if (last < 0) last += rank + 1;
  if (first < 1) first = 1;
  if (last > rank) last = rank;
  mf_shape part = {.rank = 0};
  for (lua_Integer i = first; i <= last; i++) part.dims[part.rank++] = self->dims[i - 1];
  mfl_push_shape(L, S, &part);
  return 1;
}

static int shape_new(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_shape shape;
  if (mfl_test_shape(L, S, 1)) {
    lua_settop(L, 1);
    return 1;
  }
  mfl_check_shape(L, S, 1, "TensorShape", "dims", &shape);
  mfl_push_shape(L, S, &shape);
  return 1;
}

static int shape_is(lua_State *L) {
  lua_pushboolean(L, mfl_test_shape(L, mfl_enter(L), 1) != NULL);
  return 1;
}

/* ---- opening */

int mfl_open_shape(lua_State *L) {
  static const luaL_Reg functions[] = {{"new", shape_new}, {"is", shape_is}, {NULL, NULL}};
  static const luaL_Reg meta[] = {{"__newindex", shape_newindex}, {"__len", shape_len},   {"__eq", shape_eq},
                                  {"__pairs", shape_pairs},       {"__tostring", shape_tostring}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"as_list", shape_as_list},
                                     {"num_elements", shape_num_elements},
                                     {"is_fully_defined", shape_is_fully_defined},
                                     {"is_compatible_with", shape_is_compatible_with},
                                     {"merge_with", shape_merge_with},
                                     {"concatenate", shape_concatenate},
                                     {"with_rank", shape_with_rank},
                                     {"slice", shape_slice},
                                     {NULL, NULL}};
  mfl_state *S = mfl_state_get(L);
  luaL_checkstack(L, 8, "shape");
  lua_createtable(L, 0, 10);
  mfl_set_functions(L, S, meta);
  lua_pushliteral(L, "shape");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushliteral(L, "TensorShape");
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  lua_pushlightuserdata(L, S);
  luaL_newlibtable(L, methods);
  mfl_set_functions(L, S, methods);
  lua_pushcclosure(L, shape_index, 2);
  lua_setfield(L, -2, "__index");
  S->shape_meta = lua_topointer(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &meta_key);
  luaL_newlibtable(L, functions);
  mfl_set_functions(L, S, functions);
  return 1;
}
