// The interface to the keys that the line editor adds to readline.
// Invariant: a key that the user has bound in ~/.inputrc keeps that binding.

#ifndef LINE_KEYS_H
#define LINE_KEYS_H

#include "cterminal.h"

/// Called once, after readline has read its init file.
void keys_install(void);
void keys_begin(const struct line_editor_callbacks *asked);
void keys_end(void);
/// Called before each key: remembers the suggestion that the key may accept.
void keys_note_suggestion(void);
/// Whether the user asked to open the line in an editor; the request is cleared.
bool keys_take_editor_wish(void);

#endif
