// What keeps readline from crashing.

#ifndef LINE_GUARDS_H
#define LINE_GUARDS_H

/// Lets readline deal with the key that waits; one that is given up leaves the line as it is.
void guards_read_key(void);
/// Before the line is drawn: behind each key, within a macro too.
void guards_between_keys(void);

#endif
