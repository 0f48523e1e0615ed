// All that this process gives up before it sees a byte of a stranger's.

#define _GNU_SOURCE
#include "confine.h"

#include <confinement.h>
#include <fontconfig/fontconfig.h>
#include <sys/prctl.h>

int cdrawing_confine(void) {
  confine_descriptors();
  // The user's own choice of fonts is read while everything can be.
  FcInit();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  int paths = cdrawing_limit_paths(), calls = cdrawing_limit_calls();
  return paths == 0 && calls == 0 ? 0 : -1;
}
