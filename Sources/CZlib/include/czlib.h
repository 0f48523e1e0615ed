// Deflate in memory, by zlib. Its own functions to begin are macros, which Swift cannot call.
// Invariant: nothing is written past the end of the output, whatever the input.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Unpacks until the input or the output is used up.
// format: -15 for bare deflate, 31 for gzip, as in zlib's manual for inflateInit2.
// Returns the bytes written, or -1 for what is not deflate.
long deckhand_inflate(const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size, int format);
