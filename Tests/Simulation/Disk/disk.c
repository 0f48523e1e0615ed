// Overrides the C library's calls that change files: they are counted, and fail where a fault was planned.
// Invariant: a call outside the watched folder is passed to the C library unchanged; synced data is recorded, so no
// sync is waited for.

#define _GNU_SOURCE
#include "simulated_disk.h"
#include "synced.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_descriptors = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static char image[PATH_MAX];
static bool is_watched[most_descriptors];
static enum disk_fault_kind planned;
static long planned_call, calls, polls;
static uint64_t chance;
static bool has_failed, is_off, is_full;

// MARK: Faults

static void turn_off(bool with_power) {
  is_off = true;
  if (with_power) cut_power(root, image, chance); else copy_all(root, image);
}

static bool is_below(const char *path) {
  size_t length = strlen(root);
  return length > 0 && strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static bool is_of_disk(int descriptor) {
  return descriptor >= 0 && descriptor < most_descriptors && is_watched[descriptor];
}

enum turn { turn_done, turn_fails, turn_is_short };

// Called before a call that changes something; `locked` from here to the end of that call.
static enum turn before_call(bool grows) {
  if (is_off) return errno = EIO, turn_fails;
  calls++;
  bool is_now = calls == planned_call;
  if (is_now && planned != DISK_FAULT_NONE && planned < DISK_FAULT_INTERRUPT) has_failed = true;
  if (is_now && (planned == DISK_FAULT_POWER || planned == DISK_FAULT_KILL)) {
    turn_off(planned == DISK_FAULT_POWER);
    return errno = EIO, turn_fails;
  }
  if (is_now && planned == DISK_FAULT_ERROR) return errno = EIO, turn_fails;
  if (is_now && planned == DISK_FAULT_FULL) is_full = true;
  if (is_full && grows) return errno = ENOSPC, turn_fails;
  return is_now && planned == DISK_FAULT_SHORT ? turn_is_short : turn_done;
}

#define GUARDED(is_ours, grows, failure, call)                    \
  do {                                                            \
    if (!(is_ours)) return call;                                  \
    pthread_mutex_lock(&lock);                                    \
    __typeof__(call) guarded = failure;                           \
    if (before_call(grows) != turn_fails) guarded = call;         \
    int number = errno;                                           \
    pthread_mutex_unlock(&lock);                                  \
    errno = number;                                               \
    return guarded;                                               \
  } while (0)

static int opened(int descriptor, const char *path) {
  if (descriptor >= 0 && descriptor < most_descriptors) is_watched[descriptor] = is_below(path);
  return descriptor;
}

static int open_guarded(const char *path, int flags, mode_t mode) {
  struct stat status;
  bool changes = (flags & O_TRUNC) || ((flags & O_CREAT) && lstat(path, &status) != 0);
  if (!is_below(path) || !changes) return opened(REAL(open)(path, flags, mode), path);
  pthread_mutex_lock(&lock);
  int made = before_call(true) == turn_fails ? -1 : opened(REAL(open)(path, flags, mode), path);
  int number = errno;
  pthread_mutex_unlock(&lock);
  errno = number;
  return made;
}

#define OPENED(path, flags)                                               \
  va_list more;                                                           \
  va_start(more, flags);                                                  \
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
  va_end(more);                                                           \
  return open_guarded(path, flags, mode)

int open(const char *path, int flags, ...) { OPENED(path, flags); }
int open64(const char *path, int flags, ...) { OPENED(path, flags); }

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < most_descriptors) is_watched[descriptor] = false;
  return REAL(close)(descriptor);
}

static ssize_t written(int descriptor, const void *bytes, size_t count, off_t at, bool has_place) {
  struct stat status;
  off_t place = has_place ? at : lseek(descriptor, 0, SEEK_CUR);
  bool grows = fstat(descriptor, &status) != 0 || place + (off_t)count > status.st_size;
  pthread_mutex_lock(&lock);
  enum turn turn = before_call(grows);
  ssize_t wrote = -1;
  size_t given = turn == turn_is_short && count > 1 ? count / 2 : count;
  if (turn != turn_fails)
    wrote = has_place ? REAL(pwrite)(descriptor, bytes, given, at) : REAL(write)(descriptor, bytes, given);
  int number = errno;
  pthread_mutex_unlock(&lock);
  errno = number;
  return wrote;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (!is_of_disk(descriptor)) return REAL(write)(descriptor, bytes, count);
  return written(descriptor, bytes, count, 0, false);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t at) {
  if (!is_of_disk(descriptor)) return REAL(pwrite)(descriptor, bytes, count, at);
  return written(descriptor, bytes, count, at, true);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t at) {
  return pwrite(descriptor, bytes, count, at);
}

int ftruncate(int descriptor, off_t size) {
  GUARDED(is_of_disk(descriptor), false, -1, REAL(ftruncate)(descriptor, size));
}
int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, size); }

// The real disk is not synced: the data is only recorded as synced.
static int synced(int descriptor) {
  char link[64], path[PATH_MAX];
  struct stat status;
  pthread_mutex_lock(&lock);
  int failure = before_call(false) == turn_fails ? -1 : fstat(descriptor, &status);
  if (failure == 0) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) path[length] = 0;
    if (length > 0 && S_ISDIR(status.st_mode)) sync_folder(path, status.st_ino);
    else if (length > 0) sync_file(link, status.st_ino);
  }
  int number = errno;
  pthread_mutex_unlock(&lock);
  errno = number;
  return failure;
}

int fsync(int descriptor) { return is_of_disk(descriptor) ? synced(descriptor) : REAL(fsync)(descriptor); }
int fdatasync(int descriptor) { return is_of_disk(descriptor) ? synced(descriptor) : REAL(fdatasync)(descriptor); }

int syncfs(int descriptor) {
  if (!is_of_disk(descriptor)) return REAL(syncfs)(descriptor);
  pthread_mutex_lock(&lock);
  int failure = before_call(false) == turn_fails ? -1 : 0;
  int number = errno;
  if (failure == 0) sync_all(root);
  pthread_mutex_unlock(&lock);
  errno = number;
  return failure;
}

int rename(const char *from, const char *to) {
  GUARDED(is_below(from) || is_below(to), false, -1, REAL(rename)(from, to));
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  GUARDED(is_below(from) || is_below(to), false, -1, REAL(renameat2)(from_folder, from, to_folder, to, flags));
}
int unlink(const char *path) { GUARDED(is_below(path), false, -1, REAL(unlink)(path)); }
int rmdir(const char *path) { GUARDED(is_below(path), false, -1, REAL(rmdir)(path)); }
int mkdir(const char *path, mode_t mode) { GUARDED(is_below(path), true, -1, REAL(mkdir)(path, mode)); }
int unlinkat(int folder, const char *name, int flags) {
  GUARDED(is_of_disk(folder), false, -1, REAL(unlinkat)(folder, name, flags));
}

// MARK: Planning

void disk_watch(const char *folder) {
  pthread_mutex_lock(&lock);
  forget_synced();
  snprintf(root, sizeof root, "%s", folder ? folder : "");
  has_failed = is_off = is_full = false;
  planned = DISK_FAULT_NONE;
  if (folder) sync_all(root);
  pthread_mutex_unlock(&lock);
}

void disk_plan(enum disk_fault_kind kind, long call, uint64_t seed, const char *path) {
  pthread_mutex_lock(&lock);
  planned = kind, planned_call = call, chance = seed;
  calls = polls = 0;
  has_failed = is_full = is_off = false;
  snprintf(image, sizeof image, "%s", path ? path : "");
  bool is_of_memory = kind == DISK_FAULT_MEMORY || kind == DISK_FAULT_STARVED;
  plan_memory(is_of_memory ? call : 0, kind == DISK_FAULT_STARVED);
  bool is_of_lua = kind == DISK_FAULT_LUA || kind == DISK_FAULT_LUA_STARVED;
  plan_lua(is_of_lua ? call : 0, kind == DISK_FAULT_LUA_STARVED);
  pthread_mutex_unlock(&lock);
}

long disk_calls(void) { return calls; }
long disk_polls(void) { return polls; }
bool disk_has_failed(void) { return has_failed || memory_has_failed() || lua_has_failed(); }
bool disk_is_off(void) { return is_off; }

bool disk_polls_interrupted(void) {
  pthread_mutex_lock(&lock);
  polls++;
  bool answer = planned == DISK_FAULT_INTERRUPT && polls == planned_call;
  has_failed |= answer;
  pthread_mutex_unlock(&lock);
  return answer;
}
