/* tensor_index.c - x[key]: integers, slices as text ("1:3, :, ::2"), lists with one entry an axis. Indices count from 0, negative
 * from the end, as in TensorFlow. Everything becomes one StridedSlice.
 *
 * Entries of a list: an integer, text ("2:5", "...", "newaxis"), tf.newaxis (tf.None), a scalar integer tensor.
 */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "bind/error.h"
#include "bind/op.h"
#include "bind/sentinel.h"
#include "bind/tensor.h"
#include "ops/op_list.h"

enum { MAX_ENTRIES = 2 * MF_MAX_RANK };

/* What StridedSlice gets. `at` are stack indices of scalar tensors that stand for a begin, or 0. */
typedef struct selection {
  int n;
  int64_t begin[MAX_ENTRIES], end[MAX_ENTRIES], stride[MAX_ENTRIES];
  int at[MAX_ENTRIES];
  int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_mask;
  bool has_tensor;
} selection;

/* ---- text */

static const char *skip_space(const char *s) {
  while (*s == ' ' || *s == '\t') s++;
  return s;
}

/* Text of a slice starts with a digit, sign, colon or dot, or is "newaxis"; so do no members. */
bool mfl_is_slice_text(lua_State *L, int key) {
  const char *s = skip_space(lua_tostring(L, key));
  return *s && (strchr("0123456789-+:.", *s) || !strncmp(s, "newaxis", 7) || !strncmp(s, "None", 4));
}

static int fail_text(lua_State *L, int key) {
  mfl_push_description(L, key);
  return mfl_invalid(L, "Tensor", "%s is no slice; write for example x[\"1:3, :, ::2\"], x[i] or x[{1, \"2:5\"}]",
                     lua_tostring(L, -1));
}

static int new_entry(lua_State *L, selection *s) {
  if (s->n == MAX_ENTRIES) mfl_invalid(L, "Tensor", "an index has at most %d entries", MAX_ENTRIES);
  int i = s->n++;
  s->begin[i] = s->end[i] = 0;
  s->stride[i] = 1;
  s->at[i] = 0;
  return i;
}

/* An optional integer at *text. */
static bool read_integer(const char **text, int64_t *value) {
  char *end;
  const char *s = skip_space(*text);
  if (!strchr("+-0123456789", *s) || !*s) return false;
  *value = strtoll(s, &end, 10);
  if (end == s) return false;
  *text = skip_space(end);
  return true;
}

static void add_integer(lua_State *L, selection *s, int64_t value) {
  int i = new_entry(L, s);
  s->begin[i] = value;
  s->end[i] = value + 1; /* ignored: the axis is shrunk */
  s->shrink_mask |= INT64_C(1) << i;
}

static bool read_word(const char **text, const char *word) {
  size_t n = strlen(word);
  if (strncmp(*text, word, n)) return false;
  *text = skip_space(*text + n);
  return true;
}

/* "a:b:c" with parts left out, or one integer. */
static bool read_range(lua_State *L, selection *s, const char **text) {
  int64_t begin = 0, end = 0, stride = 1;
  bool has_begin = read_integer(text, &begin);
  if (**text != ':') {
    if (has_begin) add_integer(L, s, begin);
    return has_begin;
  }
  *text = skip_space(*text + 1);
  bool has_end = read_integer(text, &end);
  if (**text == ':') {
    *text = skip_space(*text + 1);
    read_integer(text, &stride);
  }
  int i = new_entry(L, s);
  s->begin[i] = begin;
  s->end[i] = end;
  s->stride[i] = stride;
  if (!has_begin) s->begin_mask |= INT64_C(1) << i;
  if (!has_end) s->end_mask |= INT64_C(1) << i;
  return true;
}

static void add_new_axis(lua_State *L, selection *s) { s->new_axis_mask |= INT64_C(1) << new_entry(L, s); }

static void read_text(lua_State *L, selection *s, int key) {
  const char *text = skip_space(lua_tostring(L, key));
  for (;;) {
    if (read_word(&text, "...")) s->ellipsis_mask |= INT64_C(1) << new_entry(L, s);
    else if (read_word(&text, "newaxis") || read_word(&text, "None")) add_new_axis(L, s);
    else if (!read_range(L, s, &text)) fail_text(L, key);
    if (!*text) return;
    if (*text != ',') fail_text(L, key);
    text = skip_space(text + 1);
  }
}

/* ---- lists */

static int fail_entry(lua_State *L, int index) {
  mfl_push_description(L, index);
  return mfl_invalid(L, "Tensor",
                     "only integers, slices as text (\"1:3\"), \"...\", tf.newaxis and scalar integer tensors are valid indices, "
                     "received %s", lua_tostring(L, -1));
}

/* The entry on top of the stack; a tensor stays there. */
static void add_entry(lua_State *L, mfl_state *S, selection *s) {
  int index = lua_gettop(L);
  int whole;
  lua_Integer i;
  if (lua_type(L, index) == LUA_TNUMBER && (i = lua_tointegerx(L, index, &whole), whole)) { /* 2.0, too, as in Lua's tables */
    add_integer(L, s, i);
  } else if (lua_type(L, index) == LUA_TSTRING) {
    read_text(L, s, index);
  } else if (mfl_is_none(L, index)) {
    add_new_axis(L, s);
  } else if (mfl_is_tensor(L, index)) {
    mf_tensor *t = mfl_check_tensor(L, S, index, "Tensor", "index");
    if (t->shape.rank != 0 || (mf_tensor_dtype(t) != MF_INT32 && mf_tensor_dtype(t) != MF_INT64)) fail_entry(L, index);
    add_integer(L, s, 0);
    s->at[s->n - 1] = index;
    s->has_tensor = true;
    return;
  } else {
    fail_entry(L, index);
  }
  lua_pop(L, 1);
}

static void read_key(lua_State *L, mfl_state *S, selection *s, int key) {
  if (!mfl_is_plain_table(L, key)) {
    lua_pushvalue(L, key);
    add_entry(L, S, s);
    return;
  }
  lua_Integer n = (lua_Integer)lua_rawlen(L, key);
  luaL_checkstack(L, (int)(n < 100 ? n : 100) + 8, "index");
  for (lua_Integer i = 1; i <= n; i++) {
    lua_rawgeti(L, key, i);
    add_entry(L, S, s);
  }
}

/* ---- running */

/* Pushes an int32 or int64 vector. */
static void push_vector(lua_State *L, mfl_state *S, mf_dtype type, const int64_t *values, int n) {
  mfl_box *box = mfl_push_box(L, S);
  mf_tensor *t;
  mf_status status = mf_tensor_from_i64(type, values, n, &t);
  mfl_box_set(S, box, t);
  mfl_check(L, S, status);
}

static bool fits_int32(const selection *s) {
  for (int i = 0; i < s->n; i++)
    if (s->begin[i] != (int32_t)s->begin[i] || s->end[i] != (int32_t)s->end[i] || s->stride[i] != (int32_t)s->stride[i])
      return false;
  return true;
}

/* Pushes begin or end where tensors stand for entries: one Pack of scalars. `add` is 1 for end. */
static void push_packed(lua_State *L, mfl_state *S, const selection *s, mf_dtype type, const int64_t *values, int add) {
  int first = lua_gettop(L) + 1, indices[MAX_ENTRIES];
  mf_named_attr axis[] = {MF_A_INT("axis", 0)};
  luaL_checkstack(L, s->n + 8, "index");
  for (int i = 0; i < s->n; i++) {
    mfl_box *box = mfl_push_box(L, S);
    mf_tensor *t;
    mf_status status = mf_tensor_scalar_i64(type, s->at[i] ? add : values[i], &t);
    mfl_box_set(S, box, t);
    mfl_check(L, S, status);
    indices[i] = first + i;
    if (!s->at[i]) continue;
    const int pair[] = {s->at[i], first + i};
    mf_named_attr cast[] = {MF_A_TYPE("DstT", type)};
    mfl_push_applied(L, S, &mf_op_Cast, &pair[0], 1, cast, 1);
    const int sum[] = {lua_gettop(L), first + i};
    mfl_push_applied(L, S, &mf_op_AddV2, sum, 2, NULL, 0);
    lua_replace(L, first + i);
    lua_settop(L, first + i);
  }
  mfl_push_applied(L, S, &mf_op_Pack, indices, s->n, axis, 1);
  lua_replace(L, first);
  lua_settop(L, first);
}

static void push_strided_slice(lua_State *L, mfl_state *S, int x, const selection *s) {
  int top = lua_gettop(L);
  mf_dtype type = fits_int32(s) ? MF_INT32 : MF_INT64;
  mf_named_attr masks[] = {MF_A_INT("begin_mask", s->begin_mask), MF_A_INT("end_mask", s->end_mask),
                           MF_A_INT("ellipsis_mask", s->ellipsis_mask), MF_A_INT("new_axis_mask", s->new_axis_mask),
                           MF_A_INT("shrink_axis_mask", s->shrink_mask)};
  luaL_checkstack(L, 10, "index");
  if (s->has_tensor) {
    push_packed(L, S, s, type, s->begin, 0);
    push_packed(L, S, s, type, s->end, 1);
  } else {
    push_vector(L, S, type, s->begin, s->n);
    push_vector(L, S, type, s->end, s->n);
  }
  push_vector(L, S, type, s->stride, s->n);
  const int in[] = {x, top + 1, top + 2, top + 3};
  mfl_push_applied(L, S, &mf_op_StridedSlice, in, 4, masks, 5);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}

/* x[i] while nobody records: one row, sharing the memory. */
static void push_row(lua_State *L, mfl_state *S, int x, lua_Integer i) {
  mfl_box *box = mfl_push_box(L, S);
  mf_tensor *t = mfl_get_tensor(L, S, x), *rows, *row = NULL;
  mf_shape shape = {.rank = t->shape.rank - 1};
  memcpy(shape.dims, t->shape.dims + 1, (size_t)shape.rank * sizeof *shape.dims);
  mf_status status = mf_tensor_rows(t, i < 0 ? i + t->shape.dims[0] : i, 1, &rows);
  if (!status) status = mf_tensor_view(rows, &shape, &row);
  mf_tensor_release(rows);
  mfl_box_set(S, box, row);
  mfl_check(L, S, status);
}

static int fail_range(lua_State *L, const mf_tensor *t, lua_Integer i) {
  return mfl_raisef(L, "OUT_OF_RANGE", "Tensor",
                    "Tensor: index %I is out of bounds for the first axis of %I elements (axes count from 0; to walk over the "
                    "rows use x:iter(), not ipairs)", (LUAI_UACINT)i, (LUAI_UACINT)t->shape.dims[0]);
}

void mfl_push_indexed(lua_State *L, mfl_state *S, int x, int key) {
  mf_tensor *t = mfl_get_tensor(L, S, x);
  luaL_checkstack(L, 8, "index");
  int whole = 0;
  lua_Integer i = lua_type(L, key) == LUA_TNUMBER ? lua_tointegerx(L, key, &whole) : 0;
  if (whole) {
    if (t->shape.rank == 0) mfl_invalid(L, "Tensor", "a scalar tensor cannot be indexed");
    if (t->shape.rank > 0 && t->shape.dims[0] >= 0 && (i >= t->shape.dims[0] || i < -t->shape.dims[0])) fail_range(L, t, i);
    if (mfl_is_plain(S) && mf_tensor_is_concrete(t)) {
      push_row(L, S, x, i);
      return;
    }
  }
  selection s = {.n = 0};
  read_key(L, S, &s, key);
  push_strided_slice(L, S, x, &s);
}
