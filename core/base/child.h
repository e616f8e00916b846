/* child.h - work that may crash or never end, done by a child process: what libraries do with files that nobody has checked.
 *
 * The child is a fork: it sees the memory of its parent as it was, and what it does to it, nobody else sees. It hands back bytes
 * through a pipe. It has one thread: locks that other threads held at the fork stay locked, so `work` allocates with
 * base/memory.h and the C library alone, and touches neither the tensors' allocator nor the pool nor logs.
 */
#ifndef MF_BASE_CHILD_H
#define MF_BASE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mf_child {
  pid_t pid;
  int fd;
} mf_child;

/* Runs work(user, fd) in a child and ends it after that, or as soon as it has used `cpu_seconds` of processor time, or its parent
 * is gone. [OUT] *child, ended with mf_child_end. RESOURCE_EXHAUSTED when there is no pipe or process to be had. */
mf_status mf_child_start(void (*work)(void *user, int fd), void *user, unsigned cpu_seconds, mf_child *child) MF_MUST_USE;

/* For `work`: hands `size` bytes to the parent; false when it does not listen any more. */
bool mf_child_write(int fd, const void *bytes, size_t size);

/* The next `size` bytes of the child; false when it ended before it had written them. */
bool mf_child_read(const mf_child *child, void *bytes, size_t size);

/* Waits for the end of the child, which with `stop` comes at once. The signal that ended it, or 0. */
int mf_child_end(mf_child *child, bool stop);

#ifdef __cplusplus
}
#endif
#endif
