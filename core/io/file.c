/* file.c - whole files: see file.h. */
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#ifdef MF_HAVE_ZLIB
#include <zlib.h>
#endif

mf_status mf_file_error(const char *what, const char *path, int error_number) {
  mf_code code = MF_UNKNOWN;
  if (error_number == ENOENT || error_number == ENOTDIR) code = MF_NOT_FOUND;
  else if (error_number == EACCES || error_number == EPERM || error_number == EROFS) code = MF_PERMISSION_DENIED;
  else if (error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG ||
           error_number == ENOMEM || error_number == EMFILE)
    code = MF_RESOURCE_EXHAUSTED;
  else if (error_number == EISDIR) code = MF_FAILED_PRECONDITION;
  char text[128];
  return mf_fail(code, "%s: %s: %s", what, path, strerror_r(error_number, text, sizeof text));
}

/* ---- reading */

static mf_status read_all(int fd, const char *path, char **bytes, size_t *size) {
  size_t capacity = 0;
  struct stat info;
  if (fstat(fd, &info)) return mf_file_error("read", path, errno);
  if (S_ISDIR(info.st_mode)) return mf_file_error("read", path, EISDIR);
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) return mf_fail(MF_FAILED_PRECONDITION, "read: %s is a device, not a file", path);
  size_t expected = info.st_size > 0 ? (size_t)info.st_size : 0;
  if (!mf_array_reserve((void **)bytes, &capacity, expected + 1, 1)) return mf_fail_oom();
  for (;;) {
    if (*size + 1 >= capacity && !mf_array_reserve((void **)bytes, &capacity, *size + 65536, 1)) return mf_fail_oom();
    ssize_t got = read(fd, *bytes + *size, capacity - *size - 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return mf_file_error("read", path, errno);
    if (got == 0) break;
    *size += (size_t)got;
  }
  (*bytes)[*size] = 0;
  return NULL;
}

mf_status mf_file_read(const char *path, char **bytes, size_t *size) {
  *bytes = NULL;
  *size = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return mf_file_error("read", path, errno);
  mf_status status = read_all(fd, path, bytes, size);
  close(fd);
  if (status) {
    mf_free(*bytes);
    *bytes = NULL;
    *size = 0;
  }
  return status;
}

#ifdef MF_HAVE_ZLIB
/* Several gzip members in a row are one stream, as gzip itself reads them. */
static mf_status inflate_all(const char *path, const char *packed, size_t packed_size, size_t most, char **out, size_t *size) {
  z_stream z = {0};
  size_t capacity = 0, at = 0;
  if (inflateInit2(&z, 15 + 16) != Z_OK) return mf_fail_oom();
  mf_status status = NULL;
  int code = Z_OK;
  while (!status && at < packed_size) {
    if (capacity - *size < 65536 && !mf_array_reserve((void **)out, &capacity, *size + 262144, 1)) status = mf_fail_oom();
    if (status) break;
    size_t give = packed_size - at < (1u << 30) ? packed_size - at : (1u << 30), room = capacity - *size - 1;
    if (room > (1u << 30)) room = 1u << 30;
    z.next_in = (Bytef *)(uintptr_t)(packed + at);
    z.avail_in = (uInt)give;
    z.next_out = (Bytef *)(*out + *size);
    z.avail_out = (uInt)room;
    code = inflate(&z, Z_NO_FLUSH);
    at += give - z.avail_in;
    *size += room - z.avail_out;
    if (*size > most) status = mf_fail(MF_RESOURCE_EXHAUSTED, "gunzip: %s: unpacks to more than %zu bytes", path, most);
    else if (code == Z_STREAM_END) code = inflateReset(&z) == Z_OK ? Z_STREAM_END : Z_DATA_ERROR;
    else if (code != Z_OK && code != Z_BUF_ERROR)
      status = mf_fail(MF_DATA_LOSS, "gunzip: %s: broken data at byte %zu: %s", path, at, z.msg ? z.msg : "unknown");
    if (!status && code == Z_BUF_ERROR && z.avail_in == 0 && at == packed_size) break;
  }
  if (!status && code != Z_STREAM_END) status = mf_fail(MF_DATA_LOSS, "gunzip: %s: truncated at byte %zu", path, packed_size);
  inflateEnd(&z);
  return status;
}
#endif

mf_status mf_file_read_gz(const char *path, size_t most, char **bytes, size_t *size) {
  MF_TRY(mf_file_read(path, bytes, size));
  if (*size < 2 || (unsigned char)(*bytes)[0] != 0x1F || (unsigned char)(*bytes)[1] != 0x8B) return NULL;
  char *packed = *bytes;
  size_t packed_size = *size;
  *bytes = NULL;
  *size = 0;
#ifdef MF_HAVE_ZLIB
  mf_status status = inflate_all(path, packed, packed_size, most, bytes, size);
#else
  (void)packed_size;
  (void)most;
  mf_status status = mf_fail(MF_UNIMPLEMENTED, "read: %s is gzip-compressed; this build has no zlib (install zlib1g-dev)", path);
#endif
  mf_free(packed);
  if (!status && !*bytes && !(*bytes = mf_alloc(1))) status = mf_fail_oom();
  if (status) {
    mf_free(*bytes);
    *bytes = NULL;
    *size = 0;
  }
  return status;
}

/* ---- writing */

struct mf_writer {
  int fd;
  char *path, *temporary;
};

static void writer_free(mf_writer *w) {
  mf_free(w->path);
  mf_free(w->temporary);
  mf_free(w);
}

/* A name nobody uses: what a killed process left behind is stepped over. */
static int open_temporary(mf_writer *w, size_t size) {
  w->fd = -1;
  for (int n = 0; n < 1000 && w->fd < 0; n++) {
    snprintf(w->temporary, size, "%s.tmp-%ld-%d", w->path, (long)getpid(), n);
    w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (w->fd < 0 && errno != EEXIST) return -1;
  }
  return w->fd;
}

/* What a link points to is written, not the link replaced. Devices and pipes cannot be replaced. */
static mf_status target_of(const char *path, char **target) {
  struct stat old;
  *target = NULL;
  if (stat(path, &old) == 0 && S_ISDIR(old.st_mode)) return mf_file_error("write", path, EISDIR);
  if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) return mf_fail(MF_FAILED_PRECONDITION, "write: %s is not a regular file", path);
  if (lstat(path, &old) == 0 && S_ISLNK(old.st_mode)) {
    char *resolved = realpath(path, NULL);
    if (!resolved) return mf_file_error("write", path, errno);
    *target = mf_strdup(resolved);
    free(resolved);
  } else {
    *target = mf_strdup(path);
  }
  return *target ? NULL : mf_fail_oom();
}

mf_status mf_writer_open(const char *path, mf_writer **out) {
  char *target;
  *out = NULL;
  MF_TRY(target_of(path, &target));
  mf_writer *w = mf_alloc_zero(1, sizeof *w);
  size_t size = strlen(target) + 40;
  if (w) w->path = target;
  else mf_free(target);
  if (!w || !(w->temporary = mf_alloc(size))) {
    if (w) writer_free(w);
    return mf_fail_oom();
  }
  if (open_temporary(w, size) < 0) {
    mf_status status = mf_file_error("write", path, errno);
    writer_free(w);
    return status;
  }
  struct stat old;
  if (stat(path, &old) == 0) (void)fchmod(w->fd, old.st_mode & 07777);
  *out = w;
  return NULL;
}

const char *mf_writer_path(const mf_writer *w) { return w->temporary; }

mf_status mf_writer_write(mf_writer *w, const void *bytes, size_t size) {
  const char *p = bytes;
  while (size > 0) {
    ssize_t put = write(w->fd, p, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return mf_file_error("write", w->path, errno);
    p += put;
    size -= (size_t)put;
  }
  return NULL;
}

void mf_writer_abandon(mf_writer *w) {
  if (!w) return;
  if (w->fd >= 0) close(w->fd);
  unlink(w->temporary);
  writer_free(w);
}

/* The rename is on the disk only after the folder is flushed too. */
static void flush_folder(const char *path) {
  char *folder = mf_strdup(path);
  if (!folder) return;
  char *slash = strrchr(folder, '/');
  if (slash == folder) folder[1] = 0;
  else if (slash) *slash = 0;
  int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)fsync(fd);
    close(fd);
  }
  mf_free(folder);
}

/* Libraries that write by path may have put a new file under the temporary name: that one is flushed too. */
static int flush_temporary(mf_writer *w) {
  int failed = fsync(w->fd) ? errno : 0;
  if (close(w->fd) && !failed) failed = errno;
  w->fd = open(w->temporary, O_RDONLY | O_CLOEXEC);
  if (w->fd < 0) return failed ? failed : errno;
  if (fsync(w->fd) && !failed) failed = errno;
  if (close(w->fd) && !failed) failed = errno;
  w->fd = -1;
  return failed;
}

mf_status mf_writer_commit(mf_writer *w) {
  int failed = flush_temporary(w);
  if (!failed && rename(w->temporary, w->path)) failed = errno;
  if (failed) {
    mf_status status = mf_file_error("write", w->path, failed);
    mf_writer_abandon(w);
    return status;
  }
  flush_folder(w->path);
  writer_free(w);
  return NULL;
}

/* ---- folders */

bool mf_path_is_directory(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool mf_path_exists(const char *path) { return access(path, F_OK) == 0; }

void mf_names_release(char **names) {
  for (size_t i = 0; names && names[i]; i++) mf_free(names[i]);
  mf_free(names);
}

typedef struct name_list {
  char **names;
  size_t count, capacity;
} name_list;

static mf_status add_name(name_list *l, const char *name) {
  if (!mf_array_reserve((void **)&l->names, &l->capacity, l->count + 2, sizeof *l->names)) return mf_fail_oom();
  l->names[l->count] = mf_strdup(name);
  if (!l->names[l->count]) return mf_fail_oom();
  l->names[++l->count] = NULL;
  return NULL;
}

static int by_bytes(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static mf_status finish_names(name_list *l, mf_status status, char ***names, size_t *count) {
  if (!status && !l->names && !(l->names = mf_alloc_zero(1, sizeof *l->names))) status = mf_fail_oom();
  if (status) {
    mf_names_release(l->names);
    return status;
  }
  qsort(l->names, l->count, sizeof *l->names, by_bytes);
  *names = l->names;
  *count = l->count;
  return NULL;
}

mf_status mf_path_list(const char *folder, char ***names, size_t *count) {
  name_list l = {0};
  *names = NULL;
  *count = 0;
  DIR *d = opendir(folder);
  if (!d) return mf_file_error("listdir", folder, errno);
  mf_status status = NULL;
  for (struct dirent *e; !status && (e = readdir(d));)
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) status = add_name(&l, e->d_name);
  closedir(d);
  return finish_names(&l, status, names, count);
}

mf_status mf_path_glob(const char *pattern, char ***names, size_t *count) {
  name_list l = {0};
  glob_t g;
  *names = NULL;
  *count = 0;
  int code = glob(pattern, GLOB_NOSORT, NULL, &g);
  if (code == GLOB_NOSPACE) return mf_fail_oom();
  if (code && code != GLOB_NOMATCH) return mf_file_error("glob", pattern, errno);
  mf_status status = NULL;
  for (size_t i = 0; !code && i < g.gl_pathc && !status; i++) status = add_name(&l, g.gl_pathv[i]);
  if (!code) globfree(&g);
  return finish_names(&l, status, names, count);
}
