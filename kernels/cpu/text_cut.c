/* text_cut.c - joining and cutting strings: StringJoin, StringSplitV2, Substr. */
#include <inttypes.h>
#include <string.h>

#include "array_move.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "ops/op_list.h"
#include "text_utf8.h"

/* ---- StringJoin */

static mf_status join_all(const mf_call *c, int64_t n, mf_string_builder *b) {
  mf_text separator = mf_attr_text(c->attrs, "separator");
  for (int64_t i = 0; i < n; i++) {
    mf_strbuf text = {0};
    for (int k = 0; k < c->n_in; k++) {
      size_t size;
      const char *bytes = mf_string_at(c->in[k], c->in[k]->shape.rank ? i : 0, &size);
      if (k) mf_strbuf_append(&text, separator.bytes, separator.size);
      mf_strbuf_append(&text, bytes, size);
    }
    mf_status status = text.failed ? mf_fail_oom() : mf_string_builder_add(b, text.text ? text.text : "", text.size);
    mf_strbuf_release(&text);
    if (status) return status;
  }
  return NULL;
}

static mf_status finish(mf_call *c, int i, mf_string_builder *b, mf_status status) {
  mf_tensor *t;
  if (status) {
    mf_string_builder_release(b);
    return status;
  }
  MF_TRY(mf_string_builder_take(b, &t));
  mf_out_take(c, i, t);
  return NULL;
}

static mf_status run_join(mf_call *c) {
  mf_shape shape;
  mf_string_builder *b;
  MF_TRY(mfi_out_shapes(c, &shape));
  MF_TRY(mf_string_builder_new(&shape, &b));
  return finish(c, 0, b, join_all(c, mf_shape_count(&shape), b));
}

/* ---- StringSplitV2 */

typedef struct part {
  int64_t row, column;
  const char *bytes;
  size_t size;
} part;

typedef struct parts {
  part *list;
  size_t n, capacity;
  int64_t widest;
} parts;

static mf_status add_part(parts *p, int64_t row, int64_t column, const char *bytes, size_t size) {
  if (!mf_array_reserve((void **)&p->list, &p->capacity, p->n + 1, sizeof *p->list)) return mf_fail_oom();
  p->list[p->n++] = (part){row, column, bytes, size};
  if (column + 1 > p->widest) p->widest = column + 1;
  return NULL;
}

static bool is_space(char ch) { return ch == ' ' || (ch >= '\t' && ch <= '\r'); }

/* Runs of white space separate; what is left after maxsplit cuts keeps its own white space. */
static mf_status split_space(parts *p, int64_t row, const char *at, const char *end, int64_t most) {
  for (int64_t column = 0;; column++) {
    while (at < end && is_space(*at)) at++;
    if (at == end) return NULL;
    const char *stop = at;
    if (most >= 0 && column == most) stop = end;
    while (stop < end && !is_space(*stop)) stop++;
    MF_TRY(add_part(p, row, column, at, (size_t)(stop - at)));
    at = stop;
  }
}

static mf_status split_text(parts *p, int64_t row, const char *at, const char *end, mf_text sep, int64_t most) {
  for (int64_t column = 0;; column++) {
    const char *stop = most >= 0 && column == most ? NULL : memmem(at, (size_t)(end - at), sep.bytes, sep.size);
    MF_TRY(add_part(p, row, column, at, (size_t)((stop ? stop : end) - at)));
    if (!stop) return NULL;
    at = stop + sep.size;
  }
}

static mf_status put_parts(mf_call *c, const parts *p) {
  int64_t n = (int64_t)p->n;
  mf_shape indices = mf_shape_2d(n, 2), values = mf_shape_1d(n), shape = mf_shape_1d(2);
  mf_string_builder *b;
  mf_status status = NULL;
  MF_TRY(mf_out_alloc(c, 0, &indices));
  MF_TRY(mf_out_alloc(c, 2, &shape));
  MF_TRY(mf_string_builder_new(&values, &b));
  for (int64_t i = 0; i < n && !status; i++) {
    MF_DATA(int64_t, c->out[0])[2 * i] = p->list[i].row;
    MF_DATA(int64_t, c->out[0])[2 * i + 1] = p->list[i].column;
    status = mf_string_builder_add(b, p->list[i].bytes, p->list[i].size);
  }
  MF_DATA(int64_t, c->out[2])[0] = mf_tensor_count(c->in[0]);
  MF_DATA(int64_t, c->out[2])[1] = p->widest;
  return finish(c, 1, b, status);
}

static mf_status run_split(mf_call *c) {
  parts p = {0};
  mf_text sep;
  int64_t most = mf_attr_int(c->attrs, "maxsplit");
  mf_status status = NULL;
  sep.bytes = mf_string_at(c->in[1], 0, &sep.size);
  for (int64_t i = 0; i < mf_tensor_count(c->in[0]) && !status; i++) {
    size_t size;
    const char *bytes = mf_string_at(c->in[0], i, &size);
    status = sep.size ? split_text(&p, i, bytes, bytes + size, sep, most)
                      : split_space(&p, i, bytes, bytes + size, most);
  }
  if (!status) status = put_parts(c, &p);
  mf_free(p.list);
  return status;
}

/* ---- Substr */

/* Byte position of character `n`; the size when there are fewer. */
static size_t char_start(const char *bytes, size_t size, int64_t n) {
  size_t at = 0;
  for (; at < size; at++)
    if (mfi_utf8_starts(bytes[at]) && n-- == 0) break;
  return at;
}

static mf_status cut(const char *bytes, size_t size, int64_t pos, int64_t len, bool chars, int64_t index,
                     mf_text *out) {
  int64_t whole = chars ? mfi_utf8_length(bytes, size) : (int64_t)size, at = pos < 0 ? pos + whole : pos;
  if (at < 0 || at > whole)
    return mf_fail(MF_INVALID_ARGUMENT, "Substr: pos %" PRId64 " out of range for string b'%.*s' at index %" PRId64,
                   pos, (int)(size < 100 ? size : 100), bytes, index);
  if (len < 0 || len > whole - at) len = whole - at; /* a negative length: all the rest */
  size_t first = chars ? char_start(bytes, size, at) : (size_t)at;
  size_t last = chars ? char_start(bytes, size, at + len) : (size_t)(at + len);
  *out = (mf_text){bytes + first, last - first};
  return NULL;
}

/* Flat index of a broadcast operand for element i of the result. */
static int64_t broadcast_index(const mf_shape *out, const mf_shape *s, int64_t i) {
  int64_t index = 0, stride = 1;
  for (int d = out->rank - 1, k = s->rank - 1; k >= 0; d--, k--) {
    int64_t position = i % out->dims[d];
    i /= out->dims[d];
    if (s->dims[k] != 1) index += position * stride;
    stride *= s->dims[k];
  }
  return index;
}

static mf_status cut_all(const mf_call *c, const mf_shape *shape, mf_string_builder *b) {
  bool chars = mf_attr_is(c->attrs, "unit", "UTF8_CHAR");
  for (int64_t i = 0; i < mf_shape_count(shape); i++) {
    size_t size;
    mf_text piece = {0};
    const char *bytes = mf_string_at(c->in[0], broadcast_index(shape, &c->in[0]->shape, i), &size);
    int64_t at = broadcast_index(shape, &c->in[1]->shape, i);
    MF_TRY(cut(bytes, size, mfi_int_at(c->in[1], at), mfi_int_at(c->in[2], at), chars, i, &piece));
    MF_TRY(mf_string_builder_add(b, piece.bytes, piece.size));
  }
  return NULL;
}

static mf_status run_substr(mf_call *c) {
  mf_shape shape;
  mf_string_builder *b;
  MF_TRY(mfi_out_shapes(c, &shape));
  MF_TRY(mf_string_builder_new(&shape, &b));
  return finish(c, 0, b, cut_all(c, &shape, b));
}

const mf_kernel_def mf_kernels_text_cut[] = {
    {.op = &mf_op_StringJoin, .name = "bytes", .device = MF_CPU, .rank = 10, .run = run_join},
    {.op = &mf_op_StringSplitV2, .name = "bytes", .device = MF_CPU, .rank = 10, .run = run_split},
    {.op = &mf_op_Substr, .name = "bytes", .device = MF_CPU, .rank = 10, .run = run_substr},
    {0}};
