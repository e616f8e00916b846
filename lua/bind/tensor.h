/* tensor.h - the tensor as Lua sees it: a box (userdata) around one handle.
 *
 * A box is made empty, then filled; its __gc, or tf.scope, empties it again. An emptied box raises when it is used. Boxes say
 * `__mf_kind = "tensor"`.
 *
 * Values are converted where they stand: mfl_to_tensor replaces the value in its stack slot by a box, so that whoever raises
 * later leaks nothing. What can be converted: numbers, booleans, strings, nested lists of them, lists holding tensors (they are
 * packed), shapes, variables, and objects whose metatable has `__mf_to_tensor`: a function(object) or the name of the field that
 * holds the tensor or variable.
 */
#ifndef MFL_BIND_TENSOR_H
#define MFL_BIND_TENSOR_H

#include "bind/ctx.h"

typedef struct mfl_box {
  mfl_state *state;              /* whose box it is; also what boxes are known by */
  mf_tensor *t;                  /* counted; NULL: empty */
  size_t charged;                /* bytes counted for it in the state */
  struct mfl_box *before, *after;   /* neighbours in the list of a tf.scope; NULL outside */
} mfl_box;

/* Pushes an empty box; lets the collector work first when it is due. */
mfl_box *mfl_push_box(lua_State *L, mfl_state *S);
/* The same where a box stands at `like`: a little faster. */
mfl_box *mfl_push_box_like(lua_State *L, mfl_state *S, int like);
/* Raises: the box was emptied. */
int mfl_fail_emptied(lua_State *L);
/* Fills an empty box; takes the handle (NULL is ignored). */
void mfl_box_set(mfl_state *S, mfl_box *box, mf_tensor *t);
void mfl_box_clear(mfl_state *S, mfl_box *box);
/* Pushes a box around a handle of its own of `t`, which stays the caller's. */
void mfl_push_tensor(lua_State *L, mfl_state *S, mf_tensor *t);

/* The box at `index`, or NULL when it is something else. Full userdata of this size that start with the state's address are
 * boxes: asking the metatable would cost twice as much, and this is asked for each operand. */
static inline mfl_box *mfl_test_box(lua_State *L, const mfl_state *S, int index) {
  mfl_box *box = lua_touserdata(L, index);
  if (!box || lua_rawlen(L, index) != sizeof *box || box->state != S) return NULL;
  return box;
}

/* The handle at `index`, which must be a box: borrowed. Raises when it was emptied. */
mf_tensor *mfl_get_tensor(lua_State *L, mfl_state *S, int index);
/* The same; raises naming `op` and `argument` when it is no tensor. Variables are read. */
mf_tensor *mfl_check_tensor(lua_State *L, mfl_state *S, int index, const char *op, const char *argument);

/* What a conversion is for, in error texts, and what it shall give. */
typedef struct mfl_wish {
  const char *op, *argument;
  mf_dtype dtype;       /* exactly this; MF_DTYPE_INVALID: as the value says */
  mf_dtype preferred;   /* for Lua integers and floats, where it can hold them; MF_DTYPE_INVALID: int32 and float32 */
  bool whole;           /* floats that are whole numbers count as integers; one that int32 cannot hold makes int64 */
  int depth;            /* objects that gave objects so far */
} mfl_wish;

/* Makes the value at the absolute index `index` a box, in place. With dtype MF_RESOURCE a variable gives its handle.
 * Raises. */
void mfl_to_tensor(lua_State *L, mfl_state *S, int index, mfl_wish wish);
/* Pushes a box made from the table at `index` (tensor_from.c). */
void mfl_push_from_table(lua_State *L, mfl_state *S, int index, mfl_wish wish);
/* Pushes a box made from one number, boolean or string. */
void mfl_push_from_scalar(lua_State *L, mfl_state *S, int index, mfl_wish wish);
/* A number for dtype `type` as a new handle (caller's). INVALID_ARGUMENT when it does not fit: 1.5 for int32. */
mf_status mfl_number_to(lua_State *L, int index, mf_dtype type, mf_tensor **out);

/* Pushes the element of a scalar as a Lua value, or nested tables (tensor_to.c). CPU or GPU; symbolic tensors raise. */
void mfl_push_item(lua_State *L, mfl_state *S, mf_tensor *t, const char *op);
void mfl_push_table(lua_State *L, mfl_state *S, mf_tensor *t, const char *op);
/* Element i of a concrete CPU tensor. */
void mfl_push_element(lua_State *L, const mf_tensor *t, int64_t i);
/* Pushes a box holding `t` on the CPU (the box of t's own handle when it is there); raises for symbolic tensors. Returns the
 * handle in it. */
mf_tensor *mfl_push_host(lua_State *L, mfl_state *S, mf_tensor *t, const char *op);

/* Pushes what Python's print shows of the values: numpy's str, or its repr (tensor_text.c). `t` is concrete, on the CPU. */
void mfl_push_numpy_text(lua_State *L, const mf_tensor *t, bool repr);

/* x[key]: pushes the result (tensor_index.c). The tensor stands at stack index `x`, the key at `key`. */
void mfl_push_indexed(lua_State *L, mfl_state *S, int x, int key);
/* Is the string at `key` the text of a slice ("1:3, :", "-1")? */
bool mfl_is_slice_text(lua_State *L, int key);

/* Puts the arithmetic metamethods into the metatable on top of the stack (tensor_arith.c). */
void mfl_set_arithmetic(lua_State *L, mfl_state *S);

/* Makes the metatable; pushes the table of methods. */
int mfl_open_tensor(lua_State *L);

#endif
