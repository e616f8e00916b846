/* files.h - arrays in files, whole files and folders as Lua sees them. */
#ifndef MFL_BIND_FILES_H
#define MFL_BIND_FILES_H

#include <lua.h>

/* Pushes a table of functions: see files.c; tf.files and tf.io.gfile are made of them. */
int mfl_open_files(lua_State *L);

#endif
