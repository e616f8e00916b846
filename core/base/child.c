/* child.c - see child.h. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void limit(int resource, rlim_t most) {
  struct rlimit now;
  if (getrlimit(resource, &now) || now.rlim_cur <= most) return;
  now.rlim_cur = most;
  (void)setrlimit(resource, &now);
}

/* A crash is to end the child quietly: no handler of the host, no core file, no message of the C library on the terminal. A file
 * that grows beyond a limit is to be an error of write(). */
static void prepare(pid_t parent, unsigned cpu_seconds) {
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPIPE, SIGXCPU};
  for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) signal(fatal[i], SIG_DFL);
  signal(SIGXFSZ, SIG_IGN);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, cpu_seconds);
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) (void)dup2(nowhere, STDERR_FILENO);
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

mf_status mf_child_start(void (*work)(void *user, int fd), void *user, unsigned cpu_seconds, mf_child *child) {
  int ends[2];
  char text[128];
  *child = (mf_child){.pid = -1, .fd = -1};
  if (pipe2(ends, O_CLOEXEC))
    return mf_fail(MF_RESOURCE_EXHAUSTED, "cannot make a pipe: %s", strerror_r(errno, text, sizeof text));
  (void)fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    close(ends[0]);
    prepare(parent, cpu_seconds);
    work(user, ends[1]);
    _exit(0);
  }
  int failed = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return mf_fail(MF_RESOURCE_EXHAUSTED, "cannot start a process: %s", strerror_r(failed, text, sizeof text));
  }
  *child = (mf_child){.pid = pid, .fd = ends[0]};
  return NULL;
}

bool mf_child_write(int fd, const void *bytes, size_t size) {
  const char *p = bytes;
  while (size > 0) {
    ssize_t put = write(fd, p, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    p += put;
    size -= (size_t)put;
  }
  return true;
}

bool mf_child_read(const mf_child *child, void *bytes, size_t size) {
  char *p = bytes;
  while (size > 0) {
    ssize_t got = read(child->fd, p, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    p += got;
    size -= (size_t)got;
  }
  return true;
}

/* A host may wait for children of its own and find ours: how it ended is unknown then. */
int mf_child_end(mf_child *child, bool stop) {
  int how = 0;
  if (child->pid < 0) return 0;
  if (stop) kill(child->pid, SIGKILL);
  close(child->fd);
  pid_t ended;
  while ((ended = waitpid(child->pid, &how, 0)) < 0 && errno == EINTR) {}
  bool seen = ended == child->pid;
  *child = (mf_child){.pid = -1, .fd = -1};
  return seen && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
}
