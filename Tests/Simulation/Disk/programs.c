// Starts programs: a program called `simulated-net` becomes a thread of this process at the other end of the channel.
// Invariant: any other program is started as usual.

#define _GNU_SOURCE
#include "simulated_disk.h"
#include "synced.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// A process id that no process has.
enum { simulated_process = 0x3fffffff };

static int last_end = -1;
static void (*serve)(int);

void disk_serve_with(void (*function)(int)) { serve = function; }

static void *served(void *channel) {
  serve((int)(intptr_t)channel);
  close((int)(intptr_t)channel);
  return NULL;
}

int socketpair(int domain, int type, int protocol, int ends[2]) {
  int failure = REAL(socketpair)(domain, type, protocol, ends);
  if (failure == 0) last_end = ends[1];
  return failure;
}

int posix_spawn(
    pid_t *process, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
    char *const arguments[], char *const environment[]) {
  if (strcmp(path, "simulated-net") != 0)
    return REAL(posix_spawn)(process, path, actions, attributes, arguments, environment);
  pthread_t thread;
  int channel = fcntl(last_end, F_DUPFD_CLOEXEC, 0);
  if (!serve || channel < 0) return ENOENT;
  int failure = pthread_create(&thread, NULL, served, (void *)(intptr_t)channel);
  if (failure) return close(channel), failure;
  pthread_detach(thread);
  *process = simulated_process;
  return 0;
}

pid_t waitpid(pid_t process, int *status, int options) {
  if (process != simulated_process) return REAL(waitpid)(process, status, options);
  if (status) *status = 0;
  return options & WNOHANG ? 0 : process;
}

int kill(pid_t process, int number) { return process == simulated_process ? 0 : REAL(kill)(process, number); }
