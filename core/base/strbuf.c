/* strbuf.c - text that grows by half at a time: see strbuf.h. */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static bool room(mf_strbuf *b, size_t more) {
  if (!b->failed && !mf_array_reserve((void **)&b->text, &b->capacity, b->size + more + 1, 1)) b->failed = true;
  return !b->failed;
}

void mf_strbuf_append(mf_strbuf *b, const char *bytes, size_t size) {
  if (!room(b, size)) return;
  if (size) memcpy(b->text + b->size, bytes, size);
  b->size += size;
  b->text[b->size] = 0;
}

void mf_strbuf_appendf(mf_strbuf *b, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  if (n < 0) b->failed = true;
  else if (room(b, (size_t)n)) {
    vsnprintf(b->text + b->size, (size_t)n + 1, format, again);
    b->size += (size_t)n;
  }
  va_end(again);
  va_end(args);
}

mf_status mf_strbuf_take(mf_strbuf *b, char **text) {
  *text = NULL;
  if (!b->text) mf_strbuf_append(b, "", 0);
  if (b->failed) {
    mf_strbuf_release(b);
    return mf_fail_oom();
  }
  *text = b->text;
  *b = (mf_strbuf){0};
  return NULL;
}

void mf_strbuf_release(mf_strbuf *b) {
  mf_free(b->text);
  *b = (mf_strbuf){0};
}
