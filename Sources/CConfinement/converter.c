// What a program that converts a stranger's file may do. Invariant: it reaches no network and no other process, reads
// that file and the system's own, and writes only into one folder; so does everything that it starts.

#define _GNU_SOURCE
#include "confinement.h"

#include <errno.h>
#include <sys/resource.h>

#include "filter.h"

#ifdef THIS_ARCHITECTURE

static int refuse_calls(void) {
  struct sock_filter rules[] = {
    OWN_CALLS,
    FAIL(socket, EACCES), FAIL(connect, EACCES), FAIL(bind, EACCES), FAIL(ptrace, EPERM), FAIL(process_vm_readv, EPERM),
    FAIL(process_vm_writev, EPERM), FAIL(pidfd_getfd, EPERM), FAIL(kill, EPERM), FAIL(tkill, EPERM), FAIL(mount, EPERM),
    FAIL(unshare, EPERM), FAIL(setns, EPERM), FAIL(bpf, EPERM), FAIL(perf_event_open, EPERM), FAIL(keyctl, EPERM),
    FAIL(add_key, EPERM), FAIL(userfaultfd, EPERM), FAIL(io_uring_setup, ENOSYS), FAIL(shmget, EPERM), FAIL(msgget, EPERM),
    ALLOW,
  };
  struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

static int refuse_calls(void) {
  errno = ENOSYS;
  return -1;
}

#endif

static void limit(int resource, rlim_t value) {
  struct rlimit bounds = {value, value};
  setrlimit(resource, &bounds);
}

int confine_converter(const char *program, const char *source, const char *folder) {
  confine_descriptors();
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, 4UL << 30);
  limit(RLIMIT_CPU, 120);
  limit(RLIMIT_FSIZE, 64UL << 20);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  int ruleset = confine_begin_paths();
  if (ruleset >= 0) {
    const char *system[] = {"/usr", "/bin", "/lib", "/lib64", "/nix/store", "/gnu/store"};
    for (size_t index = 0; index < sizeof system / sizeof *system; index++) {
      confine_allow(ruleset, system[index], MAY_READ | MAY_RUN);
    }
    confine_allow(ruleset, "/etc/ld.so.cache", MAY_READ);
    confine_allow(ruleset, "/dev/null", MAY_READ | MAY_WRITE);
    confine_allow(ruleset, program, MAY_READ | MAY_RUN);
    confine_allow(ruleset, source, MAY_READ);
    confine_allow(ruleset, folder, MAY_READ | MAY_WRITE);
  }
  int paths = ruleset < 0 ? -1 : confine_end_paths(ruleset), calls = refuse_calls();
  return paths == 0 && calls == 0 ? 0 : -1;
}
