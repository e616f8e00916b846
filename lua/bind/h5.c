/* h5.c - reading and writing HDF5 files. An item is a table: {kind = "group", path =}, {kind = "dataset", path =, tensor =} or
 * {kind = "text", path =, attribute =, text =}. moonflow/keras/saving/weights_file.lua knows what they mean.
 */
#include "bind/h5.h"

#include <errno.h>
#include <lauxlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bind/error.h"
#include "bind/tensor.h"
#include "io/h5_file.h"

static const char *const kind_names[] = {"group", "dataset", "text", NULL};

/* What reading gave, until it is in Lua's tables: ended by __gc. */
typedef struct item_list {
  mf_h5_item *items;
  size_t count;
} item_list;

static int list_gc(lua_State *L) {
  item_list *list = lua_touserdata(L, 1);
  mf_h5_items_release(list->items, list->count);
  *list = (item_list){0};
  return 0;
}

static item_list *push_list(lua_State *L) {
  item_list *list = lua_newuserdatauv(L, sizeof *list, 0);
  *list = (item_list){0};
  if (luaL_newmetatable(L, "moonflow.h5")) {
    lua_pushcfunction(L, list_gc);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return list;
}

static const char *check_path(lua_State *L, int index, const char *op) {
  size_t size;
  const char *path = luaL_checklstring(L, index, &size);
  if (strlen(path) != size) mfl_raisef(L, "INVALID_ARGUMENT", op, "%s: a path must not contain a zero byte", op);
  return path;
}

static void push_item(lua_State *L, mfl_state *S, mf_h5_item *item) {
  lua_createtable(L, 0, 4);
  lua_pushstring(L, kind_names[item->kind - 1]);
  lua_setfield(L, -2, "kind");
  lua_pushstring(L, item->path);
  lua_setfield(L, -2, "path");
  if (item->kind == MF_H5_TEXT) {
    lua_pushstring(L, item->attribute);
    lua_setfield(L, -2, "attribute");
    lua_pushstring(L, item->text);
    lua_setfield(L, -2, "text");
  }
  if (item->kind == MF_H5_DATASET) {
    mfl_box *box = mfl_push_box(L, S);
    mfl_box_set(S, box, item->tensor);
    item->tensor = NULL;
    lua_setfield(L, -2, "tensor");
  }
}

/* read(path): a list of items, parents before children. */
static int h5_read(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const char *path = check_path(L, 1, "load_weights");
  item_list *list = push_list(L);
  mfl_check(L, S, mf_h5_read(path, &list->items, &list->count));
  lua_createtable(L, (int)list->count, 0);
  for (size_t i = 0; i < list->count; i++) {
    push_item(L, S, &list->items[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* A field of the item on top of the stack, which keeps the text. */
static const char *text_field(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  const char *text = luaL_checkstring(L, -1);
  lua_pop(L, 1);
  return text;
}

/* Reads the item on top of the stack; its tensor on the CPU is put into the list at `kept`. */
static void check_item(lua_State *L, mfl_state *S, int kept, mf_h5_item *item) {
  luaL_checktype(L, -1, LUA_TTABLE);
  lua_getfield(L, -1, "kind");
  item->kind = (mf_h5_kind)(luaL_checkoption(L, lua_gettop(L), NULL, kind_names) + 1);
  lua_pop(L, 1);
  item->path = (char *)(uintptr_t)text_field(L, "path");
  if (item->kind == MF_H5_TEXT) {
    item->attribute = (char *)(uintptr_t)text_field(L, "attribute");
    item->text = (char *)(uintptr_t)text_field(L, "text");
  }
  if (item->kind == MF_H5_DATASET) {
    lua_getfield(L, -1, "tensor");
    mf_tensor *t = mfl_check_tensor(L, S, lua_gettop(L), "save_weights", "tensor");
    item->tensor = mfl_push_host(L, S, t, "save_weights");
    lua_rawseti(L, kept, (lua_Integer)lua_rawlen(L, kept) + 1);
    lua_pop(L, 1);
  }
}

/* write(path, items): the old file stays until the new one is whole. */
static int h5_write(lua_State *L) {
  mfl_state *S = mfl_enter(L);
  const char *path = check_path(L, 1, "save_weights");
  luaL_checktype(L, 2, LUA_TTABLE);
  size_t count = (size_t)lua_rawlen(L, 2);
  lua_settop(L, 2);
  lua_createtable(L, (int)count, 0);
  mf_h5_item *items = mfl_push_scratch(L, (count + 1) * sizeof *items);
  memset(items, 0, (count + 1) * sizeof *items);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 2, (lua_Integer)i + 1);
    check_item(L, S, 3, &items[i]);
    lua_pop(L, 1);
  }
  mfl_check(L, S, mf_h5_write(path, items, count));
  return 0;
}

/* make_folder(path): true, also when it exists; else nil and why not. */
static int make_folder(lua_State *L) {
  const char *path = check_path(L, 1, "mkdir");
  if (mkdir(path, 0777) == 0 || errno == EEXIST) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, strerror(errno));
  return 2;
}

int mfl_open_h5(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"read", h5_read}, {"write", h5_write}, {"make_folder", make_folder}, {NULL, NULL}};
  luaL_newlibtable(L, functions);
  mfl_set_functions(L, mfl_state_get(L), functions);
  return 1;
}
