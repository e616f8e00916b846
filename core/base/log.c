/* log.c - see log.h. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic int shown = MF_LOG_WARNING;
static void (*_Atomic sink)(void *user, mf_log_level level, const char *text);
static void *_Atomic sink_user;

void mf_log_init(void) {
  const char *text = getenv("MF_LOG");
  if (text && text[0] >= '0' && text[0] <= '4') atomic_store(&shown, text[0] - '0');
}

void mf_log_set(void (*fn)(void *user, mf_log_level level, const char *text), void *user) {
  atomic_store(&sink_user, user);
  atomic_store(&sink, fn);
}

void mf_log_set_level(mf_log_level level) { atomic_store(&shown, (int)level); }

int mf_log_enabled(mf_log_level level) { return (int)level <= atomic_load_explicit(&shown, memory_order_relaxed); }

void mf_log(mf_log_level level, const char *format, ...) {
  char text[1024];
  if (!mf_log_enabled(level)) return;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  void (*fn)(void *, mf_log_level, const char *) = atomic_load(&sink);
  if (fn) fn(atomic_load(&sink_user), level, text);
  else fprintf(stderr, "moonflow: %s\n", text);
}
