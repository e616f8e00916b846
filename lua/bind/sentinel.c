/* sentinel.c - tf.None, the tf.kw and tf.dict marks, and what kind of thing a Lua value is. See sentinel.h. Knows
 * Lua only. */
#include "bind/sentinel.h"

#include "bind/ctx.h"

#include <lauxlib.h>
#include <string.h>

/* Addresses used as registry keys. */
static const char none_key = 0, kw_key = 0, dict_key = 0, orders_key = 0;

static int none_tostring(lua_State *L) {
  lua_pushliteral(L, "None");
  return 1;
}

void mfl_push_none(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &none_key) == LUA_TUSERDATA) return;
  lua_pop(L, 1);
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 3);
  lua_pushliteral(L, "none");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushliteral(L, "None");
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  lua_pushcfunction(L, none_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &none_key);
}

bool mfl_is_none(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA) return false;
  const void *value = lua_touserdata(L, index);
  mfl_push_none(L);
  bool same = lua_touserdata(L, -1) == value;
  lua_pop(L, 1);
  return same;
}

static void push_meta(lua_State *L, const void *key, const char *kind) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_createtable(L, 0, 4);
  lua_pushstring(L, kind);
  lua_setfield(L, -2, "__mf_kind");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void mfl_push_kw_meta(lua_State *L) { push_meta(L, &kw_key, "kw"); }

void mfl_push_dict_meta(lua_State *L) { push_meta(L, &dict_key, "dict"); }

void mfl_push_dict_orders(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &orders_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &orders_key);
}

bool mfl_is_dict(lua_State *L, int index) {
  if (!lua_istable(L, index) || !lua_getmetatable(L, index)) return false;
  mfl_push_dict_meta(L);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

const char *mfl_kind_of(lua_State *L, int index) {
  int type = luaL_getmetafield(L, index, "__mf_kind");
  if (type == LUA_TNIL) return NULL;
  const char *kind = type == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  lua_pop(L, 1);
  return kind;
}

bool mfl_is_tensor(lua_State *L, int index) {
  int type = lua_type(L, index);
  if (type != LUA_TUSERDATA && type != LUA_TTABLE) return false;
  const char *kind = mfl_kind_of(L, index);
  if (!kind) return false;
  return strcmp(kind, "tensor") == 0 || strcmp(kind, "variable") == 0 || strcmp(kind, "keras_tensor") == 0 ||
         strcmp(kind, "composite") == 0;
}

bool mfl_text_less(lua_State *L, int a, int b) {
  size_t na, nb;
  const char *ta = lua_tolstring(L, a, &na), *tb = lua_tolstring(L, b, &nb);
  int order = memcmp(ta, tb, na < nb ? na : nb);
  return order < 0 || (order == 0 && na < nb);
}

bool mfl_is_plain_table(lua_State *L, int index) {
  if (!lua_istable(L, index)) return false;
  if (!lua_getmetatable(L, index)) return true;
  lua_pop(L, 1);
  return false;
}

void mfl_push_quoted(lua_State *L, const char *bytes, size_t size) {
  enum { LIMIT = 60 };
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addchar(&b, '\'');
  for (size_t i = 0; i < size && i < LIMIT; i++) {
    unsigned char c = (unsigned char)bytes[i];
    if (c >= 32 && c != 127) {
      luaL_addchar(&b, bytes[i]);
    } else {
      char text[5] = {'\\', (char)('0' + c / 100), (char)('0' + c / 10 % 10), (char)('0' + c % 10), 0};
      luaL_addlstring(&b, text, 4);
    }
  }
  if (size > LIMIT) luaL_addstring(&b, "...");
  luaL_addchar(&b, '\'');
  luaL_pushresult(&b);
}

/* Objects are named by `class_name` in their metatable (class.lua puts it there), else by __name, else by kind. */
static void describe_object(lua_State *L, int index) {
  static const char *const fields[] = {"__mf_class", "__name", "__mf_kind"};
  for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
    int type = luaL_getmetafield(L, index, fields[i]);
    if (type == LUA_TNIL) continue;
    if (type == LUA_TSTRING) {
      lua_pushfstring(L, "a %s", lua_tostring(L, -1));
      lua_remove(L, -2);
      return;
    }
    lua_pop(L, 1);
  }
  lua_pushfstring(L, "a %s", luaL_typename(L, index));
}

void mfl_push_description(lua_State *L, int index) {
  luaL_checkstack(L, 4, "description");
  index = lua_absindex(L, index);
  switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL: lua_pushliteral(L, "nil"); return;
    case LUA_TBOOLEAN: lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false"); return;
    case LUA_TNUMBER: /* on a copy: lua_tolstring would turn the value itself into a string */
      lua_pushvalue(L, index);
      lua_tostring(L, -1);
      return;
    case LUA_TSTRING: {
      size_t size;
      const char *bytes = lua_tolstring(L, index, &size);
      mfl_push_quoted(L, bytes, size);
      return;
    }
    case LUA_TTABLE:
    case LUA_TUSERDATA:
      if (mfl_is_none(L, index)) {
        lua_pushliteral(L, "None");
      } else {
        describe_object(L, index);
      }
      return;
    default: lua_pushfstring(L, "a %s", luaL_typename(L, index)); return;
  }
}
