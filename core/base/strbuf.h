/* strbuf.h - text that grows. The first failure (no memory, a format the C library refuses) sticks: later appends do
 * nothing, and take reports it, so that a function building a text checks once, at its end:
 *
 *     mf_strbuf b = {0};
 *     mf_strbuf_appendf(&b, "%d items", n);
 *     return mf_strbuf_take(&b, out);
 */
#ifndef MF_BASE_STRBUF_H
#define MF_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts as {0}. */
typedef struct mf_strbuf {
  char *text;                 /* NULL, or NUL-terminated and owned by the buffer */
  size_t size, capacity;      /* bytes without the NUL; bytes allocated */
  bool failed;
} mf_strbuf;

/* Any bytes, NUL included; `bytes` may not point into the buffer itself. */
void mf_strbuf_append(mf_strbuf *b, const char *bytes, size_t size);
void mf_strbuf_appendf(mf_strbuf *b, const char *format, ...) MF_PRINTF(2, 3);

/* [OUT] *text: the text, NUL-terminated, ended by the caller with mf_free; NULL on failure. Empties b in both cases.
 * */
mf_status mf_strbuf_take(mf_strbuf *b, char **text) MF_MUST_USE;

/* Throws the text away; b can be used again. */
void mf_strbuf_release(mf_strbuf *b);

#ifdef __cplusplus
}
#endif
#endif
