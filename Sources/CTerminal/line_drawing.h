// The interface between the line editor and the drawing over readline's own.
// Invariant: nothing here changes the line or readline's idea of the cursor position.

#ifndef LINE_DRAWING_H
#define LINE_DRAWING_H

#include <stdbool.h>

#include "cterminal.h"

/// Called once, after readline has read its init file.
void drawing_install(void);
/// `wanted`: whether lines get colours and a suggestion.
void drawing_begin(const struct line_editor_callbacks *asked, bool wanted);
void drawing_end(void);
/// Removes the suggestion from the screen: called before each key is handled, whatever the key does.
void drawing_erase(void);
/// Redraws the line in place in the terminal's new width.
void drawing_resize(void);
/// The text that the suggestion adds to the line; NULL if none is shown.
const char *drawing_suggestion(void);

#endif
