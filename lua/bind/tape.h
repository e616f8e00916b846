/* tape.h - tf.GradientTape's C half. */
#ifndef MFL_BIND_TAPE_H
#define MFL_BIND_TAPE_H

#include <lua.h>

/* Pushes a table: open(watch_accessed_variables), and functions of a tape: see tape.c. */
int mfl_open_tape(lua_State *L);

#endif
