/* keras.c - Python's `random` as Keras draws default seeds from it; pausing a trace, so that weights made while a layer's call
 * is traced are concrete; a clock and whether output goes to a terminal, for progress bars.
 */
#include "bind/keras.h"

#include <lauxlib.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/mt19937.h"
#include "bind/ctx.h"

/* Address used as registry key: the generator of this Lua state. */
static const char generator_key = 0;

static mf_mt19937 *generator(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &generator_key);
  mf_mt19937 *r = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return r;
}

/* seed(n): random.seed(n). */
static int random_seed(lua_State *L) {
  lua_Integer n = luaL_checkinteger(L, 1);
  mf_mt19937_seed(generator(L), n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
  return 0;
}

/* randint(low, high): both ends included. */
static int random_randint(lua_State *L) {
  lua_Integer low = luaL_checkinteger(L, 1), high = luaL_checkinteger(L, 2);
  luaL_argcheck(L, low <= high, 2, "the interval is empty");
  lua_pushinteger(L, mf_mt19937_randint(generator(L), low, high));
  return 1;
}

/* random(): in [0, 1). */
static int random_random(lua_State *L) {
  lua_pushnumber(L, mf_mt19937_random(generator(L)));
  return 1;
}

/* Like Python's, the generator starts somewhere else in each process. */
static uint64_t fresh_seed(const lua_State *L) {
  uint64_t seed = 0;
  FILE *f = fopen("/dev/urandom", "rb");
  if (f && fread(&seed, sizeof seed, 1, f) != 1) seed = 0;
  if (f) fclose(f);
  struct timespec now;
  if (!seed && timespec_get(&now, TIME_UTC)) seed = ((uint64_t)now.tv_sec << 30) ^ (uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)L;
  return seed;
}

/* pause_trace(): ops run again instead of being recorded. Returns what resume_trace needs, or nothing when nothing is traced. */
static int pause_trace(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  if (!S->ctx->trace) return 0;
  lua_pushlightuserdata(L, S->ctx->trace);
  S->ctx->trace = NULL;
  return 1;
}

/* resume_trace(what pause_trace gave): that trace must still be open. */
static int resume_trace(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  luaL_checktype(L, 1, LUA_TLIGHTUSERDATA);
  S->ctx->trace = lua_touserdata(L, 1);
  return 0;
}

/* clock(): seconds from a fixed moment, for differences. */
static int monotonic_clock(lua_State *L) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  lua_pushnumber(L, (double)now.tv_sec + (double)now.tv_nsec * 1e-9);
  return 1;
}

/* terminal(): the number of columns when standard output is a terminal, else nothing. */
static int terminal(lua_State *L) {
  struct winsize size;
  if (!isatty(STDOUT_FILENO)) return 0;
  bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  lua_pushinteger(L, known ? size.ws_col : 80);
  return 1;
}

int mfl_open_keras(lua_State *L) {
  static const luaL_Reg functions[] = {{"seed", random_seed},         {"randint", random_randint},     {"random", random_random},
                                       {"pause_trace", pause_trace}, {"resume_trace", resume_trace},
                                       {"clock", monotonic_clock},   {"terminal", terminal},         {NULL, NULL}};
  mf_mt19937 *r = lua_newuserdatauv(L, sizeof *r, 0);
  mf_mt19937_seed(r, fresh_seed(L));
  lua_rawsetp(L, LUA_REGISTRYINDEX, &generator_key);
  luaL_newlibtable(L, functions);
  mfl_set_functions(L, mfl_state_get(L), functions);
  return 1;
}
