/* args.c - reads the arguments of a call by a signature. The rules stand in args.h and docs/call-grammar.md.
 *
 * Layout while reading: the keyword table, if there is one, is moved below the values:
 *     first: [keywords] base: [value 0] [value 1] ...
 * Then the stack is cut or filled to n_params slots from `base`, keywords are copied into their slots, and each slot
 * is checked or takes its default. nil in a slot means "not given" until then, and "None" afterwards.
 */
#include <lauxlib.h>
#include <string.h>

#include "bind/args_internal.h"
#include "bind/sentinel.h"

/* The parameter that the value at position `i` goes to, or -1. */
static int parameter_at(const mfl_signature *sig, int i) {
  return i < sig->n_positional ? i : sig->rest;
}

/* Is any required parameter behind the first `n` positions neither in the table at `keywords` (0: none)? */
static bool is_missing(lua_State *L, const mfl_signature *sig, int n, int keywords) {
  for (int i = n; i < sig->n_params; i++) {
    if (!(sig->params[i].flags & MFL_PARAM_REQUIRED)) continue;
    if (!keywords) return true;
    lua_pushstring(L, sig->params[i].name);
    bool absent = lua_rawget(L, keywords) == LUA_TNIL;
    lua_pop(L, 1);
    if (absent) return true;
  }
  return false;
}

/* Number, string, boolean, None or dtype: what only an option is made of. */
static bool is_plain_value(lua_State *L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
    case LUA_TBOOLEAN: return true;
    case LUA_TUSERDATA: {
      const char *kind = mfl_kind_of(L, index);
      return kind && (strcmp(kind, "none") == 0 || strcmp(kind, "dtype") == 0);
    }
    default: return false;
  }
}

/* Rule 2's error. */
static void fail_ambiguous(lua_State *L, const mfl_signature *sig, int table, int parameter) {
  int names = lua_gettop(L) + 1;
  lua_rawgeti(L, LUA_REGISTRYINDEX, sig->reference);
  lua_pushnil(L); /* the least key that is no parameter's name */
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    bool known = lua_rawget(L, names) != LUA_TNIL;
    lua_pop(L, 1);
    if (known) continue;
    if (lua_isnil(L, names + 1) || mfl_text_less(L, -1, names + 1)) lua_copy(L, -1, names + 1);
  }
  size_t size;
  const char *name = lua_tolstring(L, names + 1, &size);
  mfl_push_quoted(L, name, size);
  mfli_args_push_hint(L, sig, name, size);
  lua_pushfstring(L,
                  "unknown argument %s%s (if the last table is meant as the value of '%s', write tf.dict{...}; "
                  "tf.kw{...} marks keywords)",
                  lua_tostring(L, -2), lua_tostring(L, -1), sig->params[parameter].name);
  mfli_args_fail(L, sig);
}

/* Rules 1 and 2: is the table with string keys only at `table`, behind `n` values, the keywords? */
static bool text_table_is_keywords(const reading *r, int table, int n, lua_Unsigned n_keys) {
  lua_State *L = r->L;
  const mfl_signature *sig = r->sig;
  int parameter = parameter_at(sig, n);
  if (parameter < 0) return true;
  const mfl_param *p = &sig->params[parameter];
  if (parameter != sig->rest && p->kind != MFL_KIND_DATA && p->kind != MFL_KIND_STRUCT) return true;

  lua_Unsigned n_known = 0;
  bool plain = true;
  lua_rawgeti(L, LUA_REGISTRYINDEX, sig->reference);
  int names = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    plain = plain && is_plain_value(L, -1);
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    if (sig->open >= 0 || lua_rawget(L, names) != LUA_TNIL) n_known++;
    lua_pop(L, 1);
  }
  lua_settop(L, names - 1);
  if (n_known == n_keys && !is_missing(L, sig, n, table)) return true;
  bool doubtful = n_known < n_keys && (n_known > 0 || plain);
  if (doubtful && !is_missing(L, sig, n, 0)) fail_ambiguous(L, sig, table, parameter);
  return false;
}

/* Rule 5: is {} behind `n` values empty keywords? */
static bool empty_is_keywords(const mfl_signature *sig, int n) {
  int parameter = parameter_at(sig, n);
  if (parameter < 0 || parameter == sig->rest) return true;
  const mfl_param *p = &sig->params[parameter];
  if (p->kind == MFL_KIND_LIST || p->kind == MFL_KIND_TENSOR) return false;
  if (p->kind == MFL_KIND_DATA || p->kind == MFL_KIND_STRUCT) return !(p->flags & MFL_PARAM_REQUIRED);
  return true;
}

/* The table on top of the stack, behind the values, is the keywords: moves it below them. */
static void take_keywords(reading *r, int n) {
  lua_insert(r->L, r->base);
  r->keywords = r->base++;
  r->n = n;
}

static void fail_too_many(lua_State *L, const mfl_signature *sig, lua_Unsigned n) {
  lua_pushfstring(L, "takes at most %d argument%s by position, received %I", sig->n_positional,
                  sig->n_positional == 1 ? "" : "s", (LUAI_UACINT)n);
  mfli_args_fail(L, sig);
}

/* Rule 3, kind list or tensor: the sole table's integer part becomes value 0, its string keys the keywords. */
static void take_list_part(reading *r, const mfl_param *p, const table_keys *k) {
  lua_State *L = r->L;
  int table = r->base;
  if (p->kind == MFL_KIND_TENSOR && k->n_integer == 1) {
    lua_rawgeti(L, table, 1);
    if (!mfl_is_tensor(L, -1)) lua_pop(L, 1);
  }
  bool lone_tensor = lua_gettop(L) > table;
  if (k->n_text == 0) {
    if (lone_tensor) lua_replace(L, table);
    return;
  }
  if (!lone_tensor) {
    lua_createtable(L, (int)k->n_integer, 0);
    for (lua_Integer i = 1; i <= k->greatest; i++) {
      lua_rawgeti(L, table, i);
      lua_rawseti(L, -2, i);
    }
  }
  r->keywords = r->base++;
  r->has_list_part = true;
}

/* Rule 3: the only argument is a table with integer keys. */
static void read_sole_table(reading *r, const table_keys *k) {
  lua_State *L = r->L;
  const mfl_signature *sig = r->sig;
  int parameter = parameter_at(sig, 0), table = r->base;
  const mfl_param *p = parameter >= 0 ? &sig->params[parameter] : NULL;
  if (p && (p->kind == MFL_KIND_DATA || p->kind == MFL_KIND_STRUCT || p->kind == MFL_KIND_MAP)) return;
  if (!mfli_is_sequence(k)) mfli_fail_hole(L, sig, parameter, k);
  if (p && parameter != sig->rest && (p->kind == MFL_KIND_LIST || p->kind == MFL_KIND_TENSOR)) {
    take_list_part(r, p, k);
    return;
  }
  if (sig->rest < 0 && k->n_integer > (lua_Unsigned)sig->n_positional) fail_too_many(L, sig, k->n_integer);
  if (k->n_integer > INT32_MAX / 2) fail_too_many(L, sig, k->n_integer);
  int n = (int)k->n_integer;
  luaL_checkstack(L, n + sig->n_params + 16, sig->name);
  for (int i = 1; i <= n; i++) lua_rawgeti(L, table, i);
  r->keywords = r->base++;
  r->has_list_part = true;
  r->n = n;
}

static bool is_kw(lua_State *L, const mfl_signature *sig, int index) {
  if (!lua_getmetatable(L, index)) return false;
  bool same = lua_topointer(L, -1) == sig->kw_meta;
  lua_pop(L, 1);
  return same;
}

/* Some of the values are tables: finds the keywords among them. */
static void read_tables(reading *r) {
  lua_State *L = r->L;
  const mfl_signature *sig = r->sig;
  int last = r->base + r->n - 1;
  for (int i = r->base; i < last; i++) {
    if (lua_istable(L, i) && is_kw(L, sig, i)) {
      lua_pushliteral(L, "tf.kw{...} must be the last argument");
      mfli_args_fail(L, sig);
    }
  }
  if (!lua_istable(L, last)) return;
  if (is_kw(L, sig, last)) {
    take_keywords(r, r->n - 1);
    return;
  }
  if (!mfl_is_plain_table(L, last)) return;
  bool sole = r->n == 1;
  if (sole && (sig->flags & MFL_SIGNATURE_INPUT_FIRST)) return;
  table_keys k = mfli_keys_of(L, last);
  r->known = lua_topointer(L, last);
  r->known_keys = k;
  if (k.other_type != LUA_TNIL) return; /* a value, and a bad one: said when it is checked */
  if (k.n_integer > 0) {
    if (sole) read_sole_table(r, &k);
  } else if (k.n_text == 0 ? empty_is_keywords(sig, r->n - 1) : text_table_is_keywords(r, last, r->n - 1, k.n_text)) {
    take_keywords(r, r->n - 1);
  }
}

/* The rest parameter's slot becomes a list of the values from its position on. */
static void collect_rest(reading *r) {
  lua_State *L = r->L;
  int rest = r->sig->rest, slot = r->base + rest;
  r->n_rest = r->n > rest ? r->n - rest : 0;
  if (r->n_rest == 0) lua_settop(L, slot - 1);
  lua_createtable(L, r->n_rest, 0);
  for (int i = 0; i < r->n_rest; i++) {
    if (lua_isnil(L, slot + i)) {
      mfl_push_none(L);
    } else {
      if (mfl_is_plain_table(L, slot + i)) mfli_check_table(r, slot + i, rest);
      lua_pushvalue(L, slot + i);
    }
    lua_rawseti(L, -2, i + 1);
  }
  if (r->n_rest > 0) {
    lua_replace(L, slot);
    lua_settop(L, slot);
  }
}

/* ---- keywords */

static void fail_unknown(const reading *r, const char *name, size_t size) {
  lua_State *L = r->L;
  mfl_push_quoted(L, name, size);
  mfli_args_push_hint(L, r->sig, name, size);
  lua_pushfstring(L, "unknown argument %s%s", lua_tostring(L, -2), lua_tostring(L, -1));
  mfli_args_fail(L, r->sig);
}

static void fail_twice(const reading *r, int parameter) {
  lua_pushfstring(r->L, "argument '%s' was given twice, by position and by name", r->sig->params[parameter].name);
  mfli_args_fail(r->L, r->sig);
}

/* Stores the keyword's value, on top of the stack, in its slot. False: the parameter has its value already. */
static bool store_keyword(const reading *r, int parameter) {
  lua_State *L = r->L;
  int slot = r->base + parameter;
  if (parameter == r->sig->rest) {
    if (r->n_rest > 0) return false;
    lua_pushvalue(L, -1);
    lua_rawseti(L, slot, 1);
    return true;
  }
  if (!lua_isnil(L, slot)) return false;
  lua_copy(L, -1, slot);
  return true;
}

/* Copies the keyword table's entries into their slots. Faults are kept until the end, and the bytewise or
 * positionally first one is raised: the order of keys in a table changes from run to run. */
static void read_keywords(const reading *r) {
  lua_State *L = r->L;
  const mfl_signature *sig = r->sig;
  int unknown = lua_gettop(L) + 1, names = unknown + 1, twice = sig->n_params;
  lua_pushnil(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, sig->reference);
  lua_pushnil(L);
  while (lua_next(L, r->keywords)) {
    int key = lua_gettop(L) - 1;
    if (lua_type(L, key) != LUA_TSTRING) {
      if (!r->has_list_part) {
        lua_pushfstring(L, "keys of keywords are strings, received a key of type %s", luaL_typename(L, key));
        mfli_args_fail(L, sig);
      }
      lua_pop(L, 1);
      continue;
    }
    lua_pushvalue(L, key);
    int parameter = lua_rawget(L, names) == LUA_TNUMBER ? (int)lua_tointeger(L, -1) - 1 : -1;
    lua_pop(L, 1);
    if (parameter >= 0 && parameter != sig->open) {
      if (!store_keyword(r, parameter) && parameter < twice) twice = parameter;
    } else if (sig->open >= 0) {
      lua_pushvalue(L, key);
      lua_pushvalue(L, -2);
      lua_rawset(L, r->base + sig->open);
    } else if (lua_isnil(L, unknown) || mfl_text_less(L, key, unknown)) {
      lua_copy(L, key, unknown);
    }
    lua_pop(L, 1);
  }
  if (!lua_isnil(L, unknown)) {
    size_t size;
    const char *name = lua_tolstring(L, unknown, &size);
    fail_unknown(r, name, size);
  }
  if (twice < sig->n_params) fail_twice(r, twice);
  lua_settop(L, unknown - 1);
}

int mfl_args_read(lua_State *L, mfl_signature *sig, int first, int nargs) {
  if (sig->reference == LUA_NOREF) return luaL_error(L, "a signature was used after the end of its state");
  sig->calls++;
  while (nargs > 0 && lua_isnil(L, first + nargs - 1)) nargs--;
  lua_settop(L, first + nargs - 1);
  luaL_checkstack(L, sig->n_params + 16, sig->name);
  reading r = {.L = L, .sig = sig, .base = first, .n = nargs};
  for (int i = 0; i < nargs; i++) {
    if (lua_istable(L, first + i)) {
      read_tables(&r);
      break;
    }
  }
  if (sig->rest >= 0) {
    collect_rest(&r);
  } else if (r.n > sig->n_positional) {
    fail_too_many(L, sig, (lua_Unsigned)r.n);
  }
  lua_settop(L, r.base + sig->n_params - 1);
  if (sig->open >= 0) {
    lua_newtable(L);
    lua_replace(L, r.base + sig->open);
  }
  if (r.keywords) read_keywords(&r);
  mfli_fill_slots(&r);
  if (r.keywords) lua_remove(L, r.keywords);
  return sig->n_params;
}
