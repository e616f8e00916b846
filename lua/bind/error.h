/* error.h - errors on their way into Lua: the one kind of error object that moonflow raises.
 *
 * An error object is a table with these fields:
 *     code      "INVALID_ARGUMENT", "NOT_FOUND" ...: TensorFlow's canonical names
 *     message   what happened: operation, argument, expected, received
 *     op        the operation, or nil when none is known
 *     position  "file:line" of the innermost Lua function that is not one of moonflow's own modules, or nil
 * Its tostring reads well alone: `train.lua:12: INVALID_ARGUMENT: Dense: unknown argument 'unit'; did you mean
 * 'units'?`
 *
 * Text is data: only mfl_raisef formats, and its format is a literal of the caller. None of these functions
 * allocates outside Lua. Raising is a longjmp: the caller must hold nothing that only C knows of.
 */
#ifndef MFL_BIND_ERROR_H
#define MFL_BIND_ERROR_H

#include <lua.h>

/* Turns the string on top of the stack into an error object that carries it as its message. `op` may be NULL.
 * Stack: [message] -> [error object]. */
void mfl_error_new(lua_State *L, const char *code, const char *op);

/* Raises `message`. Never returns; int only so that callers can write `return mfl_raise(...)`. */
int mfl_raise(lua_State *L, const char *code, const char *op, const char *message);

/* Raises the string on top of the stack: for messages that hold zero bytes or were built there. */
int mfl_raise_top(lua_State *L, const char *code, const char *op);

/* Raises a message made as lua_pushfstring does (%s %d %I %f %p %c %U %%). */
int mfl_raisef(lua_State *L, const char *code, const char *op, const char *format, ...);

/* Pushes "file:line" of the nearest caller outside moonflow's own Lua modules, or nil. */
void mfl_push_position(lua_State *L);

/* The same into text[size], "" for none. Never raises and allocates nothing: core calls it while it adds nodes to a
 * graph. */
void mfl_format_position(lua_State *L, char *text, int size);

/* True when the value at `index` is an error object. */
int mfl_is_error(lua_State *L, int index);

/* Pushes a table of Lua functions: new(code, op, message), raise(code, op, message), is(value), position(),
 * set_home(). set_home(), called from a module two folders below the root of moonflow's modules
 * (moonflow/base/errors.lua), makes the folder of that root the one whose functions are skipped when a position is
 * looked for. */
int mfl_open_error(lua_State *L);

#endif
