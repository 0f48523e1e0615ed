// A library for LD_PRELOAD that makes one writing system call fail, write short, or kill the process.
//
// FAULT_FOLDER  only calls on files below it count
// FAULT_NUMBER  which of them, from 1 on; 0 only counts
// FAULT_KIND    ENOSPC EIO EINTR SHORT KILLBEFORE KILLAFTER
// FAULT_LOG     a file that gets one line per call: its number, its name, the file
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/syscall.h>
#include <unistd.h>

static int count;
static const char *folder, *kind;
static int wanted, log_file = -1;

__attribute__((constructor)) static void begin(void) {
  folder = getenv("FAULT_FOLDER");
  kind = getenv("FAULT_KIND");
  const char *number = getenv("FAULT_NUMBER"), *log = getenv("FAULT_LOG");
  wanted = number ? atoi(number) : 0;
  if (log) log_file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Counts the call; returns whether it is the one to fault.
static int is_hit(const char *name, const char *path) {
  if (!folder || !path || strncmp(path, folder, strlen(folder)) != 0) return 0;
  count++;
  if (log_file >= 0) {
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%d %s %s\n", count, name, path + strlen(folder));
    syscall(SYS_write, log_file, line, length);
  }
  return wanted > 0 && count == wanted && kind != NULL;
}

static int is_hit_open(const char *name, int file) {
  if (!folder || file == log_file) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return is_hit(name, path);
}

static int is(const char *text) { return strcmp(kind, text) == 0; }

static void die(void) { kill(getpid(), SIGKILL); }

// Returns the errno that the call must fail with; 0 if it is to be carried out.
static int refusal(void) {
  if (is("KILLBEFORE")) die();
  if (is("ENOSPC")) return ENOSPC;
  if (is("EIO")) return EIO;
  if (is("EINTR")) return EINTR;
  return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define ONCE(hit, call) \
  int hits = (hit); \
  if (hits) { int number = refusal(); if (number) { errno = number; return -1; } } \
  __typeof__(call) result = (call); \
  if (hits && is("KILLAFTER")) die(); \
  return result;

#define WRITES(name, type, parameters, before, arguments) \
  ssize_t name parameters { \
    static ssize_t (*real) parameters; \
    if (!real) real = (ssize_t(*) parameters)dlsym(RTLD_NEXT, #name); \
    int hits = is_hit_open(#name, file); \
    if (hits) { \
      int number = refusal(); \
      if (number) { errno = number; return -1; } \
      if (is("SHORT") && size > 1) size = size / 2; \
    } \
    ssize_t result = real arguments; \
    if (hits && is("KILLAFTER")) die(); \
    return result; \
  }

WRITES(write, , (int file, const void *bytes, size_t size), , (file, bytes, size))
WRITES(pwrite, , (int file, const void *bytes, size_t size, off_t at), , (file, bytes, size, at))
WRITES(pwrite64, , (int file, const void *bytes, size_t size, off64_t at), , (file, bytes, size, at))

int fsync(int file) { ONCE(is_hit_open("fsync", file), REAL(fsync)(file)) }
int syncfs(int file) { ONCE(is_hit_open("syncfs", file), REAL(syncfs)(file)) }
int fdatasync(int file) { ONCE(is_hit_open("fdatasync", file), REAL(fdatasync)(file)) }
int ftruncate(int file, off_t size) { ONCE(is_hit_open("ftruncate", file), REAL(ftruncate)(file, size)) }
int ftruncate64(int file, off64_t size) { ONCE(is_hit_open("ftruncate64", file), REAL(ftruncate64)(file, size)) }
int rename(const char *from, const char *to) { ONCE(is_hit("rename", to), REAL(rename)(from, to)) }
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  ONCE(is_hit("renameat2", to), REAL(renameat2)(from_folder, from, to_folder, to, flags))
}
int unlink(const char *path) { ONCE(is_hit("unlink", path), REAL(unlink)(path)) }
int mkdir(const char *path, mode_t mode) { ONCE(is_hit("mkdir", path), REAL(mkdir)(path, mode)) }
int link(const char *from, const char *to) { ONCE(is_hit("link", to), REAL(link)(from, to)) }
int rmdir(const char *path) { ONCE(is_hit("rmdir", path), REAL(rmdir)(path)) }
