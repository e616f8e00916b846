/* log.c - see log.h. The lock keeps function and user together and lets mf_log_set wait for messages under way; the
 * level is read without it, so a message that is not shown costs one load. */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/memory.h"

static atomic_int shown = MF_LOG_WARNING;
static struct {
  pthread_rwlock_t lock;
  mf_log_fn fn;
  void *user;
} sink = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static const char *const level_names[] = {"error", "warning", "info", "timing", "debug"};

void mf_log_init(void) {
  const char *text = mf_env_text(MF_ENV_LOG);
  for (int i = 0; text && i <= MF_LOG_DEBUG; i++)
    if (!strcmp(text, level_names[i]) || (text[0] == '0' + i && !text[1])) atomic_store(&shown, i);
}

void mf_log_set(mf_log_fn fn, void *user) {
  pthread_rwlock_wrlock(&sink.lock);
  sink.fn = fn;
  sink.user = user;
  pthread_rwlock_unlock(&sink.lock);
}

void mf_log_set_level(mf_log_level level) { atomic_store(&shown, (int)level); }

int mf_log_enabled(mf_log_level level) { return (int)level <= atomic_load_explicit(&shown, memory_order_relaxed); }

static void deliver(mf_log_level level, const char *text) {
  pthread_rwlock_rdlock(&sink.lock);
  if (sink.fn) sink.fn(sink.user, level, text);
  else fprintf(stderr, "moonflow: %s\n", text);
  pthread_rwlock_unlock(&sink.lock);
}

void mf_log(mf_log_level level, const char *format, ...) {
  char brief[1024], *text = brief;
  va_list args, again;
  if (!mf_log_enabled(level)) return;
  va_start(args, format);
  va_copy(again, args);
  int size = vsnprintf(brief, sizeof brief, format, args);
  if (size >= (int)sizeof brief && (text = mf_alloc((size_t)size + 1)) != NULL)
    vsnprintf(text, (size_t)size + 1, format, again);
  va_end(again);
  va_end(args);
  if (size >= 0) deliver(level, text ? text : brief);
  if (text != brief) mf_free(text);
}
