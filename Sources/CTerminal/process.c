// Keeps secrets in memory from being written to disk by a crash.
#include "cterminal.h"
#include <sys/prctl.h>
#include <sys/resource.h>

int process_forbid_core_dumps(void) {
  const struct rlimit none = {0, 0};
  const int limited = setrlimit(RLIMIT_CORE, &none);
  const int hidden = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return limited == 0 && hidden == 0 ? 0 : -1;
}
