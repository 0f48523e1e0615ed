// A seccomp filter: it allows the system calls that are needed for reading fonts, decoding pictures and drawing, and
// refuses all others.
// Invariant: no listed call starts a program, creates a process, opens a socket, writes a file or names another
// process.

#define _GNU_SOURCE
#include "confine.h"

#include <filter.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>

#ifdef THIS_ARCHITECTURE

#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

int cdrawing_limit_calls(void) {
  unsigned own = getpid();
  struct sock_filter rules[] = {
    // The x32 call numbers of an x86_64 kernel are larger than all of these, so they are refused.
    OWN_CALLS,
    CALL(read), CALL(write), CALL(futex), CALL(mmap), CALL(munmap), CALL(mprotect), CALL(mremap), CALL(madvise),
    CALL(brk), CALL(rt_sigprocmask), CALL(rt_sigaction), CALL(rt_sigreturn), CALL(sigaltstack),
    CALL(restart_syscall), CALL(getrandom),
    // Files: for reading only; Landlock restricts which ones.
    CALL_WITHOUT(openat, 2, WRITING), CALL(close), CALL(close_range), CALL(newfstatat), CALL(fstat), CALL(statx),
    CALL(statfs), CALL(fstatfs), CALL(readlinkat), CALL(faccessat), CALL(faccessat2), CALL(getdents64), CALL(getcwd),
    CALL(lseek), CALL(pread64), CALL(readv), CALL(writev), CALL(fadvise64), CALL(dup), CALL(dup3), CALL(pipe2),
    CALL(eventfd2), CALL(ppoll),
#if defined(__x86_64__)
    CALL_WITHOUT(open, 1, WRITING), CALL(stat), CALL(lstat), CALL(access), CALL(readlink), CALL(dup2), CALL(pipe),
    CALL(poll), CALL(getdents), CALL(time),
#endif
    // fcntl: for the flags and copies of descriptors, not for setting who receives signals (F_SETOWN).
    IF_EQUAL(__NR_fcntl, 5), LOAD(args[1]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_DUPFD_CLOEXEC, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, F_SETFL, 0, 1), REFUSE, ALLOW,
    // No descriptor is a terminal for this process.
    FAIL(ioctl, ENOTTY),
    // Threads, but no processes. The flags of clone3 are in memory, where a filter cannot see them; without it,
    // libraries use clone.
    CALL_WITH_FLAG(clone, 0, CLONE_THREAD), FAIL(clone3, ENOSYS), CALL(set_robust_list), CALL(rseq),
    CALL(membarrier), CALL(exit), CALL(exit_group), CALL(sched_yield), CALL_WITH(sched_getaffinity, 0, 0),
    CALL_WITH_EITHER(prctl, 0, PR_SET_NAME, PR_GET_NAME),
    // Queries about itself. A signal to itself is how it aborts.
    CALL_WITH(tgkill, 0, own), CALL_WITH(prlimit64, 0, 0), CALL(getrusage), CALL(getpid), CALL(gettid),
    CALL(getuid), CALL(geteuid), CALL(getgid), CALL(getegid), CALL(uname), CALL(sysinfo), CALL(clock_gettime),
    CALL(clock_getres), CALL(clock_nanosleep), CALL(nanosleep), CALL(gettimeofday),
    REFUSE,
  };
  struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

int cdrawing_limit_calls(void) {
  errno = ENOSYS;
  return -1;
}

#endif
