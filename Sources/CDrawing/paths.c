// Landlock: the files that this process may still read, as the last line of defence.
// Invariant: afterwards the process can read the fonts that fontconfig knows and the files of the system's libraries,
// and no file of the user except fonts.

#define _GNU_SOURCE
#include "confine.h"

#include <fcntl.h>
#include <fontconfig/fontconfig.h>
#include <stdint.h>
#include <stdio.h>
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
#define READ_FILE (1ULL << 2)
#define READ_FOLDER (1ULL << 3)

// Returns everything that a version of Landlock can forbid: each later version knows more.
static struct ruleset everything(long version) {
  int rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
  struct ruleset all = {(1ULL << rights) - 1, version >= 4 ? 3 : 0, version >= 6 ? 3 : 0};
  return all;
}

// A missing path is ignored.
static void allow_reading(int ruleset, const char *path) {
  int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return;
  struct stat facts;
  if (fstat(place, &facts) == 0) {
    struct path_rule rule = {S_ISDIR(facts.st_mode) ? READ_FILE | READ_FOLDER : READ_FILE, place};
    syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule, 0);
  }
  close(place);
}

static void allow_list(int ruleset, FcStrList *paths) {
  if (!paths) return;
  FcChar8 *path;
  while ((path = FcStrListNext(paths))) allow_reading(ruleset, (const char *)path);
  FcStrListDone(paths);
}

// A font file in a font folder can be a link to one elsewhere.
static void allow_linked_fonts(int ruleset, const FcFontSet *fonts) {
  for (int index = 0; fonts && index < fonts->nfont; index++) {
    FcChar8 *path;
    struct stat facts;
    if (FcPatternGetString(fonts->fonts[index], FC_FILE, 0, &path) != FcResultMatch) continue;
    if (lstat((const char *)path, &facts) == 0 && S_ISLNK(facts.st_mode)) allow_reading(ruleset, (const char *)path);
  }
}

int cdrawing_limit_paths(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_ONLY);
  if (version < 1) return -1;
  struct ruleset forbidden = everything(version);
  int ruleset = syscall(SYS_landlock_create_ruleset, &forbidden, sizeof forbidden, 0);
  if (ruleset < 0) return -1;
  // The locations of picture loaders, character set tables and font configuration on all distributions.
  const char *system[] = {
    "/usr", "/lib", "/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache", "/etc/fonts", "/var/cache/fontconfig",
  };
  for (size_t index = 0; index < sizeof system / sizeof *system; index++) allow_reading(ruleset, system[index]);
  FcConfig *config = FcConfigGetCurrent();
  allow_list(ruleset, FcConfigGetFontDirs(config));
  allow_list(ruleset, FcConfigGetConfigDirs(config));
  allow_list(ruleset, FcConfigGetConfigFiles(config));
  allow_list(ruleset, FcConfigGetCacheDirs(config));
  allow_linked_fonts(ruleset, FcConfigGetFonts(config, FcSetSystem));
  long result = syscall(SYS_landlock_restrict_self, ruleset, 0);
  close(ruleset);
  return (int)result;
}
