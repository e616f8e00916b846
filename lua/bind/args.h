/* args.h - the argument helper: signatures, and the one reader of every call's arguments.
 *
 * A signature is compiled once from an op's entry, a row of the API table or the schema of a class. Reading a call
 * by it turns what the caller wrote (positional values, a last table of keywords, one table for everything) into
 * exactly sig->n_params values on the Lua stack, in the order of the signature. The rules are those of
 * docs/call-grammar.md:
 *
 *   1. A last table with string keys only is the keywords if the next free parameter is neither data nor struct, or
 *      none is free; an unknown name is an error.
 *   2. If it is data, struct or a rest parameter: keywords if all keys are parameter names and no required parameter
 *      stays missing; else the value. Where nothing required is missing, a table that mixes names and strangers, or
 *      holds plain values only, is an error that names tf.kw and tf.dict.
 *   3. A sole table with integer keys: for a first parameter of kind list or tensor (or a rest parameter of them) the
 *      integer part is that argument and string keys are keywords; for kind data or struct the table is the value;
 *      otherwise the integer part is positional.
 *   4. Any other table is a value; mixed keys and holes are errors.
 *   5. {} is the empty list where the next free parameter is list or tensor, or is data or struct and required; else
 *      it is empty keywords.
 *   6. tf.kw{...} and tf.dict{...} force either reading; a table with a metatable is always a value.
 *   7. nil or absent = the default.
 *
 * What a reader finds in a slot: nil where the argument is Python's None (given as tf.None, or by a default of
 * None), else the value. Integers given as 14.0 arrive as integers. Defaults that are plain tables arrive as fresh
 * copies. Errors are raised as error objects (error.h) with code INVALID_ARGUMENT and the signature's name as op.
 *
 * A call of positional values without tables allocates nothing. A signature belongs to one Lua state (global state).
 */
#ifndef MFL_BIND_ARGS_H
#define MFL_BIND_ARGS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a parameter takes. */
typedef enum mfl_param_kind {
  MFL_KIND_SCALAR = 0, /* number, string, boolean, function, dtype, object; axis too */
  MFL_KIND_LIST,       /* shape, axes, list of tensors or layers */
  MFL_KIND_TENSOR,     /* a tensor, or nested numbers */
  MFL_KIND_DATA,       /* tensor, dataset, or a nest of tensors */
  MFL_KIND_STRUCT,     /* any nest */
  MFL_KIND_MAP         /* integer keys from 0 */
} mfl_param_kind;

/* What the reader itself checks of a value; everything finer is up to who asked. */
typedef enum mfl_param_check {
  MFL_CHECK_ANY = 0,
  MFL_CHECK_INTEGER,  /* 14.0 is accepted and becomes 14 */
  MFL_CHECK_NUMBER,
  MFL_CHECK_BOOLEAN,
  MFL_CHECK_STRING,
  MFL_CHECK_FUNCTION  /* or anything with __call */
} mfl_param_check;

enum {
  MFL_PARAM_REQUIRED = 1, /* must be given */
  MFL_PARAM_KEYWORD = 2,  /* by name only */
  MFL_PARAM_REST = 4,     /* takes all values up to the keywords: a list, nil inside becomes tf.None */
  MFL_PARAM_OPEN = 8,     /* takes all unknown keywords: a table by name; the last parameter only */
  MFL_PARAM_TENSORS = 16, /* a list of tensors: a table that holds tensors is no item */
  MFL_PARAM_NONE = 32     /* tf.None is accepted although the default is something else */
};

enum { MFL_SIGNATURE_INPUT_FIRST = 1 }; /* a sole table is always the first value (calls of layers) */

enum { MFL_MAX_PARAMS = 128 };

typedef struct mfl_param {
  const char *name; /* a Lua string kept by the signature */
  size_t name_size;
  uint8_t kind, check, flags;
  uint8_t default_type;      /* LUA_TNIL, LUA_TBOOLEAN, LUA_TNUMBER, or another: kept by the signature */
  bool default_is_integer;
  union {
    lua_Integer i;
    lua_Number n;
    int b;
  } value;                   /* the default, where it is boolean or number */
} mfl_param;

typedef struct mfl_signature {
  const void *mark;          /* an address that only signatures carry: how mfl_check_signature knows one quickly */
  const char *name;          /* of the function or class, for error texts */
  int n_params;
  int n_positional;          /* parameters 0 .. n_positional-1 may be given by position */
  int rest;                  /* index of the rest parameter, or -1; equals n_positional where there is one */
  int open;                  /* index of the parameter that takes unknown keywords, or -1 */
  int reference;             /* registry: name -> index+1, index+1 -> default, 0 -> the signature's name */
  unsigned flags;
  uint32_t calls;            /* how often it was read; tests count what was called */
  const void *none, *kw_meta; /* identities of tf.None and of tf.kw's metatable */
  mfl_param params[];
} mfl_signature;

/* One parameter, as a signature is made from it. */
typedef struct mfl_param_spec {
  const char *name;
  uint8_t kind, check, flags;
  int default_index;         /* absolute stack index of the default; 0: none (nil) */
} mfl_param_spec;

/* Makes a signature and pushes it (a userdata). What stands behind a rest or keyword-only parameter is by name only,
 * too. Raises INTERNAL on contradictory specs (two rest parameters, a name twice, an open parameter before the
 * end). */
mfl_signature *mfl_signature_new(lua_State *L, const char *name, const mfl_param_spec *params, int n, unsigned flags);

/* The signature at `index`; raises when it is something else. */
mfl_signature *mfl_check_signature(lua_State *L, int index);

/* Reads the call whose `nargs` arguments stand at first .. first+nargs-1, the last of them on top of the stack.
 * Leaves exactly sig->n_params values at first .. and nothing above them; returns sig->n_params. The caller keeps
 * the signature alive. */
int mfl_args_read(lua_State *L, mfl_signature *sig, int first, int nargs);

/* Index of the parameter called `name`, or -1. */
int mfl_signature_find(lua_State *L, const mfl_signature *sig, const char *name);

/* True when the list at `index` is data for one tensor: numbers, booleans or strings, or lists of such. Looks at
 * every item of the outer list and along the first items further inside; an empty list is one too. */
bool mfl_is_scalar_list(lua_State *L, int index);

/* Pushes a table for Lua: None, kw_meta, dict_meta, dict_orders, signature, kind, is_tensor, is_scalar_list,
 * nearest, called. */
int mfl_open_args(lua_State *L);

#endif
