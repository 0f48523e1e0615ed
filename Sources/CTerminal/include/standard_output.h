// Whether a write to C's standard output has failed, for example on a full disk or a device that accepts nothing.
#ifndef DECKHAND_STANDARD_OUTPUT_H
#define DECKHAND_STANDARD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

static inline bool standard_output_has_failed(void) { return ferror(stdout) != 0; }

/// Clears the failure: a reader that went away must not fail what is written to the next one.
static inline void standard_output_forget_failure(void) { clearerr(stdout); }

#endif
