// Keeps how the terminal was set, and puts it back however the program ends: handlers of fatal signals do it too.
// Invariant: a handler only calls what is safe in one (tcsetattr, write, sigaction, raise).

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "creadline.h"

static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
enum { fatal_count = sizeof fatal / sizeof fatal[0] };

static int guarded = -1;
static struct termios kept;
static struct sigaction before[fatal_count];
static char restoring[64];

static void write_restoring_text(void) {
  size_t length = strlen(restoring);
  if (length > 0) {
    ssize_t written = write(guarded, restoring, length);
    (void)written;
  }
}

static void put_back_and_die(int number) {
  if (guarded >= 0) {
    tcsetattr(guarded, TCSANOW, &kept);
    write_restoring_text();
  }
  for (int i = 0; i < fatal_count; i++) sigaction(fatal[i], &before[i], NULL);
  // Delivered when this handler returns, to whoever handled it before.
  raise(number);
}

int terminal_guard_begin(int fd) {
  if (guarded >= 0) return EBUSY;
  if (tcgetattr(fd, &kept) != 0) return errno;
  guarded = fd;
  restoring[0] = '\0';
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = put_back_and_die;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < fatal_count; i++) sigaction(fatal[i], &action, &before[i]);
  return 0;
}

void terminal_guard_restore(void) {
  if (guarded < 0) return;
  // A process in the background would be stopped by this write to its terminal.
  sigset_t output;
  sigset_t mask;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  sigprocmask(SIG_BLOCK, &output, &mask);
  tcsetattr(guarded, TCSADRAIN, &kept);
  sigprocmask(SIG_SETMASK, &mask, NULL);
}

void terminal_guard_end(void) {
  if (guarded < 0) return;
  terminal_guard_restore();
  for (int i = 0; i < fatal_count; i++) sigaction(fatal[i], &before[i], NULL);
  guarded = -1;
}

int terminal_guard_raw(const char *restoring_text) {
  if (guarded < 0) return EBADF;
  strncpy(restoring, restoring_text, sizeof restoring - 1);
  struct termios raw = kept;
  raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR | IGNCR | ISTRIP);
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  return tcsetattr(guarded, TCSADRAIN, &raw) == 0 ? 0 : errno;
}

bool terminal_size(int fd, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return false;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return true;
}
