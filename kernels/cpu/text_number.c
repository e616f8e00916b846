/* text_number.c - see text_number.h. Formats are literals; flags of the caller are applied by hand. */
#include "text_number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

mf_status mfi_c_locale_begin(mfi_c_locale *l) {
  l->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!l->own) return mf_fail_oom();
  l->before = uselocale(l->own);
  return NULL;
}

void mfi_c_locale_end(mfi_c_locale *l) {
  uselocale(l->before);
  freelocale(l->own);
}

/* Sign and digits apart, padded to the width: spaces in front, behind with '-', zeros between sign and digits with
 * '0'. */
static void put_number(mf_strbuf *out, char sign, const char *digits, size_t size, bool finite,
                       const mfi_number_format *f) {
  size_t have = size + (sign ? 1 : 0), want = f->width > 0 ? (size_t)f->width : 0;
  size_t gap = want > have ? want - have : 0;
  bool zeros = f->fill == '0' && finite, left = f->fill == '-';
  for (size_t i = 0; i < gap && !zeros && !left; i++) mf_strbuf_append(out, " ", 1);
  if (sign) mf_strbuf_append(out, &sign, 1);
  for (size_t i = 0; i < gap && zeros; i++) mf_strbuf_append(out, "0", 1);
  mf_strbuf_append(out, digits, size);
  for (size_t i = 0; i < gap && left; i++) mf_strbuf_append(out, " ", 1);
}

static char sign_of(bool negative, const mfi_number_format *f) {
  return negative ? '-' : f->fill == '+' || f->fill == ' ' ? f->fill : 0;
}

void mfi_put_real(mf_strbuf *out, double v, const mfi_number_format *f) {
  mf_strbuf digits = {0};
  double m = fabs(v);
  bool alternate = f->fill == '#';
  if (f->style == 'e' && alternate) mf_strbuf_appendf(&digits, "%#.*e", f->precision, m);
  else if (f->style == 'e') mf_strbuf_appendf(&digits, "%.*e", f->precision, m);
  else if (f->style == 'g' && alternate) mf_strbuf_appendf(&digits, "%#.*g", f->precision, m);
  else if (f->style == 'g') mf_strbuf_appendf(&digits, "%.*g", f->precision, m);
  else if (alternate) mf_strbuf_appendf(&digits, "%#.*f", f->precision, m);
  else mf_strbuf_appendf(&digits, "%.*f", f->precision, m);
  put_number(out, sign_of(signbit(v) != 0, f), digits.text ? digits.text : "", digits.size, isfinite(v), f);
  out->failed = out->failed || digits.failed;
  mf_strbuf_release(&digits);
}

void mfi_put_integer(mf_strbuf *out, bool negative, uint64_t magnitude, const mfi_number_format *f) {
  char digits[24];
  int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)magnitude);
  put_number(out, sign_of(negative, f), digits, (size_t)n, true, f);
}

void mfi_put_padded(mf_strbuf *out, const char *bytes, size_t size, const mfi_number_format *f) {
  put_number(out, 0, bytes, size, false, f);
}

void mfi_put_shortest(mf_strbuf *out, double v, bool single) {
  char text[40];
  if (isnan(v)) {
    mf_strbuf_append(out, "nan", 3);
    return;
  }
  int digits = single ? FLT_DIG : DBL_DIG, more = single ? FLT_DIG + 3 : DBL_DIG + 2;
  int n = snprintf(text, sizeof text, "%.*g", digits, v);
  bool same = single ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v;
  if (!same) n = snprintf(text, sizeof text, "%.*g", more, v);
  mf_strbuf_append(out, text, (size_t)n);
}

void mfi_integer_at(const mf_tensor *t, int64_t i, bool *negative, uint64_t *magnitude) {
  int64_t v = mf_tensor_get_i64(t, i);
  *negative = t->dtype != MF_UINT64 && v < 0;
  *magnitude = *negative ? 0 - (uint64_t)v : (uint64_t)v;
}
