/* shape.h - shapes as Lua sees them: read-only lists (tf.TensorShape). `__mf_kind = "shape"`.
 *
 * #s is the rank, s[1] the first dimension, s[-1] the last; unknown dimensions are tf.None. A shape of unknown rank has
 * s.rank == nil, and #s raises.
 */
#ifndef MFL_BIND_SHAPE_H
#define MFL_BIND_SHAPE_H

#include "bind/ctx.h"

void mfl_push_shape(lua_State *L, mfl_state *S, const mf_shape *shape);
/* The shape at `index`, or NULL when it is something else. Borrowed. */
const mf_shape *mfl_test_shape(lua_State *L, mfl_state *S, int index);
/* Reads a shape object, a list of integers and tf.None (-1 is unknown, too), an integer (rank 1), or None (unknown rank). Raises
 * naming op and argument. */
void mfl_check_shape(lua_State *L, mfl_state *S, int index, const char *op, const char *argument, mf_shape *out);
/* Pushes "(2, None)" as Python prints it; "<unknown>". */
void mfl_push_shape_text(lua_State *L, const mf_shape *shape);

/* Pushes a table: new(list), methods. */
int mfl_open_shape(lua_State *L);

#endif
