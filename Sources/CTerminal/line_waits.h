// What the line editor waits for.

#ifndef LINE_WAITS_H
#define LINE_WAITS_H

#include <stdbool.h>

#include "cterminal.h"

/// Waits for the keyboard, a signal, or a descriptor of the callbacks. Returns the result of poll.
int wait_for_input(
    int input, int milliseconds, const struct line_editor_callbacks *callbacks, bool *is_typed, bool *is_requested);

#endif
