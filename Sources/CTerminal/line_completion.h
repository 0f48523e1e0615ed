// The interface between the line editor and its completion.
// Invariant: between completion_end and the next completion_begin the callback is never called.

#ifndef LINE_COMPLETION_H
#define LINE_COMPLETION_H

#include <stdbool.h>

#include "cterminal.h"

/// Called once, after readline has read its init file.
void completion_install(void);
void completion_begin(const struct line_editor_callbacks *asked, bool tab_indents);
void completion_end(void);

#endif
