/* text_number.h - numbers as text and back, whatever locale the host has set. */
#ifndef MF_KERNELS_CPU_TEXT_NUMBER_H
#define MF_KERNELS_CPU_TEXT_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "tensor/tensor.h"

/* Between begin and end this thread formats and parses as in locale "C". */
typedef struct mfi_c_locale {
  locale_t own, before;
} mfi_c_locale;
mf_status mfi_c_locale_begin(mfi_c_locale *l) MF_MUST_USE;
void mfi_c_locale_end(mfi_c_locale *l);

/* What printf's flags say. */
typedef struct mfi_number_format {
  char style;              /* 'f', 'e' or 'g' */
  int precision;           /* -1: printf's default of 6 */
  int width;               /* -1: none */
  char fill;               /* 0, or one of " +-0#" */
} mfi_number_format;

/* A number in that format; integers are never cut. */
void mfi_put_real(mf_strbuf *out, double v, const mfi_number_format *f);
void mfi_put_integer(mf_strbuf *out, bool negative, uint64_t magnitude, const mfi_number_format *f);
void mfi_put_padded(mf_strbuf *out, const char *bytes, size_t size, const mfi_number_format *f);

/* The shortest of two lengths that reads back as v: 6 or 9 digits for float, 15 or 17 for double. */
void mfi_put_shortest(mf_strbuf *out, double v, bool single);

/* Element i of an integer tensor as sign and magnitude. */
void mfi_integer_at(const mf_tensor *t, int64_t i, bool *negative, uint64_t *magnitude);

#endif
