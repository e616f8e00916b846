/* dtype.h - dtype objects: one userdata for each element type, so that == compares them. `__mf_kind = "dtype"`. */
#ifndef MFL_BIND_DTYPE_H
#define MFL_BIND_DTYPE_H

#include "bind/ctx.h"

void mfl_push_dtype(lua_State *L, mf_dtype type);
/* The dtype that the object or name at `index` means, or MF_DTYPE_INVALID. */
mf_dtype mfl_to_dtype(lua_State *L, int index);
/* The same; raises naming op and argument. */
mf_dtype mfl_check_dtype(lua_State *L, int index, const char *op, const char *argument);

/* Pushes a table name -> dtype object, with `get` (object or name -> object, or nil). */
int mfl_open_dtype(lua_State *L);

#endif
