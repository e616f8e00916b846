/* h5.h - HDF5 files as flat lists of items: what .weights.h5 needs. */
#ifndef MFL_BIND_H5_H
#define MFL_BIND_H5_H

#include <lua.h>

/* Pushes a table: read, write, make_folder: see h5.c. */
int mfl_open_h5(lua_State *L);

#endif
