// Waiting for the keyboard, for signals, and for requests from other programs.
// Invariant: keys take precedence: while one is waiting, requests are not reported.

#define _GNU_SOURCE
#include <poll.h>

#include "line_waits.h"

enum { own = 2, most_watched = 8 };

static bool is_ready(const struct pollfd *waits, nfds_t count) {
  for (nfds_t i = 0; i < count; i++) {
    if (waits[i].revents != 0) return true;
  }
  return false;
}

int wait_for_input(
    int input, int milliseconds, const struct line_editor_callbacks *callbacks, bool *is_typed, bool *is_requested) {
  int watched[most_watched];
  size_t count = callbacks->watched(callbacks->context, watched, most_watched);
  struct pollfd waits[own + most_watched] = {{input, POLLIN, 0}, {terminal_signal_fd(), POLLIN, 0}};
  for (size_t i = 0; i < count; i++) waits[own + i] = (struct pollfd){watched[i], POLLIN, 0};
  int ready = poll(waits, own + count, milliseconds);
  *is_typed = ready > 0 && waits[0].revents != 0;
  *is_requested = ready > 0 && !*is_typed && is_ready(waits + own, count);
  return ready;
}
