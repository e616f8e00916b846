/* tensor_to.c - tensors become Lua values: numbers, booleans, strings, nested tables. See tensor.h. */
#include <lauxlib.h>

#include "bind/error.h"
#include "bind/sentinel.h"
#include "bind/tensor.h"

void mfl_push_element(lua_State *L, const mf_tensor *t, int64_t i) {
  mf_dtype type = mf_tensor_dtype(t);
  switch ((mf_dtype_kind)mf_dtype_const(type)->kind) {
    case MF_KIND_BOOL: lua_pushboolean(L, mf_tensor_get_i64(t, i) != 0); return;
    case MF_KIND_FLOAT: lua_pushnumber(L, mf_tensor_get_f64(t, i)); return;
    case MF_KIND_UNSIGNED: /* what does not fit a Lua integer becomes the nearest float */
      if (type == MF_UINT64 && mf_tensor_get_i64(t, i) < 0) {
        lua_pushnumber(L, mf_tensor_get_f64(t, i));
        return;
      }
      lua_pushinteger(L, mf_tensor_get_i64(t, i));
      return;
    case MF_KIND_SIGNED: case MF_KIND_QUANTISED: lua_pushinteger(L, mf_tensor_get_i64(t, i)); return;
    case MF_KIND_STRING: {
      size_t size;
      const char *bytes = mf_string_at(t, i, &size);
      lua_pushlstring(L, bytes, size);
      return;
    }
    case MF_KIND_COMPLEX: { /* {real, imaginary} */
      bool wide = type == MF_COMPLEX128;
      lua_createtable(L, 2, 0);
      for (int part = 0; part < 2; part++) {
        lua_pushnumber(L, wide ? MF_DATA(double, t)[2 * i + part] : (double)MF_DATA(float, t)[2 * i + part]);
        lua_rawseti(L, -2, part + 1);
      }
      return;
    }
    default: mfl_invalid(L, "Tensor", "values of dtype %s cannot be read from Lua", mf_dtype_name(type));
  }
}

mf_tensor *mfl_push_host(lua_State *L, mfl_state *S, mf_tensor *t, const char *op) {
  if (mf_tensor_is_symbolic(t))
    mfl_raisef(L, "FAILED_PRECONDITION", op,
               "%s: the value of a symbolic tensor is not known while a function is traced; tf.print shows it when it runs", op);
  luaL_checkstack(L, 4, "tensor");
  mfl_box *box = mfl_push_box(L, S);
  mf_tensor *host;
  mf_status status = mf_tensor_to_device(t, mf_device_cpu(), &host);
  mfl_box_set(S, box, host);
  mfl_check(L, S, status);
  return host;
}

void mfl_push_item(lua_State *L, mfl_state *S, mf_tensor *t, const char *op) {
  if (mf_tensor_count(t) != 1 && !mf_tensor_is_symbolic(t)) {
    char text[MF_SHAPE_TEXT];
    mfl_invalid(L, op, "only a tensor of one element is one Lua value, received shape %s (x:totable() gives tables)",
                mf_shape_text(&t->shape, text));
  }
  mf_tensor *host = mfl_push_host(L, S, t, op);
  mfl_push_element(L, host, 0);
  lua_remove(L, -2);
}

static void push_nested(lua_State *L, const mf_tensor *t, int axis, int64_t *next) {
  int64_t n = t->shape.dims[axis];
  if (n > INT32_MAX) mfl_invalid(L, "Tensor.totable", "a dimension of %I is too long for a table", (LUAI_UACINT)n);
  luaL_checkstack(L, 4, "table");
  lua_createtable(L, (int)n, 0);
  for (int64_t i = 1; i <= n; i++) {
    if (axis == t->shape.rank - 1) mfl_push_element(L, t, (*next)++);
    else push_nested(L, t, axis + 1, next);
    lua_rawseti(L, -2, i);
  }
}

void mfl_push_table(lua_State *L, mfl_state *S, mf_tensor *t, const char *op) {
  mf_tensor *host = mfl_push_host(L, S, t, op);
  int64_t next = 0;
  if (host->shape.rank == 0) mfl_push_element(L, host, 0);
  else push_nested(L, host, 0, &next);
  lua_remove(L, -2);
}
