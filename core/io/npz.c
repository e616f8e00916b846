/* npz.c - a zip archive of npy files, over libzip. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/array_file.h"
#include "io/file.h"

void mf_named_tensors_release(mf_named_tensor *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    mf_free(items[i].name);
    mf_tensor_release(items[i].tensor);
  }
  mf_free(items);
}

#ifdef MF_HAVE_ZIP
#include <zip.h>

static mf_status zip_failure(const char *what, const char *path, zip_error_t *e) {
  if (zip_error_system_type(e) == ZIP_ET_SYS && zip_error_code_system(e)) return mf_file_error(what, path, zip_error_code_system(e));
  mf_code code = zip_error_code_zip(e) == ZIP_ER_NOENT ? MF_NOT_FOUND : MF_DATA_LOSS;
  return mf_fail(code, "%s: %s: %s", what, path, zip_error_strerror(e));
}

static mf_status read_entry(zip_t *z, const char *path, zip_uint64_t index, mf_named_tensor *item) {
  zip_stat_t info;
  char what[512];
  if (zip_stat_index(z, index, 0, &info)) return zip_failure("load_npz", path, zip_get_error(z));
  if (info.size > (zip_uint64_t)1 << 40)
    return mf_fail(MF_RESOURCE_EXHAUSTED, "load_npz: %s: entry %s claims %llu bytes", path, info.name,
                   (unsigned long long)info.size);
  snprintf(what, sizeof what, "%s: %s", path, info.name);
  size_t length = strlen(info.name);
  if (length > 4 && !strcmp(info.name + length - 4, ".npy")) length -= 4;
  item->name = mf_strndup(info.name, length);
  char *bytes = mf_alloc((size_t)info.size + 1);
  zip_file_t *f = bytes ? zip_fopen_index(z, index, 0) : NULL;
  mf_status status = NULL;
  if (!item->name || !bytes) status = mf_fail_oom();
  else if (!f) status = zip_failure("load_npz", what, zip_get_error(z));
  zip_int64_t got = status ? 0 : zip_fread(f, bytes, info.size);
  if (!status && got != (zip_int64_t)info.size) status = mf_fail(MF_DATA_LOSS, "load_npz: %s: truncated or corrupt entry", what);
  char more; /* libzip compares the checksum when it comes to the end */
  if (!status && zip_fread(f, &more, 1) != 0) status = mf_fail(MF_DATA_LOSS, "load_npz: %s: the checksum does not match", what);
  if (f && zip_fclose(f) && !status) status = mf_fail(MF_DATA_LOSS, "load_npz: %s: truncated or corrupt entry", what);
  if (!status) status = mf_npy_parse(what, bytes, (size_t)info.size, &item->tensor);
  mf_free(bytes);
  return status;
}

mf_status mf_npz_load(const char *path, mf_named_tensor **items, size_t *count) {
  int code = 0;
  *items = NULL;
  *count = 0;
  if (mf_path_is_directory(path)) return mf_file_error("load_npz", path, EISDIR);
  zip_t *z = zip_open(path, ZIP_RDONLY, &code);
  if (!z) {
    zip_error_t e;
    zip_error_init_with_code(&e, code); /* takes errno, too */
    mf_status status = zip_failure("load_npz", path, &e);
    zip_error_fini(&e);
    return status;
  }
  zip_int64_t n = zip_get_num_entries(z, 0);
  mf_named_tensor *list = mf_alloc_zero((size_t)n + 1, sizeof *list);
  mf_status status = list ? NULL : mf_fail_oom();
  for (zip_int64_t i = 0; i < n && !status; i++) status = read_entry(z, path, (zip_uint64_t)i, &list[i]);
  zip_discard(z);
  if (status) {
    if (list) mf_named_tensors_release(list, (size_t)n);
    return status;
  }
  *items = list;
  *count = (size_t)n;
  return NULL;
}

/* libzip reads header and elements when the archive is closed: nothing is copied. *header is to be ended after that. */
static mf_status add_entry(zip_t *z, const char *path, const mf_named_tensor *item, bool compressed, char **header) {
  char name[512];
  zip_buffer_fragment_t parts[2] = {{0}};
  size_t size;
  MF_TRY(mf_npy_header(item->tensor, header, &size));
  parts[0] = (zip_buffer_fragment_t){(zip_uint8_t *)*header, size};
  parts[1] = (zip_buffer_fragment_t){(zip_uint8_t *)item->tensor->data, mf_tensor_bytes(item->tensor)};
  snprintf(name, sizeof name, "%s.npy", item->name);
  zip_source_t *source = zip_source_buffer_fragment(z, parts, parts[1].length ? 2 : 1, 0);
  if (!source) return mf_fail_oom();
  zip_int64_t index = zip_file_add(z, name, source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return zip_failure("save_npz", path, zip_get_error(z));
  }
  (void)zip_set_file_compression(z, (zip_uint64_t)index, compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  return NULL;
}

static mf_status write_entries(const char *file, const char *path, const mf_named_tensor *items, size_t count, bool compressed,
                               char **headers) {
  int code = 0;
  zip_t *z = zip_open(file, ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!z) return mf_fail(MF_UNKNOWN, "save_npz: %s: cannot be opened for writing (libzip error %d)", path, code);
  mf_status status = NULL;
  for (size_t i = 0; i < count && !status; i++) status = add_entry(z, path, &items[i], compressed, &headers[i]);
  if (!status && !zip_close(z)) return NULL;
  if (!status) status = zip_failure("save_npz", path, zip_get_error(z));
  zip_discard(z);
  return status;
}

mf_status mf_npz_save(const char *path, const mf_named_tensor *items, size_t count, bool compressed) {
  mf_writer *w;
  char **headers = mf_alloc_zero(count + 1, sizeof *headers);
  if (!headers) return mf_fail_oom();
  mf_status status = mf_writer_open(path, &w);
  if (!status) {
    status = write_entries(mf_writer_path(w), path, items, count, compressed, headers);
    if (status) mf_writer_abandon(w);
    else status = mf_writer_commit(w);
  }
  for (size_t i = 0; i < count; i++) mf_free(headers[i]);
  mf_free(headers);
  return status;
}

#else

static mf_status no_zip(const char *what, const char *path) {
  return mf_fail(MF_UNIMPLEMENTED, "%s: %s: this build has no libzip (install libzip-dev and build again)", what, path);
}

mf_status mf_npz_load(const char *path, mf_named_tensor **items, size_t *count) {
  *items = NULL;
  *count = 0;
  return no_zip("load_npz", path);
}

mf_status mf_npz_save(const char *path, const mf_named_tensor *items, size_t count, bool compressed) {
  (void)items;
  (void)count;
  (void)compressed;
  return no_zip("save_npz", path);
}

#endif
