/* h5_file.c - the side of HDF5 that is always there: opening the plug-in, atomic writing. See h5_file.h. */
#include "io/h5_file.h"

#include <pthread.h>

#include "base/memory.h"
#include "base/plugin.h"
#include "io/file.h"

static mf_status tensor_new(mf_dtype dtype, const mf_shape *shape, mf_tensor **out) {
  return mf_tensor_new(mf_device_cpu(), dtype, shape, out);
}

static const mf_h5_host host = {.fail = mf_fail, .alloc_zero = mf_alloc_zero, .array_reserve = mf_array_reserve,
                                .duplicate = mf_strdup, .free_block = mf_free, .tensor_new = tensor_new,
                                .tensor_bytes = mf_tensor_bytes};

/* libhdf5 need not be built for threads: one call at a time. Recursive, because allocating a tensor may collect garbage, and a
 * finaliser may read a file. */
static pthread_mutex_t one_at_a_time = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void h5_lock(void) { pthread_mutex_lock(&one_at_a_time); }

static void h5_unlock(void) { pthread_mutex_unlock(&one_at_a_time); }

/* HDF5 does not survive being unloaded: the library stays mapped, and asking again only finds it. */
static mf_status api_get(const mf_h5_api **api) {
  static const char *const names[] = {"libmoonflow_hdf5.so", NULL};
  static const mf_plugin_symbol symbols[] = {{"mf_h5_plugin", 0, false}};
  static const mf_plugin_spec spec = {.purpose = "reading and writing .h5 files", .library = "moonflow's HDF5 plug-in",
                                      .names = names, .advice = "build moonflow where libhdf5-dev is installed",
                                      .symbols = symbols, .symbol_count = 1, .keep = true};
  mf_h5_plugin_fn open_plugin;
  mf_plugin *plugin;
  *api = NULL;
  MF_TRY(mf_plugin_open(&spec, &open_plugin, &plugin));
  mf_plugin_close(plugin);
  *api = open_plugin(&host);
  if ((*api)->abi != MF_H5_ABI)
    return mf_fail(MF_UNAVAILABLE, "libmoonflow_hdf5.so does not fit this moonflow (ABI %u, expected %d)", (*api)->abi, MF_H5_ABI);
  return NULL;
}

static mf_status write_locked(const char *path, const mf_h5_item *items, size_t count) {
  const mf_h5_api *api;
  mf_writer *w;
  MF_TRY(api_get(&api));
  MF_TRY(mf_writer_open(path, &w));
  mf_status status = api->write(mf_writer_path(w), path, items, count);
  if (!status) return mf_writer_commit(w);
  mf_writer_abandon(w);
  return status;
}

mf_status mf_h5_write(const char *path, const mf_h5_item *items, size_t count) {
  h5_lock();
  mf_status status = write_locked(path, items, count);
  h5_unlock();
  return status;
}

mf_status mf_h5_read(const char *path, mf_h5_item **items, size_t *count) {
  const mf_h5_api *api;
  *items = NULL;
  *count = 0;
  if (!mf_path_exists(path)) return mf_fail(MF_NOT_FOUND, "read: %s: No such file or directory", path);
  h5_lock();
  mf_status status = api_get(&api);
  if (!status) status = api->read(path, items, count);
  h5_unlock();
  if (status) {
    mf_h5_items_release(*items, *count);
    *items = NULL;
    *count = 0;
  }
  return status;
}

void mf_h5_items_release(mf_h5_item *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    mf_free(items[i].path);
    mf_free(items[i].attribute);
    mf_free(items[i].text);
    mf_tensor_release(items[i].tensor);
  }
  mf_free(items);
}
