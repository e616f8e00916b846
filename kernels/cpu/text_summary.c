/* text_summary.c - see text_summary.h. The caller has set locale "C". */
#include "text_summary.h"

#include "text_number.h"

/* ---- one element */

/* Bytes of 0x80 and more stay in UTF-8-safe text (blocks); lines write them as \ooo. */
static void put_escaped(mf_strbuf *out, const char *bytes, size_t size, bool keep_high) {
  for (size_t i = 0; i < size; i++) {
    unsigned char ch = (unsigned char)bytes[i];
    const char *short_form = ch == '\n'   ? "\\n"
                             : ch == '\r' ? "\\r"
                             : ch == '\t' ? "\\t"
                             : ch == '"'  ? "\\\""
                             : ch == '\'' ? "\\'"
                             : ch == '\\' ? "\\\\"
                                          : NULL;
    if (short_form) mf_strbuf_append(out, short_form, 2);
    else if ((ch >= 0x80 && keep_high) || (ch >= 0x20 && ch < 0x7F)) mf_strbuf_append(out, bytes + i, 1);
    else mf_strbuf_appendf(out, "\\%03o", ch);
  }
}

static void put_string(mf_strbuf *out, const mf_tensor *t, int64_t i, bool quoted) {
  size_t size;
  const char *bytes = mf_string_at(t, i, &size);
  if (quoted) mf_strbuf_append(out, "\"", 1);
  put_escaped(out, bytes, size, quoted);
  if (quoted) mf_strbuf_append(out, "\"", 1);
}

static void put_element(mf_strbuf *out, const mf_tensor *t, int64_t i, bool quoted) {
  static const mfi_number_format plain = {.precision = -1, .width = -1};
  mf_object *object;
  bool negative;
  uint64_t magnitude;
  switch (mf_dtype_const((mf_dtype)t->dtype)->kind) {
    case MF_KIND_FLOAT: mfi_put_shortest(out, mf_tensor_get_f64(t, i), t->dtype != MF_FLOAT64); break;
    case MF_KIND_SIGNED: case MF_KIND_UNSIGNED: case MF_KIND_BOOL:
      mfi_integer_at(t, i, &negative, &magnitude);
      mfi_put_integer(out, negative, magnitude, &plain);
      break;
    case MF_KIND_STRING: put_string(out, t, i, quoted); break;
    case MF_KIND_OBJECT:
      object = mf_object_at(t, i);
      mf_strbuf_appendf(out, "<%s>", object ? object->type->name : "nothing");
      break;
    default: mf_strbuf_append(out, "?", 1);
  }
}

/* ---- blocks */

static void put_gap(mf_strbuf *out, int dim, int rank) {
  if (dim == rank - 1) {
    mf_strbuf_append(out, " ", 1);
    return;
  }
  for (int i = 0; i < rank - dim - 1; i++) mf_strbuf_append(out, "\n", 1);
  for (int i = 0; i <= dim; i++) mf_strbuf_append(out, " ", 1);
}

static void put_block(mf_strbuf *out, const mf_tensor *t, int64_t edge, int dim, int64_t first) {
  int rank = t->shape.rank;
  if (dim == rank) {
    put_element(out, t, first, true);
    return;
  }
  int64_t n = t->shape.dims[dim], step = mf_shape_count_range(&t->shape, dim + 1, rank);
  int64_t tail = n - edge > edge ? n - edge : edge;
  mf_strbuf_append(out, "[", 1);
  for (int64_t i = 0; i < n; i++) {
    if (i == edge && i < tail) {
      put_gap(out, dim, rank);
      mf_strbuf_append(out, "...", 3);
      i = tail;
    }
    if (i >= n) break;
    if (i > 0) put_gap(out, dim, rank);
    put_block(out, t, edge, dim + 1, first + i * step);
  }
  mf_strbuf_append(out, "]", 1);
}

void mfi_summary_block(mf_strbuf *out, const mf_tensor *t, int64_t edge) {
  int64_t n = mf_tensor_count(t);
  put_block(out, t, edge < 0 || edge > n ? n : edge, 0, 0);
}

/* ---- lines */

/* Elements in order until `most` are written; brackets of inner dimensions only. */
static void put_line(mf_strbuf *out, const mf_tensor *t, int64_t most, int dim, int64_t *done) {
  int last = t->shape.rank - 1;
  if (*done >= most) return;
  for (int64_t i = 0; i < t->shape.dims[dim]; i++) {
    bool open = *done < most;
    if (dim == last && !open) {
      if (dim) mf_strbuf_append(out, "...", 3);
      return;
    }
    if (dim == last) {
      if (i) mf_strbuf_append(out, " ", 1);
      put_element(out, t, (*done)++, false);
      continue;
    }
    if (open) mf_strbuf_append(out, "[", 1);
    put_line(out, t, most, dim + 1, done);
    if (open) mf_strbuf_append(out, "]", 1);
  }
}

void mfi_summary_line(mf_strbuf *out, const mf_tensor *t, int64_t most) {
  int64_t n = mf_tensor_count(t), done = 0;
  if (most < 0 || most > n) most = n;
  if (t->shape.rank == 0) {
    if (most) put_element(out, t, 0, false);
  } else {
    put_line(out, t, most, 0, &done);
  }
  if (n > most) mf_strbuf_append(out, "...", 3);
}
