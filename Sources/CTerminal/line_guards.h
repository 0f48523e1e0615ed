// What keeps readline from crashing.

#ifndef LINE_GUARDS_H
#define LINE_GUARDS_H

#include <stdbool.h>

/// Lets readline deal with the key that waits; one that is given up leaves the line as it is.
void guards_read_key(void);
/// Whether readline has keys of its own: of a macro, or pushed back.
bool guards_has_input(void);
/// Called as a line ends, with nothing left to do for it: goes back to where guards_read_key was called.
void guards_line_taken(void);
/// Before the line is drawn: behind each key, within a macro too.
void guards_between_keys(void);

#endif
