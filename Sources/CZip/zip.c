// Loading libzip at run time. See czip.h.
#include "czip.h"

#include <dlfcn.h>
#include <pthread.h>

static deckhand_zip_functions functions;
static const deckhand_zip_functions *found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find(void) {
  // Debian 13 and Debian 12. What is declared in czip.h has not changed between them.
  void *library = dlopen("libzip.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) library = dlopen("libzip.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  struct {
    const char *name;
    void **place;
  } wanted[] = {
      {"zip_open", (void **)&functions.open},
      {"zip_discard", (void **)&functions.discard},
      {"zip_close", (void **)&functions.close},
      {"zip_get_num_entries", (void **)&functions.get_num_entries},
      {"zip_stat_index", (void **)&functions.stat_index},
      {"zip_fopen_index", (void **)&functions.fopen_index},
      {"zip_fread", (void **)&functions.fread},
      {"zip_fclose", (void **)&functions.fclose},
      {"zip_source_file", (void **)&functions.source_file},
      {"zip_source_free", (void **)&functions.source_free},
      {"zip_file_add", (void **)&functions.file_add},
      {"zip_set_file_compression", (void **)&functions.set_file_compression},
      {"zip_file_set_dostime", (void **)&functions.file_set_dostime},
      {"zip_strerror", (void **)&functions.error_text},
      {"zip_get_error", (void **)&functions.get_error},
      {"zip_error_code_zip", (void **)&functions.error_code_zip},
      {"zip_error_code_system", (void **)&functions.error_code_system},
  };
  for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
    *wanted[index].place = dlsym(library, wanted[index].name);
    if (*wanted[index].place == NULL) return;
  }
  found = &functions;
}

const deckhand_zip_functions *deckhand_zip(void) {
  pthread_once(&once, find);
  return found;
}

int deckhand_zip_write_error(zip_t *archive) {
  const zip_error_t *error = functions.get_error(archive);
  switch (functions.error_code_zip(error)) {
    case ZIP_ER_TMPOPEN:
    case ZIP_ER_SEEK:
    case ZIP_ER_WRITE:
    case ZIP_ER_CLOSE:
    case ZIP_ER_RENAME: return functions.error_code_system(error);
    default: return 0;
  }
}
