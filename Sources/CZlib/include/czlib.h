// Deflate in memory, by zlib. Its own functions to begin are macros, which Swift cannot call.
// Invariant: nothing is written past the end of the output, whatever the input.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Unpacks until the input or the output is used up.
// format: -15 for bare deflate, 31 for gzip, as in zlib's manual for inflateInit2.
// Returns the bytes written, or -1 for what is not deflate.
long deckhand_inflate(const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size, int format);

enum { DECKHAND_GUNZIP_DAMAGED = -1, DECKHAND_GUNZIP_TOO_LARGE = -2 };

// Unpacks one gzip member to its end, and checks its check sum and its length.
// used: the bytes of the input that belong to it.
// Returns the bytes written; DECKHAND_GUNZIP_DAMAGED for what is cut, changed or no gzip; DECKHAND_GUNZIP_TOO_LARGE
// when the output has no room for all.
long deckhand_gunzip(
  const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size, size_t *used);

// The most bytes that packing so many gives.
size_t deckhand_gzip_bound(size_t input_size);

// Packs into one gzip member without name and time. Returns the bytes written, or -1 without memory or room.
long deckhand_gzip(const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size);
