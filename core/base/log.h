/* log.h - messages for people who look: to stderr, or to a host's function.
 *
 * MF_LOG chooses the level, as a number or a word:
 *   0 error     what was lost although nobody returned an error (a worker that died, a file that could not be closed)
 *   1 warning   the default: something works, but not as well as it could (a slow path, a library that is missing)
 *   2 info      devices, instruction-set level, libraries found
 *   3 timing    every op: shapes, time, GB/s
 *   4 debug     refused kernels with reasons, graphs after each pass
 * A message is one text without a newline at its end. Errors that a caller can handle are never logged: they are
 * returned.
 */
#ifndef MF_BASE_LOG_H
#define MF_BASE_LOG_H

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mf_log_level { MF_LOG_ERROR, MF_LOG_WARNING, MF_LOG_INFO, MF_LOG_TIMING, MF_LOG_DEBUG } mf_log_level;

/* Receives one message; `text` is borrowed for the call. May be called from any thread, from several at once, and must
 * not call mf_log_set. */
typedef void (*mf_log_fn)(void *user, mf_log_level level, const char *text);

/* Reads MF_LOG; called by mf_init. An unknown value leaves the default. */
void mf_log_init(void);

/* Where messages go from now on; NULL: back to stderr. Returns when no thread is inside the function that was set
 * before, so its `user` may then be freed. */
void mf_log_set(mf_log_fn fn, void *user);

void mf_log_set_level(mf_log_level level);

/* Whether a message of this level would be shown: ask before work that only a message needs. */
int mf_log_enabled(mf_log_level level);

/* Formats as printf does, text of any length. Out of memory, the message is cut to 1,023 bytes. */
void mf_log(mf_log_level level, const char *format, ...) MF_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
