/* text_parse.c - StringToNumber. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array_move.h"
#include "base/memory.h"
#include "ops/op_list.h"
#include "text_number.h"

static bool only_space(const char *p) {
  while (isspace((unsigned char)*p)) p++;
  return *p == 0;
}

/* Integers are decimal, within the type's range; a minus sign before an unsigned one is refused. */
static bool parse_integer(const char *text, mf_tensor *out, int64_t i) {
  char *end;
  const char *p = text;
  while (isspace((unsigned char)*p)) p++;
  errno = 0;
  if (out->dtype == MF_UINT32 || out->dtype == MF_UINT64) {
    unsigned long long v = strtoull(p, &end, 10);
    if (*p == '-' || end == p || errno || !only_space(end) || (out->dtype == MF_UINT32 && v > UINT32_MAX))
      return false;
    if (out->dtype == MF_UINT32) MF_DATA(uint32_t, out)[i] = (uint32_t)v;
    else MF_DATA(uint64_t, out)[i] = v;
    return true;
  }
  long long v = strtoll(p, &end, 10);
  if (end == p || errno || !only_space(end) || (out->dtype == MF_INT32 && (v > INT32_MAX || v < INT32_MIN)))
    return false;
  if (out->dtype == MF_INT32) MF_DATA(int32_t, out)[i] = (int32_t)v;
  else MF_DATA(int64_t, out)[i] = v;
  return true;
}

static bool parse(const char *text, mf_tensor *out, int64_t i) {
  char *end;
  if (out->dtype != MF_FLOAT32 && out->dtype != MF_FLOAT64) return parse_integer(text, out, i);
  if (out->dtype == MF_FLOAT32) MF_DATA(float, out)[i] = strtof(text, &end);
  else MF_DATA(double, out)[i] = strtod(text, &end);
  return end != text && only_space(end);
}

static mf_status parse_all(mf_call *c) {
  const mf_tensor *in = c->in[0];
  char inline_text[128];
  for (int64_t i = 0; i < mf_tensor_count(in); i++) {
    size_t size;
    const char *bytes = mf_string_at(in, i, &size);
    char *text = size < sizeof inline_text ? inline_text : mf_alloc(size + 1);
    if (!text) return mf_fail_oom();
    if (size) memcpy(text, bytes, size);
    text[size] = 0;
    bool good = !memchr(text, 0, size) && parse(text, c->out[0], i);
    if (text != inline_text) mf_free(text);
    if (!good)
      return mf_fail(MF_INVALID_ARGUMENT, "StringToNumber: StringToNumberOp could not correctly convert string: %.*s",
                     (int)(size < 200 ? size : 200), bytes);
  }
  return NULL;
}

static mf_status run_to_number(mf_call *c) {
  mfi_c_locale locale;
  MF_TRY(mfi_c_locale_begin(&locale));
  mf_status status = parse_all(c);
  mfi_c_locale_end(&locale);
  return status;
}

const mf_kernel_def mf_kernels_text_parse[] = {
    {.op = &mf_op_StringToNumber, .name = "strtod", .device = MF_CPU, .rank = 10, .run = run_to_number},
    {0}};
