/* strbuf.h - text that grows. The first failure to get memory sticks: later appends do nothing, and take reports it. */
#ifndef MF_BASE_STRBUF_H
#define MF_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts as {0}. `text` is NUL-terminated once something was appended. */
typedef struct mf_strbuf {
  char *text;
  size_t size, capacity;
  bool failed;
} mf_strbuf;

void mf_strbuf_append(mf_strbuf *b, const char *bytes, size_t size);
void mf_strbuf_appendf(mf_strbuf *b, const char *format, ...) MF_PRINTF(2, 3);
/* Hands the text over (never NULL on success; ended with mf_free) and empties b. */
mf_status mf_strbuf_take(mf_strbuf *b, char **text) MF_MUST_USE;
void mf_strbuf_release(mf_strbuf *b);

#ifdef __cplusplus
}
#endif
#endif
