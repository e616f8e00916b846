/* text_case.c - StringUpper, StringLower, StringLength. */
#include <locale.h>
#include <wctype.h>

#include "array_move.h"
#include "base/strbuf.h"
#include "ops/op_list.h"
#include "text_utf8.h"

/* ---- UTF-8 */

uint32_t mfi_utf8_next(const char *bytes, size_t size, size_t *at) {
  static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
  const unsigned char *p = (const unsigned char *)bytes + *at;
  size_t left = size - (*at)++;
  uint32_t ch = p[0];
  size_t more = ch < 0x80 ? 0 : ch < 0xC2 ? 9 : ch < 0xE0 ? 1 : ch < 0xF0 ? 2 : ch < 0xF5 ? 3 : 9;
  if (more == 0) return ch;
  if (more >= left) return 0xFFFD;
  ch &= 0x3Fu >> more;
  for (size_t i = 1; i <= more; i++) {
    if ((p[i] & 0xC0) != 0x80) return 0xFFFD;
    ch = ch << 6 | (p[i] & 0x3F);
  }
  if (ch < least[more] || ch > 0x10FFFF || (ch >= 0xD800 && ch < 0xE000)) return 0xFFFD;
  *at += more;
  return ch;
}

size_t mfi_utf8_put(uint32_t ch, char out[4]) {
  size_t n = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
  static const unsigned char lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (size_t i = n - 1; i > 0; i--) {
    out[i] = (char)(0x80 | (ch & 0x3F));
    ch >>= 6;
  }
  out[0] = (char)(lead[n] | ch);
  return n;
}

/* ---- case */

/* Letters whose upper case is more than one letter. */
static const struct { uint32_t lower; const char *upper; } several[] = {
    {0xDF, "SS"},   {0x149, "\xCA\xBCN"}, {0x1F0, "J\xCC\x8C"}, {0xFB00, "FF"}, {0xFB01, "FI"},
    {0xFB02, "FL"}, {0xFB03, "FFI"},      {0xFB04, "FFL"},      {0xFB05, "ST"}, {0xFB06, "ST"}};

static bool put_several(mf_strbuf *out, uint32_t ch) {
  for (size_t i = 0; i < sizeof several / sizeof *several; i++)
    if (several[i].lower == ch) {
      mf_strbuf_appendf(out, "%s", several[i].upper);
      return true;
    }
  return false;
}

static void convert_utf8(mf_strbuf *out, const char *bytes, size_t size, bool upper, locale_t locale) {
  for (size_t at = 0; at < size;) {
    char text[4];
    uint32_t ch = mfi_utf8_next(bytes, size, &at);
    if (upper && put_several(out, ch)) continue;
    ch = (uint32_t)(upper ? towupper_l((wint_t)ch, locale) : towlower_l((wint_t)ch, locale));
    size_t n = mfi_utf8_put(ch, text);
    mf_strbuf_append(out, text, n);
  }
}

static void convert_ascii(mf_strbuf *out, const char *bytes, size_t size, bool upper) {
  for (size_t i = 0; i < size; i++) {
    char ch = bytes[i];
    if (upper && ch >= 'a' && ch <= 'z') ch = (char)(ch - 'a' + 'A');
    if (!upper && ch >= 'A' && ch <= 'Z') ch = (char)(ch - 'A' + 'a');
    mf_strbuf_append(out, &ch, 1);
  }
}

static mf_status convert_all(const mf_tensor *in, bool upper, locale_t locale, mf_string_builder *b) {
  for (int64_t i = 0; i < mf_tensor_count(in); i++) {
    size_t size;
    const char *bytes = mf_string_at(in, i, &size);
    mf_strbuf text = {0};
    if (locale) convert_utf8(&text, bytes, size, upper, locale);
    else convert_ascii(&text, bytes, size, upper);
    mf_status status = text.failed ? mf_fail_oom() : mf_string_builder_add(b, text.text ? text.text : "", text.size);
    mf_strbuf_release(&text);
    if (status) return status;
  }
  return NULL;
}

static mf_status run_case(mf_call *c) {
  mf_string_builder *b;
  mf_tensor *t;
  locale_t locale = (locale_t)0;
  if (mf_attr_text(c->attrs, "encoding").size) {
    locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!locale) return mf_fail(MF_UNAVAILABLE, "%s: this system has no locale C.UTF-8", c->attrs.op->name);
  }
  mf_status status = mf_string_builder_new(&c->in[0]->shape, &b);
  if (!status) status = convert_all(c->in[0], c->attrs.op == &mf_op_StringUpper, locale, b);
  if (locale) freelocale(locale);
  if (status) {
    mf_string_builder_release(b);
    return status;
  }
  MF_TRY(mf_string_builder_take(b, &t));
  mf_out_take(c, 0, t);
  return NULL;
}

/* ---- StringLength */

static mf_status run_length(mf_call *c) {
  bool chars = mf_attr_is(c->attrs, "unit", "UTF8_CHAR");
  for (int64_t i = 0; i < mf_tensor_count(c->in[0]); i++) {
    size_t size;
    const char *bytes = mf_string_at(c->in[0], i, &size);
    MF_DATA(int32_t, c->out[0])[i] = (int32_t)(chars ? mfi_utf8_length(bytes, size) : (int64_t)size);
  }
  return NULL;
}

const mf_kernel_def mf_kernels_text_case[] = {
    {.op = &mf_op_StringUpper, .name = "letters", .device = MF_CPU, .rank = 10, .run = run_case},
    {.op = &mf_op_StringLower, .name = "letters", .device = MF_CPU, .rank = 10, .run = run_case},
    {.op = &mf_op_StringLength, .name = "count", .device = MF_CPU, .rank = 10, .run = run_length},
    {0}};
