/* machine.c - what Lua asks about the context and the machine: seeds, devices, threads, memory. Behind tf.random.set_seed,
 * tf.device, tf.config and `moonflow doctor`.
 */
#include <dlfcn.h>
#include <lauxlib.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#ifdef MF_HAVE_ONEDNN
#include <dnnl.h>
#endif

#include "base/cpu.h"
#include "base/pool.h"
#include "bind/ctx.h"
#include "bind/error.h"
#include "moonflow.h"
#include "tensor/allocator.h"
#include "tensor/device_plugin.h"

static int set_seed(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_ctx_set_seed(S->ctx, luaL_checkinteger(L, 1));
  return 0;
}

/* op_seeds(op seed or nil) -> seed, seed2 as the random ops want them. */
static int op_seeds(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  int64_t seed, seed2;
  bool has = !lua_isnoneornil(L, 1);
  mf_ctx_op_seeds(S->ctx, has, has ? luaL_checkinteger(L, 1) : 0, &seed, &seed2);
  lua_pushinteger(L, seed);
  lua_pushinteger(L, seed2);
  return 2;
}

static int get_seed(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  if (!S->ctx->has_seed) return 0;
  lua_pushinteger(L, S->ctx->seed);
  return 1;
}

/* ---- devices: "CPU:0", "GPU:1" */

static mf_device *check_device(lua_State *L, mfl_state *S, const char *op) {
  const char *type = luaL_checkstring(L, 1);
  lua_Integer index = luaL_optinteger(L, 2, 0);
  mf_device *device = NULL;
  if (!strcmp(type, "CPU")) {
    if (index == 0) return mf_device_cpu();
    mfl_invalid(L, op, "there is one CPU device, CPU:0; received CPU:%I", (LUAI_UACINT)index);
  }
  if (strcmp(type, "GPU")) mfl_invalid(L, op, "expected a CPU or GPU device, received '%s'", type);
  mfl_check(L, S, mf_gpu_device((int)index, &device));
  return device;
}

/* set_device(type or nil, index) -> the name of the device that was set before, or nil. */
static int set_device(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_device *before = S->ctx->device, *device = NULL;
  if (!lua_isnoneornil(L, 1)) device = check_device(L, S, "device");
  S->ctx->device = device;
  if (!before) return 0;
  lua_pushstring(L, before->name);
  return 1;
}

static int gpu_count(lua_State *L) {
  mfl_enter(L);
  lua_pushinteger(L, mf_gpu_count());
  return 1;
}

static int gpu_state(lua_State *L) {
  static const char *const names[] = {"off", "no_library", "no_driver", "no_device", "present", "emulated"};
  mfl_enter(L);
  lua_pushstring(L, names[mf_gpu_state_get()]);
  lua_pushstring(L, mf_gpu_state_text());
  return 2;
}

static void set_number(lua_State *L, const char *name, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static int gpu_info(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_device *device = check_device(L, S, "get_device_details");
  mf_device_info info;
  mfl_check(L, S, mf_gpu_info(device, &info));
  lua_createtable(L, 0, 8);
  lua_pushstring(L, info.name);
  lua_setfield(L, -2, "name");
  set_number(L, "total_bytes", info.total_bytes);
  set_number(L, "free_bytes", info.free_bytes);
  set_number(L, "major", info.major);
  set_number(L, "minor", info.minor);
  set_number(L, "driver", info.driver);
  set_number(L, "runtime", info.runtime);
  return 1;
}

/* memory(type, index) -> table: current, peak, limit, cached */
static int memory(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_device *device = check_device(L, S, "get_memory_info");
  lua_createtable(L, 0, 6);
  mf_allocator_stats s = mf_allocator_stats_get(device->allocator);
  set_number(L, "current", s.bytes_in_use);
  set_number(L, "peak", s.peak_bytes_in_use);
  set_number(L, "limit", s.limit);
  set_number(L, "cached", s.bytes_cached);
  set_number(L, "allocations", s.allocations);
  set_number(L, "system_calls", s.system_calls);
  return 1;
}

static int reset_peak(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_device *device = check_device(L, S, "reset_memory_stats");
  mf_allocator_reset_peak(device->allocator);
  return 0;
}

static int set_memory_limit(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  mf_device *device = check_device(L, S, "set_memory_limit");
  mf_allocator_set_limit(device->allocator, luaL_checkinteger(L, 3));
  return 0;
}

/* ---- threads and the processor */

static int set_threads(lua_State *L) {
  mfl_enter(L);
  mf_pool_set_threads((int)luaL_checkinteger(L, 1));
  return 0;
}

static int get_threads(lua_State *L) {
  mfl_enter(L);
  lua_pushinteger(L, mf_pool_threads());
  return 1;
}

/* set_piece_ns(ns or 0): a test hook of the pool. */
static int set_piece_ns(lua_State *L) {
  mfl_enter(L);
  mf_pool_set_piece_ns(luaL_checkinteger(L, 1));
  return 0;
}

static int processor(lua_State *L) {
  mfl_enter(L);
  lua_createtable(L, 0, 4);
  lua_pushstring(L, mf_isa_name(mf_cpu_isa()));
  lua_setfield(L, -2, "isa");
  set_number(L, "cores", mf_cpu_cores());
  set_number(L, "memory_available", mf_memory_available());
  return 1;
}

/* libraries() -> table: what is loaded in this process. Asked by symbol, because a host's copy may have come first. */
static int libraries(lua_State *L) {
  mfl_enter(L);
  char *(*config)(void) = (char *(*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "openblas_get_config");
  char *(*core)(void) = (char *(*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "openblas_get_corename");
  int (*parallel)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "openblas_get_parallel");
  lua_createtable(L, 0, 4);
  if (config) {
    lua_pushstring(L, config());
    lua_setfield(L, -2, "openblas");
  }
  lua_pushstring(L, core ? core() : "unknown");
  lua_setfield(L, -2, "openblas_core");
  set_number(L, "openblas_parallel", parallel ? parallel() : -1);
#ifdef MF_HAVE_ONEDNN
  const dnnl_version_t *v = dnnl_version();
  lua_pushfstring(L, "%d.%d.%d", v->major, v->minor, v->patch);
  lua_setfield(L, -2, "onednn");
#endif
  return 1;
}

static int version(lua_State *L) {
  mfl_enter(L);
  lua_pushstring(L, mf_version());
  return 1;
}

/* ---- the collector on behalf of native memory */

static int native_memory(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  lua_createtable(L, 0, 4);
  set_number(L, "live", (int64_t)S->live);
  set_number(L, "limit", (int64_t)S->limit);
  set_number(L, "steps", S->steps);
  set_number(L, "full_collections", S->fulls);
  return 1;
}

/* Seconds since 1970. */
static int now(lua_State *L) {
  struct timespec t;
  mfl_enter(L);
  clock_gettime(CLOCK_REALTIME, &t);
  lua_pushnumber(L, (double)t.tv_sec + 1e-9 * (double)t.tv_nsec);
  return 1;
}

static int is_tracing(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  lua_pushboolean(L, S->ctx->trace != NULL);
  return 1;
}

int mfl_open_ctx(lua_State *L) {
  static const luaL_Reg functions[] = {{"set_seed", set_seed},
                                       {"get_seed", get_seed},
                                       {"op_seeds", op_seeds},
                                       {"set_device", set_device},
                                       {"gpu_count", gpu_count},
                                       {"gpu_state", gpu_state},
                                       {"gpu_info", gpu_info},
                                       {"memory", memory},
                                       {"reset_peak", reset_peak},
                                       {"set_memory_limit", set_memory_limit},
                                       {"set_threads", set_threads},
                                       {"get_threads", get_threads},
                                       {"set_piece_ns", set_piece_ns},
                                       {"processor", processor},
                                       {"libraries", libraries},
                                       {"version", version},
                                       {"native_memory", native_memory},
                                       {"is_tracing", is_tracing},
                                       {"now", now},
                                       {NULL, NULL}};
  luaL_newlibtable(L, functions);
  mfl_set_functions(L, mfl_state_get(L), functions);
  return 1;
}
