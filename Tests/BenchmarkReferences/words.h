// Shared by the files about words and games.
#ifndef DECKHAND_REFERENCE_WORDS_H
#define DECKHAND_REFERENCE_WORDS_H

#include <stdint.h>

#include "references.h"

// Returns the wide hash of a word.
uint64_t reference_hash(const char *word, size_t length);
// Returns the offset of a word in the list; 0 if it is not in it. `hash` is its wide hash.
uint32_t reference_find(const char *word, size_t length, uint64_t hash);

#endif
