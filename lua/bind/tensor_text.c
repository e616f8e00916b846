/* tensor_text.c - the values of a tensor as numpy prints them: rows in brackets, one layout for all elements, lines of 75
 * characters, long arrays with their first and last three items an axis. See tensor.h.
 */
#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "bind/numpy_float.h"
#include "bind/shape.h"
#include "bind/tensor.h"

enum { LINE_WIDTH = 75, THRESHOLD = 1000, EDGE = 3, WORD = 2 * MFL_FLOAT_TEXT };

typedef struct printer {
  luaL_Buffer b;
  const mf_tensor *t;
  mf_dtype type;
  mf_dtype_kind kind;
  bool summary;
  const char *separator;
  int width;                 /* of integers */
  mfl_column real, imaginary;
  int line;                  /* characters in the current line */
} printer;

/* ---- words */

static double part_of(const mf_tensor *t, int64_t i, int part) {
  if (mf_tensor_dtype(t) == MF_COMPLEX128) return MF_DATA(double, t)[2 * i + part];
  if (mf_tensor_dtype(t) == MF_COMPLEX64) return (double)MF_DATA(float, t)[2 * i + part];
  return mf_tensor_get_f64(t, i);
}

static int integer_text(const mf_tensor *t, int64_t i, int width, char *text) {
  int64_t v = mf_tensor_get_i64(t, i);
  if (mf_tensor_dtype(t) == MF_UINT64) return snprintf(text, WORD, "%*" PRIu64, width, (uint64_t)v);
  return snprintf(text, WORD, "%*" PRId64, width, v);
}

static int complex_text(const printer *p, int64_t i, char *text) {
  int n = mfl_column_text(&p->real, part_of(p->t, i, 0), text);
  int m = mfl_column_text(&p->imaginary, part_of(p->t, i, 1), text + n);
  int end = n + m;
  while (end > n && text[end - 1] == ' ') end--;
  memmove(text + end + 1, text + end, (size_t)(n + m - end) + 1);
  text[end] = 'j';
  return n + m + 1;
}

static int word_text(const printer *p, int64_t i, char *text) {
  switch (p->kind) {
    case MF_KIND_BOOL: return snprintf(text, WORD, "%5s", mf_tensor_get_i64(p->t, i) ? "True" : "False");
    case MF_KIND_FLOAT:
      if (p->type == MF_BFLOAT16) return mfl_float_text(p->type, part_of(p->t, i, 0), false, text);
      return mfl_column_text(&p->real, part_of(p->t, i, 0), text);
    case MF_KIND_COMPLEX: return complex_text(p, i, text);
    case MF_KIND_SIGNED: case MF_KIND_UNSIGNED: case MF_KIND_QUANTISED: return integer_text(p->t, i, p->width, text);
    default: return snprintf(text, WORD, "<%s>", mf_dtype_name(p->type));
  }
}

/* One byte as Python's repr of bytes shows it. */
static int byte_text(unsigned char c, char quote, char text[5]) {
  switch (c) {
    case '\n': return snprintf(text, 5, "\\n");
    case '\r': return snprintf(text, 5, "\\r");
    case '\t': return snprintf(text, 5, "\\t");
    case '\\': return snprintf(text, 5, "\\\\");
    default: break;
  }
  if (c == (unsigned char)quote) return snprintf(text, 5, "\\%c", c);
  return snprintf(text, 5, c < 32 || c > 126 ? "\\x%02x" : "%c", c);
}

/* b'...'; with `out` NULL only the length is told. */
static int bytes_text(const char *bytes, size_t size, luaL_Buffer *out) {
  char quote = memchr(bytes, '\'', size) && !memchr(bytes, '"', size) ? '"' : '\'', text[5];
  int length = 3;
  if (out) luaL_addchar(out, 'b'), luaL_addchar(out, quote);
  for (size_t i = 0; i < size; i++) {
    int n = byte_text((unsigned char)bytes[i], quote, text);
    length += n;
    if (out) luaL_addlstring(out, text, (size_t)n);
  }
  if (out) luaL_addchar(out, quote);
  return length;
}

/* ---- lines */

static void indent(printer *p, int n) {
  for (int i = 0; i < n; i++) luaL_addchar(&p->b, ' ');
}

/* Ends the line, without the blanks at its end, when a word of `length` does not fit any more. */
static void make_room(printer *p, int length, int line_width, int hanging) {
  if (p->line + length <= line_width || p->line <= hanging) return;
  const char *text = luaL_buffaddr(&p->b);
  size_t end = luaL_bufflen(&p->b), blanks = 0;
  while (blanks < end && text[end - 1 - blanks] == ' ') blanks++;
  luaL_buffsub(&p->b, blanks);
  luaL_addchar(&p->b, '\n');
  indent(p, hanging);
  p->line = hanging;
}

static void add_text(printer *p, const char *text, int length, int line_width, int hanging) {
  make_room(p, length, line_width, hanging);
  luaL_addlstring(&p->b, text, (size_t)length);
  p->line += length;
}

static void add_word(printer *p, int64_t i, int line_width, int hanging) {
  if (p->kind == MF_KIND_STRING) {
    size_t size;
    const char *bytes = mf_string_at(p->t, i, &size);
    int length = bytes_text(bytes, size, NULL);
    make_room(p, length, line_width, hanging);
    bytes_text(bytes, size, &p->b);
    p->line += length;
    return;
  }
  char text[WORD];
  add_text(p, text, word_text(p, i, text), line_width, hanging);
}

static void add_separator(printer *p) {
  luaL_addstring(&p->b, p->separator);
  p->line += (int)strlen(p->separator);
}

/* Items [0, n) of an axis in the order in which they are shown; -1 stands for the dots. */
static int64_t next_item(const printer *p, int64_t i, int64_t n) {
  if (i == -1) return n - EDGE;
  return p->summary && n > 2 * EDGE && i + 1 == EDGE ? -1 : i + 1;
}

static void add_row(printer *p, int64_t first, int hanging, int width) {
  int64_t n = p->t->shape.dims[p->t->shape.rank - 1];
  int room = width - 1;
  p->line = hanging;
  luaL_addchar(&p->b, '[');
  for (int64_t i = 0; i < n; i = next_item(p, i, n)) {
    if (i == -1) add_text(p, "...", 3, room, hanging);
    else add_word(p, first + i, room, hanging);
    if (i != n - 1) add_separator(p);
  }
  luaL_addchar(&p->b, ']');
}

/* `hanging`: blanks in front of every further line. */
static void add_axis(printer *p, int axis, int64_t first, int hanging, int width) {
  const mf_shape *s = &p->t->shape;
  if (axis == s->rank - 1) {
    add_row(p, first, hanging, width);
    return;
  }
  int64_t n = s->dims[axis], stride = mf_shape_count_range(s, axis + 1, s->rank);
  luaL_addchar(&p->b, '[');
  for (int64_t i = 0; i < n; i = next_item(p, i, n)) {
    if (i != 0) indent(p, hanging);
    if (i == -1) luaL_addstring(&p->b, "...");
    else add_axis(p, axis + 1, first + i * stride, hanging + 1, width - 1);
    if (i == n - 1) break;
    if (p->separator[0] == ',') luaL_addchar(&p->b, ',');
    for (int k = axis; k < s->rank - 1; k++) luaL_addchar(&p->b, '\n');
  }
  luaL_addchar(&p->b, ']');
}

/* ---- layouts: only the shown elements count */

typedef void (*see_fn)(printer *p, int64_t i);

static void each_shown(printer *p, int axis, int64_t first, see_fn see) {
  const mf_shape *s = &p->t->shape;
  int64_t n = s->dims[axis], stride = mf_shape_count_range(s, axis + 1, s->rank);
  for (int64_t i = 0; i < n; i = next_item(p, i, n)) {
    if (i == -1) continue;
    if (axis == s->rank - 1) see(p, first + i);
    else each_shown(p, axis + 1, first + i * stride, see);
  }
}

static void see_value(printer *p, int64_t i) {
  mfl_column_see(&p->real, part_of(p->t, i, 0));
  if (p->kind == MF_KIND_COMPLEX) mfl_column_see(&p->imaginary, part_of(p->t, i, 1));
}

static void measure_value(printer *p, int64_t i) {
  mfl_column_measure(&p->real, part_of(p->t, i, 0));
  if (p->kind == MF_KIND_COMPLEX) mfl_column_measure(&p->imaginary, part_of(p->t, i, 1));
}

static void measure_integer(printer *p, int64_t i) {
  char text[WORD];
  int n = integer_text(p->t, i, 0, text);
  if (n > p->width) p->width = n;
}

static void lay_out(printer *p) {
  if (p->kind == MF_KIND_FLOAT || p->kind == MF_KIND_COMPLEX) {
    mf_dtype part = p->type == MF_COMPLEX64 ? MF_FLOAT32 : p->type == MF_COMPLEX128 ? MF_FLOAT64 : p->type;
    if (part == MF_BFLOAT16) return;
    p->real = (mfl_column){.type = part};
    p->imaginary = (mfl_column){.type = part, .plus = true};
    each_shown(p, 0, 0, see_value);
    mfl_column_decide(&p->real);
    mfl_column_decide(&p->imaginary);
    each_shown(p, 0, 0, measure_value);
    mfl_column_finish(&p->real);
    mfl_column_finish(&p->imaginary);
  } else if (p->kind == MF_KIND_SIGNED || p->kind == MF_KIND_UNSIGNED || p->kind == MF_KIND_QUANTISED) {
    each_shown(p, 0, 0, measure_integer);
  }
}

/* ---- whole texts */

static void push_scalar(lua_State *L, const mf_tensor *t) {
  mf_dtype type = mf_tensor_dtype(t);
  mf_dtype_kind kind = (mf_dtype_kind)mf_dtype_const(type)->kind;
  char text[WORD] = "", imaginary[MFL_FLOAT_TEXT];
  if (kind == MF_KIND_STRING) {
    size_t size;
    const char *bytes = mf_string_at(t, 0, &size);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    bytes_text(bytes, size, &b);
    luaL_pushresult(&b);
    return;
  }
  if (kind == MF_KIND_BOOL) snprintf(text, sizeof text, "%s", mf_tensor_get_i64(t, 0) ? "True" : "False");
  else if (kind == MF_KIND_FLOAT) mfl_float_text(type, mf_tensor_get_f64(t, 0), false, text);
  else if (kind == MF_KIND_COMPLEX) {
    mf_dtype part = type == MF_COMPLEX64 ? MF_FLOAT32 : MF_FLOAT64;
    double re = part_of(t, 0, 0), im = part_of(t, 0, 1);
    mfl_float_text(part, im, true, imaginary);
    mfl_float_text(part, re, true, text);
    const char *plus = imaginary[0] == '-' ? "" : "+";
    if (re == 0 && text[0] != '-') lua_pushfstring(L, "%sj", imaginary);
    else lua_pushfstring(L, "(%s%s%sj)", text, plus, imaginary);
    return;
  } else if (kind == MF_KIND_OBJECT || kind == MF_KIND_NONE) snprintf(text, sizeof text, "<%s>", mf_dtype_name(type));
  else integer_text(t, 0, 0, text);
  lua_pushstring(L, text);
}

/* Pushes the bracketed values; `prefix`: characters in front of the first bracket, `suffix` behind the last one. */
static void push_array(lua_State *L, const mf_tensor *t, const char *separator, int prefix, int suffix) {
  if (mf_tensor_count(t) == 0) {
    lua_pushliteral(L, "[]");
    return;
  }
  printer p = {.t = t, .type = mf_tensor_dtype(t), .separator = separator, .summary = mf_tensor_count(t) > THRESHOLD};
  p.kind = (mf_dtype_kind)mf_dtype_const(p.type)->kind;
  lay_out(&p);
  luaL_buffinit(L, &p.b);
  add_axis(&p, 0, 0, prefix + 1, LINE_WIDTH - suffix);
  luaL_pushresult(&p.b);
}

static bool is_implied(mf_dtype type) {
  return type == MF_FLOAT64 || type == MF_INT64 || type == MF_BOOL || type == MF_COMPLEX128;
}

/* array([...], shape=..., dtype=...): what cannot be seen from the values is named. */
static void push_repr(lua_State *L, const mf_tensor *t) {
  enum { PREFIX = 6 };
  mf_dtype type = mf_tensor_dtype(t);
  int64_t count = mf_tensor_count(t);
  bool name_shape = (count == 0 && t->shape.rank != 1) || count > THRESHOLD;
  bool name_dtype = !is_implied(type) || count == 0;
  push_array(L, t, ", ", PREFIX, 1);
  if (!name_shape && !name_dtype) {
    lua_pushfstring(L, "array(%s)", lua_tostring(L, -1));
    lua_remove(L, -2);
    return;
  }
  lua_pushfstring(L, "array(%s,", lua_tostring(L, -1));
  lua_remove(L, -2);
  mfl_push_shape_text(L, &t->shape);
  lua_pushfstring(L, "%s%s%s%s%s)", name_shape ? "shape=" : "", name_shape ? lua_tostring(L, -1) : "",
                  name_shape && name_dtype ? ", " : "", name_dtype ? "dtype=" : "",
                  name_dtype ? (type == MF_STRING ? "object" : mf_dtype_name(type)) : "");
  lua_remove(L, -2);
  const char *text = lua_tostring(L, -2), *extra = lua_tostring(L, -1), *newline = strrchr(text, '\n');
  size_t last = newline ? strlen(newline + 1) : strlen(text);
  lua_pushfstring(L, "%s%s%s", text, last + strlen(extra) + 1 > LINE_WIDTH ? "\n      " : " ", extra);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

void mfl_push_numpy_text(lua_State *L, const mf_tensor *t, bool repr) {
  luaL_checkstack(L, 8, "text");
  if (t->shape.rank == 0) push_scalar(L, t);
  else if (repr) push_repr(L, t);
  else push_array(L, t, " ", 0, 0);
}
