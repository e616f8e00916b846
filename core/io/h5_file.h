/* h5_file.h - HDF5 files as flat lists of items: what .weights.h5 needs. libhdf5 is opened on first use.
 *
 * libhdf5 crashes or never ends on some broken files, and after a write that failed (a full disk) it crashes when the process
 * ends. So it works in a child process (base/child.h), and what becomes of that is an error like any other.
 *
 * Reading gives every group, dataset and text attribute of a file, parents before children; writing takes such a list.
 */
#ifndef MF_IO_H5_FILE_H
#define MF_IO_H5_FILE_H

#include "tensor/tensor.h"

typedef enum mf_h5_kind { MF_H5_GROUP = 1, MF_H5_DATASET = 2, MF_H5_TEXT = 3 } mf_h5_kind;

typedef struct mf_h5_item {
  mf_h5_kind kind;
  char *path;            /* "layers/dense/vars/0"; "" is the root; owned by lists that reading gave */
  char *attribute;       /* MF_H5_TEXT: name of the attribute of `path` */
  char *text;            /* MF_H5_TEXT */
  mf_tensor *tensor;     /* MF_H5_DATASET: plain numeric; bfloat16 as Keras stores it (opaque + attribute dtype) */
} mf_h5_item;

/* Writes to a temporary file in the same folder, flushes, renames: the old file stays until the new one is whole. */
mf_status mf_h5_write(const char *path, const mf_h5_item *items, size_t count) MF_MUST_USE;
/* [OUT] *items ended with mf_h5_items_release. Not an HDF5 file, or a broken one: DATA_LOSS, also
 * when libhdf5 did not survive it. */
mf_status mf_h5_read(const char *path, mf_h5_item **items, size_t *count) MF_MUST_USE;
void mf_h5_items_release(mf_h5_item *items, size_t count);

/* ---- the plug-in: libmoonflow_hdf5.so exports mf_h5_plugin. It is not linked against libmoonflow. */
enum { MF_H5_ABI = 2 };

typedef struct mf_h5_host {
  mf_status (*fail)(mf_code code, const char *format, ...);
  void *(*alloc_zero)(size_t count, size_t size);
  void (*free_block)(void *block);
  size_t (*tensor_bytes)(const mf_tensor *t);
} mf_h5_host;

/* What reading finds, one by one; everything is borrowed. A dataset's bytes follow it in parts. */
typedef struct mf_h5_sink {
  void *user;
  mf_status (*item)(void *user, const mf_h5_item *item, mf_dtype dtype, const mf_shape *shape); /* the last two: of datasets */
  mf_status (*bytes)(void *user, const void *bytes, size_t size);
} mf_h5_sink;

typedef struct mf_h5_api {
  unsigned abi;
  /* `file` is where the bytes go; `shown` is the name for messages. */
  mf_status (*write)(const char *file, const char *shown, const mf_h5_item *items, size_t count);
  mf_status (*read)(const char *file, const mf_h5_sink *sink);
} mf_h5_api;

typedef const mf_h5_api *(*mf_h5_plugin_fn)(const mf_h5_host *host);

#endif
