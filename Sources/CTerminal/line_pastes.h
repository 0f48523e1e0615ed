// Whether readline looks for the sequences that a terminal sends around a paste.

#ifndef LINE_PASTES_H
#define LINE_PASTES_H

#include <stdbool.h>

/// Called once, after readline has read its init file.
void pastes_install(void);
/// Whether the user's configuration enables bracketed paste.
bool pastes_are_bracketed(void);
/// Turns looking for pastes on or off.
void pastes_look(bool wanted);

#endif
