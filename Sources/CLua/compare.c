// String comparison under `<`, `<=` and table.sort. Lua compares the pieces between NULs with strcoll, one after the
// other, without checking for a stop. This strcoll replaces the C library's in the program and adds that check.
// Invariant: it orders as the C library's does; when no Lua code is running, it only calls that one.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "runtime.h"

static int (*plain_strcoll(void))(const char *, const char *) {
  static int (*plain)(const char *, const char *);
  if (!plain) *(void **)&plain = dlsym(RTLD_NEXT, "strcoll");
  return plain ? plain : strcmp;
}

int strcoll(const char *a, const char *b) {
  const dh_entry *entry = dh_innermost_entry;
  // While a state is closed, none of its coroutines counts as running: its finalizers are not stopped here.
  if (entry && entry->rt->stop && entry->rt->host_depth == 0 && entry->rt->running) dh_raise_stop(entry->rt->running);
  return plain_strcoll()(a, b);
}
