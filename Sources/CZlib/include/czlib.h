// Deflate in memory, by zlib. Its init functions are macros, which Swift cannot call.
// Invariant: nothing is written past the end of the output, whatever the input.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Decompresses until the input or the output is used up.
// format: -15 for raw deflate, 31 for gzip, as in zlib's manual for inflateInit2.
// Returns the number of bytes written, or -1 if the input is not deflate.
long deckhand_inflate(const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size, int format);

enum { DECKHAND_GUNZIP_DAMAGED = -1, DECKHAND_GUNZIP_TOO_LARGE = -2 };

// Decompresses one gzip member to its end, and verifies its checksum and its length.
// used: the number of input bytes that belong to it.
// Returns the number of bytes written; DECKHAND_GUNZIP_DAMAGED if the input is truncated, changed or not gzip;
// DECKHAND_GUNZIP_TOO_LARGE if the output is too small.
long deckhand_gunzip(
  const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size, size_t *used);

// The maximum compressed size for an input of that size.
size_t deckhand_gzip_bound(size_t input_size);

// Compresses into one gzip member without a name or time. Returns the number of bytes written, or -1 if memory or room
// is lacking.
long deckhand_gzip(const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size);
