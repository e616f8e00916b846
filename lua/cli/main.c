/* main.c - the moonflow program: opens an interpreter and hands the command line to moonflow/cli/init.lua. */
#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>

#include "cli/terminal.h"
#include "moonflow_lua.h"

static int report(mf_status status) {
  fprintf(stderr, "moonflow: %s\n", mf_status_message(status));
  mf_status_release(status);
  return 1;
}

/* Pushes require("moonflow.cli").main. */
static int find_main(lua_State *L) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_moonflow_cli_terminal);
  lua_setfield(L, -2, "moonflow.cli.terminal");
  lua_getglobal(L, "require");
  lua_pushliteral(L, "moonflow.cli");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "main");
  return 1;
}

int main(int argc, char **argv) {
  mf_lua *lua;
  signal(SIGXFSZ, SIG_IGN); /* a file that grows beyond `ulimit -f` is an error of the call that writes it */
  mf_status status = mf_lua_open(&lua);
  if (status) return report(status);
  lua_State *L = mf_lua_state(lua);
  int code = 1;
  lua_pushcfunction(L, find_main);
  status = mf_lua_protected_call(lua, 0);
  if (!status && !lua_checkstack(L, argc + 8)) status = mf_fail(MF_INVALID_ARGUMENT, "too many arguments");
  if (!status) {
    for (int i = 0; i < argc; i++) lua_pushstring(L, argv[i]);
    status = mf_lua_protected_call(lua, argc);
  }
  if (status) code = report(status);
  else if (lua_gettop(L) > 0) code = (int)lua_tointeger(L, 1);
  fflush(stdout);
  mf_lua_close(lua);
  return code;
}
