// Signals as bytes of a pipe, so that a poll loop sees keys and signals in one place.
// Invariant: outside begin and end no handler of ours is installed and no descriptor is open.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "creadline.h"

enum { most_signals = 16 };

static int pipe_ends[2] = {-1, -1};
static int watched[most_signals];
static struct sigaction before[most_signals];
static int watched_count;

static void put_into_pipe(int number) {
  int kept = errno;
  unsigned char byte = (unsigned char)number;
  // A full pipe holds more signals than anyone will read: one that is dropped then is not missed.
  ssize_t written = write(pipe_ends[1], &byte, 1);
  (void)written;
  errno = kept;
}

static void install(int number, struct sigaction *old) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = put_into_pipe;
  sigfillset(&action.sa_mask);
  sigaction(number, &action, old);
}

static bool keeps_ignoring(int number) {
  struct sigaction now;
  if (number != SIGHUP && number != SIGTSTP && number != SIGQUIT) return false;
  return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int signal_watch_begin(const int *signals, int count) {
  if (pipe_ends[0] >= 0) return EBUSY;
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) return errno;
  watched_count = 0;
  for (int i = 0; i < count && watched_count < most_signals; i++) {
    if (keeps_ignoring(signals[i])) continue;
    watched[watched_count] = signals[i];
    install(signals[i], &before[watched_count]);
    watched_count++;
  }
  return 0;
}

static bool ends_the_process(int number) {
  return number == SIGTERM || number == SIGHUP || number == SIGQUIT || number == SIGINT;
}

void signal_watch_end(void) {
  if (pipe_ends[0] < 0) return;
  for (int i = watched_count - 1; i >= 0; i--) sigaction(watched[i], &before[i], NULL);
  // One that came after the last look is for whoever handles it now.
  for (int number = signal_watch_next(); number != 0; number = signal_watch_next()) {
    if (ends_the_process(number)) raise(number);
  }
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  pipe_ends[0] = pipe_ends[1] = -1;
  watched_count = 0;
}

int signal_watch_fd(void) { return pipe_ends[0]; }

int signal_watch_next(void) {
  unsigned char byte;
  if (pipe_ends[0] < 0) return 0;
  return read(pipe_ends[0], &byte, 1) == 1 ? byte : 0;
}

void signal_watch_suspend(void) {
  struct sigaction ours;
  struct sigaction plain;
  memset(&plain, 0, sizeof plain);
  plain.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &plain, &ours);
  kill(getpid(), SIGTSTP);
  sigaction(SIGTSTP, &ours, NULL);
  unsigned char ending[most_signals];
  int count = 0;
  for (int number = signal_watch_next(); number != 0; number = signal_watch_next()) {
    if (ends_the_process(number) && count < most_signals) ending[count++] = (unsigned char)number;
  }
  for (int i = 0; i < count; i++) put_into_pipe(ending[i]);
}
