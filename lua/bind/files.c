/* files.c - tf.files (idx, npy, npz, CSV), and the folders of tf.io.gfile. Native results live in boxes that Lua ends, so that
 * nothing leaks when building the Lua tables fails. */
#include "bind/files.h"

#include <lauxlib.h>
#include <string.h>

#include "base/memory.h"
#include "bind/error.h"
#include "bind/tensor.h"
#include "io/array_file.h"
#include "io/file.h"

typedef mf_status (*load_fn)(const char *path, mf_tensor **out);

/* Results of core on their way into Lua: ended by __gc. */
typedef struct holder {
  mf_named_tensor *items;
  size_t count;
  char **names;
  char *bytes;
} holder;

static int holder_gc(lua_State *L) {
  holder *h = lua_touserdata(L, 1);
  mf_named_tensors_release(h->items, h->items ? h->count : 0);
  mf_names_release(h->names);
  mf_free(h->bytes);
  *h = (holder){0};
  return 0;
}

static holder *push_holder(lua_State *L) {
  holder *h = lua_newuserdatauv(L, sizeof *h, 0);
  *h = (holder){0};
  if (luaL_newmetatable(L, "moonflow.files")) {
    lua_pushcfunction(L, holder_gc);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return h;
}

/* A path must not hold a zero byte: the system would cut it there. */
static const char *check_path(lua_State *L, int index, const char *op) {
  size_t size;
  const char *path = luaL_checklstring(L, index, &size);
  if (strlen(path) != size) mfl_raisef(L, "INVALID_ARGUMENT", op, "%s: a path must not contain a zero byte", op);
  return path;
}

static int load_one(lua_State *L, const char *op, load_fn load) {
  mfl_state *S = mfl_enter(L);
  mf_tensor *t;
  const char *path = check_path(L, 1, op);
  mfl_box *box = mfl_push_box(L, S);
  mfl_check(L, S, load(path, &t));
  mfl_box_set(S, box, t);
  return 1;
}

static int files_load_idx(lua_State *L) { return load_one(L, "load_idx", mf_idx_load); }
static int files_load_npy(lua_State *L) { return load_one(L, "load_npy", mf_npy_load); }

/* save_npy(path, tensor) */
static int files_save_npy(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const char *path = check_path(L, 1, "save_npy");
  mf_tensor *t = mfl_push_host(L, S, mfl_check_tensor(L, S, 2, "save_npy", "tensor"), "save_npy");
  mfl_check(L, S, mf_npy_save(path, t));
  return 0;
}

/* Pushes a table name -> tensor and a list of the names in the order of the file. */
static int push_named(lua_State *L, mfl_state *S, holder *h) {
  lua_createtable(L, 0, (int)h->count);
  lua_createtable(L, (int)h->count, 0);
  for (size_t i = 0; i < h->count; i++) {
    mfl_box *box = mfl_push_box(L, S);
    mfl_box_set(S, box, h->items[i].tensor);
    h->items[i].tensor = NULL;
    lua_setfield(L, -3, h->items[i].name);
    lua_pushstring(L, h->items[i].name);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 2;
}

static int files_load_npz(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const char *path = check_path(L, 1, "load_npz");
  holder *h = push_holder(L);
  mfl_check(L, S, mf_npz_load(path, &h->items, &h->count));
  return push_named(L, S, h);
}

/* load_csv(path, header, delimiter) */
static int files_load_csv(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const char *path = check_path(L, 1, "load_csv");
  bool header = lua_toboolean(L, 2);
  const char *delimiter = luaL_optstring(L, 3, ",");
  if (strlen(delimiter) != 1 || strchr("\"\r\n", delimiter[0]))
    mfl_raisef(L, "INVALID_ARGUMENT", "load_csv",
               "load_csv: delimiter must be one character, no quote and no line end, received '%s'", delimiter);
  holder *h = push_holder(L);
  mfl_check(L, S, mf_csv_load(path, header, delimiter[0], &h->items, &h->count));
  return push_named(L, S, h);
}

/* save_npz(path, list of names, list of tensors, compressed) */
static int files_save_npz(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const char *path = check_path(L, 1, "save_npz");
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  int n = (int)lua_rawlen(L, 2);
  bool compressed = lua_toboolean(L, 4);
  lua_settop(L, 4);
  luaL_checkstack(L, 16, "save_npz");
  lua_createtable(L, n, 0); /* keeps host copies alive */
  mf_named_tensor *items = mfl_push_scratch(L, (size_t)(n + 1) * sizeof *items);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 2, i + 1);
    size_t size;
    items[i].name = (char *)(uintptr_t)luaL_checklstring(L, -1, &size); /* the list keeps the string */
    if (strlen(items[i].name) != size) mfl_raisef(L, "INVALID_ARGUMENT", "save_npz", "save_npz: a name must not contain a zero byte");
    lua_rawgeti(L, 3, i + 1);
    mfl_to_tensor(L, S, lua_gettop(L), (mfl_wish){.op = "save_npz", .argument = items[i].name});
    items[i].tensor = mfl_push_host(L, S, mfl_get_tensor(L, S, lua_gettop(L)), "save_npz");
    lua_rawseti(L, 5, i + 1);
    lua_settop(L, 6);
  }
  mfl_check(L, S, mf_npz_save(path, items, (size_t)n, compressed));
  return 0;
}

/* ---- folders and whole files */

typedef mf_status (*names_fn)(const char *path, char ***names, size_t *count);

static int push_names(lua_State *L, const char *op, names_fn fn) {
  mfl_state *S = mfl_enter(L);
  size_t count;
  const char *path = check_path(L, 1, op);
  holder *h = push_holder(L);
  mfl_check(L, S, fn(path, &h->names, &count));
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    lua_pushstring(L, h->names[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

static int files_listdir(lua_State *L) { return push_names(L, "listdir", mf_path_list); }
static int files_glob(lua_State *L) { return push_names(L, "glob", mf_path_glob); }

static int files_exists(lua_State *L) {
  lua_pushboolean(L, mf_path_exists(check_path(L, 1, "exists")));
  return 1;
}

static int files_isdir(lua_State *L) {
  lua_pushboolean(L, mf_path_is_directory(check_path(L, 1, "isdir")));
  return 1;
}

/* read(path): the bytes */
static int files_read(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  size_t size;
  const char *path = check_path(L, 1, "read");
  holder *h = push_holder(L);
  mfl_check(L, S, mf_file_read(path, &h->bytes, &size));
  lua_pushlstring(L, h->bytes, size);
  return 1;
}

/* write(path, bytes): atomic */
static int files_write(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  size_t size;
  const char *path = check_path(L, 1, "write"), *bytes = luaL_checklstring(L, 2, &size);
  mf_writer *w;
  mfl_check(L, S, mf_writer_open(path, &w));
  mf_status status = mf_writer_write(w, bytes, size);
  if (!status) status = mf_writer_commit(w);
  else mf_writer_abandon(w);
  mfl_check(L, S, status);
  return 0;
}

int mfl_open_files(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"load_idx", files_load_idx}, {"load_npy", files_load_npy}, {"save_npy", files_save_npy}, {"load_npz", files_load_npz},
      {"save_npz", files_save_npz}, {"load_csv", files_load_csv}, {"listdir", files_listdir},   {"glob", files_glob},
      {"exists", files_exists},     {"isdir", files_isdir},       {"read", files_read},         {"write", files_write},
      {NULL, NULL}};
  mfl_state *S = mfl_state_get(L);
  lua_createtable(L, 0, (int)(sizeof functions / sizeof *functions));
  mfl_set_functions(L, S, functions);
  return 1;
}
