/* status.h - the one way in which anything in moonflow fails.
 *
 * A function that can fail returns mf_status. NULL means success. Anything else is an error object that the receiver
 * owns: it must either be handed on (return it) or ended with mf_status_release(). Errors may cross threads by handing
 * over; they are not reference counted. When memory for an error object cannot be had, a static RESOURCE_EXHAUSTED
 * object is returned instead; releasing that one is a no-op, so callers need no special case.
 *
 * Every message states operation, argument, expected and received:
 *     return mf_fail(MF_INVALID_ARGUMENT, "Conv2D: filter has 3 input channels, input has 4 (input [8,32,32,4])");
 */
#ifndef MF_BASE_STATUS_H
#define MF_BASE_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* TensorFlow's canonical codes, with the same numbers (tensorflow/core/protobuf/error_codes.proto). */
typedef enum mf_code {
  MF_OK = 0,
  MF_CANCELLED = 1,
  MF_UNKNOWN = 2,
  MF_INVALID_ARGUMENT = 3,
  MF_DEADLINE_EXCEEDED = 4,
  MF_NOT_FOUND = 5,
  MF_ALREADY_EXISTS = 6,
  MF_PERMISSION_DENIED = 7,
  MF_RESOURCE_EXHAUSTED = 8,
  MF_FAILED_PRECONDITION = 9,
  MF_ABORTED = 10,
  MF_OUT_OF_RANGE = 11,
  MF_UNIMPLEMENTED = 12,
  MF_INTERNAL = 13,
  MF_UNAVAILABLE = 14,
  MF_DATA_LOSS = 15,
  MF_UNAUTHENTICATED = 16
} mf_code;

typedef struct mf_error mf_error;
typedef mf_error *mf_status;

#if defined(__GNUC__)
#define MF_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define MF_MUST_USE __attribute__((warn_unused_result))
#else
#define MF_PRINTF(fmt, args)
#define MF_MUST_USE
#endif

/* Makes an error. Text is formatted as printf does; never NULL. */
mf_status mf_fail(mf_code code, const char *format, ...) MF_PRINTF(2, 3) MF_MUST_USE;

/* The static out-of-memory object: never allocates. */
mf_status mf_fail_oom(void) MF_MUST_USE;

/* Names the op that failed, unless one is named already. Takes and returns `status` (NULL passes through). */
mf_status mf_status_with_op(mf_status status, const char *op) MF_MUST_USE;

/* Puts "`prefix`: " in front of the message. Takes and returns `status` (NULL passes through). */
mf_status mf_status_prefix(mf_status status, const char *format, ...) MF_PRINTF(2, 3) MF_MUST_USE;

mf_code mf_status_code(const mf_error *status);           /* MF_OK for NULL */
const char *mf_status_message(const mf_error *status);    /* borrowed; "" for NULL */
const char *mf_status_op(const mf_error *status);         /* borrowed; NULL when no op is named */
const char *mf_code_name(mf_code code);                   /* "INVALID_ARGUMENT" ... ; static */

/* Ends an error; NULL is allowed. */
void mf_status_release(mf_status status);

/* if ((s = mf_foo(...))) return s;  written short. Only where nothing is held. */
#define MF_TRY(expression)                  \
  do {                                      \
    mf_status mf_try_status_ = (expression); \
    if (mf_try_status_) return mf_try_status_; \
  } while (0)

/* Inside a function with one goto ladder: sets `status` and jumps to `label` on failure. */
#define MF_TRY_GOTO(status, expression, label) \
  do {                                         \
    (status) = (expression);                   \
    if (status) goto label;                    \
  } while (0)

#ifdef __cplusplus
}
#endif
#endif
