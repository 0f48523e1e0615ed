// Finding libzip at run time. See czip.h.
#include "czip.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static deckhand_zip_functions functions;
static const deckhand_zip_functions *found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find(void) {
  void *library = dlopen("libzip.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  struct {
    const char *name;
    void **place;
  } wanted[] = {
      {"zip_open", (void **)&functions.open},
      {"zip_discard", (void **)&functions.discard},
      {"zip_close", (void **)&functions.close},
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
