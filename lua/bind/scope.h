/* scope.h - tf.scope(): ends the boxes that were made inside it when it is closed. `__mf_kind = "object"`.
 *
 * A scope is the head of a list through the boxes themselves, so that being in one costs a box nothing else. It takes part only
 * in its own coroutine. Collected without being closed, it lets its boxes live: they go when the collector finds them.
 */
#ifndef MFL_BIND_SCOPE_H
#define MFL_BIND_SCOPE_H

#include "bind/tensor.h"

/* Enters a new box into the innermost scope of the running coroutine. */
void mfl_scope_add(mfl_state *S, mfl_box *box);
/* Takes a box out of its scope, if it is in one. */
void mfl_scope_remove(mfl_box *box);

/* Pushes a table: open(). */
int mfl_open_scope(lua_State *L);

#endif
