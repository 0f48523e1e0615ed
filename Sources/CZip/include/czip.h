// libzip, loaded when the first package is read or written. Linking it would load libcrypto at every start of the
// program, which takes longer than the rest of the start.
// Invariant: a table of functions is complete or NULL.
#pragma once
#include <stddef.h>
#include <zip.h>

// The functions in use, as described in libzip's manual.
typedef struct {
  __typeof__(zip_open) *open;
  __typeof__(zip_discard) *discard;
  __typeof__(zip_close) *close;
  __typeof__(zip_get_num_entries) *get_num_entries;
  __typeof__(zip_stat_index) *stat_index;
  __typeof__(zip_fopen_index) *fopen_index;
  __typeof__(zip_fread) *fread;
  __typeof__(zip_fclose) *fclose;
  __typeof__(zip_source_file) *source_file;
  __typeof__(zip_source_free) *source_free;
  __typeof__(zip_file_add) *file_add;
  __typeof__(zip_set_file_compression) *set_file_compression;
  __typeof__(zip_file_set_dostime) *file_set_dostime;
  __typeof__(zip_strerror) *error_text;
  __typeof__(zip_get_error) *get_error;
  __typeof__(zip_error_code_zip) *error_code_zip;
  __typeof__(zip_error_code_system) *error_code_system;
} deckhand_zip_functions;

// Returns the table, or NULL if Debian's libzip5 or libzip4 is not installed. Can be called from any thread.
const deckhand_zip_functions *deckhand_zip(void);

// Returns the errno with which the file of an archive could not be written; 0 if the last failure was another one. Must
// be called only if `deckhand_zip` returned a table.
int deckhand_zip_write_error(zip_t *archive);
