/* array_file.h - arrays in files: idx (MNIST's format), npy and npz (NumPy's), CSV tables. Tensors in host memory.
 *
 * Readers check every length before they use it; a broken file is DATA_LOSS or INVALID_ARGUMENT with the path and the byte
 * offset. Sources: the idx description on the MNIST page; NumPy's NEP 1 (npy, npz).
 */
#ifndef MF_IO_ARRAY_FILE_H
#define MF_IO_ARRAY_FILE_H

#include "tensor/tensor.h"

/* idx, plain or gzip: uint8, int8, int16, int32, float32, float64; big-endian in the file. [OUT] *out new handle. */
mf_status mf_idx_load(const char *path, mf_tensor **out) MF_MUST_USE;

/* npy versions 1 to 3, C or Fortran order, either byte order; numeric and bool dtypes (no objects, no strings). */
mf_status mf_npy_load(const char *path, mf_tensor **out) MF_MUST_USE;
/* Version 1, C order, little-endian; bfloat16 has no npy type: INVALID_ARGUMENT. Atomic. */
mf_status mf_npy_save(const char *path, mf_tensor *t) MF_MUST_USE;

/* One array of an npz archive. */
typedef struct mf_named_tensor {
  char *name;                /* without ".npy"; owned */
  mf_tensor *tensor;         /* counted */
} mf_named_tensor;
/* [OUT] *items: in the order of the archive; ended with mf_named_tensors_release. */
mf_status mf_npz_load(const char *path, mf_named_tensor **items, size_t *count) MF_MUST_USE;
mf_status mf_npz_save(const char *path, const mf_named_tensor *items, size_t count, bool compressed) MF_MUST_USE;
void mf_named_tensors_release(mf_named_tensor *items, size_t count);

/* CSV (RFC 4180: quotes, doubled quotes, line breaks inside quotes; CR LF or LF). Each column becomes one vector: int64 when all
 * its fields are integers, float64 when all are numbers (empty = NaN), string otherwise.
 * header: the first row holds names; else columns are "0", "1", ... A row with another number of fields is INVALID_ARGUMENT
 * with its line number. */
mf_status mf_csv_load(const char *path, bool header, char delimiter, mf_named_tensor **columns, size_t *count) MF_MUST_USE;

/* npy in memory: the header and the data as one block (also used inside npz). */
mf_status mf_npy_parse(const char *what, const char *bytes, size_t size, mf_tensor **out) MF_MUST_USE;
mf_status mf_npy_header(mf_tensor *t, char **header, size_t *size) MF_MUST_USE;   /* *header ended with mf_free */

#endif
