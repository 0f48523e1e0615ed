// libzip, found when the first package is read or written. Linked in at start it would bring libcrypto along with every
// start of the program, which takes longer than the rest of the start.
// Invariant: a table of functions is whole or NULL.
#pragma once
#include <zip.h>

// The functions that are used, as libzip's manual describes them.
typedef struct {
  __typeof__(zip_open) *open;
  __typeof__(zip_discard) *discard;
  __typeof__(zip_close) *close;
} deckhand_zip_functions;

// The table, or NULL where Debian's libzip4 is not installed. Called from any thread.
const deckhand_zip_functions *deckhand_zip(void);
