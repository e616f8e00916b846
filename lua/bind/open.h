/* open.h - the Lua module moonflow.core: everything of moonflow's Lua side that is written in C. */
#ifndef MFL_BIND_OPEN_H
#define MFL_BIND_OPEN_H

#include <lua.h>

/* The module's table has one field a binding: core.tensor, core.op, core.args ... */
int luaopen_moonflow_core(lua_State *L);

#endif
