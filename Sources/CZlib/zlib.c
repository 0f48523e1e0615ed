// Deflate in memory. See czlib.h.
#include "czlib.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

// Inflates once. Returns zlib's status, or Z_DATA_ERROR if it cannot be started.
static int inflate_once(
  const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size, int format, int flush,
  z_stream *stream) {
  memset(stream, 0, sizeof *stream);
  if (input_size > UINT_MAX || output_size > UINT_MAX) return Z_DATA_ERROR;
  if (inflateInit2(stream, format) != Z_OK) return Z_DATA_ERROR;
  stream->next_in = (Bytef *)input;
  stream->avail_in = (uInt)input_size;
  stream->next_out = output;
  stream->avail_out = (uInt)output_size;
  int status = inflate(stream, flush);
  inflateEnd(stream);
  return status;
}

long deckhand_inflate(const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size, int format) {
  z_stream stream;
  int status = inflate_once(input, input_size, output, output_size, format, Z_SYNC_FLUSH, &stream);
  return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR ? (long)stream.total_out : -1;
}

long deckhand_gunzip(
  const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size, size_t *used) {
  z_stream stream;
  int status = inflate_once(input, input_size, output, output_size, 31, Z_FINISH, &stream);
  *used = stream.total_in;
  if (status == Z_STREAM_END) return (long)stream.total_out;
  int is_full = stream.avail_out == 0 && (status == Z_OK || status == Z_BUF_ERROR);
  return is_full ? DECKHAND_GUNZIP_TOO_LARGE : DECKHAND_GUNZIP_DAMAGED;
}

size_t deckhand_gzip_bound(size_t input_size) {
  // gzip's header and trailer are 18 bytes, zlib's are 6.
  return compressBound(input_size) + 12;
}

long deckhand_gzip(const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size) {
  if (input_size > UINT_MAX || output_size > UINT_MAX) return -1;
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) return -1;
  stream.next_in = (Bytef *)input;
  stream.avail_in = (uInt)input_size;
  stream.next_out = output;
  stream.avail_out = (uInt)output_size;
  int status = deflate(&stream, Z_FINISH);
  long written = (long)stream.total_out;
  deflateEnd(&stream);
  return status == Z_STREAM_END ? written : -1;
}
