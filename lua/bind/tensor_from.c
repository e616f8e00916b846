/* tensor_from.c - Lua values become tensors: numbers, booleans, strings, nested lists. See tensor.h.
 *
 * As TensorFlow infers: integers give int32 (int64 when one does not fit), a float among them makes float32, booleans give bool,
 * strings string; an empty list is float32. With a dtype given, integers, floats and booleans fill float types, integers and
 * booleans fill integer types (wrapped to their width), booleans fill bool, strings fill string; anything else is an error.
 */
#include "bind/tensor.h"

#include <lauxlib.h>
#include <string.h>

#include "base/half.h"
#include "bind/error.h"
#include "bind/sentinel.h"
#include "bind/shape.h"
#include "bind/variable.h"
#include "ops/op_list.h"

/* ---- storing one element */

static void store_integer(mf_dtype type, void *at, lua_Integer v) {
  switch (type) {
    case MF_INT64: *(int64_t *)at = v; break;
    case MF_UINT64: *(uint64_t *)at = (uint64_t)v; break;
    case MF_INT32: *(int32_t *)at = (int32_t)(uint32_t)v; break;
    case MF_UINT32: *(uint32_t *)at = (uint32_t)v; break;
    case MF_INT16: *(int16_t *)at = (int16_t)(uint16_t)v; break;
    case MF_UINT16: *(uint16_t *)at = (uint16_t)v; break;
    case MF_INT8: *(int8_t *)at = (int8_t)(uint8_t)v; break;
    case MF_UINT8: *(uint8_t *)at = (uint8_t)v; break;
    default: break;
  }
}

static void store_float(mf_dtype type, void *at, double v) {
  switch (type) {
    case MF_FLOAT32: *(float *)at = (float)v; break;
    case MF_FLOAT64: *(double *)at = v; break;
    case MF_FLOAT16: *(uint16_t *)at = mf_half_from_float((float)v); break;
    case MF_BFLOAT16: *(uint16_t *)at = mf_bfloat16_from_float((float)v); break;
    case MF_COMPLEX64: ((float *)at)[0] = (float)v, ((float *)at)[1] = 0; break;
    case MF_COMPLEX128: ((double *)at)[0] = v, ((double *)at)[1] = 0; break;
    default: break;
  }
}

/* Stores the Lua value at `index`; false when the type cannot hold it. */
static bool store(lua_State *L, int index, mf_dtype type, void *at) {
  int kind = mf_dtype_const(type)->kind, is = lua_type(L, index);
  if (kind == MF_KIND_BOOL) {
    if (is != LUA_TBOOLEAN) return false;
    *(bool *)at = lua_toboolean(L, index);
    return true;
  }
  bool is_integer = lua_isinteger(L, index);
  if (kind == MF_KIND_SIGNED || kind == MF_KIND_UNSIGNED) {
    if (!is_integer && is != LUA_TBOOLEAN) return false;
    store_integer(type, at, is_integer ? lua_tointeger(L, index) : lua_toboolean(L, index));
    return true;
  }
  if (kind != MF_KIND_FLOAT && kind != MF_KIND_COMPLEX) return false;
  if (is != LUA_TNUMBER && is != LUA_TBOOLEAN) return false;
  store_float(type, at, is == LUA_TNUMBER ? lua_tonumber(L, index) : lua_toboolean(L, index));
  return true;
}

static int fail_cannot(lua_State *L, int index, const mfl_wish *wish, mf_dtype type) {
  mfl_push_description(L, index);
  return mfl_invalid(L, wish->op, "argument '%s': cannot convert %s to a tensor of dtype %s", wish->argument,
                     lua_tostring(L, -1), mf_dtype_name(type));
}

/* ---- scalars */

static mf_dtype dtype_of_scalar(lua_State *L, int index, const mfl_wish *wish) {
  if (wish->dtype != MF_DTYPE_INVALID) return wish->dtype;
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN: return MF_BOOL;
    case LUA_TSTRING: return MF_STRING;
    default: break;
  }
  mf_dtype preferred = wish->preferred;
  if (!lua_isinteger(L, index)) return mf_dtype_is_float(preferred) ? preferred : MF_FLOAT32;
  lua_Integer v = lua_tointeger(L, index);
  bool narrow = v >= INT32_MIN && v <= INT32_MAX;
  if (mf_dtype_is_numeric(preferred) && (narrow || !wish->whole)) return preferred;
  return narrow ? MF_INT32 : MF_INT64;
}

mf_status mfl_number_to(lua_State *L, int index, mf_dtype type, mf_tensor **out) {
  mf_shape scalar = {.rank = 0};
  *out = NULL;
  char element[16];
  if (!store(L, index, type, element)) {
    if (lua_type(L, index) == LUA_TNUMBER)
      return mf_fail(MF_INVALID_ARGUMENT, "cannot convert %g to a tensor of dtype %s; use tf.cast on the tensor",
                     lua_tonumber(L, index), mf_dtype_name(type));
    return mf_fail(MF_INVALID_ARGUMENT, "cannot convert a %s to a tensor of dtype %s", lua_typename(L, lua_type(L, index)),
                   mf_dtype_name(type));
  }
  return mf_tensor_from_bytes(type, &scalar, element, mf_dtype_size(type), out);
}

void mfl_push_from_scalar(lua_State *L, mfl_state *S, int index, mfl_wish wish) {
  index = lua_absindex(L, index);
  mf_dtype type = dtype_of_scalar(L, index, &wish);
  luaL_checkstack(L, 4, wish.op);
  mfl_box *box = mfl_push_box(L, S);
  mf_tensor *t = NULL;
  char element[16];
  mf_status status = NULL;
  if (type == MF_STRING && lua_type(L, index) == LUA_TSTRING) {
    size_t size;
    const char *bytes = lua_tolstring(L, index, &size);
    status = mf_tensor_scalar_string(bytes, size, &t);
  } else if (store(L, index, type, element)) {
    mf_shape scalar = {.rank = 0};
    status = mf_tensor_from_bytes(type, &scalar, element, mf_dtype_size(type), &t);
  } else {
    fail_cannot(L, index, &wish, type);
  }
  mfl_box_set(S, box, t);
  mfl_check(L, S, status);
}

/* ---- lists: first a look at all leaves, then the filling */

enum { LEAF_NONE, LEAF_BOOL, LEAF_INT32, LEAF_INT64, LEAF_FLOAT, LEAF_STRING };

typedef struct survey {
  const mfl_wish *wish;
  mf_shape shape;
  int leaf;
  bool has_tensor;
  mf_dtype tensor_dtype;
} survey;

static int fail_list(lua_State *L, const survey *s, const char *text) {
  return mfl_invalid(L, s->wish->op, "argument '%s': %s", s->wish->argument, text);
}

static void check_is_list(lua_State *L, const survey *s, int index) {
  if (lua_rawlen(L, index) > 0) return;
  lua_pushnil(L);
  if (lua_next(L, index)) fail_list(L, s, "expected a tensor or nested lists of numbers, received a table with other keys");
}

/* The shape by first items. */
static void survey_shape(lua_State *L, survey *s, int index) {
  int top = lua_gettop(L);
  s->shape.rank = 0;
  lua_pushvalue(L, index);
  while (mfl_is_plain_table(L, -1)) {
    if (s->shape.rank == MF_MAX_RANK) fail_list(L, s, "lists are nested too deeply for a tensor");
    check_is_list(L, s, lua_gettop(L));
    lua_Unsigned n = lua_rawlen(L, -1);
    s->shape.dims[s->shape.rank++] = (int64_t)n;
    if (n == 0) break;
    lua_rawgeti(L, -1, 1);
    lua_replace(L, -2);
  }
  lua_settop(L, top);
}

static void note_number(lua_State *L, survey *s) {
  if (lua_isinteger(L, -1)) {
    lua_Integer v = lua_tointeger(L, -1);
    int leaf = v >= INT32_MIN && v <= INT32_MAX ? LEAF_INT32 : LEAF_INT64;
    if (s->leaf == LEAF_NONE || s->leaf == LEAF_INT32) s->leaf = leaf;
    else if (s->leaf == LEAF_BOOL || s->leaf == LEAF_STRING) fail_list(L, s, "a list of mixed types is no tensor");
  } else if (s->leaf == LEAF_BOOL || s->leaf == LEAF_STRING) {
    fail_list(L, s, "a list of mixed types is no tensor");
  } else {
    s->leaf = LEAF_FLOAT;
  }
}

static void note_leaf(lua_State *L, mfl_state *S, survey *s) {
  switch (lua_type(L, -1)) {
    case LUA_TNUMBER: note_number(L, s); return;
    case LUA_TBOOLEAN: /* after numbers it is one: [1, True] */
      if (s->leaf == LEAF_NONE) s->leaf = LEAF_BOOL;
      else if (s->leaf == LEAF_STRING) fail_list(L, s, "a list of mixed types is no tensor");
      return;
    case LUA_TSTRING:
      if (s->leaf == LEAF_NONE) s->leaf = LEAF_STRING;
      else if (s->leaf != LEAF_STRING) fail_list(L, s, "a list of mixed types is no tensor");
      return;
    case LUA_TNIL: fail_list(L, s, "a list has no holes"); return;
    default: break;
  }
  if (!mfl_is_tensor(L, -1) && !mfl_test_shape(L, S, -1)) {
    mfl_push_description(L, -1);
    lua_pushfstring(L, "cannot convert %s to a tensor", lua_tostring(L, -1));
    fail_list(L, s, lua_tostring(L, -1));
  }
  const mfl_box *box = mfl_test_box(L, S, -1);
  const mfl_variable *v = box ? NULL : mfl_test_variable(L, S, -1);
  if (!s->has_tensor || s->tensor_dtype == MF_DTYPE_INVALID)
    s->tensor_dtype = box && box->t ? mf_tensor_dtype(box->t) : v && v->v ? mf_variable_dtype(v->v) : MF_DTYPE_INVALID;
  s->has_tensor = true;
}

static void survey_leaves(lua_State *L, mfl_state *S, survey *s, int index, int depth) {
  lua_Integer n = (lua_Integer)lua_rawlen(L, index);
  luaL_checkstack(L, 6, "list");
  if (depth == MF_MAX_RANK) fail_list(L, s, "lists are nested too deeply for a tensor");
  for (lua_Integer i = 1; i <= n; i++) {
    lua_rawgeti(L, index, i);
    if (mfl_is_plain_table(L, -1)) survey_leaves(L, S, s, lua_gettop(L), depth + 1);
    else note_leaf(L, S, s);
    lua_pop(L, 1);
  }
}

static mf_dtype dtype_of_leaves(const survey *s) {
  if (s->wish->dtype != MF_DTYPE_INVALID) return s->wish->dtype;
  mf_dtype preferred = s->wish->preferred;
  switch (s->leaf) {
    case LEAF_BOOL: return MF_BOOL;
    case LEAF_STRING: return MF_STRING;
    case LEAF_INT32: case LEAF_INT64:
      if (mf_dtype_is_numeric(preferred) && (s->leaf == LEAF_INT32 || !s->wish->whole)) return preferred;
      return s->leaf == LEAF_INT32 ? MF_INT32 : MF_INT64;
    case LEAF_FLOAT: return mf_dtype_is_float(preferred) ? preferred : MF_FLOAT32;
    default: return preferred != MF_DTYPE_INVALID ? preferred : MF_FLOAT32;
  }
}

/* ---- filling */

typedef struct filling {
  const survey *s;
  mf_dtype type;
  size_t size;
  char *next;                 /* plain types */
  mf_string_builder *strings;
} filling;

static void fail_ragged(lua_State *L, const survey *s) { fail_list(L, s, "lists of different lengths are no tensor"); }

static void fill_leaves(lua_State *L, mfl_state *S, filling *f, int index) {
  int64_t n = f->s->shape.dims[f->s->shape.rank - 1];
  for (int64_t i = 1; i <= n; i++) {
    lua_rawgeti(L, index, i);
    if (lua_istable(L, -1)) fail_ragged(L, f->s);
    if (f->strings) {
      size_t size;
      if (lua_type(L, -1) != LUA_TSTRING) fail_cannot(L, -1, f->s->wish, f->type);
      const char *bytes = lua_tolstring(L, -1, &size);
      mfl_check(L, S, mf_string_builder_add(f->strings, bytes, size));
    } else {
      if (!store(L, -1, f->type, f->next)) fail_cannot(L, lua_gettop(L), f->s->wish, f->type);
      f->next += f->size;
    }
    lua_pop(L, 1);
  }
}

static void fill(lua_State *L, mfl_state *S, filling *f, int index, int axis) {
  if (!mfl_is_plain_table(L, index) || (int64_t)lua_rawlen(L, index) != f->s->shape.dims[axis]) fail_ragged(L, f->s);
  if (axis == f->s->shape.rank - 1) {
    fill_leaves(L, S, f, index);
    return;
  }
  for (int64_t i = 1; i <= f->s->shape.dims[axis]; i++) {
    lua_rawgeti(L, index, i);
    fill(L, S, f, lua_gettop(L), axis + 1);
    lua_pop(L, 1);
  }
}

/* The builder of strings hangs in a userdata of its own while the list is read: reading may raise. */
static int builder_gc(lua_State *L) {
  mf_string_builder **b = lua_touserdata(L, 1);
  mf_string_builder_release(*b);
  *b = NULL;
  return 0;
}

static void push_strings(lua_State *L, mfl_state *S, survey *s, int index) {
  mfl_box *box = mfl_push_box(L, S);
  mf_string_builder **holder = lua_newuserdatauv(L, sizeof *holder, 0);
  *holder = NULL;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, builder_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  mfl_check(L, S, mf_string_builder_new(&s->shape, holder));
  filling f = {.s = s, .type = MF_STRING, .strings = *holder};
  fill(L, S, &f, index, 0);
  mf_tensor *t;
  mf_status status = mf_string_builder_take(*holder, &t);
  *holder = NULL;
  mfl_box_set(S, box, t);
  mfl_check(L, S, status);
  lua_pop(L, 1);
}

static void push_plain(lua_State *L, mfl_state *S, survey *s, int index, mf_dtype type) {
  if (mf_dtype_size(type) == 0 || mf_dtype_const(type)->kind == MF_KIND_OBJECT) {
    lua_pushvalue(L, index);
    fail_cannot(L, lua_gettop(L), s->wish, type);
  }
  mfl_box *box = mfl_push_box(L, S);
  mf_tensor *t;
  mf_status status = mf_tensor_new(mf_device_cpu(), type, &s->shape, &t);
  mfl_box_set(S, box, t);
  mfl_check(L, S, status);
  filling f = {.s = s, .type = type, .size = mf_dtype_size(type), .next = t->data};
  fill(L, S, &f, index, 0);
}

/* ---- lists that hold tensors are packed, level by level */

static void push_packed(lua_State *L, mfl_state *S, int index, const mfl_wish *wish) {
  int n = (int)lua_rawlen(L, index), first = lua_gettop(L) + 1;
  luaL_checkstack(L, n + 6, "list of tensors");
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, index, i);
    mfl_to_tensor(L, S, lua_gettop(L), *wish);
  }
  mf_tensor **in = mfl_push_scratch(L, (size_t)n * sizeof *in);
  mfl_box *box = mfl_push_box(L, S);
  for (int i = 0; i < n; i++) in[i] = mfl_get_tensor(L, S, first + i);
  mf_named_attr axis[] = {MF_A_INT("axis", 0)};
  mf_tensor *t;
  mf_status status = mf_apply(S->ctx, &mf_op_Pack, in, n, axis, 1, &t, 1, NULL);
  mfl_box_set(S, box, t);
  mfl_check(L, S, status);
  lua_replace(L, first);
  lua_settop(L, first);
}

void mfl_push_from_table(lua_State *L, mfl_state *S, int index, mfl_wish wish) {
  survey s = {.wish = &wish};
  index = lua_absindex(L, index);
  luaL_checkstack(L, 12, "list");
  check_is_list(L, &s, index);
  survey_leaves(L, S, &s, index, 0);
  if (s.has_tensor) {
    if (wish.dtype == MF_DTYPE_INVALID) wish.dtype = s.tensor_dtype;
    push_packed(L, S, index, &wish);
    return;
  }
  survey_shape(L, &s, index);
  mf_dtype type = dtype_of_leaves(&s);
  if (type == MF_STRING) push_strings(L, S, &s, index);
  else push_plain(L, S, &s, index, type);
}

/* ---- everything */

static void push_from_shape(lua_State *L, mfl_state *S, const mf_shape *shape, const mfl_wish *wish) {
  mf_dtype type = wish->dtype != MF_DTYPE_INVALID      ? wish->dtype
                  : wish->preferred == MF_INT64        ? MF_INT64
                                                       : MF_INT32;
  if (!mf_shape_is_full(shape)) {
    mfl_push_shape_text(L, shape);
    mfl_invalid(L, wish->op, "argument '%s': a partially known shape %s cannot be converted to a tensor; use tf.shape",
                wish->argument, lua_tostring(L, -1));
  }
  mfl_box *box = mfl_push_box(L, S);
  mf_tensor *t;
  mf_status status = mf_tensor_from_i64(type, shape->dims, shape->rank, &t);
  mfl_box_set(S, box, t);
  mfl_check(L, S, status);
}

/* Objects say how they become tensors: see tensor.h. Pushes what they give. */
static void push_from_object(lua_State *L, int index, const mfl_wish *wish) {
  int type = luaL_getmetafield(L, index, "__mf_to_tensor");
  if (type == LUA_TSTRING) {
    lua_gettable(L, index);
  } else if (type == LUA_TFUNCTION) {
    lua_pushvalue(L, index);
    lua_pushstring(L, wish->op);
    lua_call(L, 2, 1);
  } else {
    mfl_push_description(L, index);
    mfl_invalid(L, wish->op, "argument '%s': expected a tensor, received %s", wish->argument, lua_tostring(L, -1));
  }
}

static void check_dtype_of(lua_State *L, const mf_tensor *t, const mfl_wish *wish) {
  if (wish->dtype == MF_DTYPE_INVALID || wish->dtype == mf_tensor_dtype(t)) return;
  mfl_invalid(L, wish->op, "argument '%s': tensor conversion requested dtype %s for a tensor with dtype %s (use tf.cast)",
              wish->argument, mf_dtype_name(wish->dtype), mf_dtype_name(mf_tensor_dtype(t)));
}

/* Pushes the handle of the variable at `index`. */
static void push_handle(lua_State *L, mfl_state *S, const mfl_variable *v) { mfl_push_tensor(L, S, v->handle); }

/* Any float in the number, the list of numbers, or the list of lists at `index`? */
static bool has_floats(lua_State *L, int index, int depth) {
  if (lua_type(L, index) == LUA_TNUMBER) return !lua_isinteger(L, index);
  if (depth == 0 || !mfl_is_plain_table(L, index)) return false;
  lua_Integer n = (lua_Integer)lua_rawlen(L, index);
  bool found = false;
  for (lua_Integer i = 1; i <= n && !found; i++) {
    lua_rawgeti(L, index, i);
    found = has_floats(L, lua_gettop(L), depth - 1);
    lua_pop(L, 1);
  }
  return found;
}

/* Lua's division gives floats: where only integers make sense (shapes, axes, counts), 2.0 counts as 2. Replaces the number, or the
 * list of numbers or of such lists, at the absolute index. Other values stay. */
static void whole_numbers(lua_State *L, int index, int depth) {
  int whole;
  luaL_checkstack(L, 4, "numbers");
  if (!has_floats(L, index, depth)) return;
  if (lua_type(L, index) == LUA_TNUMBER) {
    lua_Integer value = lua_tointegerx(L, index, &whole);
    if (!whole) return;
    lua_pushinteger(L, value);
  } else {
    lua_Integer n = (lua_Integer)lua_rawlen(L, index);
    lua_createtable(L, n < 64 ? (int)n : 64, 0);
    for (lua_Integer i = 1; i <= n; i++) {
      lua_rawgeti(L, index, i);
      whole_numbers(L, lua_gettop(L), depth - 1);
      lua_rawseti(L, -2, i);
    }
  }
  lua_replace(L, index);
}

void mfl_to_tensor(lua_State *L, mfl_state *S, int index, mfl_wish wish) {
  luaL_checkstack(L, 6, "tensor");
  if (mfl_test_box(L, S, index)) {
    check_dtype_of(L, mfl_get_tensor(L, S, index), &wish);
    return;
  }
  if (wish.whole) whole_numbers(L, index, 2);
  mfl_variable *v = mfl_test_variable(L, S, index);
  const mf_shape *shape = v ? NULL : mfl_test_shape(L, S, index);
  if (v && wish.dtype == MF_RESOURCE) push_handle(L, S, v);
  else if (v) mfl_push_variable_value(L, S, index);
  else if (shape) push_from_shape(L, S, shape, &wish);
  else if (mfl_is_plain_table(L, index)) mfl_push_from_table(L, S, index, wish);
  else {
    switch (lua_type(L, index)) {
      case LUA_TNUMBER: case LUA_TBOOLEAN: case LUA_TSTRING: mfl_push_from_scalar(L, S, index, wish); break;
      default:
        if (wish.depth++ > 16)
          mfl_invalid(L, wish.op, "argument '%s': an object's __mf_to_tensor does not lead to a tensor", wish.argument);
        push_from_object(L, index, &wish);
        mfl_to_tensor(L, S, lua_gettop(L), wish);
    }
  }
  lua_replace(L, index);
  check_dtype_of(L, mfl_get_tensor(L, S, index), &wish);
}
