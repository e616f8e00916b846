/* sentinel.h - the few Lua values that mean the same to every binding, and how bindings tell values apart.
 *
 * tf.None          one userdata without content: Python's explicit None (in lists, dicts, shapes, keywords).
 * tf.kw{...}       a table whose metatable is the kw metatable: "these are keywords".
 * tf.dict{...}     a table whose metatable is the dict metatable: "this is a dict". Its entries stand in the table
 *                  itself; one that remembers an order has its list of keys in the weak-keyed order table.
 *
 * Every other table or userdata of moonflow says what it is by the string field `__mf_kind` of its metatable:
 *     "tensor" "variable" "keras_tensor" "composite"    a tensor, wherever one is expected
 *                                                       ("composite": ragged, sparse, slices)
 *     "dtype"                                           a plain value
 *     "shape"                                           a read-only list
 *     "dataset" "object" "error" "signature" ...        an object
 * The metatable is read raw; no metamethod is called.
 */
#ifndef MFL_BIND_SENTINEL_H
#define MFL_BIND_SENTINEL_H

#include <lua.h>
#include <stdbool.h>

void mfl_push_none(lua_State *L);
bool mfl_is_none(lua_State *L, int index);

void mfl_push_kw_meta(lua_State *L);
void mfl_push_dict_meta(lua_State *L);
bool mfl_is_dict(lua_State *L, int index); /* made by tf.dict */

/* Pushes the table dict -> list of keys in order (weak keys). */
void mfl_push_dict_orders(lua_State *L);

/* `__mf_kind` of the value at `index`, or NULL. The string lives as long as the value's metatable. */
const char *mfl_kind_of(lua_State *L, int index);

/* tensor, variable, keras_tensor or composite. */
bool mfl_is_tensor(lua_State *L, int index);

/* Bytewise order of the strings at two indices (Lua's own < follows the locale). */
bool mfl_text_less(lua_State *L, int a, int b);

/* A table without a metatable. */
bool mfl_is_plain_table(lua_State *L, int index);

/* Pushes a short description of a value for an error text: `3.5`, `'relu'`, `None`, `a table`, `a tensor`, `a Dense`.
 * Strings are cut at 60 bytes, and bytes that do not print are escaped. */
void mfl_push_description(lua_State *L, int index);

/* Pushes the text of `bytes` in single quotes, cut and escaped as above. */
void mfl_push_quoted(lua_State *L, const char *bytes, size_t size);

#endif
