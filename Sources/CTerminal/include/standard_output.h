// Whether a write to C's standard output has failed: a disk that is full, a device that takes nothing.
#ifndef DECKHAND_STANDARD_OUTPUT_H
#define DECKHAND_STANDARD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

static inline bool standard_output_has_failed(void) { return ferror(stdout) != 0; }

#endif
