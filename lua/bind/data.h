/* data.h - datasets and iterators of core/data as Lua sees them: flat lists of components. */
#ifndef MFL_BIND_DATA_H
#define MFL_BIND_DATA_H

#include <lua.h>

/* Pushes a table of functions: see data.c. moonflow/data/dataset.lua gives them structure and checks arguments. */
int mfl_open_data(lua_State *L);

#endif
