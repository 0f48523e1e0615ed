// Loaded into a program under test: its wall clock and boot clock show what the file DECKHAND_TEST_CLOCK says, two
// counts of milliseconds that the test moves; a third says by how much. The monotonic clock goes on, ahead by that
// amount: waits and limits are real.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *readings;

__attribute__((constructor)) static void open_readings(void) {
  const char *path = getenv("DECKHAND_TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, 3 * sizeof *readings, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) readings = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*next)(clockid_t, struct timespec *);
  if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  if (readings && clock == CLOCK_MONOTONIC) {
    int status = next(clock, time);
    time->tv_sec += readings[2] / 1000;
    return status;
  }
  if (!readings || (clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME)) return next(clock, time);
  int64_t reading = readings[clock == CLOCK_BOOTTIME];
  time->tv_sec = reading / 1000;
  time->tv_nsec = reading % 1000 * 1000000;
  return 0;
}
