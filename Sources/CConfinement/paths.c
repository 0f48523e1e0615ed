// Landlock: the files that a process may still use.
// Invariant: what was not allowed before `confine_end_paths` is refused afterwards, to everything that the process
// starts too.

#define _GNU_SOURCE
#include "confinement.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Copied from <linux/landlock.h> of a newer kernel; Debian 12's header ends at version 2.
struct ruleset {
  uint64_t files, network, scope;
};
struct __attribute__((packed)) path_rule {
  uint64_t rights;
  int32_t place;
};
enum { VERSION_ONLY = 1, PATH_BENEATH = 1 };
#define EXECUTE (1ULL << 0)
#define WRITE_FILE (1ULL << 1)
#define READ_FILE (1ULL << 2)
#define READ_FOLDER (1ULL << 3)
#define REMOVE_FILE (1ULL << 5)
#define MAKE_FILE (1ULL << 8)
#define TRUNCATE (1ULL << 14)

// Returns everything that a version of Landlock can forbid: each later version knows more.
static struct ruleset everything(long version) {
  int rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
  struct ruleset all = {(1ULL << rights) - 1, version >= 4 ? 3 : 0, version >= 6 ? 3 : 0};
  return all;
}

static long known_version(void) { return syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_ONLY); }

int confine_begin_paths(void) {
  long version = known_version();
  if (version < 1) return -1;
  struct ruleset forbidden = everything(version);
  return (int)syscall(SYS_landlock_create_ruleset, &forbidden, sizeof forbidden, 0);
}

void confine_allow(int ruleset, const char *path, int use) {
  int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return;
  struct stat facts;
  if (fstat(place, &facts) == 0) {
    uint64_t of_files = READ_FILE | (use & MAY_RUN ? EXECUTE : 0) | (use & MAY_WRITE ? WRITE_FILE | TRUNCATE : 0);
    uint64_t of_folders = READ_FOLDER | (use & MAY_WRITE ? REMOVE_FILE | MAKE_FILE : 0);
    struct path_rule rule = {S_ISDIR(facts.st_mode) ? of_files | of_folders : of_files, place};
    rule.rights &= everything(known_version()).files;
    syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule, 0);
  }
  close(place);
}

int confine_end_paths(int ruleset) {
  int result = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
  close(ruleset);
  return result;
}
