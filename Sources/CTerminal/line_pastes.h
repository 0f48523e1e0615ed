// Whether readline looks for the keys that a terminal puts around a paste.

#ifndef LINE_PASTES_H
#define LINE_PASTES_H

#include <stdbool.h>

/// Once, when readline has read its init file.
void pastes_install(void);
/// Whether the user wants the keys around a paste to be looked for.
bool pastes_are_bracketed(void);
/// Looks for them from now on, or not.
void pastes_look(bool wanted);

#endif
