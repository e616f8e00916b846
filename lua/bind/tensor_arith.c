/* tensor_arith.c - operators on tensors and variables. See tensor.h and api.md's rules: a Lua number takes the tensor's dtype, no
 * promotion between tensors; <, <= answer for one element only; == between two tensors raises.
 *
 * Each metamethod is a closure over the state, its operator (a row of `operators`), which names the ops for numbers and for bool.
 */
#include <lauxlib.h>
#include <string.h>

#include "bind/error.h"
#include "bind/op.h"
#include "bind/sentinel.h"
#include "bind/tensor.h"
#include "bind/variable.h"
#include "ops/op_list.h"

typedef struct operator {
  const char *event;           /* the metamethod */
  const mf_op_def *op;
  const mf_op_def *bool_op;    /* NULL: as op */
  bool unary, true_division, exclusive;
} operator;

static const operator operators[] = {
    {"__add", &mf_op_AddV2, NULL, false, false, false},
    {"__sub", &mf_op_Sub, NULL, false, false, false},
    {"__mul", &mf_op_Mul, NULL, false, false, false},
    {"__div", &mf_op_RealDiv, NULL, false, true, false},
    {"__idiv", &mf_op_FloorDiv, NULL, false, false, false},
    {"__mod", &mf_op_FloorMod, NULL, false, false, false},
    {"__pow", &mf_op_Pow, NULL, false, false, false},
    {"__unm", &mf_op_Neg, NULL, true, false, false},
    {"__band", &mf_op_BitwiseAnd, &mf_op_LogicalAnd, false, false, false},
    {"__bor", &mf_op_BitwiseOr, &mf_op_LogicalOr, false, false, false},
    {"__bxor", &mf_op_BitwiseXor, NULL, false, false, true},
    {"__bnot", &mf_op_Invert, &mf_op_LogicalNot, true, false, false},
};

/* ---- operands */

/* Another kind of object with operators of its own (a KerasTensor, a ragged tensor) answers: pushes its result. */
static bool other_answers(lua_State *L, mfl_state *S, int index, const char *event) {
  if (mfl_test_box(L, S, index) || mfl_test_variable(L, S, index)) return false;
  int type = lua_type(L, index);
  if (type != LUA_TTABLE && type != LUA_TUSERDATA) return false;
  if (luaL_getmetafield(L, index, event) == LUA_TNIL) return false;
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1);
  return true;
}

static mf_dtype operand_dtype(lua_State *L, mfl_state *S, int index) {
  const mfl_box *box = mfl_test_box(L, S, index);
  if (box) return box->t ? mf_tensor_dtype(box->t) : MF_DTYPE_INVALID;
  const mfl_variable *v = mfl_test_variable(L, S, index);
  return v && v->v ? mf_variable_dtype(v->v) : MF_DTYPE_INVALID;
}

/* Makes both operands boxes. A number, table or string takes the dtype of the tensor beside it. */
static void convert_operands(lua_State *L, mfl_state *S, const operator *o) {
  mf_dtype x = operand_dtype(L, S, 1), y = operand_dtype(L, S, 2);
  bool tensor_x = mfl_is_tensor(L, 1), tensor_y = mfl_is_tensor(L, 2);
  mfl_wish wish = {.op = o->op->name, .argument = "x"};
  wish.dtype = tensor_x ? MF_DTYPE_INVALID : y;
  mfl_to_tensor(L, S, 1, wish);
  wish.argument = "y";
  wish.dtype = tensor_y ? MF_DTYPE_INVALID : x;
  mfl_to_tensor(L, S, 2, wish);
}

/* x / y of integers is a float division: 8 and 16 bits give float32, more give float64, as in TensorFlow. */
static void cast_integers(lua_State *L, mfl_state *S) {
  mf_dtype x = mf_tensor_dtype(mfl_get_tensor(L, S, 1)), y = mf_tensor_dtype(mfl_get_tensor(L, S, 2));
  if (x != y || !mf_dtype_is_integer(x)) return;
  mf_named_attr attrs[] = {MF_A_TYPE("DstT", mf_dtype_size(x) <= 2 ? MF_FLOAT32 : MF_FLOAT64)};
  for (int i = 1; i <= 2; i++) {
    mfl_push_applied(L, S, &mf_op_Cast, &i, 1, attrs, 1);
    lua_replace(L, i);
  }
}

/* ---- binary operators */

static int apply_boxes(lua_State *L, mfl_state *S, const mf_op_def *op, const mfl_box *x, const mfl_box *y) {
  mfl_box *box = mfl_push_box_like(L, S, 1);
  mf_tensor *in[2] = {x->t, y->t}, *t;
  if (!x->t || !y->t) return mfl_fail_emptied(L);
  mf_status status = mf_apply(S->ctx, op, in, 2, NULL, 0, &t, 1, NULL);
  if (status) mfl_raise_status(L, S, status);
  mfl_box_set(S, box, t);
  return 1;
}

static int apply_two(lua_State *L, mfl_state *S, const mf_op_def *op) {
  return apply_boxes(L, S, op, lua_touserdata(L, 1), lua_touserdata(L, 2));
}

/* Exclusive or of bool: the op table has none, TensorFlow composes it, too. */
static int exclusive_or(lua_State *L, mfl_state *S) {
  const int both[] = {1, 2};
  mfl_push_applied(L, S, &mf_op_NotEqual, both, 2, NULL, 0);
  return 1;
}

static int apply_converted(lua_State *L, mfl_state *S, const operator *o) {
  if (o->true_division) cast_integers(L, S);
  bool is_bool = (o->bool_op || o->exclusive) && mf_tensor_dtype(mfl_get_tensor(L, S, 1)) == MF_BOOL;
  if (is_bool && o->exclusive) return exclusive_or(L, S);
  return apply_two(L, S, is_bool ? o->bool_op : o->op);
}

/* A number beside a tensor: no box is made for it. */
static int apply_number(lua_State *L, mfl_state *S, const operator *o, int tensor) {
  int number = 3 - tensor;
  mf_dtype type = mf_tensor_dtype(mfl_get_tensor(L, S, tensor));
  if (o->true_division && mf_dtype_is_integer(type)) return -1;
  if (type == MF_BOOL || type == MF_STRING) return -1;
  mfl_box *box = mfl_push_box_like(L, S, tensor);
  mf_tensor *in[2], *t = NULL, *value;
  in[tensor - 1] = mfl_get_tensor(L, S, tensor);
  mf_status status = mfl_number_to(L, number, type, &value);
  if (status) status = mf_status_with_op(mf_status_prefix(status, "%s", o->op->name), o->op->name);
  in[number - 1] = value;
  if (!status) status = mf_apply(S->ctx, o->op, in, 2, NULL, 0, &t, 1, NULL);
  mf_tensor_release(value);
  mfl_box_set(S, box, t);
  mfl_check(L, S, status);
  return 1;
}

static int binary(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const operator *o = lua_touserdata(L, lua_upvalueindex(2));
  const mfl_box *x = mfl_test_box(L, S, 1), *y = mfl_test_box(L, S, 2);
  if (x && y) {
    if (!o->true_division && !o->bool_op && !o->exclusive) return apply_boxes(L, S, o->op, x, y);
    return apply_converted(L, S, o);
  }
  int done = -1;
  if (x && lua_type(L, 2) == LUA_TNUMBER) done = apply_number(L, S, o, 1);
  else if (y && lua_type(L, 1) == LUA_TNUMBER) done = apply_number(L, S, o, 2);
  if (done >= 0) return done;
  if (other_answers(L, S, 1, o->event) || other_answers(L, S, 2, o->event)) return 1;
  convert_operands(L, S, o);
  return apply_converted(L, S, o);
}

static int unary(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const operator *o = lua_touserdata(L, lua_upvalueindex(2));
  const int one = 1;
  lua_settop(L, 1);
  mfl_to_tensor(L, S, 1, (mfl_wish){.op = o->op->name, .argument = "x"});
  bool is_bool = o->bool_op && mf_tensor_dtype(mfl_get_tensor(L, S, 1)) == MF_BOOL;
  mfl_push_applied(L, S, is_bool ? o->bool_op : o->op, &one, 1, NULL, 0);
  return 1;
}

/* ---- comparison */

static mf_tensor *check_single(lua_State *L, mfl_state *S, int index, const char *instead) {
  mf_tensor *t = mfl_get_tensor(L, S, index);
  if (mf_tensor_is_symbolic(t))
    mfl_raisef(L, "INVALID_ARGUMENT", "Tensor",
               "Tensor: Lua's comparison needs a value, and a symbolic tensor has none; use %s and tf.where", instead);
  if (mf_tensor_count(t) != 1)
    mfl_raisef(L, "INVALID_ARGUMENT", "Tensor",
               "Tensor: Lua turns the result of a comparison into one boolean, so both sides must have one element; use %s for "
               "elementwise comparison", instead);
  mfl_push_host(L, S, t, "Tensor");
  lua_replace(L, index);
  return mfl_get_tensor(L, S, index);
}

static int compare_text(const mf_tensor *x, const mf_tensor *y) {
  size_t nx, ny;
  const char *a = mf_string_at(x, 0, &nx), *b = mf_string_at(y, 0, &ny);
  int order = memcmp(a, b, nx < ny ? nx : ny);
  return order ? order : (nx > ny) - (nx < ny);
}

/* Compares as numbers do; NaN is neither less nor equal. */
static bool is_less(const mf_tensor *x, const mf_tensor *y, bool or_equal) {
  if (mf_tensor_dtype(x) == MF_STRING && mf_tensor_dtype(y) == MF_STRING) {
    int order = compare_text(x, y);
    return or_equal ? order <= 0 : order < 0;
  }
  if (mf_dtype_is_float(mf_tensor_dtype(x)) || mf_dtype_is_float(mf_tensor_dtype(y))) {
    double a = mf_tensor_get_f64(x, 0), b = mf_tensor_get_f64(y, 0);
    return or_equal ? a <= b : a < b;
  }
  int64_t a = mf_tensor_get_i64(x, 0), b = mf_tensor_get_i64(y, 0);
  return or_equal ? a <= b : a < b;
}

static int compare(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  bool or_equal = lua_toboolean(L, lua_upvalueindex(2));
  const char *instead = or_equal ? "tf.less_equal" : "tf.less";
  for (int i = 1; i <= 2; i++) {
    mfl_wish wish = {.op = instead + 3, .argument = i == 1 ? "x" : "y"};
    if (lua_type(L, i) == LUA_TNUMBER && !lua_isinteger(L, i)) wish.preferred = MF_FLOAT64;
    mfl_to_tensor(L, S, i, wish);
  }
  const mf_tensor *x = check_single(L, S, 1, instead), *y = check_single(L, S, 2, instead);
  if ((mf_tensor_dtype(x) == MF_STRING) != (mf_tensor_dtype(y) == MF_STRING))
    mfl_invalid(L, "Tensor", "a %s and a %s cannot be compared", mf_dtype_name(mf_tensor_dtype(x)), mf_dtype_name(mf_tensor_dtype(y)));
  lua_pushboolean(L, is_less(x, y, or_equal));
  return 1;
}

static int equal(lua_State *L) {
  mfl_enter(L);
  if (!mfl_is_tensor(L, 1) || !mfl_is_tensor(L, 2)) {
    lua_pushboolean(L, 0);
    return 1;
  }
  return mfl_raise(L, "INVALID_ARGUMENT", "Tensor",
                   "Tensor: == between tensors is not defined; tf.equal(a, b) compares elements, rawequal(a, b) asks whether both "
                   "are the same object");
}

static int concat(lua_State *L) {
  mfl_enter(L);
  for (int i = 1; i <= 2; i++) {
    luaL_tolstring(L, i, NULL);
    lua_replace(L, i);
  }
  lua_settop(L, 2);
  lua_concat(L, 2);
  return 1;
}

void mfl_set_arithmetic(lua_State *L, mfl_state *S) {
  static const luaL_Reg others[] = {{"__eq", equal}, {"__concat", concat}, {NULL, NULL}};
  luaL_checkstack(L, 4, "operators");
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    const operator *o = &operators[i];
    lua_pushlightuserdata(L, S);
    lua_pushlightuserdata(L, (void *)(uintptr_t)o);
    lua_pushcclosure(L, o->unary ? unary : binary, 2);
    lua_setfield(L, -2, o->event);
  }
  for (int or_equal = 0; or_equal <= 1; or_equal++) {
    lua_pushlightuserdata(L, S);
    lua_pushboolean(L, or_equal);
    lua_pushcclosure(L, compare, 2);
    lua_setfield(L, -2, or_equal ? "__le" : "__lt");
  }
  mfl_set_functions(L, S, others);
}
