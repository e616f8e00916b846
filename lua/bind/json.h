/* json.h - JSON for Lua, read by Jansson, written here.
 *
 *     decode(text [, options])   options: depth (512)
 *         Objects become tf.dict with the order of their keys, arrays lists, null tf.None; integers are Lua
 *         integers, numbers with a point or an exponent Lua floats. Errors are INVALID_ARGUMENT objects with line and
 *         column: bad syntax, invalid UTF-8, a key twice, integers beyond 64 bits, anything behind the value.
 *     encode(value, options, keys)  options: indent (spaces a level; absent: one line), ascii (default true, as
 *         Python's json does: other characters as \uXXXX), compact (no blanks behind , and :), depth (512); keys: the
 *         function that lists the keys of a dict in order.
 *         Lists ({} too) become arrays, tf.dict and tables with string keys objects, tf.None and nil null; integers
 *         have no point; floats are the shortest text that reads back the same, always with a point or an exponent,
 *         in Python's layout; objects of kind "shape" are arrays. Errors say where: mixed keys, holes, NaN and
 *         infinities, invalid UTF-8, functions and other objects, tables deeper than `depth` or in themselves.
 */
#ifndef MFL_BIND_JSON_H
#define MFL_BIND_JSON_H

#include <lua.h>

/* Pushes a table of the functions encode and decode. */
int mfl_open_json(lua_State *L);

/* ---- between json.c, json_decode.c and json_encode.c */
int mfli_json_decode(lua_State *L);
int mfli_json_encode(lua_State *L);

enum { MFLI_JSON_DEPTH = 512 };

/* Integer option `name` of the table at `index` (which may be absent), or `otherwise`. */
lua_Integer mfli_json_option(lua_State *L, int index, const char *name, lua_Integer otherwise);

#endif
