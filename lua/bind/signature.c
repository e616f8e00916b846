/* signature.c - signature objects: made from specs, and their face in Lua. The reader itself is args.c.
 *
 * Lua's face (base/args.lua builds the rows):
 *     local s = compile(name, rows, flags)   a row: {name=, kind=, check=, required=, keyword=, rest=, open=,
 *                                            tensors=, none=, default=}
 *     local x, axis = s:read(...)      the values, in the order of the signature
 *     s(...)                           the same
 *     local a = s:read_table(...)      one table, name -> value; None is nil
 *     local kw, x, y = s:split(...)    a table of the parameters that go by name only, then the values by position
 */
#include <lauxlib.h>
#include <string.h>

#include "bind/args_internal.h"
#include "bind/ctx.h"
#include "bind/error.h"
#include "bind/sentinel.h"

/* Addresses used as registry keys: the metatable; a weak list of all signatures. */
static const char meta_key = 0, all_key = 0;

static const char *const kind_names[] = {"scalar", "list", "tensor", "data", "struct", "map", NULL};
static const char *const check_names[] = {"any", "integer", "number", "boolean", "string", "function", NULL};

mfl_signature *mfl_check_signature(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TUSERDATA && lua_rawlen(L, index) >= sizeof(mfl_signature)) {
    mfl_signature *sig = lua_touserdata(L, index);
    if (sig->mark == &meta_key) return sig;
  }
  luaL_typeerror(L, index, "signature");
  return NULL;
}

/* ---- methods */

static int signature_read(lua_State *L) {
  mfl_signature *sig = mfl_check_signature(L, 1);
  return mfl_args_read(L, sig, 2, lua_gettop(L) - 1);
}

static int signature_read_table(lua_State *L) {
  mfl_signature *sig = mfl_check_signature(L, 1);
  int n = mfl_args_read(L, sig, 2, lua_gettop(L) - 1);
  lua_createtable(L, 0, n);
  for (int i = 0; i < n; i++) {
    if (lua_isnil(L, 2 + i)) continue;
    lua_pushvalue(L, 2 + i);
    lua_setfield(L, -2, sig->params[i].name);
  }
  return 1;
}

static int signature_split(lua_State *L) {
  mfl_signature *sig = mfl_check_signature(L, 1);
  int n = mfl_args_read(L, sig, 2, lua_gettop(L) - 1);
  lua_createtable(L, 0, n - sig->n_positional);
  int table = lua_gettop(L), by_name = sig->n_positional + (sig->rest >= 0);
  for (int i = by_name; i < n; i++) {
    if (lua_isnil(L, 2 + i)) continue;
    lua_pushvalue(L, 2 + i);
    lua_setfield(L, table, sig->params[i].name);
  }
  for (int i = 0; i < sig->n_positional; i++) lua_pushvalue(L, 2 + i);
  int n_rest = 0;
  if (sig->rest >= 0) {
    lua_Unsigned size = lua_rawlen(L, 2 + sig->rest);
    if (size > INT32_MAX / 2) return luaL_error(L, "too many values");
    n_rest = (int)size;
    luaL_checkstack(L, n_rest + 4, sig->name);
    for (int i = 1; i <= n_rest; i++) lua_rawgeti(L, 2 + sig->rest, i);
  }
  return 1 + sig->n_positional + n_rest;
}

static int signature_names(lua_State *L) {
  const mfl_signature *sig = mfl_check_signature(L, 1);
  lua_createtable(L, sig->n_params, 0);
  for (int i = 0; i < sig->n_params; i++) {
    lua_pushstring(L, sig->params[i].name);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int signature_has(lua_State *L) {
  const mfl_signature *sig = mfl_check_signature(L, 1);
  lua_pushboolean(L, mfl_signature_find(L, sig, luaL_checkstring(L, 2)) >= 0);
  return 1;
}

static int signature_tostring(lua_State *L) {
  const mfl_signature *sig = mfl_check_signature(L, 1);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, sig->name);
  luaL_addchar(&b, '(');
  for (int i = 0; i < sig->n_params; i++) {
    const mfl_param *p = &sig->params[i];
    if (i > 0) luaL_addstring(&b, ", ");
    if (p->flags & MFL_PARAM_REST) luaL_addchar(&b, '*');
    if (p->flags & MFL_PARAM_OPEN) luaL_addstring(&b, "**");
    luaL_addlstring(&b, p->name, p->name_size);
  }
  luaL_addchar(&b, ')');
  luaL_pushresult(&b);
  return 1;
}

static int signature_gc(lua_State *L) {
  mfl_signature *sig = lua_touserdata(L, 1);
  luaL_unref(L, LUA_REGISTRYINDEX, sig->reference);
  sig->reference = LUA_NOREF;
  sig->calls = 0; /* its name is gone: called() must not ask for it */
  return 0;
}

static void push_meta(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &meta_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  static const luaL_Reg functions[] = {{"read", signature_read},   {"read_table", signature_read_table},
                                       {"split", signature_split}, {"names", signature_names},
                                       {"has", signature_has},     {"__call", signature_read},
                                       {"__gc", signature_gc},     {"__tostring", signature_tostring},
                                       {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pushliteral(L, "signature");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushliteral(L, "signature");
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &meta_key);
}

/* Notes the signature on top of the stack in the weak list of all of them. */
static void note_signature(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &all_key) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &all_key);
  }
  lua_pushvalue(L, -2);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* ---- making */

static void take_default(lua_State *L, mfl_param *p, int index, int names, int i) {
  if (index == 0 || lua_isnil(L, index) || mfl_is_none(L, index)) return; /* default_type is LUA_TNIL (0) */
  p->default_type = (uint8_t)lua_type(L, index);
  if (p->default_type == LUA_TBOOLEAN) {
    p->value.b = lua_toboolean(L, index);
  } else if (p->default_type == LUA_TNUMBER) {
    p->default_is_integer = lua_isinteger(L, index);
    if (p->default_is_integer) {
      p->value.i = lua_tointeger(L, index);
    } else {
      p->value.n = lua_tonumber(L, index);
    }
  } else {
    lua_pushvalue(L, index);
    lua_rawseti(L, names, i + 1);
  }
}

/* Fills in parameter `i`; the table of names and defaults is at `names`. */
static void take_param(lua_State *L, mfl_signature *sig, const mfl_param_spec *spec, int names, int i) {
  mfl_param *p = &sig->params[i];
  p->kind = spec->kind;
  p->check = spec->check;
  p->flags = spec->flags;
  p->name = lua_pushstring(L, spec->name);
  p->name_size = strlen(p->name);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, names) != LUA_TNIL) {
    mfl_raisef(L, "INTERNAL", sig->name, "%s: the signature names '%s' twice", sig->name, p->name);
  }
  lua_pop(L, 1);
  lua_pushinteger(L, i + 1);
  lua_rawset(L, names);
  take_default(L, p, spec->default_index, names, i);
  if (p->flags & MFL_PARAM_REST) {
    if (sig->rest >= 0) mfl_raisef(L, "INTERNAL", sig->name, "%s: the signature has two rest parameters", sig->name);
    sig->rest = i;
    p->flags &= (uint8_t)~MFL_PARAM_REQUIRED;
  }
  if (p->flags & MFL_PARAM_OPEN) {
    if (i != sig->n_params - 1) {
      mfl_raisef(L, "INTERNAL", sig->name, "%s: the signature's open parameter '%s' is not the last", sig->name,
                 p->name);
    }
    sig->open = i;
    p->flags &= (uint8_t)~MFL_PARAM_REQUIRED;
  }
}

mfl_signature *mfl_signature_new(lua_State *L, const char *name, const mfl_param_spec *params, int n, unsigned flags) {
  luaL_checkstack(L, 12, "signature");
  if (n < 0 || n > MFL_MAX_PARAMS) {
    mfl_raisef(L, "INTERNAL", name, "%s: a signature has at most %d parameters, received %d", name, MFL_MAX_PARAMS, n);
  }
  size_t size = sizeof(mfl_signature) + (size_t)n * sizeof(mfl_param);
  mfl_signature *sig = lua_newuserdatauv(L, size, 0);
  memset(sig, 0, size);
  sig->mark = &meta_key;
  sig->n_params = n;
  sig->rest = sig->open = -1;
  sig->reference = LUA_NOREF;
  sig->flags = flags;
  int self = lua_gettop(L);
  push_meta(L);
  lua_setmetatable(L, self);

  lua_createtable(L, n, n);
  int names = self + 1;
  sig->name = lua_pushstring(L, name);
  lua_rawseti(L, names, 0);
  mfl_push_none(L);
  sig->none = lua_touserdata(L, -1);
  mfl_push_kw_meta(L);
  sig->kw_meta = lua_topointer(L, -1);
  lua_pop(L, 2);
  for (int i = 0; i < n; i++) take_param(L, sig, &params[i], names, i);
  while (sig->n_positional < n &&
         !(sig->params[sig->n_positional].flags & (MFL_PARAM_KEYWORD | MFL_PARAM_REST | MFL_PARAM_OPEN))) {
    sig->n_positional++;
  }
  if (sig->rest > sig->n_positional) {
    mfl_raisef(L, "INTERNAL", name, "%s: the rest parameter '%s' stands behind one that goes by name", name,
               sig->params[sig->rest].name);
  }
  sig->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  note_signature(L);
  return sig;
}

int mfl_signature_find(lua_State *L, const mfl_signature *sig, const char *name) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, sig->reference);
  lua_pushstring(L, name);
  int index = lua_rawget(L, -2) == LUA_TNUMBER ? (int)lua_tointeger(L, -1) - 1 : -1;
  lua_pop(L, 2);
  return index;
}

/* ---- Lua's compile(name, rows, flags) */

static bool row_flag(lua_State *L, int row, const char *name) {
  lua_getfield(L, row, name);
  bool on = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return on;
}

static uint8_t row_choice(lua_State *L, int row, const char *name, const char *const *choices) {
  if (lua_getfield(L, row, name) == LUA_TNIL) {
    lua_pop(L, 1);
    return 0;
  }
  const char *text = luaL_checkstring(L, -1);
  for (uint8_t i = 0; choices[i]; i++) {
    if (strcmp(choices[i], text) == 0) {
      lua_pop(L, 1);
      return i;
    }
  }
  luaL_error(L, "a parameter's %s cannot be '%s'", name, text);
  return 0;
}

/* Reads the row at `row`. Its default, if any, stays on the stack. */
static mfl_param_spec spec_of_row(lua_State *L, int row) {
  static const struct {
    const char *name;
    int flag;
  } flags[] = {{"required", MFL_PARAM_REQUIRED}, {"keyword", MFL_PARAM_KEYWORD}, {"rest", MFL_PARAM_REST},
               {"open", MFL_PARAM_OPEN},         {"tensors", MFL_PARAM_TENSORS}, {"none", MFL_PARAM_NONE}};
  mfl_param_spec spec = {0};
  spec.kind = row_choice(L, row, "kind", kind_names);
  spec.check = row_choice(L, row, "check", check_names);
  for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
    if (row_flag(L, row, flags[i].name)) spec.flags = (uint8_t)(spec.flags | flags[i].flag);
  }
  lua_getfield(L, row, "name");
  spec.name = luaL_checkstring(L, -1);
  lua_pop(L, 1); /* kept alive by the row */
  if (lua_getfield(L, row, "default") == LUA_TNIL) {
    lua_pop(L, 1);
  } else {
    spec.default_index = lua_gettop(L);
  }
  return spec;
}

static int args_compile(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  unsigned flags = (unsigned)luaL_optinteger(L, 3, 0);
  lua_Integer n = (lua_Integer)lua_rawlen(L, 2);
  luaL_argcheck(L, n <= MFL_MAX_PARAMS, 2, "too many parameters");
  luaL_checkstack(L, 2 * (int)n + 16, "signature");
  mfl_param_spec specs[MFL_MAX_PARAMS];
  for (int i = 0; i < (int)n; i++) {
    lua_rawgeti(L, 2, i + 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    specs[i] = spec_of_row(L, lua_gettop(L));
  }
  mfl_signature_new(L, name, specs, (int)n, flags);
  return 1;
}

/* ---- other functions of the table */

static int args_kind(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushstring(L, mfl_kind_of(L, 1));
  return 1;
}

static int args_is_tensor(lua_State *L) {
  lua_pushboolean(L, mfl_is_tensor(L, 1));
  return 1;
}

/* Replaces the value on top of the stack by what one finds following first items inwards. */
static void follow_first_items(lua_State *L) {
  enum { DEEPEST = 64 };
  for (int depth = 0; depth < DEEPEST && mfl_is_plain_table(L, -1); depth++) {
    if (lua_rawgeti(L, -1, 1) == LUA_TNIL) {
      if (lua_next(L, -2)) { /* a dict */
        lua_pop(L, 2);
        return;
      }
      lua_pushinteger(L, 0); /* {} stands for a list of numbers */
    }
    lua_replace(L, -2);
  }
}

bool mfl_is_scalar_list(lua_State *L, int index) {
  index = lua_absindex(L, index);
  if (!mfl_is_plain_table(L, index)) return false;
  luaL_checkstack(L, 4, "list");
  lua_Integer n = (lua_Integer)lua_rawlen(L, index);
  bool all = true;
  for (lua_Integer i = 1; i <= (n > 0 ? n : 1) && all; i++) {
    if (n > 0) {
      lua_rawgeti(L, index, i);
    } else {
      lua_pushvalue(L, index);
    }
    follow_first_items(L);
    int type = lua_type(L, -1);
    all = type == LUA_TNUMBER || type == LUA_TBOOLEAN || type == LUA_TSTRING;
    lua_pop(L, 1);
  }
  return all;
}

static int args_is_scalar_list(lua_State *L) {
  lua_pushboolean(L, mfl_is_scalar_list(L, 1));
  return 1;
}

static int args_describe(lua_State *L) {
  luaL_checkany(L, 1);
  mfl_push_description(L, 1);
  return 1;
}

static int args_less(lua_State *L) {
  luaL_checktype(L, 1, LUA_TSTRING);
  luaL_checktype(L, 2, LUA_TSTRING);
  lua_pushboolean(L, mfl_text_less(L, 1, 2));
  return 1;
}

/* nearest(name, list of names): "'a' or 'b'", or nil. */
static int args_nearest(lua_State *L) {
  size_t size;
  const char *name = luaL_checklstring(L, 1, &size);
  luaL_checktype(L, 2, LUA_TTABLE);
  return mfli_push_nearest(L, 2, name, size) ? 1 : 0;
}

/* called(): how often each signature was read since the last called(): a table name -> count. */
static int args_called(lua_State *L) {
  lua_newtable(L);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &all_key) != LUA_TTABLE) {
    lua_pop(L, 1);
    return 1;
  }
  lua_pushnil(L);
  while (lua_next(L, 2)) {
    lua_pop(L, 1);
    mfl_signature *sig = lua_touserdata(L, -1);
    if (sig->calls == 0) continue;
    lua_getfield(L, 1, sig->name);
    lua_pushinteger(L, lua_tointeger(L, -1) + sig->calls);
    lua_setfield(L, 1, sig->name);
    lua_pop(L, 1);
    sig->calls = 0;
  }
  lua_pop(L, 1);
  return 1;
}

int mfl_open_args(lua_State *L) {
  static const luaL_Reg functions[] = {{"compile", args_compile},
                                       {"kind", args_kind},
                                       {"is_tensor", args_is_tensor},
                                       {"is_scalar_list", args_is_scalar_list},
                                       {"describe", args_describe},
                                       {"less", args_less},
                                       {"nearest", args_nearest},
                                       {"called", args_called},
                                       {NULL, NULL}};
  luaL_newlib(L, functions);
  mfl_push_none(L);
  lua_setfield(L, -2, "None");
  mfl_push_kw_meta(L);
  lua_setfield(L, -2, "kw_meta");
  mfl_push_dict_meta(L);
  lua_setfield(L, -2, "dict_meta");
  mfl_push_dict_orders(L);
  lua_setfield(L, -2, "dict_orders");
  return 1;
}
