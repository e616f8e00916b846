/* variable.h - tf.Variable: a box around a core variable and its resource handle. `__mf_kind = "variable"`.
 *
 * The handle is one for the variable's whole life: tapes know the variable by the handle's serial number. Wherever a tensor is
 * expected a variable gives its value now (ReadVariableOp, so tapes see it); where a resource is expected, the handle.
 */
#ifndef MFL_BIND_VARIABLE_H
#define MFL_BIND_VARIABLE_H

#include "bind/tensor.h"
#include "tensor/variable.h"

typedef struct mfl_variable {
  mf_variable *v;          /* counted; NULL: not finished or collected */
  mf_tensor *handle;       /* counted */
  size_t charged;
} mfl_variable;

static inline mfl_variable *mfl_test_variable(lua_State *L, const mfl_state *S, int index) {
  mfl_variable *v = lua_touserdata(L, index);
  if (!v || !lua_getmetatable(L, index)) return NULL;
  bool same = lua_topointer(L, -1) == S->variable_meta;
  lua_pop(L, 1);
  return same ? v : NULL;
}

/* Pushes a variable object that keeps `v` and its `handle` (both retained). */
void mfl_push_variable(lua_State *L, mfl_state *S, mf_variable *v, mf_tensor *handle);
/* Pushes a box with the value now; the variable stands at `index`. */
void mfl_push_variable_value(lua_State *L, mfl_state *S, int index);

/* Pushes a table: new(initial_value, trainable, name, dtype, shape), is, methods. */
int mfl_open_variable(lua_State *L);

#endif
