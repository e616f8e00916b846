/* terminal.c - lines from the terminal, through libedit where it is there, and Ctrl-C as a Lua error. See terminal.h.
 *
 * Ctrl-C at the prompt drops the line. While Lua runs inside `interruptible`, the signal sets a hook, and the hook raises
 * "interrupted!" at the next Lua instruction: a running loop or fit ends as with any error, and the session goes on. A second
 * Ctrl-C before the hook came to run (a long kernel) waits, too; the third ends the process.
 */
#include "cli/terminal.h"

#include <errno.h>
#include <lauxlib.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef MF_HAVE_EDIT
#include <histedit.h>
#endif

enum { HISTORY_LINES = 1000 };

/* What a signal handler can reach: one terminal a process. */
static lua_State *volatile running;       /* inside `interruptible`, else NULL */
static volatile sig_atomic_t pressed;
static volatile sig_atomic_t at_prompt;
static sigjmp_buf prompt_jump;

/* ---- Ctrl-C */

static void stop_hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  pressed = 0;
  luaL_error(L, "interrupted!");
}

static void on_interrupt(int signal_number) {
  if (at_prompt) siglongjmp(prompt_jump, 1);
  if (++pressed > 2 || !running) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    return;
  }
  lua_sethook(running, stop_hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

static void install(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
}

/* interruptible(handler, f, ...): xpcall(f, handler, ...), and Ctrl-C raises "interrupted!" in f while it runs. */
static int finish(lua_State *L, int status, lua_KContext context) {
  (void)context;
  running = NULL;
  lua_sethook(L, NULL, 0, 0);
  lua_pushboolean(L, status == LUA_OK || status == LUA_YIELD);
  lua_replace(L, 1); /* in the handler's place */
  return lua_gettop(L);
}

static int interruptible(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_checkany(L, 2);
  pressed = 0;
  install();
  running = L;
  return finish(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 1, 0, finish), 0);
}

/* ---- lines */

#ifdef MF_HAVE_EDIT

typedef struct terminal {
  lua_State *L;
  EditLine *el;
  History *history;
  const char *prompt;
  int completer;           /* registry */
} terminal;

static char *show_prompt(EditLine *el) {
  terminal *t;
  el_get(el, EL_CLIENTDATA, &t);
  return (char *)(uintptr_t)t->prompt;
}

/* Prints the candidates in columns. */
static void show_candidates(lua_State *L, int list) {
  int n = (int)lua_rawlen(L, list), width = 1;
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, list, i);
    int length = (int)lua_rawlen(L, -1);
    if (length > width) width = length;
    lua_pop(L, 1);
  }
  int columns = 78 / (width + 2) > 0 ? 78 / (width + 2) : 1;
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, list, i);
    printf("%s%-*s", (i - 1) % columns ? "  " : "\n", width, lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  printf("\n");
}

/* The completer, a Lua function, gets the text up to the cursor; it returns what to insert and a list to show. */
static unsigned char complete(EditLine *el, int ch) {
  terminal *t;
  (void)ch;
  el_get(el, EL_CLIENTDATA, &t);
  lua_State *L = t->L;
  const LineInfo *line = el_line(el);
  int top = lua_gettop(L);
  unsigned char result = CC_ERROR;
  at_prompt = 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, t->completer);
  if (lua_isfunction(L, -1)) {
    lua_pushlstring(L, line->buffer, (size_t)(line->cursor - line->buffer));
    if (lua_pcall(L, 1, 2, 0) == LUA_OK) {
      const char *text = lua_tostring(L, top + 1);
      if (text && *text && el_insertstr(el, text) == 0) result = CC_REFRESH;
      else if (lua_istable(L, top + 2) && lua_rawlen(L, top + 2) > 1) {
        show_candidates(L, top + 2);
        result = CC_REDISPLAY;
      }
    }
  }
  lua_settop(L, top);
  at_prompt = 1;
  return result;
}

static int terminal_gc(lua_State *L) {
  terminal *t = lua_touserdata(L, 1);
  if (t->history) history_end(t->history);
  if (t->el) el_end(t->el);
  t->history = NULL;
  t->el = NULL;
  return 0;
}

static terminal *self(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

/* Makes the editor when the first line is asked for. */
static bool open_editor(lua_State *L, terminal *t) {
  HistEvent event;
  if (t->el) return true;
  t->L = L;
  t->el = el_init("moonflow", stdin, stdout, stderr);
  if (!t->el) return false;
  if (!t->history) t->history = history_init();
  el_set(t->el, EL_CLIENTDATA, t);
  el_set(t->el, EL_PROMPT, show_prompt);
  el_set(t->el, EL_EDITOR, "emacs");
  el_set(t->el, EL_ADDFN, "moonflow-complete", "Completes names", complete);
  el_set(t->el, EL_BIND, "^I", "moonflow-complete", NULL);
  el_set(t->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
  if (t->history) {
    history(t->history, &event, H_SETSIZE, HISTORY_LINES);
    history(t->history, &event, H_SETUNIQUE, 1);
    el_set(t->el, EL_HIST, history, t->history);
  }
  return true;
}

static int edit_line(lua_State *L, terminal *t) {
  int count = 0;
  t->L = L;
  pressed = 0;
  install();
  if (sigsetjmp(prompt_jump, 1)) {
    at_prompt = 0;
    el_reset(t->el);
    el_set(t->el, EL_PREP_TERM, 0);
    printf("\n");
    lua_pushboolean(L, 0);
    return 1;
  }
  at_prompt = 1;
  const char *line = el_gets(t->el, &count);
  at_prompt = 0;
  if (!line || count <= 0) return 0;
  if (line[count - 1] == '\n') count--;
  lua_pushlstring(L, line, (size_t)count);
  return 1;
}

static int add_history(lua_State *L) {
  terminal *t = self(L);
  HistEvent event;
  if (t->history) history(t->history, &event, H_ENTER, luaL_checkstring(L, 1));
  return 0;
}

static int load_history(lua_State *L) {
  terminal *t = self(L);
  HistEvent event;
  if (!open_editor(L, t) || !t->history) return 0;
  lua_pushboolean(L, history(t->history, &event, H_LOAD, luaL_checkstring(L, 1)) >= 0);
  return 1;
}

static int save_history(lua_State *L) {
  terminal *t = self(L);
  HistEvent event;
  if (!t->history) return 0;
  lua_pushboolean(L, history(t->history, &event, H_SAVE, luaL_checkstring(L, 1)) >= 0);
  return 1;
}

static int set_completer(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  luaL_unref(L, LUA_REGISTRYINDEX, self(L)->completer);
  self(L)->completer = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

#else

typedef struct terminal {
  int completer;
} terminal;

static int terminal_gc(lua_State *L) {
  (void)L;
  return 0;
}

static int no_editor(lua_State *L) {
  (void)L;
  return 0;
}
#define add_history no_editor
#define load_history no_editor
#define save_history no_editor
#define set_completer no_editor

#endif

static int plain_line(lua_State *L, const char *prompt) {
  luaL_Buffer b;
  int c;
  if (isatty(0)) {
    fputs(prompt, stdout);
    fflush(stdout);
  }
  luaL_buffinit(L, &b);
  while ((c = getchar()) != EOF && c != '\n') luaL_addchar(&b, (char)c);
  luaL_pushresult(&b);
  return c == EOF && lua_rawlen(L, -1) == 0 ? 0 : 1;
}

/* read_line(prompt) -> the line, nil at the end of the input, false after Ctrl-C. */
static int read_line(lua_State *L) {
  const char *prompt = luaL_checkstring(L, 1);
#ifdef MF_HAVE_EDIT
  terminal *t = lua_touserdata(L, lua_upvalueindex(1));
  if (isatty(0) && isatty(1) && open_editor(L, t)) {
    t->prompt = prompt;
    return edit_line(L, t);
  }
#endif
  return plain_line(L, prompt);
}

static int is_terminal(lua_State *L) {
  lua_pushboolean(L, isatty(0) && isatty(1));
  return 1;
}

int luaopen_moonflow_cli_terminal(lua_State *L) {
  static const luaL_Reg functions[] = {{"read_line", read_line},         {"add_history", add_history},
                                       {"load_history", load_history},   {"save_history", save_history},
                                       {"set_completer", set_completer}, {"is_terminal", is_terminal},
                                       {"interruptible", interruptible}, {NULL, NULL}};
  luaL_newlibtable(L, functions);
  terminal *t = lua_newuserdatauv(L, sizeof *t, 0);
  memset(t, 0, sizeof *t);
  t->completer = LUA_NOREF;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, terminal_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  luaL_setfuncs(L, functions, 1);
  return 1;
}
