// The attempts, by name. Invariant: an attempt changes nothing of the victim's beyond a byte typed at its terminal.

#define _GNU_SOURCE
#include "tries.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int outcome(long result) { return result < 0 ? errno : 0; }

// Opens a file and closes it again.
static int opens(const char *path, int flags) {
  int file = open(path, flags | O_NOCTTY | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  close(file);
  return 0;
}

// Injects a line feed into the shell's terminal input.
static int types_into(const char *terminal) {
  int file = open(terminal, O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return errno;
  char letter = '\n';
  int result = outcome(ioctl(file, TIOCSTI, &letter));
  close(file);
  return result;
}

static int types_into_tty(const struct victim *victim) { return types_into("/dev/tty"); }
static int types_into_terminal(const struct victim *victim) { return types_into(victim->terminal); }
static int reads_file(const struct victim *victim) { return opens(victim->file, O_RDONLY); }
static int writes_file(const struct victim *victim) { return opens(victim->file, O_WRONLY); }

static int lists_folder(const struct victim *victim) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", victim->file);
  *strrchr(folder, '/') = 0;
  return opens(folder, O_RDONLY | O_DIRECTORY);
}

static int makes_file(const struct victim *victim) {
  char path[4096];
  snprintf(path, sizeof path, "%s.made", victim->file);
  int result = opens(path, O_WRONLY | O_CREAT);
  if (result == 0) unlink(path);
  return result;
}

static int signals_thread(const struct victim *victim) {
  return outcome(syscall(SYS_tgkill, victim->process, victim->process, 0));
}

static int signals_process(const struct victim *victim) { return outcome(kill(victim->process, 0)); }

static int is_told_of_by_signal(const struct victim *victim) { return outcome(fcntl(1, F_SETOWN, victim->process)); }

static int reads_limits(const struct victim *victim) {
  struct rlimit limits;
  return outcome(syscall(SYS_prlimit64, victim->process, RLIMIT_NOFILE, NULL, &limits));
}

static int writes_limits(const struct victim *victim) {
  struct rlimit limits = {1 << 20, 1 << 20};
  getrlimit(RLIMIT_CORE, &limits);
  return outcome(syscall(SYS_prlimit64, victim->process, RLIMIT_CORE, &limits, NULL));
}

static int traces(const struct victim *victim) {
  if (ptrace(PTRACE_SEIZE, victim->process, NULL, NULL) < 0) return errno;
  ptrace(PTRACE_INTERRUPT, victim->process, NULL, NULL);
  waitpid(victim->process, NULL, __WALL);
  return outcome(ptrace(PTRACE_DETACH, victim->process, NULL, NULL));
}

static int reads_memory(const struct victim *victim) {
  int copy;
  struct iovec here = {&copy, sizeof copy}, there = {(void *)victim->address, sizeof copy};
  return outcome(syscall(SYS_process_vm_readv, victim->process, &here, 1UL, &there, 1UL, 0UL));
}

static int writes_memory(const struct victim *victim) {
  int copy = 0;
  struct iovec here = {&copy, sizeof copy}, there = {(void *)victim->address, sizeof copy};
  return outcome(syscall(SYS_process_vm_writev, victim->process, &here, 1UL, &there, 1UL, 0UL));
}

static int opens_memory(const struct victim *victim) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", victim->process);
  return opens(path, O_RDONLY);
}

static int opens_own_memory(const struct victim *victim) { return opens("/proc/self/mem", O_RDONLY); }

static int makes_socket(const struct victim *victim) { return outcome(socket(AF_UNIX, SOCK_STREAM, 0)); }
static int makes_network_socket(const struct victim *victim) { return outcome(socket(AF_INET, SOCK_DGRAM, 0)); }

static int has_descriptor(const struct victim *victim) { return outcome(fcntl(victim->descriptor, F_GETFD)); }

// In a child: exits at once; in this process: waits for it.
static int ended(long child) {
  if (child < 0) return errno;
  if (child == 0) _exit(0);
  waitpid((pid_t)child, NULL, __WALL);
  return 0;
}

static int forks(const struct victim *victim) { return ended(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

static int forks_anew(const struct victim *victim) {
  struct clone_args arguments = {.exit_signal = SIGCHLD};
  return ended(syscall(SYS_clone3, &arguments, sizeof arguments));
}

static int starts_program(const struct victim *victim) {
  char *words[] = {"/bin/echo", "starts a program: 0", NULL}, *none[] = {NULL};
  return outcome(execve(words[0], words, none));
}

static const struct {
  const char *name;
  int (*make)(const struct victim *);
} tries[] = {
  {"types into /dev/tty", types_into_tty},
  {"types into the terminal by its name", types_into_terminal},
  {"reads a file of the user's", reads_file},
  {"writes a file of the user's", writes_file},
  {"lists a folder of the user's", lists_folder},
  {"makes a file", makes_file},
  {"signals a thread of the shell", signals_thread},
  {"signals the shell", signals_process},
  {"has the kernel signal the shell", is_told_of_by_signal},
  {"reads the shell's limits", reads_limits},
  {"changes the shell's limits", writes_limits},
  {"traces the shell", traces},
  {"reads the shell's memory", reads_memory},
  {"writes the shell's memory", writes_memory},
  {"opens the shell's memory", opens_memory},
  {"opens its own memory", opens_own_memory},
  {"makes a socket", makes_socket},
  {"makes a socket to the network", makes_network_socket},
  {"has a descriptor of the shell's", has_descriptor},
  {"forks", forks},
  {"forks by clone3", forks_anew},
  {"starts a program", starts_program},
};

int try_count(void) { return sizeof tries / sizeof *tries; }
const char *try_name(int index) { return tries[index].name; }
int try_make(int index, const struct victim *victim) { return tries[index].make(victim); }
void allow_tracing(void) { prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); }
