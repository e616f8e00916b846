/* log.h - messages for people who look: level by MF_LOG (0 errors ... 4 every dispatch), to stderr or a host's function. */
#ifndef MF_BASE_LOG_H
#define MF_BASE_LOG_H

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mf_log_level { MF_LOG_ERROR, MF_LOG_WARNING, MF_LOG_INFO, MF_LOG_TIMING, MF_LOG_DEBUG } mf_log_level;

/* Reads MF_LOG; called by mf_init. The default shows errors and warnings. */
void mf_log_init(void);
/* NULL: back to stderr. `fn` may be called from any thread. */
void mf_log_set(void (*fn)(void *user, mf_log_level level, const char *text), void *user);
void mf_log_set_level(mf_log_level level);
int mf_log_enabled(mf_log_level level);
void mf_log(mf_log_level level, const char *format, ...) MF_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
