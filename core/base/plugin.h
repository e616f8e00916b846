/* plugin.h - libraries that are loaded on first use: HDF5, CUDA and whatever else costs time or is not on every
 * machine.
 *
 * A library has one description: what it is for, the names under which it may be found, what to install, and a table
 * of the symbols that are used. mf_plugin_open tries the names in order, each in the folders of MF_PLUGIN_PATH, then
 * in the folder of our own library, then where the system looks; a name with '/' is a path and taken as it is.
 *
 *     static const char *const names[] = {"libz.so.1", NULL};
 *     static const mf_plugin_symbol symbols[] = {{"crc32", offsetof(zlib_api, crc32), false}};
 *     static const mf_plugin_spec zlib = {"reading .gz files", "zlib", names, "install zlib1g", symbols, 1, false};
 *     zlib_api api;
 *     MF_TRY(mf_plugin_open(&zlib, &api, &plugin));
 *
 * What fails is UNAVAILABLE and says which library, what it is needed for, why each name failed, and what to do.
 */
#ifndef MF_BASE_PLUGIN_H
#define MF_BASE_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mf_plugin mf_plugin;

typedef struct mf_plugin_symbol {
  const char *name;            /* of a function or a variable */
  size_t offset;               /* in the caller's struct: where the address goes, in a member of pointer size */
  bool optional;               /* absent: the member becomes NULL instead of an error */
} mf_plugin_symbol;

typedef struct mf_plugin_spec {
  const char *purpose;         /* "reading and writing .h5 files" */
  const char *library;         /* "HDF5" */
  const char *const *names;    /* file names, best first, ended by NULL */
  const char *advice;          /* "install the package libhdf5-103-1" */
  const mf_plugin_symbol *symbols;
  size_t symbol_count;
  bool keep;                   /* stays mapped after mf_plugin_close: for libraries that do not survive unloading */
} mf_plugin_spec;

/* Loads the library and resolves the table into `api` (may be NULL without symbols). [OUT] *plugin: ended with
 * mf_plugin_close; NULL on failure, and nothing stays loaded. Symbols are bound locally: two plug-ins never see each
 * other's. Thread-safe; opening the same library twice gives two handles on one mapping. */
mf_status mf_plugin_open(const mf_plugin_spec *spec, void *api, mf_plugin **plugin) MF_MUST_USE;

/* The address of one more symbol; NULL when there is none. */
void *mf_plugin_symbol_address(const mf_plugin *plugin, const char *name);

/* Under which name or path the library was found. Borrowed. */
const char *mf_plugin_path(const mf_plugin *plugin);

/* NULL is allowed. No function of the library may run or be called any more (unless `keep`). */
void mf_plugin_close(mf_plugin *plugin);

/* The folder of the library that holds this function, ending in '/', or "" when it cannot be told. False: `size` is
 * short. */
bool mf_plugin_own_folder(char *folder, size_t size);

#ifdef __cplusplus
}
#endif
#endif
