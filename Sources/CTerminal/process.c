// The arguments of the process, and protection of the secrets in its memory against core dumps.
#include "cterminal.h"
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static int argument_count;
static char *const *arguments;

// glibc passes the arguments of main to constructors too.
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
  argument_count = count;
  arguments = words;
}

char *const *process_arguments(int *count) {
  *count = argument_count;
  return arguments;
}

const char *process_path(void) { return (const char *)getauxval(AT_EXECFN); }

int process_forbid_core_dumps(void) {
  const struct rlimit none = {0, 0};
  const int limited = setrlimit(RLIMIT_CORE, &none);
  const int hidden = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return limited == 0 && hidden == 0 ? 0 : -1;
}
