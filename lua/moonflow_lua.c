/* moonflow_lua.c - interpreters for C programs: see moonflow_lua.h.
 *
 * Everything that may raise runs inside a protected call; errors become statuses at that border and nowhere else.
 */
#include "moonflow_lua.h"

#include "moonflow.h"

#include <dlfcn.h>
#include <lauxlib.h>
#include <limits.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "bind/ctx.h"
#include "bind/error.h"
#include "bind/open.h"
#include "bind/tensor.h"
#include "lua_memory.h"

struct mf_lua {
  lua_State *L;
  mfl_memory memory;
  int results;             /* registry: the table of the last run's results */
  int n_results;
  bool warns;              /* warn("@on") was said */
  char warning[512];       /* pieces of one warning so far */
};

/* ---- errors */

/* Message handler: puts [code, text with traceback] in place of the error. */
static int describe(lua_State *L) {
  lua_settop(L, 1);
  const char *code = "UNKNOWN";
  if (mfl_is_error(L, 1)) {
    lua_getfield(L, 1, "code");
    code = lua_tostring(L, -1);
  }
  luaL_tolstring(L, 1, NULL);
  luaL_traceback(L, L, lua_tostring(L, -1), 1);
  lua_createtable(L, 2, 0);
  lua_pushstring(L, code);
  lua_rawseti(L, -2, 1);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, 2);
  return 1;
}

/* Takes the error value from the stack. */
static mf_status take_error(lua_State *L, int rc) {
  if (rc == LUA_ERRMEM) {
    lua_pop(L, 1);
    return mf_fail(MF_RESOURCE_EXHAUSTED, "Lua: out of memory");
  }
  if (!lua_istable(L, -1)) { /* an error inside the handler, or of the compiler */
    mf_status status = mf_fail(MF_UNKNOWN, "%s", lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "unknown error");
    lua_pop(L, 1);
    return status;
  }
  lua_rawgeti(L, -1, 1);
  lua_rawgeti(L, -2, 2);
  mf_status status = mf_fail(mfl_code_of(lua_tostring(L, -2)), "%s", lua_tostring(L, -1));
  lua_pop(L, 3);
  return status;
}

static mf_status protected_call(lua_State *L, int n_args, int n_results) {
  int function = lua_gettop(L) - n_args;
  lua_pushcfunction(L, describe);
  lua_insert(L, function);
  int rc = lua_pcall(L, n_args, n_results, function);
  lua_remove(L, function);
  return rc ? take_error(L, rc) : NULL;
}

mf_status mf_lua_protected_call(mf_lua *lua, int n_args) { return protected_call(lua->L, n_args, LUA_MULTRET); }

/* Runs `function(user)` protected: for pieces of C that may raise. */
typedef struct piece {
  mf_lua *lua;
  const char *name;
  int index;
  void *user;
} piece;

static mf_status run_piece(lua_CFunction function, piece *p) {
  lua_State *L = p->lua->L;
  if (!lua_checkstack(L, 8)) return mf_fail_oom();
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, p);
  return protected_call(L, 1, 0);
}

/* ---- opening */

/* The folder that holds moonflow's Lua modules, beside the library. Pushes it, or nil. */
static void push_module_root(lua_State *L) {
  static const char *const from_library[] = {"../share/lua/5.4", "../../share/lua/5.4"};
  char path[PATH_MAX], folder[PATH_MAX], probe[PATH_MAX + 64];
  Dl_info info;
  if (!dladdr((void *)(uintptr_t)mf_lua_open, &info) || !info.dli_fname || !realpath(info.dli_fname, path)) {
    lua_pushnil(L);
    return;
  }
  char *slash = strrchr(path, '/');
  if (slash) *slash = 0;
  for (size_t i = 0; i < sizeof from_library / sizeof *from_library; i++) {
    if (snprintf(folder, sizeof folder, "%s/%s", path, from_library[i]) >= (int)sizeof folder) continue;
    snprintf(probe, sizeof probe, "%s/moonflow/init.lua", folder);
    if (access(probe, R_OK) != 0) continue;
    lua_pushstring(L, folder);
    return;
  }
  lua_pushnil(L);
}

static void set_paths(lua_State *L) {
  lua_getglobal(L, "package");
  push_module_root(L);
  if (!lua_isnil(L, -1)) {
    const char *root = lua_tostring(L, -1);
    lua_getfield(L, -2, "path");
    lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s", root, root, lua_tostring(L, -1));
    lua_setfield(L, -4, "path");
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_moonflow_core);
  lua_setfield(L, -2, "moonflow.core");
  lua_pop(L, 2);
}

/* Lua's warn(): off until "@on", then to the log. */
static void warn(void *user, const char *message, int to_be_continued) {
  mf_lua *lua = user;
  size_t used = strlen(lua->warning);
  if (!used && !to_be_continued && message[0] == '@') {
    if (!strcmp(message, "@on")) lua->warns = true;
    else if (!strcmp(message, "@off")) lua->warns = false;
    return;
  }
  snprintf(lua->warning + used, sizeof lua->warning - used, "%s", message);
  if (to_be_continued) return;
  if (lua->warns) mf_log(MF_LOG_WARNING, "Lua warning: %s", lua->warning);
  lua->warning[0] = 0;
}

static int prepare(lua_State *L) {
  piece *p = lua_touserdata(L, 1);
  lua_setwarnf(L, warn, p->lua);
  lua_setwarnf(L, NULL, NULL);
  luaL_openlibs(L);
  set_paths(L);
  lua_newtable(L);
  p->lua->results = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

mf_status mf_lua_open(mf_lua **out) {
  *out = NULL;
  MF_TRY(mf_init()); /* hosts make tensors before the first script runs */
  mf_lua *lua = mf_alloc_zero(1, sizeof *lua);
  if (!lua) {
    mf_close();
    return mf_fail_oom();
  }
  lua->L = lua_newstate(mfl_memory_alloc, &lua->memory);
  mf_status status = lua->L ? NULL : mf_fail_oom();
  if (!status) status = run_piece(prepare, &(piece){.lua = lua});
  if (status) {
    mf_lua_close(lua);
    return status;
  }
  *out = lua;
  return NULL;
}

void mf_lua_close(mf_lua *lua) {
  if (!lua) return;
  if (lua->L) {
    mfl_state *S = mfl_state_get(lua->L);
    if (S) S->closing = true;
    lua_close(lua->L);
  }
  mfl_memory_release(&lua->memory);
  mf_free(lua);
  mf_close();
}

lua_State *mf_lua_state(mf_lua *lua) { return lua->L; }

mf_ctx *mf_lua_context(mf_lua *lua) {
  if (!lua_checkstack(lua->L, 1)) return NULL;
  const mfl_state *S = mfl_state_get(lua->L);
  return S ? S->ctx : NULL;
}

/* ---- running */

/* The values from `first` to the top become the results. */
static int keep_results(lua_State *L) {
  piece *p = lua_touserdata(L, 1);
  int n = lua_gettop(L) - 1;
  lua_createtable(L, n, 0);
  lua_insert(L, 2);
  for (int i = n; i >= 1; i--) lua_rawseti(L, 2, i);
  lua_rawseti(L, LUA_REGISTRYINDEX, p->lua->results);
  p->lua->n_results = n;
  return 0;
}

/* Calls the function below n_args arguments and keeps what it returns. */
static mf_status call_and_keep(mf_lua *lua, int n_args) {
  lua_State *L = lua->L;
  int base = lua_gettop(L) - n_args - 1;
  lua->n_results = 0;
  MF_TRY(protected_call(L, n_args, LUA_MULTRET));
  int n = lua_gettop(L) - base;
  if (!lua_checkstack(L, n + 8)) {
    lua_settop(L, base);
    return mf_fail(MF_RESOURCE_EXHAUSTED, "Lua: %d results are too many", n);
  }
  piece p = {.lua = lua};
  lua_pushcfunction(L, keep_results);
  lua_insert(L, base + 1);
  lua_pushlightuserdata(L, &p);
  lua_insert(L, base + 2);
  return protected_call(L, n + 1, 0);
}

static int make_arg(lua_State *L) {
  piece *p = lua_touserdata(L, 1);
  const char *const *args = p->user;
  lua_createtable(L, p->index, 1);
  lua_pushstring(L, p->name);
  lua_rawseti(L, -2, 0);
  for (int i = 0; i < p->index; i++) {
    lua_pushstring(L, args[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setglobal(L, "arg");
  return 0;
}

mf_status mf_lua_run_file(mf_lua *lua, const char *path, int n_args, const char *const *args) {
  lua_State *L = lua->L;
  piece p = {.lua = lua, .name = path, .index = n_args, .user = (void *)(uintptr_t)args};
  MF_TRY(run_piece(make_arg, &p));
  if (!lua_checkstack(L, n_args + 8)) return mf_fail(MF_INVALID_ARGUMENT, "Lua: %d arguments are too many", n_args);
  int rc = luaL_loadfile(L, path);
  if (rc == LUA_ERRFILE) {
    mf_status status = mf_fail(MF_NOT_FOUND, "%s", lua_tostring(L, -1));
    lua_pop(L, 1);
    return status;
  }
  if (rc) return take_error(L, rc);
  for (int i = 0; i < n_args; i++) lua_pushstring(L, args[i]);
  return call_and_keep(lua, n_args);
}

mf_status mf_lua_run_string(mf_lua *lua, const char *code, const char *name) {
  if (!lua_checkstack(lua->L, 8)) return mf_fail_oom();
  int rc = luaL_loadbuffer(lua->L, code, strlen(code), name ? name : "=host");
  if (rc) return take_error(lua->L, rc);
  return call_and_keep(lua, 0);
}

/* Pushes the value that the dotted name means; nil on the way gives nil. */
static void push_named(lua_State *L, const char *name) {
  lua_pushglobaltable(L);
  while (*name) {
    size_t n = strcspn(name, ".");
    if (lua_isnil(L, -1)) return;
    lua_pushlstring(L, name, n);
    lua_gettable(L, -2);
    lua_remove(L, -2);
    name += n + (name[n] == '.');
  }
}

typedef struct tensors {
  mf_tensor *const *list;
  int n;
} tensors;

static int push_call(lua_State *L) {
  piece *p = lua_touserdata(L, 1);
  const tensors *in = p->user;
  luaL_checkstack(L, in->n + 8, "arguments");
  luaL_requiref(L, "moonflow.core", luaopen_moonflow_core, 0);
  mfl_state *S = mfl_state_get(L);
  push_named(L, p->name);
  int function = lua_gettop(L);
  for (int i = 0; i < in->n; i++) mfl_push_tensor(L, S, in->list[i]);
  lua_call(L, in->n, LUA_MULTRET);
  int n = lua_gettop(L) - function + 1;
  lua_createtable(L, n, 0);
  lua_insert(L, function);
  for (int i = n; i >= 1; i--) lua_rawseti(L, function, i);
  lua_rawseti(L, LUA_REGISTRYINDEX, p->lua->results);
  p->lua->n_results = n;
  return 0;
}

mf_status mf_lua_call(mf_lua *lua, const char *name, mf_tensor *const *in, int n) {
  if (n < 0 || (n > 0 && !in)) return mf_fail(MF_INVALID_ARGUMENT, "mf_lua_call: expected 0 or more tensors, received %d", n);
  tensors list = {in, n};
  lua->n_results = 0;
  return run_piece(push_call, &(piece){.lua = lua, .name = name, .user = &list});
}

/* ---- values. `name` NULL: the result `index`. */

static void push_value(lua_State *L, const piece *p) {
  if (p->name) {
    push_named(L, p->name);
    return;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, p->lua->results);
  lua_rawgeti(L, -1, p->index + 1);
  lua_remove(L, -2);
}

static int read_number(lua_State *L) {
  piece *p = lua_touserdata(L, 1);
  push_value(L, p);
  int index = lua_gettop(L);
  if (lua_type(L, index) == LUA_TNUMBER) {
    *(double *)p->user = lua_tonumber(L, index);
  } else if (lua_type(L, index) == LUA_TBOOLEAN) {
    *(double *)p->user = lua_toboolean(L, index);
  } else {
    mfl_state *S = mfl_state_get(L);
    if (!S) return mfl_invalid(L, "mf_lua_result_number", "expected a number, received a %s", luaL_typename(L, index));
    mf_tensor *t = mfl_check_tensor(L, S, index, "mf_lua_result_number", "value");
    mfl_push_item(L, S, t, "mf_lua_result_number");
    *(double *)p->user = lua_isboolean(L, -1) ? lua_toboolean(L, -1) : lua_tonumber(L, -1);
  }
  return 0;
}

static int read_tensor(lua_State *L) {
  piece *p = lua_touserdata(L, 1);
  push_value(L, p);
  int index = lua_gettop(L);
  luaL_requiref(L, "moonflow.core", luaopen_moonflow_core, 0);
  mfl_state *S = mfl_state_get(L);
  mfl_enter_state(L, S);
  if (lua_isnil(L, index)) return mfl_invalid(L, "mf_lua_result_tensor", "there is no such value");
  mfl_to_tensor(L, S, index, (mfl_wish){.op = "mf_lua_result_tensor", .argument = "value"});
  *(mf_tensor **)p->user = mf_tensor_retain(mfl_get_tensor(L, S, index));
  return 0;
}

typedef struct text_out {
  const char **text;
  size_t *size;
} text_out;

/* The text takes the value's place among the results: that keeps it alive. */
static int read_text(lua_State *L) {
  piece *p = lua_touserdata(L, 1);
  text_out *out = p->user;
  push_value(L, p);
  *out->text = luaL_tolstring(L, -1, out->size);
  lua_rawgeti(L, LUA_REGISTRYINDEX, p->lua->results);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "text");
  return 0;
}

static mf_status check_index(const mf_lua *lua, int index) {
  if (index >= 0 && index < lua->n_results) return NULL;
  return mf_fail(MF_INVALID_ARGUMENT, "Lua: there is no result %d, the last run returned %d", index, lua->n_results);
}

int mf_lua_result_count(const mf_lua *lua) { return lua->n_results; }

mf_status mf_lua_result_number(mf_lua *lua, int index, double *out) {
  *out = 0;
  MF_TRY(check_index(lua, index));
  return run_piece(read_number, &(piece){.lua = lua, .index = index, .user = out});
}

mf_status mf_lua_result_string(mf_lua *lua, int index, const char **text, size_t *size) {
  size_t ignored;
  text_out out = {text, size ? size : &ignored};
  *text = NULL;
  MF_TRY(check_index(lua, index));
  return run_piece(read_text, &(piece){.lua = lua, .index = index, .user = &out});
}

mf_status mf_lua_result_tensor(mf_lua *lua, int index, mf_tensor **out) {
  *out = NULL;
  MF_TRY(check_index(lua, index));
  return run_piece(read_tensor, &(piece){.lua = lua, .index = index, .user = out});
}

mf_status mf_lua_get_number(mf_lua *lua, const char *name, double *out) {
  *out = 0;
  return run_piece(read_number, &(piece){.lua = lua, .name = name, .user = out});
}

mf_status mf_lua_get_tensor(mf_lua *lua, const char *name, mf_tensor **out) {
  *out = NULL;
  return run_piece(read_tensor, &(piece){.lua = lua, .name = name, .user = out});
}

static int write_number(lua_State *L) {
  piece *p = lua_touserdata(L, 1);
  lua_pushnumber(L, *(double *)p->user);
  lua_setglobal(L, p->name);
  return 0;
}

static int write_string(lua_State *L) {
  piece *p = lua_touserdata(L, 1);
  lua_pushstring(L, p->user);
  lua_setglobal(L, p->name);
  return 0;
}

static int write_tensor(lua_State *L) {
  piece *p = lua_touserdata(L, 1);
  luaL_requiref(L, "moonflow.core", luaopen_moonflow_core, 0);
  mfl_push_tensor(L, mfl_state_get(L), p->user);
  lua_setglobal(L, p->name);
  return 0;
}

mf_status mf_lua_set_number(mf_lua *lua, const char *name, double value) {
  return run_piece(write_number, &(piece){.lua = lua, .name = name, .user = &value});
}

mf_status mf_lua_set_string(mf_lua *lua, const char *name, const char *text) {
  return run_piece(write_string, &(piece){.lua = lua, .name = name, .user = (void *)(uintptr_t)text});
}

mf_status mf_lua_set_tensor(mf_lua *lua, const char *name, mf_tensor *t) {
  return run_piece(write_tensor, &(piece){.lua = lua, .name = name, .user = t});
}
