// What the line editor needs of the keys that it adds to readline's.
// Invariant: a key that the user has bound in ~/.inputrc keeps what they bound.

#ifndef LINE_KEYS_H
#define LINE_KEYS_H

#include "cterminal.h"

/// Once, when readline has read its init file.
void keys_install(void);
void keys_begin(const struct line_editor_callbacks *asked);
void keys_end(void);
/// Before each key: what the suggestion is that the key may take.
void keys_note_suggestion(void);
/// Whether the line is wanted in an editor; asking forgets it.
bool keys_take_editor_wish(void);

#endif
