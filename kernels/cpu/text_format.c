/* text_format.c - AsString, StringFormat, Assert. */
#include <string.h>

#include "array_move.h"
#include "base/memory.h"
#include "ops/op_list.h"
#include "text_number.h"
#include "text_summary.h"

/* ---- AsString */

static mfi_number_format format_of(mf_attrs attrs) {
  mf_text fill = mf_attr_text(attrs, "fill");
  int64_t precision = mf_attr_int(attrs, "precision"), width = mf_attr_int(attrs, "width");
  return (mfi_number_format){.style = mf_attr_bool(attrs, "scientific") ? 'e'
                                      : mf_attr_bool(attrs, "shortest") ? 'g'
                                                                        : 'f',
                             .precision = precision > 4096 ? 4096 : (int)precision,
                             .width = width > 65536 ? 65536 : (int)width,
                             .fill = fill.size ? fill.bytes[0] : 0};
}

static void put_complex(mf_strbuf *out, const mf_tensor *t, int64_t i, const mfi_number_format *f) {
  mf_strbuf_append(out, "(", 1);
  for (int k = 0; k < 2; k++) {
    double part = t->dtype == MF_COMPLEX64 ? (double)MF_DATA(float, t)[2 * i + k] : MF_DATA(double, t)[2 * i + k];
    mfi_put_real(out, part, f);
    mf_strbuf_append(out, k ? ")" : ",", 1);
  }
}

static void put_value(mf_strbuf *out, const mf_tensor *t, int64_t i, const mfi_number_format *f) {
  bool negative;
  uint64_t magnitude;
  size_t size;
  const char *bytes;
  mf_object *object;
  switch (mf_dtype_const((mf_dtype)t->dtype)->kind) {
    case MF_KIND_FLOAT: mfi_put_real(out, mf_tensor_get_f64(t, i), f); break;
    case MF_KIND_COMPLEX: put_complex(out, t, i, f); break;
    case MF_KIND_BOOL: mf_strbuf_appendf(out, "%s", MF_DATA(bool, t)[i] ? "true" : "false"); break;
    case MF_KIND_STRING:
      bytes = mf_string_at(t, i, &size);
      mfi_put_padded(out, bytes, size, f);
      break;
    case MF_KIND_OBJECT:
      object = mf_object_at(t, i);
      mf_strbuf_appendf(out, "%s", object ? object->type->name : "");
      break;
    default:
      mfi_integer_at(t, i, &negative, &magnitude);
      mfi_put_integer(out, negative, magnitude, f);
  }
}

static mf_status as_strings(const mf_tensor *in, const mfi_number_format *f, mf_string_builder *b) {
  for (int64_t i = 0; i < mf_tensor_count(in); i++) {
    mf_strbuf text = {0};
    put_value(&text, in, i, f);
    mf_status status = text.failed ? mf_fail_oom() : mf_string_builder_add(b, text.text ? text.text : "", text.size);
    mf_strbuf_release(&text);
    if (status) return status;
  }
  return NULL;
}

static mf_status run_as_string(mf_call *c) {
  mfi_number_format f = format_of(c->attrs);
  mfi_c_locale locale;
  mf_string_builder *b;
  mf_tensor *t;
  MF_TRY(mfi_c_locale_begin(&locale));
  mf_status status = mf_string_builder_new(&c->in[0]->shape, &b);
  if (!status) status = as_strings(c->in[0], &f, b);
  mfi_c_locale_end(&locale);
  if (status) {
    mf_string_builder_release(b);
    return status;
  }
  MF_TRY(mf_string_builder_take(b, &t));
  mf_out_take(c, 0, t);
  return NULL;
}

/* ---- StringFormat */

/* Start of the next placeholder at or after `from`; NULL: none. */
static const char *next_hole(mf_text template, mf_text hole, const char *from) {
  const char *end = template.bytes + template.size;
  if (!hole.size) return NULL;
  return memmem(from, (size_t)(end - from), hole.bytes, hole.size);
}

static mf_status fill_template(const mf_call *c, mf_strbuf *out) {
  mf_text template = mf_attr_text(c->attrs, "template"), hole = mf_attr_text(c->attrs, "placeholder");
  int64_t edge = mf_attr_int(c->attrs, "summarize");
  const char *from = template.bytes, *at;
  int holes = 0;
  for (at = next_hole(template, hole, from); at; at = next_hole(template, hole, at + hole.size)) holes++;
  if (holes != c->n_in)
    return mf_fail(MF_INVALID_ARGUMENT,
                   "StringFormat: num placeholders in template and num inputs must match: %d vs. %d", holes, c->n_in);
  for (int i = 0; i < c->n_in; i++) {
    at = next_hole(template, hole, from);
    mf_strbuf_append(out, from, (size_t)(at - from));
    mfi_summary_block(out, c->in[i], edge);
    from = at + hole.size;
  }
  mf_strbuf_append(out, from, (size_t)(template.bytes + template.size - from));
  return NULL;
}

static mf_status run_string_format(mf_call *c) {
  mf_strbuf text = {0};
  mfi_c_locale locale;
  mf_tensor *t = NULL;
  MF_TRY(mfi_c_locale_begin(&locale));
  mf_status status = fill_template(c, &text);
  mfi_c_locale_end(&locale);
  if (!status && text.failed) status = mf_fail_oom();
  if (!status) status = mf_tensor_scalar_string(text.text ? text.text : "", text.size, &t);
  mf_strbuf_release(&text);
  if (t) mf_out_take(c, 0, t);
  return status;
}

/* ---- Assert */

static mf_status run_assert(mf_call *c) {
  mf_strbuf text = {0};
  mfi_c_locale locale;
  char *message;
  if (*MF_DATA(bool, c->in[0])) return NULL;
  MF_TRY(mfi_c_locale_begin(&locale));
  for (int i = 1; i < c->n_in; i++) {
    mf_strbuf_append(&text, i > 1 ? " [" : "[", i > 1 ? 2 : 1);
    mfi_summary_line(&text, c->in[i], mf_attr_int(c->attrs, "summarize"));
    mf_strbuf_append(&text, "]", 1);
  }
  mfi_c_locale_end(&locale);
  MF_TRY(mf_strbuf_take(&text, &message));
  mf_status status = mf_fail(MF_INVALID_ARGUMENT, "assertion failed: %s", message);
  mf_free(message);
  return status;
}

const mf_kernel_def mf_kernels_text_format[] = {
    {.op = &mf_op_AsString, .name = "format", .device = MF_CPU, .rank = 10, .run = run_as_string},
    {.op = &mf_op_StringFormat, .name = "format", .device = MF_CPU, .rank = 10, .run = run_string_format},
    {.op = &mf_op_Assert, .name = "check", .device = MF_CPU, .rank = 10, .run = run_assert},
    {0}};
