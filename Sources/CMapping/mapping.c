// The open mappings, in a list that a signal handler may walk at any moment: an entry is never freed, only reused.

#define _GNU_SOURCE
#include "cmapping.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct mapping {
  /// 0 in a free entry. The end is written before the start, and read after it.
  atomic_uintptr_t start, end;
  struct mapping *next;
};

static _Atomic(struct mapping *) first;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static atomic_uintptr_t page_size;

static bool enter(uintptr_t start, size_t count) {
  pthread_mutex_lock(&changing);
  struct mapping *entry = atomic_load(&first);
  while (entry && atomic_load(&entry->start) != 0) entry = entry->next;
  if (!entry && (entry = calloc(1, sizeof *entry))) {
    entry->next = atomic_load(&first);
    atomic_store(&first, entry);
  }
  if (entry) {
    atomic_store(&entry->end, start + count);
    atomic_store(&entry->start, start);
  }
  pthread_mutex_unlock(&changing);
  return entry != NULL;
}

static void leave(uintptr_t start) {
  pthread_mutex_lock(&changing);
  for (struct mapping *entry = atomic_load(&first); entry; entry = entry->next) {
    if (atomic_load(&entry->start) == start) atomic_store(&entry->start, 0);
  }
  pthread_mutex_unlock(&changing);
}

void *mapping_begin(int file, size_t count) {
  void *start = mmap(NULL, count, PROT_READ, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) return NULL;
  if (enter((uintptr_t)start, count)) return start;
  munmap(start, count);
  return NULL;
}

void mapping_end(void *start, size_t count) {
  leave((uintptr_t)start);
  munmap(start, count);
}

bool mapping_fill(const void *address) {
  uintptr_t at = (uintptr_t)address, size = atomic_load(&page_size);
  if (size == 0) return false;
  for (struct mapping *entry = atomic_load(&first); entry; entry = entry->next) {
    uintptr_t start = atomic_load(&entry->start);
    if (start == 0 || at < start || at >= atomic_load(&entry->end)) continue;
    void *page = (void *)(at & ~(size - 1));
    return mmap(page, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page;
  }
  return false;
}

static void handle(int number, siginfo_t *facts, void *context) {
  (void)context;
  if (facts->si_code > 0 && mapping_fill(facts->si_addr)) return;
  // Behave as without this handler.
  signal(number, SIG_DFL);
  raise(number);
}

void mapping_guard(void) {
  atomic_store(&page_size, (uintptr_t)sysconf(_SC_PAGESIZE));
  struct sigaction action, before;
  if (sigaction(SIGBUS, NULL, &before) != 0 || (before.sa_flags & SA_SIGINFO && before.sa_sigaction == handle)) return;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(SIGBUS, &action, NULL);
}

int mapping_sync_file_system(int file) { return syncfs(file) == 0 ? 0 : errno; }

int mapping_rename_if_free(const char *path, const char *target) {
  return renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE);
}

bool mapping_is_open_for_writing(int file) {
  // Whoever opens the file while the lease is held makes the system send a signal. SIGIO, its usual one, would end the
  // process; SIGURG is ignored.
  fcntl(file, F_SETSIG, SIGURG);
  if (fcntl(file, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
  fcntl(file, F_SETLEASE, F_UNLCK);
  return false;
}
