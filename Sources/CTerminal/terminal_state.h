// What the line editor and the password prompt need of the terminal beyond the interface for Swift.

#ifndef TERMINAL_STATE_H
#define TERMINAL_STATE_H

#include "cterminal.h"

/// Like terminal_begin, for a line without echo: also catches SIGTTOU and SIGTTIN, leaves signals ignored that the
/// process ignores, and drops unread input when the modes are restored.
int terminal_begin_question(int fd);
/// Restores the modes without ending the use: called before the process stops.
void terminal_restore(void);

#endif
