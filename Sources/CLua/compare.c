// The comparison of strings under `<`, `<=` and table.sort: Lua compares the pieces between NULs by strcoll, one after
// the other, without a look at the stop. This strcoll takes the place of the C library's in the program and adds that
// look. Invariant: it orders as the C library's does; outside running Lua code it is nothing but that.

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
  if (entry && entry->rt->stop && entry->rt->host_depth == 0) dh_raise_stop(entry->rt->running);
  return plain_strcoll()(a, b);
}
