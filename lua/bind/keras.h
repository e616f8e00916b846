/* keras.h - what the Lua modules of Keras need of core beyond the other bindings. */
#ifndef MFL_BIND_KERAS_H
#define MFL_BIND_KERAS_H

#include <lua.h>

/* Pushes a table: pause_trace, resume_trace, seed, randint, random, clock, terminal: see keras.c. */
int mfl_open_keras(lua_State *L);

#endif
