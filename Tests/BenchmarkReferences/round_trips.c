// The minimum cost of a request and a response between two processes: forty bytes each way over a socket pair.

#include "references.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double reference_round_trips(long count) {
  int ends[2];
  char bytes[40] = {0};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    close(ends[0]);
    while (read(ends[1], bytes, sizeof bytes) > 0 && write(ends[1], bytes, sizeof bytes) > 0) {}
    _exit(0);
  }
  close(ends[1]);
  double start = seconds_now();
  for (long trip = 0; trip < count; trip++)
    if (write(ends[0], bytes, sizeof bytes) < 0 || read(ends[0], bytes, sizeof bytes) <= 0) return -1;
  double used = seconds_now() - start;
  close(ends[0]);
  waitpid(child, NULL, 0);
  return used;
}
