// What the line editor needs of its completion.
// Invariant: between completion_end and the next completion_begin nobody is asked for candidates.

#ifndef LINE_COMPLETION_H
#define LINE_COMPLETION_H

#include <stdbool.h>

#include "cterminal.h"

/// Once, when readline has read its init file.
void completion_install(void);
void completion_begin(const struct line_editor_callbacks *asked, bool tab_indents);
void completion_end(void);

#endif
