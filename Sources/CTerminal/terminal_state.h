// What the line editor and the question for a password need of the terminal besides what Swift sees.

#ifndef TERMINAL_STATE_H
#define TERMINAL_STATE_H

#include "cterminal.h"

/// As terminal_begin, for a line without echo: SIGTTOU and SIGTTIN are caught too, signals that the process ignores
/// stay ignored, and what was typed but not read is dropped when the modes are put back.
int terminal_begin_question(int fd);
/// Puts the modes back without ending the use: before the process stops.
void terminal_restore(void);

#endif
