// What the line editor needs of the drawing that stands over readline's own.
// Invariant: nothing here changes the line or readline's idea of where the cursor is.

#ifndef LINE_DRAWING_H
#define LINE_DRAWING_H

#include <stdbool.h>

#include "cterminal.h"

/// Once, when readline has read its init file.
void drawing_install(void);
/// `wanted`: whether lines are coloured and go on with a suggestion.
void drawing_begin(const struct line_editor_callbacks *asked, bool wanted);
void drawing_end(void);
/// Takes the suggestion from the screen: before a key is dealt with, whatever it does.
void drawing_erase(void);
/// Draws the line in the terminal's new width, in the place of the old one.
void drawing_resize(void);
/// What the suggestion adds to the line; NULL when none is shown.
const char *drawing_suggestion(void);

#endif
