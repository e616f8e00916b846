/* custom_gradient.h - tf.custom_gradient's C half. */
#ifndef MFL_BIND_CUSTOM_GRADIENT_H
#define MFL_BIND_CUSTOM_GRADIENT_H

#include <lua.h>

/* Pushes a table: record(inputs, outputs, function). */
int mfl_open_custom_gradient(lua_State *L);

#endif
