/* json_decode.c - text to Lua values. Jansson parses; its tree hangs in a userdata box until it has been turned into
 * tables, so that an error in between frees it.
 */
#include "bind/json.h"

#include "bind/error.h"

static const char OP[] = "json.decode";

#ifdef MF_HAVE_JANSSON

#include <jansson.h>
#include <lauxlib.h>

#include "bind/sentinel.h"

typedef struct box {
  json_t *root;
} box;

static int box_gc(lua_State *L) {
  box *b = lua_touserdata(L, 1);
  json_decref(b->root); /* NULL is allowed */
  b->root = NULL;
  return 0;
}

static box *new_box(lua_State *L) {
  box *b = lua_newuserdatauv(L, sizeof(*b), 0);
  b->root = NULL;
  if (luaL_newmetatable(L, "moonflow.json.box")) {
    lua_pushcfunction(L, box_gc);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return b;
}

static void push_value(lua_State *L, json_t *value, lua_Integer depth);

/* An object becomes a dict, its keys in order in the table of orders. */
static void push_object(lua_State *L, json_t *object, lua_Integer depth) {
  int n = json_object_size(object) > INT32_MAX ? 0 : (int)json_object_size(object);
  lua_createtable(L, 0, n);
  mfl_push_dict_orders(L);
  lua_createtable(L, n, 0);
  int dict = lua_gettop(L) - 2, order = dict + 2;
  lua_pushvalue(L, dict);
  lua_pushvalue(L, order);
  lua_rawset(L, dict + 1);
  lua_Integer i = 0;
  for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
    /* Jansson refuses \u0000 in keys, so that they are C strings. */
    lua_pushstring(L, json_object_iter_key(at));
    lua_pushvalue(L, -1);
    lua_rawseti(L, order, ++i);
    push_value(L, json_object_iter_value(at), depth - 1);
    lua_rawset(L, dict);
  }
  mfl_push_dict_meta(L);
  lua_setmetatable(L, dict);
  lua_settop(L, dict);
}

static void push_array(lua_State *L, json_t *array, lua_Integer depth) {
  size_t n = json_array_size(array);
  lua_createtable(L, n > INT32_MAX ? 0 : (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    push_value(L, json_array_get(array, i), depth - 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static void push_value(lua_State *L, json_t *value, lua_Integer depth) {
  if (depth < 0) mfl_raise(L, "INVALID_ARGUMENT", OP, "json.decode: the text is nested too deeply");
  luaL_checkstack(L, 8, OP);
  switch (json_typeof(value)) {
    case JSON_OBJECT: push_object(L, value, depth); break;
    case JSON_ARRAY: push_array(L, value, depth); break;
    case JSON_STRING: lua_pushlstring(L, json_string_value(value), json_string_length(value)); break;
    case JSON_INTEGER: lua_pushinteger(L, json_integer_value(value)); break;
    case JSON_REAL: lua_pushnumber(L, json_real_value(value)); break;
    case JSON_TRUE: lua_pushboolean(L, 1); break;
    case JSON_FALSE: lua_pushboolean(L, 0); break;
    default: mfl_push_none(L); break;
  }
}

int mfli_json_decode(lua_State *L) {
  size_t size;
  luaL_checktype(L, 1, LUA_TSTRING);
  const char *text = lua_tolstring(L, 1, &size);
  lua_settop(L, 2);
  lua_Integer depth = mfli_json_option(L, 2, "depth", MFLI_JSON_DEPTH);
  box *b = new_box(L);
  json_error_t error;
  b->root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
  if (!b->root) {
    return mfl_raisef(L, "INVALID_ARGUMENT", OP, "json.decode: line %d, column %d: %s", error.line, error.column,
                      error.text);
  }
  push_value(L, b->root, depth);
  json_decref(b->root);
  b->root = NULL;
  return 1;
}

#else

int mfli_json_decode(lua_State *L) {
  return mfl_raise(L, "UNIMPLEMENTED", OP, "json.decode: this build was made without Jansson (libjansson-dev)");
}

#endif
