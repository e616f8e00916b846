/* args_slots.c - what may stand in the slot of a parameter: tables that are lists or dicts, checked types, None,
 * defaults. The other half of the reader in args.c.
 */
#include <lauxlib.h>

#include "bind/args_internal.h"
#include "bind/sentinel.h"

table_keys mfli_keys_of(lua_State *L, int index) {
  table_keys k = {.least = LUA_MAXINTEGER, .greatest = LUA_MININTEGER, .other_type = LUA_TNIL};
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    if (lua_isinteger(L, -1)) {
      lua_Integer i = lua_tointeger(L, -1);
      k.n_integer++;
      if (i < k.least) k.least = i;
      if (i > k.greatest) k.greatest = i;
    } else if (lua_type(L, -1) == LUA_TSTRING) {
      k.n_text++;
    } else {
      k.other_type = lua_type(L, -1);
    }
  }
  return k;
}

bool mfli_is_sequence(const table_keys *k) {
  return k->least == 1 && (lua_Unsigned)k->greatest == k->n_integer;
}

/* Pushes the bytewise least string key of the table at `index`, so that texts do not depend on the order of keys. */
static void push_least_text_key(lua_State *L, int index) {
  lua_pushliteral(L, "");
  int least = lua_gettop(L);
  bool found = false;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) continue;
    if (!found || mfl_text_less(L, -1, least)) lua_copy(L, -1, least);
    found = true;
  }
}

void mfli_fail_hole(lua_State *L, const mfl_signature *sig, int parameter, const table_keys *k) {
  if (k->least < 1) {
    lua_pushfstring(L, "keys of a list are 1..n, received a table with key %I", (LUAI_UACINT)k->least);
  } else {
    lua_pushfstring(L, "a list has no holes, received %I items with keys up to %I (write tf.None for an empty place)",
                    (LUAI_UACINT)k->n_integer, (LUAI_UACINT)k->greatest);
  }
  if (parameter >= 0) {
    lua_pushfstring(L, "argument '%s': ", sig->params[parameter].name);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  mfli_args_fail(L, sig);
}

/* A table given as a value is a list or a dict. `parameter` names it in the text. */
void mfli_check_table(const reading *r, int index, int parameter) {
  lua_State *L = r->L;
  table_keys k = r->known && lua_topointer(L, index) == r->known ? r->known_keys : mfli_keys_of(L, index);
  if (k.n_integer == 0 && k.other_type == LUA_TNIL) return;
  const char *name = r->sig->params[parameter].name;
  if (k.other_type != LUA_TNIL) {
    lua_pushfstring(L, "argument '%s': keys of a table are strings or 1..n, received a key of type %s", name,
                    lua_typename(L, k.other_type));
    mfli_args_fail(L, r->sig);
  }
  if (k.n_text > 0) {
    push_least_text_key(L, index);
    size_t size;
    const char *key = lua_tolstring(L, -1, &size);
    mfl_push_quoted(L, key, size);
    lua_pushfstring(L,
                    "argument '%s': a table is a list or a dict, received one with %I list items and the key %s "
                    "(keywords go into a last table of their own: f(x, {name = value}))",
                    name, (LUAI_UACINT)k.n_integer, lua_tostring(L, -1));
    mfli_args_fail(L, r->sig);
  }
  if (!mfli_is_sequence(&k)) mfli_fail_hole(L, r->sig, parameter, &k);
}

/* Follows first items inwards: does the plain table on top of the stack hold a tensor? */
static bool holds_tensor(lua_State *L) {
  enum { DEEPEST = 64 };
  int top = lua_gettop(L);
  bool found = false;
  for (int depth = 0; depth < DEEPEST && mfl_is_plain_table(L, -1); depth++) {
    lua_rawgeti(L, -1, 1);
    lua_remove(L, -2);
    found = mfl_is_tensor(L, -1);
  }
  lua_settop(L, top);
  return found;
}

/* Rule 4: items of a list of tensors are tensors or nested numbers. */
static void check_tensor_items(const reading *r, int index, int parameter) {
  lua_State *L = r->L;
  lua_Integer n = (lua_Integer)lua_rawlen(L, index);
  for (lua_Integer i = 1; i <= n; i++) {
    lua_rawgeti(L, index, i);
    if (mfl_is_plain_table(L, -1)) {
      lua_pushvalue(L, -1);
      bool bad = holds_tensor(L);
      lua_pop(L, 1);
      if (bad) {
        const char *name = r->sig->params[parameter].name;
        lua_pushfstring(L,
                        "argument '%s': expected a list of tensors, item %I is a table that holds tensors "
                        "(a sole table is the list itself; write f({a, b}, {...}) or f{a, b, name = value})",
                        name, (LUAI_UACINT)i);
        mfli_args_fail(L, r->sig);
      }
    }
    lua_pop(L, 1);
  }
}

static void fail_check(const reading *r, int index, int parameter) {
  static const char *const expected[] = {"a value", "an integer", "a number", "a boolean", "a string", "a function"};
  lua_State *L = r->L;
  const mfl_param *p = &r->sig->params[parameter];
  mfl_push_description(L, index);
  lua_pushfstring(L, "argument '%s': expected %s, received %s", p->name, expected[p->check], lua_tostring(L, -1));
  mfli_args_fail(L, r->sig);
}

/* Checks the type of the value in a slot; 14.0 becomes 14 where an integer is wanted. */
static void check_type(const reading *r, int index, int parameter) {
  lua_State *L = r->L;
  int type = lua_type(L, index);
  switch (r->sig->params[parameter].check) {
    case MFL_CHECK_INTEGER: {
      if (type == LUA_TNUMBER && lua_isinteger(L, index)) return;
      int exact = 0;
      lua_Integer i = type == LUA_TNUMBER ? lua_tointegerx(L, index, &exact) : 0;
      if (!exact) break;
      lua_pushinteger(L, i);
      lua_replace(L, index);
      return;
    }
    case MFL_CHECK_NUMBER:
      if (type == LUA_TNUMBER) return;
      break;
    case MFL_CHECK_BOOLEAN:
      if (type == LUA_TBOOLEAN) return;
      break;
    case MFL_CHECK_STRING:
      if (type == LUA_TSTRING) return;
      break;
    case MFL_CHECK_FUNCTION:
      if (type == LUA_TFUNCTION) return;
      if (luaL_getmetafield(L, index, "__call") != LUA_TNIL) {
        lua_pop(L, 1);
        return;
      }
      break;
    default: return;
  }
  fail_check(r, index, parameter);
}

/* ---- slots */

static void push_default(lua_State *L, const mfl_signature *sig, int i) {
  const mfl_param *p = &sig->params[i];
  if (p->default_type == LUA_TNIL) {
    lua_pushnil(L);
  } else if (p->default_type == LUA_TBOOLEAN) {
    lua_pushboolean(L, p->value.b);
  } else if (p->default_type == LUA_TNUMBER) {
    if (p->default_is_integer) {
      lua_pushinteger(L, p->value.i);
    } else {
      lua_pushnumber(L, p->value.n);
    }
  } else {
    lua_rawgeti(L, LUA_REGISTRYINDEX, sig->reference);
    lua_rawgeti(L, -1, i + 1);
    lua_replace(L, -2);
    if (p->default_type != LUA_TTABLE || !mfl_is_plain_table(L, -1)) return;
    lua_newtable(L); /* a copy: the caller may change what it gets */
    lua_pushnil(L);
    while (lua_next(L, -3)) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, -4);
    }
    lua_replace(L, -2);
  }
}

/* tf.None in a slot: nil if the parameter may be None. */
static void take_none(const reading *r, int index, int parameter) {
  const mfl_param *p = &r->sig->params[parameter];
  bool optional = !(p->flags & MFL_PARAM_REQUIRED) && p->default_type == LUA_TNIL;
  if (p->check != MFL_CHECK_ANY && !optional && !(p->flags & MFL_PARAM_NONE)) fail_check(r, index, parameter);
  lua_pushnil(r->L);
  lua_replace(r->L, index);
}

void mfli_fill_slots(const reading *r) {
  lua_State *L = r->L;
  const mfl_signature *sig = r->sig;
  for (int i = 0; i < sig->n_params; i++) {
    const mfl_param *p = &sig->params[i];
    int slot = r->base + i, type = lua_type(L, slot);
    if (type == LUA_TNIL) {
      if (p->flags & MFL_PARAM_REQUIRED) {
        lua_pushfstring(L, "missing required argument '%s'", p->name);
        mfli_args_fail(L, sig);
      }
      if (p->default_type == LUA_TNIL) continue;
      push_default(L, sig, i);
      lua_replace(L, slot);
      continue;
    }
    if (i == sig->rest || i == sig->open) continue;
    if (type == LUA_TUSERDATA && lua_touserdata(L, slot) == sig->none) {
      take_none(r, slot, i);
      continue;
    }
    if (type == LUA_TTABLE && p->kind != MFL_KIND_MAP && mfl_is_plain_table(L, slot)) {
      mfli_check_table(r, slot, i);
      if (p->flags & MFL_PARAM_TENSORS) check_tensor_items(r, slot, i);
    }
    if (p->check != MFL_CHECK_ANY) check_type(r, slot, i);
  }
}
