/* idx.c - MNIST's idx format: magic 0 0 type rank, rank big-endian sizes, then the elements, big-endian. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "io/array_file.h"
#include "io/file.h"

static mf_dtype dtype_of(unsigned char code) {
  switch (code) {
    case 0x08: return MF_UINT8;
    case 0x09: return MF_INT8;
    case 0x0B: return MF_INT16;
    case 0x0C: return MF_INT32;
    case 0x0D: return MF_FLOAT32;
    case 0x0E: return MF_FLOAT64;
    default: return MF_DTYPE_INVALID;
  }
}

static void reverse_elements(char *to, const char *from, size_t count, size_t size) {
  for (size_t i = 0; i < count; i++)
    for (size_t b = 0; b < size; b++) to[i * size + b] = from[i * size + size - 1 - b];
}

static mf_status parse(const char *path, const char *bytes, size_t size, mf_tensor **out) {
  const unsigned char *p = (const unsigned char *)bytes;
  int64_t dims[MF_MAX_RANK];
  mf_shape shape;
  if (size < 4 || p[0] || p[1]) return mf_fail(MF_DATA_LOSS, "load_idx: %s: not an idx file (bad magic number at byte 0)", path);
  mf_dtype dtype = dtype_of(p[2]);
  if (!dtype) return mf_fail(MF_DATA_LOSS, "load_idx: %s: unknown element type 0x%02X at byte 2", path, p[2]);
  int rank = p[3];
  if (rank > MF_MAX_RANK)
    return mf_fail(MF_INVALID_ARGUMENT, "load_idx: %s: rank %d is more than %d", path, rank, MF_MAX_RANK);
  size_t header = 4 + 4 * (size_t)rank;
  if (size < header) return mf_fail(MF_DATA_LOSS, "load_idx: %s: truncated at byte %zu (inside the header)", path, size);
  for (int i = 0; i < rank; i++) {
    const unsigned char *d = p + 4 + 4 * i;
    dims[i] = (int64_t)d[0] << 24 | (int64_t)d[1] << 16 | (int64_t)d[2] << 8 | (int64_t)d[3];
  }
  MF_TRY(mf_status_prefix(mf_shape_make(dims, rank, &shape), "load_idx: %s", path));
  size_t element = mf_dtype_size(dtype), count = (size_t)mf_shape_count(&shape);
  if (count > (size - header) / element || size - header != count * element)
    return mf_fail(MF_DATA_LOSS, "load_idx: %s: expected %zu elements of %zu bytes after the header, received %zu bytes", path,
                   count, element, size - header);
  MF_TRY(mf_tensor_new(mf_device_cpu(), dtype, &shape, out));
  if (count) reverse_elements((*out)->data, bytes + header, count, element);
  return NULL;
}

mf_status mf_idx_load(const char *path, mf_tensor **out) {
  char *bytes;
  size_t size;
  *out = NULL;
  MF_TRY(mf_file_read_gz(path, (size_t)1 << 40, &bytes, &size));
  mf_status status = parse(path, bytes, size, out);
  mf_free(bytes);
  return status;
}
