/* file.h - whole files in and out: plain or gzip reading, atomic writing, listing.
 *
 * Errors name the path and the system's reason: NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED (no space, no memory),
 * DATA_LOSS (broken gzip data), UNKNOWN otherwise.
 */
#ifndef MF_IO_FILE_H
#define MF_IO_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* An error from errno about `path`: "`what`: `path`: No such file or directory". */
mf_status mf_file_error(const char *what, const char *path, int error_number) MF_MUST_USE;

/* The whole file. [OUT] *bytes ended with mf_free (never NULL on success). */
mf_status mf_file_read(const char *path, char **bytes, size_t *size) MF_MUST_USE;
/* The same, unpacked when it starts with gzip's magic number. A stream larger than `most` bytes is RESOURCE_EXHAUSTED. */
mf_status mf_file_read_gz(const char *path, size_t most, char **bytes, size_t *size) MF_MUST_USE;

/* Writing that never leaves half a file: everything goes to a temporary file in the same folder, which is flushed to the disk
 * and renamed over `path` by mf_writer_commit. Until then, and after any failure, the old file is untouched. */
typedef struct mf_writer mf_writer;
mf_status mf_writer_open(const char *path, mf_writer **out) MF_MUST_USE;
mf_status mf_writer_write(mf_writer *w, const void *bytes, size_t size) MF_MUST_USE;
/* Name of the temporary file, for libraries that write by path; it exists and is empty at first. */
const char *mf_writer_path(const mf_writer *w);
mf_status mf_writer_commit(mf_writer *w) MF_MUST_USE;      /* ends w, also on failure */
void mf_writer_abandon(mf_writer *w);                      /* removes the temporary file; NULL allowed */

bool mf_path_is_directory(const char *path);
bool mf_path_exists(const char *path);
/* Names in a folder (without . and ..), or paths that match a shell pattern; sorted bytewise. [OUT] *names: NULL-ended list,
 * ended with mf_names_release. */
mf_status mf_path_list(const char *folder, char ***names, size_t *count) MF_MUST_USE;
mf_status mf_path_glob(const char *pattern, char ***names, size_t *count) MF_MUST_USE;
void mf_names_release(char **names);

#endif
