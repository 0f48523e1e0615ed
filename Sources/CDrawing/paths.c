// Landlock: the files that this process may still read, as the last line of defence.
// Invariant: afterwards the process can read the fonts that fontconfig knows and the files of the system's libraries,
// and no file of the user except fonts.

#define _GNU_SOURCE
#include "confine.h"

#include <confinement.h>
#include <fontconfig/fontconfig.h>
#include <sys/stat.h>

static void allow_list(int ruleset, FcStrList *paths) {
  if (!paths) return;
  FcChar8 *path;
  while ((path = FcStrListNext(paths))) confine_allow(ruleset, (const char *)path, MAY_READ);
  FcStrListDone(paths);
}

// A font file in a font folder can be a link to one elsewhere.
static void allow_linked_fonts(int ruleset, const FcFontSet *fonts) {
  for (int index = 0; fonts && index < fonts->nfont; index++) {
    FcChar8 *path;
    struct stat facts;
    if (FcPatternGetString(fonts->fonts[index], FC_FILE, 0, &path) != FcResultMatch) continue;
    if (lstat((const char *)path, &facts) == 0 && S_ISLNK(facts.st_mode)) {
      confine_allow(ruleset, (const char *)path, MAY_READ);
    }
  }
}

int cdrawing_limit_paths(void) {
  int ruleset = confine_begin_paths();
  if (ruleset < 0) return -1;
  // The locations of picture loaders, character set tables and font configuration on all distributions.
  const char *system[] = {
    "/usr", "/lib", "/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache", "/etc/fonts", "/var/cache/fontconfig",
  };
  for (size_t index = 0; index < sizeof system / sizeof *system; index++) {
    confine_allow(ruleset, system[index], MAY_READ);
  }
  FcConfig *config = FcConfigGetCurrent();
  allow_list(ruleset, FcConfigGetFontDirs(config));
  allow_list(ruleset, FcConfigGetConfigDirs(config));
  allow_list(ruleset, FcConfigGetConfigFiles(config));
  allow_list(ruleset, FcConfigGetCacheDirs(config));
  allow_linked_fonts(ruleset, FcConfigGetFonts(config, FcSetSystem));
  return confine_end_paths(ruleset);
}
