/* h5_file.c - the side of HDF5 that is always there: opening the plug-in, its child process, atomic writing. See h5_file.h. */
#include "io/h5_file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/memory.h"
#include "base/plugin.h"
#include "io/file.h"

static const mf_h5_host host = {.fail = mf_fail, .alloc_zero = mf_alloc_zero, .free_block = mf_free, .tensor_bytes = mf_tensor_bytes};

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

/* ---- what the child tells: frames, each with its texts (or bytes) behind it */

enum { FRAME_END = 0x4D460000, FRAME_FAILED, FRAME_ITEM, FRAME_BYTES };

typedef struct frame {
  uint32_t kind;
  int32_t code;                /* FRAME_FAILED; its message is texts[0] */
  int32_t item, dtype, rank;   /* FRAME_ITEM; its path, attribute and text are texts[] */
  int64_t dims[MF_MAX_RANK];
  uint64_t texts[3];           /* lengths; FRAME_BYTES, the next ones of the dataset that came last: texts[0] */
} frame;

static bool send_frame(int fd, frame *f, const char *a, const char *b, const char *c) {
  const char *texts[3] = {a, b, c};
  for (int i = 0; i < 3; i++) f->texts[i] = texts[i] ? strlen(texts[i]) : 0;
  bool ok = mf_child_write(fd, f, sizeof *f);
  for (int i = 0; i < 3 && ok; i++) ok = mf_child_write(fd, texts[i], (size_t)f->texts[i]);
  return ok;
}

static void send_end(int fd, mf_status status) {
  frame f = {.kind = status ? FRAME_FAILED : FRAME_END, .code = (int32_t)mf_status_code(status)};
  (void)send_frame(fd, &f, status ? mf_status_message(status) : NULL, NULL, NULL);
}

/* The texts behind a frame. [OUT] texts[i]: ended with mf_free; also after a failure. */
static bool take_texts(const mf_child *child, const frame *f, char *texts[3]) {
  for (int i = 0; i < 3; i++) texts[i] = NULL;
  for (int i = 0; i < 3; i++) {
    if (f->texts[i] > INT32_MAX || !(texts[i] = mf_alloc((size_t)f->texts[i] + 1))) return false;
    texts[i][f->texts[i]] = 0;
    if (!mf_child_read(child, texts[i], (size_t)f->texts[i])) return false;
  }
  return true;
}

/* The child said that it ended, well or not. */
static mf_status take_end(const mf_child *child, const frame *f) {
  char *texts[3];
  mf_status status = NULL;
  if (!take_texts(child, f, texts)) status = mf_fail_oom();
  else if (f->kind == FRAME_FAILED) status = mf_fail((mf_code)f->code, "%s", texts[0]);
  for (int i = 0; i < 3; i++) mf_free(texts[i]);
  return status;
}

/* The child did not say that it ended. */
static mf_status lost(mf_child *child, mf_code code, const char *what, const char *path) {
  int number = mf_child_end(child, false);
  if (number == SIGXCPU) return mf_fail(code, "%s: %s: libhdf5 did not come to an end", what, path);
  return mf_fail(code, "%s: %s: libhdf5 crashed (signal %d)", what, path, number);
}

/* More than libhdf5 needs for that many bytes on a slow machine (8 MiB a second). */
static unsigned most_seconds(uint64_t bytes) { return 5 + (unsigned)(bytes >> 23); }

/* ---- writing */

typedef struct write_job {
  const mf_h5_api *api;
  const char *file, *shown;
  const mf_h5_item *items;
  size_t count;
} write_job;

static void write_in_child(void *user, int fd) {
  const write_job *job = user;
  send_end(fd, job->api->write(job->file, job->shown, job->items, job->count));
}

static mf_status write_temporary(write_job *job) {
  mf_child child;
  frame f;
  uint64_t bytes = 0;
  for (size_t i = 0; i < job->count; i++) bytes += job->items[i].tensor ? mf_tensor_bytes(job->items[i].tensor) : 0;
  mf_status status = mf_child_start(write_in_child, job, most_seconds(bytes), &child);
  if (status) { /* no process to be had: better in this one than not at all */
    mf_status_release(status);
    return job->api->write(job->file, job->shown, job->items, job->count);
  }
  if (!mf_child_read(&child, &f, sizeof f)) return lost(&child, MF_INTERNAL, "write", job->shown);
  status = take_end(&child, &f);
  mf_child_end(&child, false);
  return status;
}

static mf_status write_locked(const char *path, const mf_h5_item *items, size_t count) {
  write_job job = {.shown = path, .items = items, .count = count};
  mf_writer *w;
  MF_TRY(api_get(&job.api));
  MF_TRY(mf_writer_open(path, &w));
  job.file = mf_writer_path(w);
  mf_status status = write_temporary(&job);
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

/* ---- reading */

typedef struct read_job {
  const mf_h5_api *api;
  const char *path;
  int fd;
} read_job;

static mf_status nobody_listens(void) { return mf_fail(MF_CANCELLED, "nobody listens"); }

static mf_status send_item(void *user, const mf_h5_item *item, mf_dtype dtype, const mf_shape *shape) {
  const read_job *job = user;
  frame f = {.kind = FRAME_ITEM, .item = (int32_t)item->kind, .dtype = (int32_t)dtype, .rank = shape ? shape->rank : 0};
  for (int i = 0; i < f.rank; i++) f.dims[i] = shape->dims[i];
  return send_frame(job->fd, &f, item->path, item->attribute, item->text) ? NULL : nobody_listens();
}

static mf_status send_bytes(void *user, const void *bytes, size_t size) {
  const read_job *job = user;
  const frame f = {.kind = FRAME_BYTES, .texts = {size}};
  return mf_child_write(job->fd, &f, sizeof f) && mf_child_write(job->fd, bytes, size) ? NULL : nobody_listens();
}

static void read_in_child(void *user, int fd) {
  read_job *job = user;
  job->fd = fd;
  const mf_h5_sink sink = {job, send_item, send_bytes};
  send_end(fd, job->api->read(job->path, &sink));
}

typedef struct item_list {
  mf_h5_item *items;
  size_t count, capacity;
  char *to;                    /* where the next bytes of the last dataset go, */
  size_t missing;              /* and how many are still to come */
} item_list;

/* Why an item could not be taken is *status; NULL with false: the child is gone, or has lost its senses. */
static bool take_item(const mf_child *child, const frame *f, item_list *list, mf_status *status) {
  char *texts[3];
  if (f->rank < 0 || f->rank > MF_MAX_RANK || f->item < MF_H5_GROUP || f->item > MF_H5_TEXT) return false;
  if (!mf_array_reserve((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
    *status = mf_fail_oom();
    return false;
  }
  bool ok = take_texts(child, f, texts);
  mf_h5_item *item = &list->items[list->count++];
  *item = (mf_h5_item){.kind = (mf_h5_kind)f->item, .path = texts[0], .attribute = texts[1], .text = texts[2]};
  if (!ok || f->item != MF_H5_DATASET) return ok;
  mf_shape shape = {.rank = f->rank};
  for (int i = 0; i < f->rank; i++) shape.dims[i] = f->dims[i];
  *status = mf_tensor_new(mf_device_cpu(), (mf_dtype)f->dtype, &shape, &item->tensor);
  if (*status) return false;
  list->to = item->tensor->data;
  list->missing = mf_tensor_bytes(item->tensor);
  return true;
}

static bool take_bytes(const mf_child *child, const frame *f, item_list *list) {
  size_t size = (size_t)f->texts[0];
  if (size > list->missing || !mf_child_read(child, list->to, size)) return false;
  list->to += size;
  list->missing -= size;
  return true;
}

static mf_status take_items(mf_child *child, const char *path, item_list *list) {
  mf_status status = NULL;
  frame f;
  while (mf_child_read(child, &f, sizeof f)) {
    if ((f.kind == FRAME_END && !list->missing) || f.kind == FRAME_FAILED) {
      status = take_end(child, &f);
      mf_child_end(child, false);
      return status;
    }
    if (f.kind == FRAME_BYTES && take_bytes(child, &f, list)) continue;
    if (f.kind == FRAME_ITEM && !list->missing && take_item(child, &f, list, &status)) continue;
    if (!status) break;
    mf_child_end(child, true);
    return mf_status_prefix(status, "read: %s", path);
  }
  return lost(child, MF_DATA_LOSS, "read", path);
}

static mf_status read_locked(const char *path, uint64_t size, item_list *list) {
  read_job job = {.path = path};
  mf_child child;
  MF_TRY(api_get(&job.api));
  mf_status status = mf_child_start(read_in_child, &job, most_seconds(size), &child);
  if (status) return mf_status_prefix(status, "read: %s", path);
  return take_items(&child, path, list);
}

mf_status mf_h5_read(const char *path, mf_h5_item **items, size_t *count) {
  item_list list = {0};
  struct stat info;
  *items = NULL;
  *count = 0;
  if (stat(path, &info)) return mf_file_error("read", path, errno);
  if (!S_ISREG(info.st_mode)) return mf_fail(MF_FAILED_PRECONDITION, "read: %s is not a regular file", path);
  if (access(path, R_OK)) return mf_file_error("read", path, errno);
  h5_lock();
  mf_status status = read_locked(path, (uint64_t)info.st_size, &list);
  h5_unlock();
  if (status) {
    mf_h5_items_release(list.items, list.count);
    return status;
  }
  *items = list.items;
  *count = list.count;
  return NULL;
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
