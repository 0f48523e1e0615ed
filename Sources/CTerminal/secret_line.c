// Reads a line from /dev/tty without echo.
// Invariant: echo is off only within a use of the terminal (terminal_state.c), which restores it however the process
// ends. The bytes go from the kernel directly into the caller's buffer.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "terminal_state.h"

static int terminal = -1;
/// The signals that have arrived since the prompt was shown, as bits by number. They are sent on once echo is restored.
static unsigned long long came;

static unsigned long long bit(int number) { return 1ULL << number; }

/// Whether a signal arrived that ends this attempt. A resize of the terminal does not.
static bool collect_signals(void) {
  for (int number = terminal_next_signal(); number != 0; number = terminal_next_signal()) came |= bit(number);
  return (came & ~bit(SIGWINCH)) != 0;
}

/// Turns echo off. Typed-ahead input is dropped because it was echoed. Returns 0 or the reason the read ends.
static int turn_echo_off(void) {
  struct termios silent;
  if (tcgetattr(terminal, &silent) == -1) return SECRET_LINE_NO_TERMINAL;
  silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
  silent.c_lflag |= ICANON | ISIG;
  silent.c_iflag |= ICRNL;
  while (tcsetattr(terminal, TCSAFLUSH, &silent) == -1) {
    if (errno != EINTR) return SECRET_LINE_NO_TERMINAL;
    // In the background, SIGTTOU ends the attempt: the terminal then belongs to another job.
    collect_signals();
    if (came & bit(SIGTTOU)) return SECRET_LINE_INTERRUPTED;
  }
  return 0;
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

/// Waits for a line. Returns 0 or the reason the read ends.
static int wait_for_input(void) {
  struct pollfd waits[2] = {{terminal, POLLIN, 0}, {terminal_signal_fd(), POLLIN, 0}};
  for (;;) {
    if (collect_signals()) return SECRET_LINE_INTERRUPTED;
    const int ready = poll(waits, 2, -1);
    if (ready == -1 && errno != EINTR) return SECRET_LINE_ENDED;
    // Signals first: what was typed after a Ctrl-C does not belong to the line before it.
    if (ready > 0 && waits[1].revents == 0 && waits[0].revents != 0) return 0;
  }
}

/// Reads one line into the buffer. In canonical mode a read returns a line or its beginning, never more than one.
static long read_line(unsigned char *buffer, size_t capacity) {
  size_t length = 0;
  bool is_too_long = false;
  for (;;) {
    const int waited = wait_for_input();
    if (waited != 0) return waited;
    const ssize_t got = read(terminal, buffer + length, capacity - length);
    if (got < 0) return errno == EINTR ? SECRET_LINE_INTERRUPTED : SECRET_LINE_ENDED;
    if (got == 0) return is_too_long ? SECRET_LINE_TOO_LONG : length > 0 ? (long)length : SECRET_LINE_ENDED;
    length += (size_t)got;
    if (buffer[length - 1] == '\n') return is_too_long ? SECRET_LINE_TOO_LONG : (long)length - 1;
    if (length == capacity) {  // overwrite it: the line is rejected, and its rest must not become the next line
      is_too_long = true;
      length = 0;
    }
  }
}

static long ask_once(const char *prompt, unsigned char *buffer, size_t capacity) {
  long result = turn_echo_off();
  if (result == 0) {
    say(prompt);
    result = read_line(buffer, capacity);
    say("\n");
  }
  if (result < 0) explicit_bzero(buffer, capacity);
  return result;
}

/// Sends the collected signals on to their usual handlers: one that ends or stops the process does so here. Returns
/// whether any of them was more than a stop and its continuation.
static bool send_on(void) {
  const unsigned long long stops = bit(SIGTSTP) | bit(SIGTTIN) | bit(SIGTTOU);
  const unsigned long long sent = came & ~(bit(SIGCONT) | bit(SIGWINCH));
  for (int number = 1; number < 64; number++) {
    if (sent & bit(number)) kill(getpid(), number);
  }
  return (sent & ~stops) != 0;
}

long secret_line_read(const char *prompt, unsigned char *buffer, size_t capacity) {
  long result;
  bool was_interrupted;
  if (capacity < 2) return SECRET_LINE_TOO_LONG;
  terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal == -1) return SECRET_LINE_NO_TERMINAL;
  do {
    came = 0;
    if (terminal_begin_question(terminal) != 0) {
      result = SECRET_LINE_NO_TERMINAL;
      break;
    }
    result = ask_once(prompt, buffer, capacity);
    collect_signals();
    terminal_end();
    // After a stop the prompt is shown again.
    was_interrupted = send_on();
  } while (result == SECRET_LINE_INTERRUPTED && !was_interrupted);
  close(terminal);
  terminal = -1;
  return result;
}
