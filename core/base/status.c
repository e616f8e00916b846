/* status.c - error objects: one block for the object, one for its text; the out-of-memory object is static and never
 * changes. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

struct mf_error {
  mf_code code;
  char *message;      /* owned; the static object's is static */
  char op[48];        /* "" when no op is named */
};

static mf_error out_of_memory = {.code = MF_RESOURCE_EXHAUSTED, .message = (char *)(size_t) "out of memory"};

mf_status mf_fail_oom(void) { return &out_of_memory; }

static mf_status make(mf_code code, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  mf_error *e = mf_alloc_zero(1, sizeof *e);
  char *message = length < 0 ? NULL : mf_alloc((size_t)length + 1);
  if (!e || !message) {
    mf_free(e);
    mf_free(message);
    return mf_fail_oom();
  }
  vsnprintf(message, (size_t)length + 1, format, args);
  e->code = code;
  e->message = message;
  return e;
}

mf_status mf_fail(mf_code code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  mf_status status = make(code, format, args);
  va_end(args);
  return status;
}

mf_status mf_status_with_op(mf_status status, const char *op) {
  if (status && status != &out_of_memory && !status->op[0]) snprintf(status->op, sizeof status->op, "%s", op);
  return status;
}

mf_status mf_status_prefix(mf_status status, const char *format, ...) {
  char prefix[256];
  if (!status || status == &out_of_memory) return status;
  va_list args;
  va_start(args, format);
  vsnprintf(prefix, sizeof prefix, format, args);
  va_end(args);
  size_t size = strlen(prefix) + strlen(status->message) + 3;
  char *message = mf_alloc(size);
  if (!message) return status;
  snprintf(message, size, "%s: %s", prefix, status->message);
  mf_free(status->message);
  status->message = message;
  return status;
}

mf_code mf_status_code(const mf_error *status) { return status ? status->code : MF_OK; }
const char *mf_status_message(const mf_error *status) { return status ? status->message : ""; }
const char *mf_status_op(const mf_error *status) { return status && status->op[0] ? status->op : NULL; }

const char *mf_code_name(mf_code code) {
  static const char *const names[] = {
      "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
      "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
      "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"};
  return (size_t)code < sizeof names / sizeof *names ? names[code] : "UNKNOWN";
}

void mf_status_release(mf_status status) {
  if (!status || status == &out_of_memory) return;
  mf_free(status->message);
  mf_free(status);
}
