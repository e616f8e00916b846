/* op.h - the generic caller: one C function calls every op, reading its arguments by a signature made from the op's entry.
 *
 * A caller (userdata) joins an op, a signature and a map from parameters to the op's inputs and attributes. tf.raw_ops has one for
 * each op, with the op's own names; rows of the API table that are an op as it is have theirs, with TensorFlow's public names.
 *
 * Parameters of a raw op: its inputs, then its attributes without a default, then those with one, then `name`. Attributes that
 * follow from the inputs (T, N) are none. Values become tensors by these rules, as in TensorFlow: inputs that share a type
 * attribute get the dtype of the first tensor among them; without one, the attribute's default where it fits; else what the
 * first value says.
 *
 * A call returns one value for each output argument: a tensor, or a table where the argument is a list.
 */
#ifndef MFL_BIND_OP_H
#define MFL_BIND_OP_H

#include "bind/args.h"
#include "bind/tensor.h"

enum { MFL_MAX_OP_PARAMS = 40 };

typedef struct mfl_caller {
  const mf_op_def *op;
  mfl_signature *signature;            /* kept by the first user value */
  int n_inputs;                        /* of the op */
  bool direct;                         /* n_inputs tensors by position need no reading */
  int8_t input_of[MFL_MAX_OP_PARAMS];  /* parameter -> input of the op, or -1 */
  int8_t attr_of[MFL_MAX_OP_PARAMS];   /* parameter -> attribute of the op, or -1 */
  int8_t param_of[MFL_MAX_OP_PARAMS];  /* input -> parameter, or -1: not given by the row */
} mfl_caller;

/* Calls the op with the arguments at 1..n; leaves the results on top and returns their number. */
int mfl_call_op(lua_State *L, mfl_state *S, const mfl_caller *caller);

/* Reads the value at `index` as attribute `sig` (op_attr.c); lists and texts borrow from the stack, where scratch may be pushed. */
void mfl_check_attr(lua_State *L, mfl_state *S, int index, const mf_op_def *op, const mf_attr_sig *sig, mf_attr *out);

/* Runs a one-output op on tensors at the given stack indices and pushes the result. attrs may be NULL. */
void mfl_push_applied(lua_State *L, mfl_state *S, const mf_op_def *op, const int *indices, int n, const mf_named_attr *attrs,
                      int n_attrs);

/* Pushes a table: get(name) -> function or nil, names() -> list, entry(name) -> description, row(...) -> function. */
int mfl_open_op(lua_State *L);

#endif
