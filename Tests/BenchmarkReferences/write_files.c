// Writes the same bytes into a number of files, each whole or not at all: a temporary name, fsync, rename.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "references.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int write_file(const char *folder, long number, const char *bytes, size_t size) {
  char temporary[512], path[512];
  snprintf(temporary, sizeof temporary, "%s/.new", folder);
  snprintf(path, sizeof path, "%s/%ld.rwcard", folder, number);
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) return -1;
  int failed = write(file, bytes, size) != (ssize_t)size || fsync(file) != 0;
  return close(file) != 0 || failed || rename(temporary, path) != 0 ? -1 : 0;
}

double reference_write_files(const char *folder, long count, const char *bytes, size_t size) {
  double start = now();
  for (long i = 0; i < count; i++)
    if (write_file(folder, i, bytes, size) != 0) return -1;
  int directory = open(folder, O_RDONLY | O_DIRECTORY);
  if (directory < 0) return -1;
  fsync(directory);
  close(directory);
  return now() - start;
}
