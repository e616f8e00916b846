/* args_internal.h - what the two halves of the argument reader share: args.c (which table is the keywords) and
 * args_slots.c (what may stand in a slot). Nobody else includes this.
 */
#ifndef MFL_BIND_ARGS_INTERNAL_H
#define MFL_BIND_ARGS_INTERNAL_H

#include "bind/args.h"

/* What the keys of a table are. */
typedef struct table_keys {
  lua_Unsigned n_text, n_integer;
  lua_Integer least, greatest; /* of the integer keys */
  int other_type;              /* Lua type of a key that is neither string nor integer, or LUA_TNIL */
} table_keys;

/* One call while it is read. */
typedef struct reading {
  lua_State *L;
  const mfl_signature *sig;
  int base;           /* stack index of value 0 */
  int n;              /* values by position */
  int keywords;       /* stack index of the keyword table, or 0 */
  bool has_list_part; /* the keyword table's integer keys were read as values */
  int n_rest;         /* values taken by the rest parameter */
  const void *known;  /* identity of the table whose keys are known already, or NULL: long lists are walked once */
  table_keys known_keys;
} reading;

/* Walks the keys of the table at the absolute index `index`, raw. */
table_keys mfli_keys_of(lua_State *L, int index);

/* Keys 1..n and nothing else among the integers. */
bool mfli_is_sequence(const table_keys *k);

/* Raises: a table for `parameter` (-1: none in particular) has integer keys that are not 1..n. */
void mfli_fail_hole(lua_State *L, const mfl_signature *sig, int parameter, const table_keys *k);

/* Raises unless the table at `index`, given for `parameter`, is a list or a dict. */
void mfli_check_table(const reading *r, int index, int parameter);

/* Checks what stands in each slot, turns tf.None into nil and 14.0 into 14, and fills in defaults. */
void mfli_fill_slots(const reading *r);

/* Raises INVALID_ARGUMENT: "<name>: " and the message on top of the stack. Never returns. */
int mfli_args_fail(lua_State *L, const mfl_signature *sig);

/* Pushes "; did you mean 'a' or 'b'?" for names near to `name`, else "; its arguments are: a, b, c". */
void mfli_args_push_hint(lua_State *L, const mfl_signature *sig, const char *name, size_t size);

/* Pushes up to three names of the list at `list` that are nearest to `name`, as "'a', 'b' or 'c'"; returns false and
 * pushes nothing when none is near. */
bool mfli_push_nearest(lua_State *L, int list, const char *name, size_t size);

#endif
