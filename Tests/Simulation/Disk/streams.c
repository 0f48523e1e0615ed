// The standard streams of the simulated shell: files in memory.
// Invariant: written output is returned once.

#define _GNU_SOURCE
#include "simulated_disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int taken = -1, given = -1;

int disk_capture(void) {
  int before = fcntl(2, F_DUPFD_CLOEXEC, 100);
  taken = memfd_create("output", MFD_CLOEXEC);
  given = memfd_create("input", MFD_CLOEXEC);
  // Both descriptors append to one file, so that messages and results stay in order.
  int flags = fcntl(taken, F_GETFL);
  fcntl(taken, F_SETFL, flags | O_APPEND);
  dup2(taken, 1);
  dup2(taken, 2);
  dup2(given, 0);
  return before;
}

void disk_set_input(const char *bytes, long count) {
  ftruncate(given, 0);
  if (count > 0) (void)!pwrite(given, bytes, (size_t)count, 0);
  lseek(0, 0, SEEK_SET);
  fflush(stdin);
  clearerr(stdin);
}

char *disk_taken_output(long *count) {
  fflush(stdout);
  off_t end = lseek(taken, 0, SEEK_END);
  char *bytes = malloc((size_t)end + 1);
  ssize_t got = pread(taken, bytes, (size_t)end, 0);
  *count = got < 0 ? 0 : got;
  bytes[*count] = 0;
  ftruncate(taken, 0);
  return bytes;
}
