/* npy.c - NumPy's npy format: magic, version, a Python dictionary as text, then the elements. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "io/array_file.h"
#include "io/file.h"

static const struct { const char *code; mf_dtype dtype; } codes[] = {
    {"b1", MF_BOOL}, {"i1", MF_INT8}, {"i2", MF_INT16}, {"i4", MF_INT32}, {"i8", MF_INT64},
    {"u1", MF_UINT8}, {"u2", MF_UINT16}, {"u4", MF_UINT32}, {"u8", MF_UINT64},
    {"f2", MF_FLOAT16}, {"f4", MF_FLOAT32}, {"f8", MF_FLOAT64}, {"c8", MF_COMPLEX64}, {"c16", MF_COMPLEX128},
};

typedef struct header {
  mf_dtype dtype;
  bool swapped, fortran;
  mf_shape shape;
} header;

/* ---- reading */

/* The text after "'key':" (in either quotes) with blanks skipped; NULL when there is no such key. `text` is NUL-terminated. */
static const char *value_of(const char *text, const char *key) {
  const char *p = strstr(text, key);
  if (!p) return NULL;
  p += strlen(key);
  while (*p == ' ' || *p == '\'' || *p == '"') p++;
  if (*p++ != ':') return NULL;
  while (*p == ' ') p++;
  return p;
}

static bool parse_descr(const char *p, header *h) {
  if (*p != '\'' && *p != '"') return false;
  char order = p[1];
  const char *code = strchr("<>|=", order) ? p + 2 : p + 1;
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    size_t n = strlen(codes[i].code);
    if (strncmp(code, codes[i].code, n) || (code[n] != '\'' && code[n] != '"')) continue;
    h->dtype = codes[i].dtype;
    h->swapped = order == '>';
    return true;
  }
  return false;
}

static bool parse_shape(const char *p, header *h) {
  int64_t dims[MF_MAX_RANK];
  int rank = 0;
  if (*p++ != '(') return false;
  for (;;) {
    while (*p == ' ' || *p == ',') p++;
    if (*p == ')') break;
    if (!isdigit((unsigned char)*p) || rank == MF_MAX_RANK) return false;
    char *end;
    dims[rank++] = strtoll(p, &end, 10);
    p = end;
    if (*p == 'L') p++;
  }
  mf_status status = mf_shape_make(dims, rank, &h->shape);
  mf_status_release(status);
  return !status;
}

static mf_status parse_header(const char *what, const char *text, header *h) {
  const char *descr = value_of(text, "descr"), *order = value_of(text, "fortran_order"), *shape = value_of(text, "shape");
  if (!descr || !order || !shape)
    return mf_fail(MF_DATA_LOSS, "load_npy: %s: the header lacks descr, fortran_order or shape", what);
  if (!parse_descr(descr, h))
    return mf_fail(MF_UNIMPLEMENTED, "load_npy: %s: dtype %.16s is not supported (numbers and bool are)", what, descr);
  h->fortran = !strncmp(order, "True", 4);
  if (!parse_shape(shape, h)) return mf_fail(MF_DATA_LOSS, "load_npy: %s: bad shape in the header: %.32s", what, shape);
  return NULL;
}

static void swap_bytes(char *data, size_t count, size_t size, size_t part) {
  for (size_t i = 0; i < count * size; i += part)
    for (size_t b = 0; b < part / 2; b++) {
      char c = data[i + b];
      data[i + b] = data[i + part - 1 - b];
      data[i + part - 1 - b] = c;
    }
}

/* Column-major to row-major: element k of the file has its first index running fastest. */
static void from_fortran(char *to, const char *from, const mf_shape *shape, size_t element) {
  int64_t index[MF_MAX_RANK] = {0}, count = mf_shape_count(shape);
  for (int64_t k = 0; k < count; k++) {
    int64_t at = 0;
    for (int i = 0; i < shape->rank; i++) at = at * shape->dims[i] + index[i];
    memcpy(to + (size_t)at * element, from + (size_t)k * element, element);
    for (int i = 0; i < shape->rank && ++index[i] == shape->dims[i]; i++) index[i] = 0;
  }
}

mf_status mf_npy_parse(const char *what, const char *bytes, size_t size, mf_tensor **out) {
  const unsigned char *p = (const unsigned char *)bytes;
  header h = {0};
  *out = NULL;
  if (size < 10 || memcmp(bytes, "\x93NUMPY", 6)) return mf_fail(MF_DATA_LOSS, "load_npy: %s: not an npy file", what);
  size_t start = p[6] == 1 ? 10 : 12;
  if (p[6] < 1 || p[6] > 3 || size < start) return mf_fail(MF_DATA_LOSS, "load_npy: %s: unknown version %d", what, p[6]);
  size_t length = (size_t)p[8] | (size_t)p[9] << 8;
  if (start == 12) length |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
  if (length > size - start) return mf_fail(MF_DATA_LOSS, "load_npy: %s: truncated at byte %zu (inside the header)", what, size);
  char *text = mf_strndup(bytes + start, length);
  if (!text) return mf_fail_oom();
  mf_status status = parse_header(what, text, &h);
  mf_free(text);
  if (status) return status;
  size_t element = mf_dtype_size(h.dtype), count = (size_t)mf_shape_count(&h.shape), have = size - start - length;
  if (count > have / element)
    return mf_fail(MF_DATA_LOSS, "load_npy: %s: truncated at byte %zu: expected %zu elements of %zu bytes, received %zu bytes",
                   what, size, count, element, have);
  MF_TRY(mf_tensor_new(mf_device_cpu(), h.dtype, &h.shape, out));
  const char *data = bytes + start + length;
  if (h.fortran && h.shape.rank > 1) from_fortran((*out)->data, data, &h.shape, element);
  else if (count) memcpy((*out)->data, data, count * element);
  bool complex = mf_dtype_const(h.dtype)->kind == MF_KIND_COMPLEX;
  if (h.swapped) swap_bytes((*out)->data, count, element, complex ? element / 2 : element);
  return NULL;
}

mf_status mf_npy_load(const char *path, mf_tensor **out) {
  char *bytes;
  size_t size;
  *out = NULL;
  MF_TRY(mf_file_read(path, &bytes, &size));
  mf_status status = mf_npy_parse(path, bytes, size, out);
  mf_free(bytes);
  return status;
}

/* ---- writing */

mf_status mf_npy_header(mf_tensor *t, char **text, size_t *size) {
  const char *code = NULL;
  mf_strbuf b = {0};
  *text = NULL;
  *size = 0;
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i].dtype == (mf_dtype)t->dtype) code = codes[i].code;
  if (!code || !t->buffer)
    return mf_fail(MF_INVALID_ARGUMENT, "save_npy: dtype %s cannot be stored (numbers and bool can; use tf.cast)",
                   mf_dtype_name((mf_dtype)t->dtype));
  char order = mf_dtype_size((mf_dtype)t->dtype) == 1 ? '|' : '<';
  mf_strbuf_append(&b, "\x93NUMPY\x01\x00..", 10);
  mf_strbuf_appendf(&b, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order, code);
  for (int i = 0; i < t->shape.rank; i++) mf_strbuf_appendf(&b, i ? ", %" PRId64 : "%" PRId64, t->shape.dims[i]);
  mf_strbuf_append(&b, t->shape.rank == 1 ? ",), }" : "), }", t->shape.rank == 1 ? 5 : 4);
  while ((b.size + 1) % 64 && !b.failed) mf_strbuf_append(&b, " ", 1);
  mf_strbuf_append(&b, "\n", 1);
  *size = b.size;
  MF_TRY(mf_strbuf_take(&b, text));
  size_t length = *size - 10;
  (*text)[8] = (char)(length & 0xFF);
  (*text)[9] = (char)(length >> 8);
  return NULL;
}

mf_status mf_npy_save(const char *path, mf_tensor *t) {
  char *text = NULL;
  size_t size;
  mf_writer *w = NULL;
  mf_status status = mf_npy_header(t, &text, &size);
  if (!status) status = mf_writer_open(path, &w);
  if (!status) status = mf_writer_write(w, text, size);
  if (!status) status = mf_writer_write(w, t->data, mf_tensor_bytes(t));
  mf_free(text);
  if (!status) return mf_writer_commit(w);
  mf_writer_abandon(w);
  return status;
}
