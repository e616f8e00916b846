/* json_encode.c - Lua values to JSON text, straight into a Lua buffer: Jansson's own writer can neither print the
 * shortest text of a float nor tell lists from dicts.
 *
 * The text grows in a luaL_Buffer, which needs the top of the stack for itself while it is being filled; so pieces
 * are collected as strings in a table instead, joined at the end: `out` is its stack index.
 */
#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/error.h"
#include "bind/json.h"
#include "bind/sentinel.h"

static const char OP[] = "json.encode";

enum { BLOCK = 4096, MOST_VALUES = 50000000 };

typedef struct writer {
  lua_State *L;
  int out;           /* list of finished blocks */
  int path;          /* list of keys from the root to the value at hand */
  int order;         /* scratch: function that sorts keys */
  lua_Integer blocks, depth, values;
  int indent;        /* -1: one line */
  bool ascii, compact;
  size_t size;       /* bytes in `block` */
  char block[BLOCK];
} writer;

static void flush(writer *w) {
  if (w->size == 0) return;
  lua_pushlstring(w->L, w->block, w->size);
  lua_rawseti(w->L, w->out, ++w->blocks);
  w->size = 0;
}

static void add(writer *w, const char *bytes, size_t size) {
  while (size > 0) {
    if (w->size == BLOCK) flush(w);
    size_t part = BLOCK - w->size < size ? BLOCK - w->size : size;
    memcpy(w->block + w->size, bytes, part);
    w->size += part;
    bytes += part;
    size -= part;
  }
}

static void add_text(writer *w, const char *text) { add(w, text, strlen(text)); }

/* Raises the message on top of the stack, with the place: "json.encode: at ['config'][2]: ...". */
static int fail(writer *w, int depth) {
  lua_State *L = w->L;
  luaL_checkstack(L, 8, OP);
  lua_pushstring(L, "json.encode: ");
  for (int i = 1; i <= depth && i <= 8; i++) {
    if (i == 1) {
      lua_pushliteral(L, "at ");
      lua_concat(L, 2);
    }
    lua_rawgeti(L, w->path, i);
    mfl_push_description(L, -1);
    lua_pushfstring(L, "[%s]", lua_tostring(L, -1));
    lua_replace(L, -3);
    lua_pop(L, 1);
    lua_concat(L, 2);
  }
  if (depth > 0) {
    lua_pushstring(L, depth > 8 ? " and so on: " : ": ");
    lua_concat(L, 2);
  }
  lua_insert(L, -2);
  lua_concat(L, 2);
  return mfl_raise_top(L, "INVALID_ARGUMENT", OP);
}

/* ---- numbers */

/* Digits of the shortest decimal text that reads back as `x`, and its exponent: x = 0.d1d2d3... * 10^exponent.
 * Returns the number of digits. snprintf and strtod follow the locale's decimal point alike; only digits are taken
 * over. */
static int shortest_digits(double x, char *digits, int *exponent) {
  char text[40];
  int first = fabs(x) < 2.3e-308 ? 1 : 15; /* 15 digits with trailing zeros cut are the shortest, but for subnormals */
  for (int precision = first; precision <= 17; precision++) {
    snprintf(text, sizeof(text), "%.*e", precision - 1, x);
    if (strtod(text, NULL) == x) break;
  }
  int n = 0;
  const char *c = text;
  for (; *c && *c != 'e'; c++) {
    if (*c >= '0' && *c <= '9') digits[n++] = *c;
  }
  *exponent = (*c == 'e' ? (int)strtol(c + 1, NULL, 10) : 0) + 1;
  while (n > 1 && digits[n - 1] == '0') n--;
  return n;
}

/* In the layout of Python's repr: 0.1, 1.0, 1e-05, 1e+16, 1234500000.0. */
static void add_float(writer *w, double x) {
  char digits[24];
  int exponent;
  if (signbit(x)) add_text(w, "-");
  if (x == 0) {
    add_text(w, "0.0");
    return;
  }
  int n = shortest_digits(fabs(x), digits, &exponent);
  if (exponent > 16 || exponent < -3) {
    char tail[16];
    add(w, digits, 1);
    if (n > 1) {
      add_text(w, ".");
      add(w, digits + 1, (size_t)n - 1);
    }
    int e = exponent - 1;
    snprintf(tail, sizeof(tail), "e%c%02d", e < 0 ? '-' : '+', abs(e));
    add_text(w, tail);
    return;
  }
  if (exponent <= 0) {
    add_text(w, "0.");
    for (int i = exponent; i < 0; i++) add_text(w, "0");
    add(w, digits, (size_t)n);
    return;
  }
  for (int i = 0; i < exponent; i++) add(w, i < n ? digits + i : "0", 1);
  add_text(w, ".");
  if (n > exponent) {
    add(w, digits + exponent, (size_t)(n - exponent));
  } else {
    add_text(w, "0");
  }
}

/* ---- strings */

/* Length of the UTF-8 sequence at `s` (at most `left` bytes) and its code point, or 0 when it is invalid. */
static int utf8_sequence(const unsigned char *s, size_t left, uint32_t *code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  int n = 0;
  if (s[0] < 0x80) n = 1;
  if (s[0] >= 0xC2 && s[0] < 0xE0) n = 2;
  if (s[0] >= 0xE0 && s[0] < 0xF0) n = 3;
  if (s[0] >= 0xF0 && s[0] < 0xF5) n = 4;
  if (n == 0 || (size_t)n > left) return 0;
  *code = n == 1 ? s[0] : s[0] & (0x7Fu >> n);
  for (int i = 1; i < n; i++) {
    if ((s[i] & 0xC0) != 0x80) return 0;
    *code = *code << 6 | (s[i] & 0x3F);
  }
  return *code < least[n] || *code > 0x10FFFF || (*code >= 0xD800 && *code < 0xE000) ? 0 : n;
}

static void add_escape(writer *w, uint32_t unit) {
  char text[16];
  snprintf(text, sizeof(text), "\\u%04x", (unsigned)(unit & 0xFFFF));
  add_text(w, text);
}

static void add_character(writer *w, const char *bytes, int n, uint32_t code) {
  static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  const char *known = code && code < 128 ? strchr(plain, (int)code) : NULL;
  if (known) {
    char text[2] = {'\\', letters[known - plain]};
    add(w, text, 2);
  } else if (code < 32 || (w->ascii && code >= 127 && code < 0x10000)) {
    add_escape(w, code);
  } else if (w->ascii && code >= 0x10000) {
    add_escape(w, 0xD800 + ((code - 0x10000) >> 10));
    add_escape(w, 0xDC00 + ((code - 0x10000) & 0x3FF));
  } else {
    add(w, bytes, (size_t)n);
  }
}

/* Writes the string at `index`. */
static void add_string(writer *w, int index, int depth) {
  size_t size;
  const char *bytes = lua_tolstring(w->L, index, &size);
  add_text(w, "\"");
  for (size_t i = 0; i < size;) {
    uint32_t code = 0;
    int n = utf8_sequence((const unsigned char *)bytes + i, size - i, &code);
    if (n == 0) {
      lua_pushfstring(w->L, "a string is not valid UTF-8 at byte %I", (LUAI_UACINT)i + 1);
      fail(w, depth);
    }
    add_character(w, bytes + i, n, code);
    i += (size_t)n;
  }
  add_text(w, "\"");
}

/* ---- lists and dicts */

static void add_value(writer *w, int depth);

static void new_line(writer *w, int depth) {
  if (w->indent < 0) return;
  add_text(w, "\n");
  for (int i = 0; i < depth * w->indent; i++) add_text(w, " ");
}

static void add_comma(writer *w, int depth) {
  add_text(w, w->compact || w->indent >= 0 ? "," : ", ");
  new_line(w, depth);
}

/* Writes a list of n items; `raw`: a plain table, else an object that is read through its metamethods. On top of the
 * stack. */
static void add_list(writer *w, int depth, lua_Integer n, bool raw) {
  lua_State *L = w->L;
  int list = lua_gettop(L);
  if (n == 0) {
    add_text(w, "[]");
    return;
  }
  add_text(w, "[");
  new_line(w, depth + 1);
  for (lua_Integer i = 1; i <= n; i++) {
    if (i > 1) add_comma(w, depth + 1);
    lua_pushinteger(L, i);
    lua_rawseti(L, w->path, depth + 1);
    if (raw) {
      lua_rawgeti(L, list, i);
    } else {
      lua_geti(L, list, i);
    }
    add_value(w, depth + 1);
    lua_pop(L, 1);
  }
  new_line(w, depth);
  add_text(w, "]");
}

/* Pushes the keys of the dict on top of the stack in their order. Numbers as keys are refused. */
static void push_keys(writer *w, int depth) {
  lua_State *L = w->L;
  lua_pushvalue(L, w->order);
  lua_pushvalue(L, -2);
  lua_call(L, 1, 1);
  lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
  for (lua_Integer i = 1; i <= n; i++) {
    if (lua_rawgeti(L, -1, i) != LUA_TSTRING) {
      mfl_push_description(L, -1);
      lua_pushfstring(L, "keys of a dict are strings, received %s", lua_tostring(L, -1));
      fail(w, depth);
    }
    lua_pop(L, 1);
  }
}

static void add_dict(writer *w, int depth) {
  lua_State *L = w->L;
  int dict = lua_gettop(L);
  push_keys(w, depth);
  lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
  if (n == 0) {
    add_text(w, "{}");
    lua_settop(L, dict);
    return;
  }
  add_text(w, "{");
  new_line(w, depth + 1);
  for (lua_Integer i = 1; i <= n; i++) {
    if (i > 1) add_comma(w, depth + 1);
    lua_rawgeti(L, dict + 1, i);
    lua_pushvalue(L, -1);
    lua_rawseti(L, w->path, depth + 1);
    add_string(w, lua_gettop(L), depth + 1);
    add_text(w, w->compact ? ":" : ": ");
    lua_rawget(L, dict);
    add_value(w, depth + 1);
    lua_pop(L, 1);
  }
  new_line(w, depth);
  add_text(w, "}");
  lua_settop(L, dict);
}

/* The plain table on top of the stack: a list, or a dict with string keys. Returns the list's length, or -1 for a
 * dict. */
static lua_Integer list_length(writer *w, int depth) {
  lua_State *L = w->L;
  lua_Integer n_text = 0, n_list = 0, greatest = 0;
  int table = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) {
      n_text++;
    } else if (lua_isinteger(L, -1) && lua_tointeger(L, -1) > 0) {
      n_list++;
      if (lua_tointeger(L, -1) > greatest) greatest = lua_tointeger(L, -1);
    } else {
      mfl_push_description(L, -1);
      lua_pushfstring(L, "keys of a table are strings or 1..n, received %s", lua_tostring(L, -1));
      fail(w, depth);
    }
  }
  if (n_text > 0 && n_list > 0) {
    lua_pushliteral(L, "a table is a list or a dict, received one with list items and string keys");
    fail(w, depth);
  }
  if (greatest != n_list) {
    lua_pushfstring(L, "a list has no holes, received %I items with keys up to %I (write tf.None for an empty place)",
                    (LUAI_UACINT)n_list, (LUAI_UACINT)greatest);
    fail(w, depth);
  }
  return n_text > 0 ? -1 : n_list;
}

static void add_table(writer *w, int depth) {
  lua_State *L = w->L;
  if (depth >= w->depth) {
    lua_pushfstring(L, "tables are nested deeper than %I levels, or contain themselves", (LUAI_UACINT)w->depth);
    fail(w, depth);
  }
  if (mfl_is_dict(L, -1)) {
    add_dict(w, depth);
    return;
  }
  lua_Integer n = list_length(w, depth);
  if (n < 0) {
    add_dict(w, depth);
  } else {
    add_list(w, depth, n, true);
  }
}

static void add_number(writer *w, int depth) {
  lua_State *L = w->L;
  if (lua_isinteger(L, -1)) {
    lua_pushfstring(L, "%I", (LUAI_UACINT)lua_tointeger(L, -1));
    add_text(w, lua_tostring(L, -1));
    lua_pop(L, 1);
    return;
  }
  lua_Number x = lua_tonumber(L, -1);
  if (!isfinite(x)) {
    lua_pushfstring(L, "JSON has no %s", isnan(x) ? "NaN" : "infinities");
    fail(w, depth);
  }
  add_float(w, x);
}

static void add_other(writer *w, int depth) {
  lua_State *L = w->L;
  const char *kind = mfl_kind_of(L, -1);
  if (kind && strcmp(kind, "shape") == 0 && depth < w->depth) {
    add_list(w, depth, luaL_len(L, -1), false);
    return;
  }
  mfl_push_description(L, -1);
  lua_pushfstring(L, "expected numbers, strings, booleans, tf.None, lists and dicts, received %s",
                  lua_tostring(L, -1));
  fail(w, depth);
}

/* Writes the value on top of the stack and leaves it there. */
static void add_value(writer *w, int depth) {
  lua_State *L = w->L;
  luaL_checkstack(L, 16, OP);
  if (++w->values > MOST_VALUES) {
    lua_pushfstring(L, "the structure has more than %d parts", (int)MOST_VALUES);
    fail(w, depth);
  }
  switch (lua_type(L, -1)) {
    case LUA_TNIL: add_text(w, "null"); break;
    case LUA_TBOOLEAN: add_text(w, lua_toboolean(L, -1) ? "true" : "false"); break;
    case LUA_TNUMBER: add_number(w, depth); break;
    case LUA_TSTRING: add_string(w, lua_gettop(L), depth); break;
    case LUA_TTABLE:
      if (mfl_is_dict(L, -1) || mfl_is_plain_table(L, -1)) {
        add_table(w, depth);
      } else {
        add_other(w, depth);
      }
      break;
    default:
      if (mfl_is_none(L, -1)) {
        add_text(w, "null");
      } else {
        add_other(w, depth);
      }
      break;
  }
}

/* encode(value, options, keys of a dict): base/json.lua hands in the function that orders keys. */
int mfli_json_encode(lua_State *L) {
  lua_settop(L, 3);
  luaL_checktype(L, 3, LUA_TFUNCTION);
  lua_newtable(L);
  lua_newtable(L);
  writer w = {.L = L, .out = 4, .path = 5, .order = 3};
  w.indent = (int)mfli_json_option(L, 2, "indent", -1);
  if (w.indent > 64) w.indent = 64;
  w.ascii = mfli_json_option(L, 2, "ascii", 1) != 0;
  w.compact = mfli_json_option(L, 2, "compact", 0) != 0;
  w.depth = mfli_json_option(L, 2, "depth", MFLI_JSON_DEPTH);
  if (w.depth > MFLI_JSON_DEPTH) w.depth = MFLI_JSON_DEPTH;
  lua_pushvalue(L, 1);
  add_value(&w, 0);
  flush(&w);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (lua_Integer i = 1; i <= w.blocks; i++) {
    lua_rawgeti(L, w.out, i);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
  return 1;
}
