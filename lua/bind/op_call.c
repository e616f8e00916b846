/* op_call.c - calling an op with Lua values: see op.h.
 *
 * Two ways: tensors by position go straight to mf_apply; everything else is read by the signature, converted in its stack slots,
 * and gathered into a flat list just before the call.
 */
#include <lauxlib.h>
#include <string.h>

#include "bind/error.h"
#include "bind/op.h"
#include "bind/sentinel.h"
#include "bind/variable.h"

enum { INLINE = 16 };

/* ---- the direct way */

static int call_direct(lua_State *L, mfl_state *S, const mfl_caller *c) {
  const mf_op_def *op = c->op;
  mf_tensor *in[INLINE], *out[INLINE];
  mfl_box *boxes[INLINE];
  int n_out = op->rt->n_outputs, base = lua_gettop(L);
  luaL_checkstack(L, n_out + 4, op->name);
  for (int i = 0; i < n_out; i++) boxes[i] = mfl_push_box(L, S);
  for (int i = 0; i < c->n_inputs; i++) in[i] = mfl_get_tensor(L, S, i + 1);
  mf_status status = mf_apply(S->ctx, op, in, c->n_inputs, NULL, 0, out, n_out, NULL);
  for (int i = 0; i < n_out; i++) mfl_box_set(S, boxes[i], out[i]);
  mfl_check(L, S, status);
  return lua_gettop(L) - base;
}

/* Tensors and variables only? */
static bool is_direct(lua_State *L, mfl_state *S, const mfl_caller *c, int n) {
  for (int i = 1; i <= n; i++) {
    if (mfl_test_box(L, S, i)) continue;
    const mfl_variable *v = mfl_test_variable(L, S, i);
    if (!v || !v->v || c->op->rt->inputs[i - 1].type == MF_RESOURCE) return false;
  }
  return true;
}

/* Variables become their values, in their slots. Returns a bit for each such slot. */
static unsigned read_variables(lua_State *L, mfl_state *S, int n) {
  unsigned read = 0;
  luaL_checkstack(L, 6, "variables");
  for (int i = 1; i <= n; i++) {
    if (mfl_test_box(L, S, i)) continue;
    mfl_push_variable_value(L, S, i);
    lua_replace(L, i);
    read |= 1u << i;
  }
  return read;
}

/* Ends the values that read_variables and conversions made: nobody else knows them, and a variable whose value is held is copied
 * by its next update. */
static void end_values(lua_State *L, mfl_state *S, unsigned read) {
  for (int i = 1; read >> i; i++)
    if (read >> i & 1) mfl_box_clear(S, lua_touserdata(L, i));
}

/* ---- converting inputs */

typedef struct call {
  lua_State *L;
  mfl_state *S;
  const mfl_caller *c;
  mf_dtype types[MF_MAX_ATTRS];    /* of type attributes, as far as they are known */
} call;

static bool is_list_arg(const mf_arg_sig *a) { return a->number_attr >= 0 || a->type_list_attr >= 0; }

/* Dtype of the tensor or variable at `index`; MF_DTYPE_INVALID for other values. */
static mf_dtype dtype_of_value(lua_State *L, mfl_state *S, int index) {
  const mfl_box *box = mfl_test_box(L, S, index);
  if (box) return box->t ? mf_tensor_dtype(box->t) : MF_DTYPE_INVALID;
  const mfl_variable *v = mfl_test_variable(L, S, index);
  return v && v->v ? mf_variable_dtype(v->v) : MF_DTYPE_INVALID;
}

/* Objects that become tensors by a function of their own do so first: their dtype counts like any tensor's. */
static void unwrap_object(call *k, int index, const mf_arg_sig *a) {
  lua_State *L = k->L;
  if (lua_type(L, index) != LUA_TTABLE && lua_type(L, index) != LUA_TUSERDATA) return;
  if (luaL_getmetafield(L, index, "__mf_to_tensor") == LUA_TNIL) return;
  lua_pop(L, 1);
  mfl_to_tensor(L, k->S, index, (mfl_wish){.op = k->c->op->name, .argument = a->name});
}

/* The slot of input i, or 0. */
static int slot_of(const call *k, int i) { return k->c->param_of[i] < 0 ? 0 : k->c->param_of[i] + 1; }

/* The items of a list argument: a table, or a tensor whose rows are taken (TensorFlow iterates over it, too). */
static lua_Integer check_items(call *k, int i, int slot) {
  const mf_arg_sig *a = &k->c->op->rt->inputs[i];
  if (!mfl_is_plain_table(k->L, slot)) {
    mfl_push_description(k->L, slot);
    mfl_invalid(k->L, k->c->op->name, "argument '%s': expected a list of tensors, received %s", a->name,
                lua_tostring(k->L, -1));
  }
  return (lua_Integer)lua_rawlen(k->L, slot);
}

/* First round: what the tensors among the arguments say about type attributes. */
static void note_types(call *k) {
  lua_State *L = k->L;
  const mf_op_rt *rt = k->c->op->rt;
  for (int i = 0; i < rt->n_inputs; i++) {
    const mf_arg_sig *a = &rt->inputs[i];
    int slot = slot_of(k, i);
    if (!slot || lua_isnil(L, slot)) continue;
    if (!is_list_arg(a)) {
      unwrap_object(k, slot, a);
      if (a->type_attr >= 0 && k->types[a->type_attr] == MF_DTYPE_INVALID)
        k->types[a->type_attr] = dtype_of_value(L, k->S, slot);
      continue;
    }
    lua_Integer n = a->type_attr < 0 ? 0 : check_items(k, i, slot);
    for (lua_Integer item = 1; item <= n && k->types[a->type_attr] == MF_DTYPE_INVALID; item++) {
      lua_rawgeti(L, slot, item);
      unwrap_object(k, lua_gettop(L), a);
      k->types[a->type_attr] = dtype_of_value(L, k->S, lua_gettop(L));
      lua_pop(L, 1);
    }
  }
}

/* Converts the value at the absolute index `index` for input argument `a`; notes the dtype. */
static void convert(call *k, int index, const mf_arg_sig *a) {
  mfl_wish wish = {.op = k->c->op->name, .argument = a->name, .dtype = a->type,
                   .whole = a->type == MF_INT32 || a->type == MF_INT64};
  if (a->type_attr >= 0) {
    const mf_attr_sig *sig = &k->c->op->rt->attrs[a->type_attr];
    wish.dtype = k->types[a->type_attr];
    if (wish.dtype != MF_DTYPE_INVALID && mfl_test_box(k->L, k->S, index)) return; /* mf_apply compares, and says it well */
    if (wish.dtype == MF_DTYPE_INVALID && sig->has_default) wish.preferred = sig->default_value.v.type;
    wish.whole = sig->allowed_types == MF_TYPES_I32_I64;
  }
  if (lua_isnil(k->L, index))
    mfl_invalid(k->L, wish.op, "argument '%s': expected a tensor, received None", a->name);
  mfl_to_tensor(k->L, k->S, index, wish);
  if (a->type_attr >= 0 && k->types[a->type_attr] == MF_DTYPE_INVALID)
    k->types[a->type_attr] = mf_tensor_dtype(mfl_get_tensor(k->L, k->S, index));
}

/* Second round. List arguments are replaced by fresh tables of boxes; *n_flat counts tensors. */
static void convert_inputs(call *k, int *n_flat) {
  lua_State *L = k->L;
  const mf_op_rt *rt = k->c->op->rt;
  *n_flat = 0;
  for (int i = 0; i < rt->n_inputs; i++) {
    const mf_arg_sig *a = &rt->inputs[i];
    int slot = slot_of(k, i);
    if (!slot) mfl_raisef(L, "INTERNAL", k->c->op->name, "%s: nothing gives argument '%s'", k->c->op->name, a->name);
    if (!is_list_arg(a)) {
      convert(k, slot, a);
      ++*n_flat;
      continue;
    }
    lua_Integer n = check_items(k, i, slot);
    if (n > INT32_MAX / 16) mfl_invalid(L, k->c->op->name, "argument '%s': the list is too long", a->name);
    lua_createtable(L, (int)n, 0);
    for (lua_Integer item = 1; item <= n; item++) {
      lua_rawgeti(L, slot, item);
      convert(k, lua_gettop(L), a);
      lua_rawseti(L, -2, item);
    }
    lua_replace(L, slot);
    *n_flat += (int)n;
  }
}

/* A bit for each slot with a variable that will become its value. */
static unsigned variable_slots(const call *k) {
  unsigned slots = 0;
  const mf_op_rt *rt = k->c->op->rt;
  for (int i = 0; i < rt->n_inputs; i++) {
    int slot = slot_of(k, i);
    bool value = slot && slot < 32 && !is_list_arg(&rt->inputs[i]) && rt->inputs[i].type != MF_RESOURCE;
    if (value && mfl_test_variable(k->L, k->S, slot)) slots |= 1u << slot;
  }
  return slots;
}

static void gather(const call *k, mf_tensor **in) {
  lua_State *L = k->L;
  const mf_op_rt *rt = k->c->op->rt;
  int flat = 0;
  for (int i = 0; i < rt->n_inputs; i++) {
    int slot = slot_of(k, i);
    if (!is_list_arg(&rt->inputs[i])) {
      in[flat++] = mfl_get_tensor(L, k->S, slot);
      continue;
    }
    lua_Integer n = (lua_Integer)lua_rawlen(L, slot);
    for (lua_Integer item = 1; item <= n; item++) {
      lua_rawgeti(L, slot, item);
      in[flat++] = mfl_get_tensor(L, k->S, -1);
      lua_pop(L, 1);
    }
  }
}

/* ---- attributes */

static int read_attrs(call *k, mf_named_attr *attrs) {
  const mfl_caller *c = k->c;
  const mf_op_rt *rt = c->op->rt;
  int n = 0;
  for (int p = 0; p < c->signature->n_params; p++) {
    int a = c->attr_of[p];
    if (a < 0 || lua_isnil(k->L, p + 1)) continue;
    attrs[n].name = rt->attrs[a].name;
    mfl_check_attr(k->L, k->S, p + 1, c->op, &rt->attrs[a], &attrs[n].value);
    if (rt->attrs[a].kind == MF_ATTR_TYPE) k->types[a] = attrs[n].value.v.type;
    n++;
  }
  return n;
}

/* With lists of several lengths (N variables, S slots) the number of inputs does not tell them apart: they are given. */
static int add_lengths(const call *k, mf_named_attr *attrs, int n) {
  const mf_op_rt *rt = k->c->op->rt;
  int first = -1;
  bool several = false;
  for (int i = 0; i < rt->n_inputs; i++) {
    int a = rt->inputs[i].number_attr;
    several = several || (a >= 0 && first >= 0 && a != first);
    if (a >= 0 && first < 0) first = a;
  }
  for (int i = 0; several && i < rt->n_inputs; i++) {
    int a = rt->inputs[i].number_attr, known = 0;
    if (a < 0) continue;
    while (known < n && strcmp(attrs[known].name, rt->attrs[a].name)) known++;
    if (known < n || n >= MF_MAX_ATTRS) continue;
    attrs[n++] = (mf_named_attr)MF_A_INT(rt->attrs[a].name, (int64_t)lua_rawlen(k->L, slot_of(k, i)));
  }
  return n;
}

/* ---- outputs */

static int64_t length_of(const mf_op_def *op, const mf_arg_sig *a, const mf_attr *values) {
  (void)op;
  if (a->number_attr >= 0) return values[a->number_attr].v.i;
  if (a->type_list_attr >= 0) return values[a->type_list_attr].n;
  return 1;
}

/* Pushes one value for each output argument and stores the flat boxes: lists are tables. */
static int push_outputs(call *k, const mf_attr *values, mfl_box **boxes) {
  lua_State *L = k->L;
  const mf_op_rt *rt = k->c->op->rt;
  int flat = 0;
  luaL_checkstack(L, rt->n_outputs + 6, k->c->op->name);
  for (int i = 0; i < rt->n_outputs; i++) {
    if (!is_list_arg(&rt->outputs[i])) {
      boxes[flat++] = mfl_push_box(L, k->S);
      continue;
    }
    int64_t n = length_of(k->c->op, &rt->outputs[i], values);
    lua_createtable(L, (int)n, 0);
    for (int64_t item = 1; item <= n; item++) {
      boxes[flat++] = mfl_push_box(L, k->S);
      lua_rawseti(L, -2, item);
    }
  }
  return rt->n_outputs;
}

/* With list outputs the number of boxes follows from the resolved attributes. */
static int finish_many(call *k, mf_tensor **in, int n_in, const mf_named_attr *attrs, int n_attrs) {
  lua_State *L = k->L;
  const mf_op_def *op = k->c->op;
  mf_resolved r;
  gather(k, in);
  mfl_check(L, k->S, mf_status_with_op(mf_resolve(op, in, n_in, attrs, n_attrs, &r), op->name));
  int n_out = r.n_out;
  mf_attr values[MF_MAX_ATTRS];
  for (int i = 0; i < op->rt->n_attrs; i++) values[i] = r.values[i];
  mf_resolved_release(&r); /* lengths only are read from now on */
  mf_tensor **out = mfl_push_scratch(L, (size_t)n_out * sizeof *out);
  mfl_box **boxes = mfl_push_scratch(L, (size_t)n_out * sizeof *boxes);
  int n = push_outputs(k, values, boxes);
  gather(k, in);
  mf_status status = mf_apply(k->S->ctx, op, in, n_in, attrs, n_attrs, out, n_out, NULL);
  for (int i = 0; i < n_out; i++) mfl_box_set(k->S, boxes[i], out[i]);
  mfl_check(L, k->S, status);
  return n;
}

static int finish_simple(call *k, mf_tensor **in, int n_in, const mf_named_attr *attrs, int n_attrs) {
  mf_tensor *out[INLINE];
  mfl_box *boxes[INLINE];
  int n = push_outputs(k, NULL, boxes);
  gather(k, in);
  mf_status status = mf_apply(k->S->ctx, k->c->op, in, n_in, attrs, n_attrs, out, n, NULL);
  for (int i = 0; i < n; i++) mfl_box_set(k->S, boxes[i], out[i]);
  mfl_check(k->L, k->S, status);
  return n;
}

static bool has_list_output(const mf_op_rt *rt) {
  for (int i = 0; i < rt->n_outputs; i++)
    if (is_list_arg(&rt->outputs[i])) return true;
  return rt->n_outputs > INLINE;
}

int mfl_call_op(lua_State *L, mfl_state *S, const mfl_caller *c) {
  const mf_op_rt *rt = c->op->rt;
  int n_args = lua_gettop(L), n_in = 0;
  if (c->direct && n_args == c->n_inputs && is_direct(L, S, c, n_args)) {
    c->signature->calls++;
    unsigned read = read_variables(L, S, n_args);
    int n_out = call_direct(L, S, c);
    end_values(L, S, read);
    return n_out;
  }
  call k = {.L = L, .S = S, .c = c};
  mf_named_attr attrs[MF_MAX_ATTRS];
  mf_tensor *inline_in[INLINE];
  mfl_args_read(L, c->signature, 1, n_args);
  luaL_checkstack(L, 2 * rt->n_attrs + 16, c->op->name);
  int n_attrs = read_attrs(&k, attrs);
  note_types(&k);
  unsigned read = variable_slots(&k);
  convert_inputs(&k, &n_in);
  n_attrs = add_lengths(&k, attrs, n_attrs);
  mf_tensor **in = n_in <= INLINE ? inline_in : mfl_push_scratch(L, (size_t)n_in * sizeof *in);
  int n_out = has_list_output(rt) ? finish_many(&k, in, n_in, attrs, n_attrs) : finish_simple(&k, in, n_in, attrs, n_attrs);
  end_values(L, S, read);
  return n_out;
}

void mfl_push_applied(lua_State *L, mfl_state *S, const mf_op_def *op, const int *indices, int n, const mf_named_attr *attrs,
                      int n_attrs) {
  mf_tensor *in[INLINE], *t;
  luaL_checkstack(L, 4, op->name);
  mfl_box *box = mfl_push_box(L, S);
  for (int i = 0; i < n; i++) in[i] = mfl_get_tensor(L, S, indices[i]);
  mf_status status = mf_apply(S->ctx, op, in, n, attrs, n_attrs, &t, 1, NULL);
  mfl_box_set(S, box, t);
  mfl_check(L, S, status);
}
