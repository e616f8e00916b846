/* open.c - the Lua module moonflow.core: a table with one field a binding. A new binding adds its header and one row here. */
#include "bind/open.h"

#include <lauxlib.h>

#include "bind/args.h"
#include "bind/ctx.h"
#include "bind/custom_gradient.h"
#include "bind/data.h"
#include "bind/dtype.h"
#include "bind/error.h"
#include "bind/files.h"
#include "bind/graph.h"
#include "bind/h5.h"
#include "bind/json.h"
#include "bind/keras.h"
#include "bind/op.h"
#include "bind/scope.h"
#include "bind/shape.h"
#include "bind/tape.h"
#include "bind/tensor.h"
#include "bind/variable.h"

/* In this order: later ones may use what earlier ones put into the registry. Each pushes one table. */
static const luaL_Reg bindings[] = {
    {"error", mfl_open_error},
    {"args", mfl_open_args},
    {"json", mfl_open_json},
    {"machine", mfl_open_ctx},
    {"dtype", mfl_open_dtype},
    {"shape", mfl_open_shape},
    {"tensor", mfl_open_tensor},
    {"op", mfl_open_op},
    {"scope", mfl_open_scope},
    {"variable", mfl_open_variable},
    {"tape", mfl_open_tape},
    {"custom_gradient", mfl_open_custom_gradient},
    {"graph", mfl_open_graph},
    {"data", mfl_open_data},
    {"files", mfl_open_files},
    {"keras", mfl_open_keras},
    {"h5", mfl_open_h5},
    {NULL, NULL}};

int luaopen_moonflow_core(lua_State *L) {
  luaL_checkversion(L);
  mfl_state_open(L);
  lua_createtable(L, 0, (int)(sizeof bindings / sizeof *bindings));
  for (const luaL_Reg *b = bindings; b->name; b++) {
    int top = lua_gettop(L);
    b->func(L);
    lua_setfield(L, top, b->name);
  }
  return 1;
}
