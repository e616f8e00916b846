/* error.c - error objects: made, raised, printed. See error.h. Knows Lua only. */
#include "bind/error.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Addresses used as registry keys. */
static const char meta_key = 0, home_key = 0;

static int error_tostring(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  lua_pushliteral(L, "position");
  if (lua_rawget(L, 1) == LUA_TSTRING) {
    luaL_addvalue(&b);
    luaL_addstring(&b, ": ");
  } else {
    lua_pop(L, 1);
  }
  lua_pushliteral(L, "code");
  if (lua_rawget(L, 1) == LUA_TSTRING) {
    luaL_addvalue(&b);
    luaL_addstring(&b, ": ");
  } else {
    lua_pop(L, 1);
  }
  lua_pushliteral(L, "message");
  if (lua_rawget(L, 1) == LUA_TSTRING) {
    luaL_addvalue(&b);
  } else {
    lua_pop(L, 1);
    luaL_addstring(&b, "(no message)");
  }
  luaL_pushresult(&b);
  return 1;
}

/* Pushes the metatable of error objects, made on first use. */
static void push_meta(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &meta_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_createtable(L, 0, 3);
  lua_pushliteral(L, "error");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushliteral(L, "moonflow.error");
  lua_setfield(L, -2, "__name");
  lua_pushcfunction(L, error_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &meta_key);
}

void mfl_format_position(lua_State *L, char *text, int size) {
  text[0] = 0;
  if (!lua_checkstack(L, 3)) return;
  size_t home_size = 0;
  const char *home = NULL;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &home_key) == LUA_TSTRING) home = lua_tolstring(L, -1, &home_size);
  lua_Debug ar;
  for (int level = 0; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline <= 0) continue; /* C functions, stripped code */
    if (home && strncmp(ar.source, home, home_size) == 0) continue;
    snprintf(text, (size_t)size, "%s:%d", ar.short_src, ar.currentline);
    break;
  }
  lua_pop(L, 1);
}

void mfl_push_position(lua_State *L) {
  char text[LUA_IDSIZE + 16];
  mfl_format_position(L, text, (int)sizeof text);
  luaL_checkstack(L, 1, "error position");
  if (text[0]) lua_pushstring(L, text);
  else lua_pushnil(L);
}

void mfl_error_new(lua_State *L, const char *code, const char *op) {
  luaL_checkstack(L, 4, "error object");
  lua_createtable(L, 0, 4);
  lua_insert(L, -2);
  lua_setfield(L, -2, "message");
  lua_pushstring(L, code);
  lua_setfield(L, -2, "code");
  if (op) {
    lua_pushstring(L, op);
    lua_setfield(L, -2, "op");
  }
  mfl_push_position(L);
  lua_setfield(L, -2, "position");
  push_meta(L);
  lua_setmetatable(L, -2);
}

int mfl_raise_top(lua_State *L, const char *code, const char *op) {
  mfl_error_new(L, code, op);
  return lua_error(L);
}

int mfl_raise(lua_State *L, const char *code, const char *op, const char *message) {
  luaL_checkstack(L, 1, "error message");
  lua_pushstring(L, message);
  return mfl_raise_top(L, code, op);
}

int mfl_raisef(lua_State *L, const char *code, const char *op, const char *format, ...) {
  luaL_checkstack(L, 1, "error message");
  va_list args;
  va_start(args, format);
  lua_pushvfstring(L, format, args);
  va_end(args);
  return mfl_raise_top(L, code, op);
}

int mfl_is_error(lua_State *L, int index) {
  if (!lua_istable(L, index) || !lua_getmetatable(L, index)) return 0;
  push_meta(L);
  int same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

/* ---- Lua's face */

static int error_make(lua_State *L) {
  const char *code = luaL_checkstring(L, 1), *op = luaL_optstring(L, 2, NULL);
  luaL_checkstring(L, 3);
  lua_settop(L, 3);
  mfl_error_new(L, code, op);
  return 1;
}

static int error_raise(lua_State *L) {
  error_make(L);
  return lua_error(L);
}

static int error_is(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, mfl_is_error(L, 1));
  return 1;
}

static int error_position(lua_State *L) {
  mfl_push_position(L);
  return 1;
}

static int error_set_home(lua_State *L) {
  lua_Debug ar;
  if (!lua_getstack(L, 1, &ar)) return 0;
  lua_getinfo(L, "S", &ar);
  const char *end = ar.source + strlen(ar.source);
  for (int folders = 0; folders < 2; folders++) {
    while (end > ar.source && end[-1] != '/' && end[-1] != '\\') end--;
    if (folders == 0 && end > ar.source) end--;
  }
  if (end == ar.source) return 0; /* no folders in the name: nothing to tell moonflow's modules by */
  lua_pushlstring(L, ar.source, (size_t)(end - ar.source));
  lua_rawsetp(L, LUA_REGISTRYINDEX, &home_key);
  return 0;
}

int mfl_open_error(lua_State *L) {
  static const luaL_Reg functions[] = {{"new", error_make},
                                       {"raise", error_raise},
                                       {"is", error_is},
                                       {"position", error_position},
                                       {"set_home", error_set_home},
                                       {NULL, NULL}};
  luaL_newlib(L, functions);
  push_meta(L);
  lua_setfield(L, -2, "metatable");
  return 1;
}
