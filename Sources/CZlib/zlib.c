// Deflate in memory. See czlib.h.
#include "czlib.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

long deckhand_inflate(const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size, int format) {
  if (input_size > UINT_MAX || output_size > UINT_MAX) return -1;
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (inflateInit2(&stream, format) != Z_OK) return -1;
  stream.next_in = (Bytef *)input;
  stream.avail_in = (uInt)input_size;
  stream.next_out = output;
  stream.avail_out = (uInt)output_size;
  int status = inflate(&stream, Z_SYNC_FLUSH);
  long written = (long)stream.total_out;
  inflateEnd(&stream);
  return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR ? written : -1;
}
