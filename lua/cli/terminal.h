/* terminal.h - the program's terminal: lines with editing and history, and Ctrl-C. */
#ifndef MFL_CLI_TERMINAL_H
#define MFL_CLI_TERMINAL_H

#include <lua.h>

/* The Lua module moonflow.cli.terminal: read_line(prompt), add_history(line), load_history(path), save_history(path),
 * set_completer(function), is_terminal(), interruptible(handler, function, ...). */
int luaopen_moonflow_cli_terminal(lua_State *L);

#endif
