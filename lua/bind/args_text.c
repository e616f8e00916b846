/* args_text.c - what the argument helper says when a call cannot be read: the nearest names, the list of arguments. */
#include <lauxlib.h>
#include <string.h>

#include "bind/args_internal.h"
#include "bind/error.h"

enum { LONGEST = 48, NEAREST = 3 };

int mfli_args_fail(lua_State *L, const mfl_signature *sig) {
  lua_pushfstring(L, "%s: ", sig->name);
  lua_insert(L, -2);
  lua_concat(L, 2);
  return mfl_raise_top(L, "INVALID_ARGUMENT", sig->name);
}

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

static int least(int a, int b) { return a < b ? a : b; }

/* Optimal string alignment distance (insert, delete, replace, swap of neighbours), letter case ignored. */
static int distance(const char *a, size_t na, const char *b, size_t nb) {
  int before[LONGEST + 1], last[LONGEST + 1], now[LONGEST + 1];
  for (size_t j = 0; j <= nb; j++) last[j] = before[j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    now[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      int same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = least(least(last[j] + 1, now[j - 1] + 1), last[j - 1] + !same);
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        now[j] = least(now[j], before[j - 2] + 1);
      }
    }
    memcpy(before, last, sizeof(before));
    memcpy(last, now, sizeof(last));
  }
  return last[nb];
}

/* How far `name` is from a known name, or a large number when nobody would mix them up. */
static int farness(const char *name, size_t size, const char *known, size_t known_size) {
  enum { FAR = 1000 };
  if (size > LONGEST || known_size > LONGEST || size == 0 || known_size == 0) return FAR;
  int d = distance(name, size, known, known_size);
  int longer = (int)(size > known_size ? size : known_size);
  if (d <= longer / 3 + (longer <= 2 ? 0 : 1)) return d;
  size_t shorter = size < known_size ? size : known_size;
  if (shorter >= 4 && (size < known_size ? strstr(known, name) : strstr(name, known))) return LONGEST;
  return FAR;
}

/* Is item i of the list the same text as one of `best`? */
static bool is_among(lua_State *L, int list, const lua_Integer *best, int count, int i) {
  bool found = false;
  for (int b = 0; b < count && !found; b++) {
    lua_rawgeti(L, list, best[b]);
    lua_rawgeti(L, list, i);
    found = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
  }
  return found;
}

bool mfli_push_nearest(lua_State *L, int list, const char *name, size_t size) {
  list = lua_absindex(L, list);
  luaL_checkstack(L, 8, "nearest names");
  lua_Integer best[NEAREST];
  int best_distance[NEAREST], count = 0, n = (int)lua_rawlen(L, list);
  for (int i = 1; i <= n; i++) {
    size_t known_size;
    lua_rawgeti(L, list, i);
    const char *known = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &known_size) : NULL;
    int d = known ? farness(name, size, known, known_size) : 1000;
    lua_pop(L, 1);
    if (d > LONGEST || is_among(L, list, best, count, i)) continue;
    int at = count < NEAREST ? count++ : NEAREST;
    while (at > 0 && best_distance[at - 1] > d) {
      if (at < NEAREST) {
        best[at] = best[at - 1];
        best_distance[at] = best_distance[at - 1];
      }
      at--;
    }
    if (at < NEAREST) {
      best[at] = i;
      best_distance[at] = d;
    }
  }
  if (count == 0) return false;
  /* A name that is one slip away leaves no doubt: further ones would only distract. */
  while (count > 1 && best_distance[count - 1] > best_distance[0] + 1) count--;
  lua_pushliteral(L, "");
  for (int i = 0; i < count; i++) {
    if (i > 0) {
      lua_pushstring(L, i + 1 == count ? " or " : ", ");
      lua_concat(L, 2);
    }
    lua_rawgeti(L, list, best[i]);
    lua_pushfstring(L, "'%s'", lua_tostring(L, -1));
    lua_remove(L, -2);
    lua_concat(L, 2);
  }
  return true;
}

/* Pushes the list of the names that a caller may write. */
static void push_names(lua_State *L, const mfl_signature *sig) {
  lua_createtable(L, sig->n_params, 0);
  int n = 0;
  for (int i = 0; i < sig->n_params; i++) {
    if (i == sig->open) continue;
    lua_pushlstring(L, sig->params[i].name, sig->params[i].name_size);
    lua_rawseti(L, -2, ++n);
  }
}

void mfli_args_push_hint(lua_State *L, const mfl_signature *sig, const char *name, size_t size) {
  luaL_checkstack(L, 8, "argument hint");
  push_names(L, sig);
  if (mfli_push_nearest(L, -1, name, size)) {
    lua_pushfstring(L, "; did you mean %s?", lua_tostring(L, -1));
    lua_replace(L, -3);
    lua_pop(L, 1);
    return;
  }
  int list = lua_gettop(L), n = (int)lua_rawlen(L, list);
  if (n == 0) {
    lua_pushliteral(L, "; it takes no arguments by name");
    lua_remove(L, list);
    return;
  }
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "; its arguments are: ");
  for (int i = 1; i <= n; i++) {
    if (i > 1) luaL_addstring(&b, ", ");
    lua_rawgeti(L, list, i);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
  lua_remove(L, list);
}
