/* op.c - callers of ops: made from entries of the op table for tf.raw_ops, from rows of the API table for public functions. See
 * op.h.
 */
#include "bind/op.h"

#include <lauxlib.h>
#include <string.h>

#include "bind/dtype.h"
#include "bind/error.h"
#include "bind/sentinel.h"
#include "bind/shape.h"
#include "ops/kernel.h"

/* Address used as registry key: the metatable of callers. */
static const char meta_key = 0;

static int op_called(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  return mfl_call_op(L, S, lua_touserdata(L, lua_upvalueindex(2)));
}

/* ---- raw ops: the signature from the entry */

static uint8_t check_of(int attr_kind) {
  switch (attr_kind) {
    case MF_ATTR_INT: return MFL_CHECK_INTEGER;
    case MF_ATTR_FLOAT: return MFL_CHECK_NUMBER;
    case MF_ATTR_BOOL: return MFL_CHECK_BOOLEAN;
    case MF_ATTR_STRING: return MFL_CHECK_STRING;
    default: return MFL_CHECK_ANY;
  }
}

static uint8_t kind_of_attr(int attr_kind) {
  if (attr_kind >= MF_ATTR_LIST || attr_kind == MF_ATTR_SHAPE) return MFL_KIND_LIST;
  return attr_kind == MF_ATTR_TENSOR ? MFL_KIND_TENSOR : MFL_KIND_SCALAR;
}

static int add_inputs(const mf_op_rt *rt, mfl_param_spec *params, mfl_caller *c) {
  for (int i = 0; i < rt->n_inputs; i++) {
    bool list = rt->inputs[i].number_attr >= 0 || rt->inputs[i].type_list_attr >= 0;
    params[i] = (mfl_param_spec){.name = rt->inputs[i].name,
                                 .kind = list ? MFL_KIND_LIST : MFL_KIND_TENSOR,
                                 .flags = MFL_PARAM_REQUIRED | (list ? MFL_PARAM_TENSORS : 0)};
    c->input_of[i] = (int8_t)i;
    c->param_of[i] = (int8_t)i;
  }
  return rt->n_inputs;
}

static int add_attrs(const mf_op_rt *rt, mfl_param_spec *params, mfl_caller *c, int n, bool with_default) {
  for (int a = 0; a < rt->n_attrs; a++) {
    const mf_attr_sig *sig = &rt->attrs[a];
    if (sig->inferred || sig->has_default != with_default || n >= MFL_MAX_OP_PARAMS - 1) continue;
    params[n] = (mfl_param_spec){.name = sig->name, .kind = kind_of_attr(sig->kind), .check = check_of(sig->kind)};
    if (!with_default) params[n].flags = MFL_PARAM_REQUIRED;
    c->attr_of[n++] = (int8_t)a;
  }
  return n;
}

static bool is_short(const mf_op_def *op) {
  return op->rt->simple && op->rt->n_inputs > 0 && op->rt->n_inputs <= MF_MAX_INLINE && op->rt->n_outputs <= MF_MAX_INLINE;
}

static mfl_caller *push_caller(lua_State *L, const mf_op_def *op) {
  mfl_caller *c = lua_newuserdatauv(L, sizeof *c, 1);
  memset(c, 0, sizeof *c);
  memset(c->input_of, -1, sizeof c->input_of);
  memset(c->attr_of, -1, sizeof c->attr_of);
  memset(c->param_of, -1, sizeof c->param_of);
  c->op = op;
  c->n_inputs = op->rt->n_inputs;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &meta_key);
  lua_setmetatable(L, -2);
  return c;
}

/* Turns the caller on top of the stack into a function. */
static void wrap_caller(lua_State *L, mfl_state *S) {
  lua_pushlightuserdata(L, S);
  lua_insert(L, -2);
  lua_pushcclosure(L, op_called, 2);
}

static void push_raw(lua_State *L, mfl_state *S, const mf_op_def *op) {
  mfl_param_spec params[MFL_MAX_OP_PARAMS];
  luaL_checkstack(L, 8, op->name);
  mfl_caller *c = push_caller(L, op);
  int n = add_inputs(op->rt, params, c);
  int n_required = add_attrs(op->rt, params, c, n, false);
  c->direct = is_short(op) && n_required == n;
  n = add_attrs(op->rt, params, c, n_required, true);
  params[n++] = (mfl_param_spec){.name = "name", .check = MFL_CHECK_STRING};
  c->signature = mfl_signature_new(L, op->name, params, n, 0);
  lua_setiuservalue(L, -2, 1);
  wrap_caller(L, S);
}

static int op_get(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const mf_op_def *op = mf_op_find(luaL_checkstring(L, 1));
  if (!op || (op->flags & MF_OP_PRIVATE && !op->lower)) return 0;
  push_raw(L, S, op);
  return 1;
}

static int op_has(lua_State *L) {
  mfl_enter(L);
  lua_pushboolean(L, mf_op_find(luaL_checkstring(L, 1)) != NULL);
  return 1;
}

static int op_names(lua_State *L) {
  mfl_enter(L);
  lua_createtable(L, mf_op_count(), 0);
  for (int i = 0; i < mf_op_count(); i++) {
    lua_pushstring(L, mf_op_at(i)->name);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* ---- rows: a public signature over an op */

static int find_input(const mf_op_def *op, const char *name) {
  for (int i = 0; i < op->rt->n_inputs; i++)
    if (!strcmp(op->rt->inputs[i].name, name)) return i;
  return -1;
}

static int find_attr(const mf_op_def *op, const char *name) {
  for (int i = 0; i < op->rt->n_attrs; i++)
    if (!strcmp(op->rt->attrs[i].name, name)) return i;
  return -1;
}

/* Would leaving the parameter out give the same as its default? */
static bool is_op_default(const mfl_param *p, const mf_attr_sig *sig) {
  if (p->flags & MFL_PARAM_REQUIRED) return false;
  const mf_attr *d = &sig->default_value;
  switch (p->default_type) {
    case LUA_TNIL: return sig->has_default;
    case LUA_TBOOLEAN: return sig->kind == MF_ATTR_BOOL && d->v.b == (p->value.b != 0);
    case LUA_TNUMBER:
      if (p->default_is_integer) return sig->kind == MF_ATTR_INT && d->v.i == p->value.i;
      return sig->kind == MF_ATTR_FLOAT && d->v.f == (float)p->value.n;
    default: return false;
  }
}

/* row(op name, signature, list of the op's argument names, one a parameter; false: the parameter is not passed on). */
static int op_row(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const char *name = luaL_checkstring(L, 1);
  const mf_op_def *op = mf_op_find(name);
  if (!op) return 0;
  mfl_signature *sig = mfl_check_signature(L, 2);
  luaL_checktype(L, 3, LUA_TTABLE);
  luaL_argcheck(L, sig->n_params <= MFL_MAX_OP_PARAMS, 2, "too many parameters");
  mfl_caller *c = push_caller(L, op);
  c->signature = sig;
  c->direct = is_short(op);
  for (int p = 0; p < sig->n_params; p++) {
    lua_rawgeti(L, 3, p + 1);
    const char *argument = lua_toboolean(L, -1) ? luaL_checkstring(L, -1) : NULL;
    lua_pop(L, 1);
    if (!argument) continue;
    int input = find_input(op, argument), attr = find_attr(op, argument);
    if (input < 0 && attr < 0) return luaL_error(L, "%s: the op has no argument '%s'", name, argument);
    if (input >= 0) {
      c->input_of[p] = (int8_t)input;
      c->param_of[input] = (int8_t)p;
      c->direct = c->direct && input == p;
    } else {
      c->attr_of[p] = (int8_t)attr;
      c->direct = c->direct && is_op_default(&sig->params[p], &op->rt->attrs[attr]);
    }
  }
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, 1);
  wrap_caller(L, S);
  return 1;
}

/* ---- what help and docs show */

static void push_args(lua_State *L, const mf_arg_sig *args, int n) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_createtable(L, 0, 2);
    lua_pushstring(L, args[i].name);
    lua_setfield(L, -2, "name");
    lua_pushboolean(L, args[i].number_attr >= 0 || args[i].type_list_attr >= 0);
    lua_setfield(L, -2, "list");
    lua_rawseti(L, -2, i + 1);
  }
}

static void push_attr_entries(lua_State *L, const mf_op_rt *rt) {
  lua_createtable(L, rt->n_attrs, 0);
  for (int i = 0; i < rt->n_attrs; i++) {
    char text[256];
    lua_createtable(L, 0, 3);
    lua_pushstring(L, rt->attrs[i].name);
    lua_setfield(L, -2, "name");
    lua_pushboolean(L, rt->attrs[i].inferred);
    lua_setfield(L, -2, "inferred");
    if (rt->attrs[i].has_default) {
      mf_status_release(mf_attr_text_of(&rt->attrs[i].default_value, text, sizeof text));
      lua_pushstring(L, text);
      lua_setfield(L, -2, "default");
    }
    lua_rawseti(L, -2, i + 1);
  }
}

static int op_entry(lua_State *L) {
  mfl_enter(L);
  const mf_op_def *op = mf_op_find(luaL_checkstring(L, 1));
  if (!op) return 0;
  lua_createtable(L, 0, 6);
  push_args(L, op->rt->inputs, op->rt->n_inputs);
  lua_setfield(L, -2, "inputs");
  push_args(L, op->rt->outputs, op->rt->n_outputs);
  lua_setfield(L, -2, "outputs");
  push_attr_entries(L, op->rt);
  lua_setfield(L, -2, "attrs");
  lua_pushstring(L, op->doc);
  lua_setfield(L, -2, "doc");
  lua_pushboolean(L, op->grad != mf_grad_missing && op->grad != mf_grad_stop);
  lua_setfield(L, -2, "differentiable");
  lua_pushboolean(L, op->rt->kernels[MF_CPU] != NULL);
  lua_setfield(L, -2, "runs_on_cpu");
  lua_pushboolean(L, (op->flags & MF_OP_STATEFUL) != 0);
  lua_setfield(L, -2, "stateful");
  return 1;
}

int mfl_open_op(lua_State *L) {
  static const luaL_Reg functions[] = {{"get", op_get}, {"has", op_has},     {"names", op_names},
                                       {"row", op_row}, {"entry", op_entry}, {NULL, NULL}};
  mfl_state *S = mfl_state_get(L);
  luaL_checkstack(L, 6, "op");
  lua_createtable(L, 0, 2);
  lua_pushliteral(L, "object");
  lua_setfield(L, -2, "__mf_kind");
  lua_pushliteral(L, "op");
  lua_setfield(L, -2, "__name");
  mfl_lock_meta(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &meta_key);
  luaL_newlibtable(L, functions);
  mfl_set_functions(L, S, functions);
  return 1;
}
