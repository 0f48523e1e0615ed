// The rights that this process gives up before it reads any untrusted data.

#define _GNU_SOURCE
#include "confine.h"

#include <confinement.h>
#include <fontconfig/fontconfig.h>
#include <sys/prctl.h>

int cdrawing_confine(void) {
  confine_descriptors();
  // Loads the user's font configuration while all files can still be read.
  FcInit();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  int paths = cdrawing_limit_paths(), calls = cdrawing_limit_calls();
  return paths == 0 && calls == 0 ? 0 : -1;
}
