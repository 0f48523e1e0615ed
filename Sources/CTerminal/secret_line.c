// Reads a line from /dev/tty without echo.
// Invariant: from the moment echo goes off until it is on again, every signal that can be caught leads to `give_back`
// before it does what it usually does. The bytes go from the kernel into the caller's buffer, through nothing else.
#define _GNU_SOURCE
#include "cterminal.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// Those that are noted, and sent on once echo is back. The first two come from the terminal's own calls in the
// background; the next six are always caught, the others only where they would end the process.
static const int gentle[] = {SIGTTOU, SIGTTIN, SIGTSTP, SIGCONT, SIGINT,  SIGTERM,   SIGHUP,  SIGQUIT,
                             SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGPROF, SIGVTALRM, SIGXCPU, SIGIO};
// Those after which nothing can be counted on: echo is given back in the handler.
static const int fatal[] = {SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
enum { GENTLE = sizeof gentle / sizeof *gentle, FATAL = sizeof fatal / sizeof *fatal };
enum { TTOU = 0, TTIN = 1, TSTP = 2, CONT = 3, ALWAYS = 8 };

static volatile sig_atomic_t noted[GENTLE];
static volatile sig_atomic_t is_silent;
static volatile sig_atomic_t terminal = -1;
static struct termios usual;
static struct sigaction gentle_before[GENTLE], fatal_before[FATAL];
static sigset_t mask_before;

static void note(int signal) {
  for (int i = 0; i < GENTLE; i++)
    if (gentle[i] == signal) noted[i] = 1;
}

// Sets the terminal. In the background SIGTTOU ends the try: the terminal is somebody else's then.
static int set_terminal(const struct termios *mode) {
  int result;
  do result = tcsetattr(terminal, TCSAFLUSH, mode);
  while (result == -1 && errno == EINTR && !noted[TTOU]);
  return result;
}

// Puts echo back; may be called from a handler.
static void give_back(void) {
  const int before = errno;
  if (is_silent) {
    is_silent = 0;
    set_terminal(&usual);
  }
  errno = before;
}

// Gives echo back and lets the signal do what it did before: it is blocked now and strikes on return.
static void crash(int signal) {
  give_back();
  for (int i = 0; i < FATAL; i++)
    if (fatal[i] == signal) sigaction(signal, &fatal_before[i], NULL);
  raise(signal);
}

// Whether a signal needs no catching: it is ignored (as with nohup), or it is the program's own and ends nothing.
static int is_harmless(int index) {
  if (index == CONT) return 0;
  if (gentle_before[index].sa_handler == SIG_IGN) return 1;
  return index >= ALWAYS && gentle_before[index].sa_handler != SIG_DFL;
}

// Catches the signals, and holds back those that could strike between a look and a wait: they come during the wait.
static void catch_signals(void) {
  struct sigaction action;
  sigset_t held;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  sigemptyset(&held);
  action.sa_handler = note;  // without SA_RESTART: what waits must end
  for (int i = 0; i < GENTLE; i++) {
    noted[i] = 0;
    sigaction(gentle[i], NULL, &gentle_before[i]);
    if (is_harmless(i)) continue;
    sigaction(gentle[i], &action, NULL);
    if (i != TTOU && i != TTIN) sigaddset(&held, gentle[i]);
  }
  sigprocmask(SIG_BLOCK, &held, &mask_before);
  action.sa_handler = crash;
  action.sa_flags = SA_ONSTACK;
  for (int i = 0; i < FATAL; i++) sigaction(fatal[i], &action, &fatal_before[i]);
}

static void release_signals(void) {
  for (int i = 0; i < FATAL; i++) sigaction(fatal[i], &fatal_before[i], NULL);
  // What is still held back strikes now, is noted, and goes on with the rest.
  sigprocmask(SIG_SETMASK, &mask_before, NULL);
  for (int i = 0; i < GENTLE; i++)
    if (!is_harmless(i)) sigaction(gentle[i], &gentle_before[i], NULL);
}

// Turns echo off. What was typed ahead is dropped: it was typed with echo. Returns 0 or how the reading ends.
static int be_silent(void) {
  struct termios silent;
  if (tcgetattr(terminal, &usual) == -1) return SECRET_LINE_NO_TERMINAL;
  silent = usual;
  silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
  silent.c_lflag |= ICANON | ISIG;
  silent.c_iflag |= ICRNL;
  is_silent = 1;
  if (set_terminal(&silent) == 0) return 0;
  is_silent = 0;
  return errno == EINTR ? SECRET_LINE_INTERRUPTED : SECRET_LINE_NO_TERMINAL;
}

static void say(const char *text) {
  size_t length = strlen(text);
  while (length > 0) {
    const ssize_t written = write(terminal, text, length);
    if (written <= 0) return;
    text += written;
    length -= (size_t)written;
  }
}

// Waits for a line, the held signals let through meanwhile. Returns 0 or how the reading ends.
static int wait_for_input(void) {
  struct pollfd input = {.fd = terminal, .events = POLLIN};
  for (;;) {
    for (int i = 0; i < GENTLE; i++)
      if (noted[i]) return SECRET_LINE_INTERRUPTED;
    const int ready = ppoll(&input, 1, NULL, &mask_before);
    if (ready > 0) return 0;
    if (ready == -1 && errno != EINTR) return SECRET_LINE_ENDED;
  }
}

// One line into the buffer. In canonical mode a read gives a line or its beginning, never more than one.
static long read_line(unsigned char *buffer, size_t capacity) {
  size_t length = 0;
  int is_too_long = 0;
  for (;;) {
    const int waited = wait_for_input();
    if (waited != 0) return waited;
    const ssize_t got = read(terminal, buffer + length, capacity - length);
    if (got < 0) return errno == EINTR ? SECRET_LINE_INTERRUPTED : SECRET_LINE_ENDED;
    if (got == 0) return is_too_long ? SECRET_LINE_TOO_LONG : length > 0 ? (long)length : SECRET_LINE_ENDED;
    length += (size_t)got;
    if (buffer[length - 1] == '\n') return is_too_long ? SECRET_LINE_TOO_LONG : (long)length - 1;
    if (length == capacity) {  // read on over it: the line is refused, and its rest must not become the next one
      is_too_long = 1;
      length = 0;
    }
  }
}

// Sends on what was noted, and says whether any of it was more than a stop and its end.
static int send_on(void) {
  int was_interrupted = 0;
  for (int i = 0; i < GENTLE; i++) {
    if (!noted[i] || i == CONT) continue;
    if (i != TSTP && i != TTIN && i != TTOU) was_interrupted = 1;
    kill(getpid(), gentle[i]);
  }
  return was_interrupted;
}

long secret_line_read(const char *prompt, unsigned char *buffer, size_t capacity) {
  long result;
  int was_interrupted;
  if (capacity < 2) return SECRET_LINE_TOO_LONG;
  terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal == -1) return SECRET_LINE_NO_TERMINAL;
  do {
    catch_signals();
    result = be_silent();
    if (result == 0) {
      say(prompt);
      result = read_line(buffer, capacity);
      say("\n");
    }
    give_back();
    release_signals();
    if (result < 0) explicit_bzero(buffer, capacity);
    // A signal that ends the process ends it here; one that stops it stops it here, and the prompt is shown again.
    was_interrupted = send_on();
  } while (result == SECRET_LINE_INTERRUPTED && !was_interrupted);
  close(terminal);
  terminal = -1;
  return result;
}
