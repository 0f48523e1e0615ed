// Whether a write to C's standard output has failed: a disk that is full, a device that takes nothing.
#ifndef DECKHAND_STANDARD_OUTPUT_H
#define DECKHAND_STANDARD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

static inline bool standard_output_has_failed(void) { return ferror(stdout) != 0; }

/// A reader that went away is no failure of what is written to the next one.
static inline void standard_output_forget_failure(void) { clearerr(stdout); }

#endif
