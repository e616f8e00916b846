/* numpy_float.c - numpy's layouts of floating-point numbers: see numpy_float.h. */
#include "bind/numpy_float.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"

enum { PRECISION = 8 };

static bool identifies(mf_dtype type, const char *text, double value) {
  if (type == MF_FLOAT64) return strtod(text, NULL) == value;
  float f = strtof(text, NULL);
  if (type == MF_FLOAT16) f = mf_half_to_float(mf_half_from_float(f));
  return (double)f == value;
}

/* The fewest significant digits that identify `value`, as "d.ddde+XX". Returns how many. */
static int shortest(mf_dtype type, double value, char *text, size_t size) {
  for (int digits = 1;; digits++) {
    snprintf(text, size, "%.*e", digits - 1, value);
    if (digits >= 17 || identifies(type, text, value)) return digits;
  }
}

static int exponent_of(const char *scientific) { return atoi(strchr(scientific, 'e') + 1); }

/* Digits behind the point in positional notation. */
static int fraction_digits(mf_dtype type, double value) {
  char text[40];
  if (value == 0) return 0;
  int n = shortest(type, value, text, sizeof text) - 1 - exponent_of(text);
  return n < 0 ? 0 : n;
}

/* Drops zeros at the end of the fraction; the point stays. Returns the new length. */
static int trim(char *text) {
  int n = (int)strlen(text);
  while (n > 0 && text[n - 1] == '0') n--;
  text[n] = 0;
  return n;
}

/* "1.", "0.25", "100.": at most `most` digits behind the point. Digits that the shortest text leaves open are zeros. */
static int positional(mf_dtype type, double value, int most, char *text) {
  int fraction = fraction_digits(type, value);
  if (fraction > 0) {
    snprintf(text, MFL_FLOAT_TEXT, "%.*f", fraction < most ? fraction : most, value);
    return strchr(text, '.') ? trim(text) : (int)strlen(text);
  }
  char digits[40];
  int n = value == 0 ? 1 : shortest(type, value, digits, sizeof digits);
  int length = snprintf(text, MFL_FLOAT_TEXT, "%.0f", value);
  int first = text[0] == '-';
  if (value != 0 && n < length - first) { /* 1e8 in float32 may be 100000003: the digits behind the n-th are zeros */
    int k = first;
    for (const char *d = digits; *d && *d != 'e'; d++)
      if (*d >= '0' && *d <= '9') text[k++] = *d;
    while (k < length) text[k++] = '0';
  }
  text[length] = '.';
  text[length + 1] = 0;
  return length + 1;
}

/* ---- columns */

static double cutoff(mf_dtype type) { return type == MF_FLOAT16 ? 1e3 : type == MF_FLOAT32 ? 1e6 : 1e8; }

void mfl_column_see(mfl_column *c, double value) {
  if (!isfinite(value)) {
    c->any_nonfinite = true;
    if (value < 0) c->any_negative_inf = true;
    return;
  }
  c->any = true;
  double size = fabs(value);
  if (size == 0) return;
  if (!c->any_nonzero || size < c->least) c->least = size;
  if (!c->any_nonzero || size > c->greatest) c->greatest = size;
  c->any_nonzero = true;
}

/* Comparisons happen in the column's own type, as numpy's do. */
void mfl_column_decide(mfl_column *c) {
  double small = c->type == MF_FLOAT64 ? 1e-4 : (double)1e-4f;
  if (c->type == MF_FLOAT16) small = (double)mf_half_to_float(mf_half_from_float(1e-4f));
  double ratio = c->least > 0 ? c->greatest / c->least : 0;
  if (c->type == MF_FLOAT32) ratio = (double)((float)c->greatest / (float)c->least);
  c->exponents = c->any_nonzero && (c->greatest >= cutoff(c->type) || c->least < small || ratio > 1000.0);
  c->left = c->right = 0;
  c->exponent_size = -1;
}

static int max_int(int a, int b) { return a > b ? a : b; }

void mfl_column_measure(mfl_column *c, double value) {
  char text[MFL_FLOAT_TEXT];
  if (!isfinite(value)) return;
  int sign = signbit(value) || c->plus;
  if (!c->exponents) {
    int length = positional(c->type, value, PRECISION, text);
    int point = (int)(strchr(text, '.') - text);
    c->left = max_int(c->left, point + (c->plus && !signbit(value)));
    c->right = max_int(c->right, length - point - 1);
    return;
  }
  int digits = value == 0 ? 1 : shortest(c->type, value, text, sizeof text);
  if (value == 0) snprintf(text, sizeof text, "0e+00");
  if (digits > PRECISION + 1) {
    snprintf(text, sizeof text, "%.*e", PRECISION, value);
    digits = PRECISION + 1;
  }
  c->left = max_int(c->left, 1 + sign);
  c->right = max_int(c->right, digits - 1);
  c->exponent_size = max_int(c->exponent_size, (int)strlen(strchr(text, 'e') + 2));
}

void mfl_column_finish(mfl_column *c) {
  if (!c->any_nonfinite) return;
  int behind = c->exponents ? c->exponent_size + 2 + c->right : c->right;
  int infinity = 3 + (c->any_negative_inf || c->plus);
  c->left = max_int(c->left, max_int(3 - (behind + 1), infinity - (behind + 1)));
}

static int pad_left(char *text, const char *body, int width) {
  int length = (int)strlen(body), pad = width > length ? width - length : 0;
  memset(text, ' ', (size_t)pad);
  memcpy(text + pad, body, (size_t)length + 1);
  return pad + length;
}

int mfl_column_text(const mfl_column *c, double value, char text[MFL_FLOAT_TEXT]) {
  char body[MFL_FLOAT_TEXT + 8], digits[MFL_FLOAT_TEXT];
  const char *sign = c->plus && !signbit(value) ? "+" : "";
  if (!isfinite(value)) {
    int behind = c->exponents ? c->exponent_size + 2 + c->right : c->right;
    snprintf(body, sizeof body, "%s%s", sign, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return pad_left(text, body, c->left + behind + 1);
  }
  if (!c->exponents) {
    int length = positional(c->type, value, PRECISION, digits), point = (int)(strchr(digits, '.') - digits);
    snprintf(body, sizeof body, "%s%s", sign, digits);
    int n = pad_left(text, body, c->left + length - point + (*sign && point + 1 > c->left ? 1 : 0));
    for (int k = length - point - 1; k < c->right; k++) text[n++] = ' ';
    text[n] = 0;
    return n;
  }
  snprintf(digits, sizeof digits, "%.*e", c->right, value);
  char *e = strchr(digits, 'e');
  *e = 0;
  snprintf(body, sizeof body, "%s%s%se%c%0*d", sign, digits, c->right ? "" : ".", e[1], c->exponent_size, abs(atoi(e + 1)));
  return pad_left(text, body, c->left + 1 + c->right + 2 + c->exponent_size);
}

/* ---- alone */

int mfl_float_text(mf_dtype type, double value, bool complex_part, char text[MFL_FLOAT_TEXT]) {
  if (type == MF_BFLOAT16) return snprintf(text, MFL_FLOAT_TEXT, isfinite(value) ? "%.6g" : "%g", value);
  if (!isfinite(value)) return snprintf(text, MFL_FLOAT_TEXT, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
  double size = fabs(value);
  double high = type == MF_FLOAT16 ? 1e3 : type == MF_FLOAT32 ? 1e6 : 1e16;
  if (size == 0 || (size < high && size >= 1e-4)) {
    int n = positional(type, value, 400, text);
    if (complex_part && text[n - 1] == '.') text[--n] = 0;
    else if (text[n - 1] == '.') n += snprintf(text + n, 2, "0");
    return n;
  }
  char digits[40];
  shortest(type, value, digits, sizeof digits);
  return snprintf(text, MFL_FLOAT_TEXT, "%s", digits);
}
