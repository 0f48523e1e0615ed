// The interface to the workarounds for readline's crashes.

#ifndef LINE_GUARDS_H
#define LINE_GUARDS_H

#include <stdbool.h>

/// Lets readline handle the next key; an aborted key leaves the line unchanged.
void guards_read_key(void);
/// Whether readline has pending keys: from a macro, or pushed back.
bool guards_has_input(void);
/// Called when a line ends, as the last step for that line: jumps back to guards_read_key.
void guards_line_taken(void);
/// Called before the line is drawn, which is after each key, within a macro too.
void guards_between_keys(void);

#endif
