/* moonflow_lua.h - moonflow for C programs that run Lua scripts: open an interpreter, run a script, exchange values and tensors.
 *
 *     mf_lua *lua;
 *     mf_status s = mf_lua_open(&lua);
 *     if (!s) s = mf_lua_run_file(lua, "train.lua", 0, NULL);
 *     double accuracy;
 *     if (!s) s = mf_lua_result_number(lua, 0, &accuracy);      // what the script returned
 *     if (s) fprintf(stderr, "%s\n", mf_status_message(s));
 *     mf_status_release(s);
 *     mf_lua_close(lua);
 *
 * An interpreter belongs to one thread at a time; several interpreters may run in several threads at once. Scripts find
 * moonflow's modules beside the library: `require "moonflow"` needs no environment variables. Errors of scripts come back as
 * statuses: the code is the error object's ("INVALID_ARGUMENT" ... , UNKNOWN for other values), the message its text with the
 * position, then the stack of calls on further lines. Nothing here jumps out of the host, prints, or ends the process.
 */
#ifndef MOONFLOW_LUA_H
#define MOONFLOW_LUA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "tensor/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mf_lua mf_lua;
struct lua_State;
struct mf_ctx;

/* [OUT] *out: an interpreter with Lua's standard libraries and moonflow's search paths. Ended by mf_lua_close. */
mf_status mf_lua_open(mf_lua **out) MF_MUST_USE;
/* Ends the interpreter: finalisers run, tensors that only scripts held are released. NULL is allowed. */
void mf_lua_close(mf_lua *lua);

/* ---- running. Each run replaces the results of the run before. */

/* Runs a script; `arg` is what the stand-alone interpreter would make of it: arg[0] the path, arg[1..n] = args[0..n-1]. The
 * script gets the arguments as `...`, too. */
mf_status mf_lua_run_file(mf_lua *lua, const char *path, int n_args, const char *const *args) MF_MUST_USE;
/* Runs `code`; `name` stands in error texts ("=host" shows as host). */
mf_status mf_lua_run_string(mf_lua *lua, const char *code, const char *name) MF_MUST_USE;
/* Calls the global function `name` with n tensors (borrowed); dots reach into tables ("model.predict"). */
mf_status mf_lua_call(mf_lua *lua, const char *name, mf_tensor *const *in, int n) MF_MUST_USE;

/* ---- what the last run returned; index 0 is the first value. INVALID_ARGUMENT when there is none or it is something else. */

int mf_lua_result_count(const mf_lua *lua);
/* A number, a boolean (0 or 1), or a tensor of one element. */
mf_status mf_lua_result_number(mf_lua *lua, int index, double *out) MF_MUST_USE;
/* The text of any value. [OUT] *text is valid until the next run; *size (may be NULL) its length. */
mf_status mf_lua_result_string(mf_lua *lua, int index, const char **text, size_t *size) MF_MUST_USE;
/* A tensor, a variable's value, or numbers in tables. [OUT] *out: a handle of its own, ended by mf_tensor_release. */
mf_status mf_lua_result_tensor(mf_lua *lua, int index, mf_tensor **out) MF_MUST_USE;

/* ---- globals of the scripts; dots reach into tables when reading. */

mf_status mf_lua_get_number(mf_lua *lua, const char *name, double *out) MF_MUST_USE;
mf_status mf_lua_get_tensor(mf_lua *lua, const char *name, mf_tensor **out) MF_MUST_USE;
mf_status mf_lua_set_number(mf_lua *lua, const char *name, double value) MF_MUST_USE;
mf_status mf_lua_set_string(mf_lua *lua, const char *name, const char *text) MF_MUST_USE;
mf_status mf_lua_set_tensor(mf_lua *lua, const char *name, mf_tensor *t) MF_MUST_USE;   /* t stays the host's */

/* ---- for hosts that know Lua. The state may be used between the calls above; its stack must be left as it was. */

struct lua_State *mf_lua_state(mf_lua *lua);
/* The context that the scripts' ops run in; NULL before a script has required moonflow. */
struct mf_ctx *mf_lua_context(mf_lua *lua);
/* Calls the function that stands under n arguments on the state's stack, with a traceback on errors; its results (all) stay on
 * the stack. On failure the stack is as it was below the function. */
mf_status mf_lua_protected_call(mf_lua *lua, int n_args) MF_MUST_USE;

#ifdef __cplusplus
}
#endif
#endif
