// The system calls of deckhand-plugin. Invariant: no listed call names a file, another process or a network address.

#define _GNU_SOURCE
#include "confinement.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "filter.h"

#ifdef THIS_ARCHITECTURE

static int limit_calls(void) {
  unsigned own = getpid();
  struct sock_filter rules[] = {
    OWN_CALLS,
    // The channel: the only descriptors that are open.
    CALL(read), CALL(write), CALL(readv), CALL(writev), CALL(recvfrom), CALL(ppoll),
#if defined(__x86_64__)
    CALL(poll), CALL(time),
#endif
    // Memory.
    CALL(mmap), CALL(munmap), CALL(mprotect), CALL(mremap), CALL(madvise), CALL(brk), CALL(futex), CALL(getrandom),
    // Signals: it is asked to stop by one, and aborts with one.
    CALL(rt_sigreturn), CALL(rt_sigprocmask), CALL(rt_sigaction), CALL(sigaltstack), CALL(restart_syscall),
    CALL_WITH(tgkill, 0, own), CALL(getpid), CALL(gettid),
    CALL(clock_gettime), CALL(clock_getres), CALL(gettimeofday), CALL(sched_yield), CALL(exit), CALL(exit_group),
    // To this process, no descriptor is a terminal.
    FAIL(ioctl, ENOTTY),
    REFUSE,
  };
  struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

static int limit_calls(void) {
  errno = ENOSYS;
  return -1;
}

#endif

void confine_descriptors(void) {
  if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0) return;
  for (int descriptor = 3; descriptor < 65536; descriptor++) close(descriptor);
}

int confine_code(void) {
  confine_descriptors();
  // Times are formatted in the user's time zone, whose file cannot be read afterwards.
  tzset();
  struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0 || setrlimit(RLIMIT_FSIZE, &none) != 0 || setrlimit(RLIMIT_NPROC, &none) != 0)
    return -1;
  struct rlimit open_files = {3, 3};
  if (setrlimit(RLIMIT_NOFILE, &open_files) != 0) return -1;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return -1;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return limit_calls();
}

void confine_time(pid_t process, unsigned long seconds) {
  clockid_t clock;
  struct timespec used;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return;
  struct rlimit bounds = {(rlim_t)used.tv_sec + seconds, RLIM_INFINITY};
  prlimit(process, RLIMIT_CPU, &bounds, NULL);
}
