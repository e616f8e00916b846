/* json.c - what reading and writing JSON share, and their table of functions. See json.h. */
#include "bind/json.h"

#include <lauxlib.h>

lua_Integer mfli_json_option(lua_State *L, int index, const char *name, lua_Integer otherwise) {
  if (!lua_istable(L, index)) return otherwise;
  lua_pushstring(L, name);
  int type = lua_rawget(L, index);
  lua_Integer value = otherwise;
  if (type == LUA_TBOOLEAN) value = lua_toboolean(L, -1);
  if (type == LUA_TNUMBER) value = lua_tointeger(L, -1);
  lua_pop(L, 1);
  return value;
}

int mfl_open_json(lua_State *L) {
  static const luaL_Reg functions[] = {{"encode", mfli_json_encode}, {"decode", mfli_json_decode}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
