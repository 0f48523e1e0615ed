// What a password needs of the terminal and of the process, and only C can do well: a line read without echo, with the
// terminal given back whatever happens, and no core dumps.
#pragma once
#include <stddef.h>

/// How reading a secret line ended without a line.
enum {
  SECRET_LINE_NO_TERMINAL = -1,  ///< there is no /dev/tty, or it can't be set
  SECRET_LINE_INTERRUPTED = -2,  ///< a signal came that does not stop the process; it was sent on to its usual handler
  SECRET_LINE_ENDED = -3,        ///< Ctrl-D, or the terminal is gone
  SECRET_LINE_TOO_LONG = -4      ///< it does not fit; the rest of the line was dropped
};

/// Shows `prompt` on /dev/tty and reads one line from it without echo, into `buffer` and nowhere else.
/// Returns its length without the line end, which needs a byte of the buffer too: 0 to `capacity - 1`; or one of the codes
/// above; the buffer is then wiped.
/// Echo is on again after it, also when the process is ended, stopped, or crashes meanwhile. After a stop the prompt is
/// shown again. Not for two threads at once.
long secret_line_read(const char *prompt, unsigned char *buffer, size_t capacity);

/// Keeps this process's memory out of core dumps and away from other processes of the same person. Returns 0, or -1.
int process_forbid_core_dumps(void);
