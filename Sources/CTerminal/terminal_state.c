// The terminal modes and signal handlers of the process while the program reads keys, a line or a password: one table
// of what to restore, one handler. Uses can be nested (a game asks for a password); each has an entry.
// Invariant: outside begin and end, none of our handlers is installed and no descriptor is open. If the process ends
// between them, other than by SIGKILL, each terminal in the table is restored first. The handler calls only
// async-signal-safe functions.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "terminal_state.h"

enum rule {
  /// Written to the pipe.
  ALWAYS,
  /// Written to the pipe, unless the process ignores it (nohup).
  UNLESS_IGNORED,
  /// Written to the pipe if it has no handler: it would end the process with the terminal changed.
  IF_IT_ENDS,
  /// Written to the pipe while a question is asked: it ends the attempt to change a terminal that belongs to another
  /// job.
  IN_QUESTION,
  /// Nothing is reliable after it: the handler itself restores the terminals and raises the signal again.
  FATAL,
};

static const struct {
  int number;
  enum rule rule;
} signals[] = {
    {SIGINT, ALWAYS},         {SIGTERM, ALWAYS},        {SIGCONT, ALWAYS},       {SIGWINCH, ALWAYS},
    {SIGHUP, UNLESS_IGNORED}, {SIGTSTP, UNLESS_IGNORED}, {SIGQUIT, UNLESS_IGNORED},
    {SIGPIPE, IF_IT_ENDS},    {SIGALRM, IF_IT_ENDS},    {SIGUSR1, IF_IT_ENDS},   {SIGUSR2, IF_IT_ENDS},
    {SIGPROF, IF_IT_ENDS},    {SIGVTALRM, IF_IT_ENDS},  {SIGXCPU, IF_IT_ENDS},   {SIGIO, IF_IT_ENDS},
    {SIGTTOU, IN_QUESTION},   {SIGTTIN, IN_QUESTION},
    {SIGSEGV, FATAL},         {SIGBUS, FATAL},          {SIGILL, FATAL},         {SIGFPE, FATAL},
    {SIGABRT, FATAL},         {SIGTRAP, FATAL},         {SIGSYS, FATAL},
};
enum { signal_count = sizeof signals / sizeof signals[0], most_uses = 4 };

static struct use {
  int fd;
  bool is_question;
  /// False if the terminal's modes could not be read, so there is nothing to restore.
  bool has_modes;
  struct termios modes;
  /// The text to write when a crash restores the terminal.
  char restoring[64];
  bool is_caught[signal_count];
  struct sigaction before[signal_count];
} uses[most_uses];
static volatile sig_atomic_t use_count;
static int pipe_ends[2] = {-1, -1};
static bool (*mends)(const void *);

static struct use *current(void) { return use_count > 0 ? &uses[use_count - 1] : NULL; }

// The handler.

static void put_into_pipe(int number) {
  int kept = errno;
  unsigned char byte = (unsigned char)number;
  // A full pipe holds more signals than anyone will read, so a dropped one does not matter.
  ssize_t written = write(pipe_ends[1], &byte, 1);
  (void)written;
  errno = kept;
}

static bool is_in_background(int fd) {
  pid_t foreground = tcgetpgrp(fd);
  return foreground >= 0 && foreground != getpgrp();
}

/// Restores the modes. `when` is as for tcsetattr.
static void put_modes_back(const struct use *use, int when) {
  if (!use->has_modes || (use->is_question && is_in_background(use->fd))) return;
  // Otherwise the change would stop a process in the background.
  sigset_t output;
  sigset_t mask;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  sigprocmask(SIG_BLOCK, &output, &mask);
  if (use->is_question) tcflush(use->fd, TCIFLUSH);
  while (tcsetattr(use->fd, when, &use->modes) != 0 && errno == EINTR) {
  }
  sigprocmask(SIG_SETMASK, &mask, NULL);
}

static void give_signals_back(const struct use *use) {
  for (int i = signal_count - 1; i >= 0; i--) {
    if (use->is_caught[i]) sigaction(signals[i].number, &use->before[i], NULL);
  }
}

static void put_all_back(void) {
  for (int i = use_count - 1; i >= 0; i--) {
    // Without waiting for output to drain: a terminal stopped by Ctrl-S would block the crash.
    put_modes_back(&uses[i], TCSANOW);
    ssize_t written = write(uses[i].fd, uses[i].restoring, strlen(uses[i].restoring));
    (void)written;
    give_signals_back(&uses[i]);
  }
}

static void handle(int number, siginfo_t *facts, void *context) {
  (void)context;
  for (int i = 0; i < signal_count; i++) {
    if (signals[i].number != number) continue;
    if (signals[i].rule != FATAL) return put_into_pipe(number);
    // A page that could not be read may have been repaired.
    if (number == SIGBUS && facts->si_code > 0 && mends && mends(facts->si_addr)) return;
    put_all_back();
    // Delivered to the previous handler when this one returns.
    raise(number);
  }
}

// Beginning and ending.

static bool is_to_be_caught(enum rule rule, bool is_question, const struct sigaction *before) {
  if (rule == FATAL) return true;
  if (rule == IN_QUESTION && !is_question) return false;
  bool is_ours = before->sa_flags & SA_SIGINFO && before->sa_sigaction == handle;
  if (rule == IF_IT_ENDS) return before->sa_handler == SIG_DFL || is_ours;
  return before->sa_handler != SIG_IGN || (rule == ALWAYS && !is_question);
}

static void catch_signals(struct use *use) {
  struct sigaction action;
  for (int i = 0; i < signal_count; i++) {
    sigaction(signals[i].number, NULL, &use->before[i]);
    use->is_caught[i] = is_to_be_caught(signals[i].rule, use->is_question, &use->before[i]);
    if (!use->is_caught[i]) continue;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO;
    // A crash may be a stack overflow, so use the alternate stack. Neither kind has SA_RESTART: blocking calls must
    // return.
    if (signals[i].rule == FATAL) action.sa_flags |= SA_ONSTACK; else sigfillset(&action.sa_mask);
    sigaction(signals[i].number, &action, NULL);
  }
}

static int begin(int fd, bool is_question) {
  if (use_count == most_uses) return EBUSY;
  if (use_count == 0 && pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) return errno;
  struct use *use = &uses[use_count];
  use->fd = fd;
  use->is_question = is_question;
  use->has_modes = tcgetattr(fd, &use->modes) == 0;
  use->restoring[0] = '\0';
  use_count++;
  catch_signals(use);
  return 0;
}

void terminal_mend_faults(bool (*mend)(const void *)) { mends = mend; }

int terminal_begin(int fd) { return begin(fd, false); }

int terminal_begin_question(int fd) { return begin(fd, true); }

static bool stops_or_wakes(int number) {
  return number == SIGTSTP || number == SIGCONT || number == SIGWINCH || number == SIGTTOU || number == SIGTTIN;
}

void terminal_end(void) {
  struct use *use = current();
  if (!use) return;
  put_modes_back(use, TCSADRAIN);
  give_signals_back(use);
  use_count--;
  // The enclosing use reads the same pipe.
  if (use_count > 0) return;
  // A signal that arrived after the last check goes to the handler that is now installed.
  for (int number = terminal_next_signal(); number != 0; number = terminal_next_signal()) {
    if (!stops_or_wakes(number)) raise(number);
  }
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  pipe_ends[0] = pipe_ends[1] = -1;
}

// Inside a use.

int terminal_signal_fd(void) { return pipe_ends[0]; }

int terminal_next_signal(void) {
  unsigned char byte;
  if (pipe_ends[0] < 0) return 0;
  return read(pipe_ends[0], &byte, 1) == 1 ? byte : 0;
}

void terminal_restore(void) {
  struct use *use = current();
  if (use) put_modes_back(use, TCSADRAIN);
}

void terminal_suspend(void) {
  struct sigaction ours;
  struct sigaction plain;
  terminal_restore();
  memset(&plain, 0, sizeof plain);
  plain.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &plain, &ours);
  kill(getpid(), SIGTSTP);
  sigaction(SIGTSTP, &ours, NULL);
  unsigned char ending[64];
  int count = 0;
  for (int number = terminal_next_signal(); number != 0; number = terminal_next_signal()) {
    if (!stops_or_wakes(number) && count < (int)sizeof ending) ending[count++] = (unsigned char)number;
  }
  for (int i = 0; i < count; i++) put_into_pipe(ending[i]);
}

int terminal_raw(const char *restoring_text) {
  struct use *use = current();
  if (!use || !use->has_modes) return EBADF;
  strncpy(use->restoring, restoring_text, sizeof use->restoring - 1);
  struct termios raw = use->modes;
  raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR | IGNCR | ISTRIP);
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  return tcsetattr(use->fd, TCSADRAIN, &raw) == 0 ? 0 : errno;
}
