// What the files about words and games share.
#ifndef DECKHAND_REFERENCE_WORDS_H
#define DECKHAND_REFERENCE_WORDS_H

#include <stdint.h>

#include "references.h"

// The wide hash of a word.
uint64_t reference_hash(const char *word, size_t length);
// Where a word lies in the list; 0 when it is not in it. `hash` is its wide hash.
uint32_t reference_find(const char *word, size_t length, uint64_t hash);

#endif
