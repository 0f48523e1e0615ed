// Time limits. A 5 ms timer ticks on the thread that runs Lua while a call with a limit is running; each tick walks
// the chain of calls and stops the outermost one whose time is over. Invariant: a call only stores its limit; the
// timer disarms itself at the first tick that finds no limit, so it never stays armed.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"

#define TICK_NANOSECONDS 5000000

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static _Thread_local timer_t clock_of_thread;
static _Thread_local volatile sig_atomic_t has_clock, is_ticking;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

int64_t dh_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int tick_signal(void) { return SIGRTMIN + 3; }

static void set_clock(int64_t interval) {
  struct itimerspec times = {{0, interval}, {0, interval}};
  timer_settime(clock_of_thread, 0, &times, NULL);
}

// A deadline counts from the first tick within the call. The clock of a paused call and of the calls around it is
// stopped, up to the limit of its loan.
static void on_tick(int signal) {
  (void)signal;
  int saved = errno;
  int64_t now = dh_now();
  int is_limited = 0;
  const dh_entry *expired = NULL;
  const dh_entry *paused = NULL;
  for (dh_entry *entry = dh_innermost_entry; entry; entry = entry->outer) {
    if (entry->paused_at) paused = entry;
    if (paused && paused->lends == DH_FREE) break;
    if (!entry->limit) continue;
    is_limited = 1;
    int64_t reached = now - dh_time_paused(entry, paused, now);
    if (!entry->deadline) entry->deadline = reached + entry->limit;
    if (reached >= entry->deadline) expired = entry;
  }
  if (expired) dh_stop_through(expired, DH_STOP_DEADLINE);
  if (!is_limited) {
    is_ticking = 0;
    set_clock(0);
  }
  errno = saved;
}

static void prepare(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(tick_signal(), &action, NULL);
}

static int make_clock(void) {
  pthread_once(&prepared, prepare);
  sigset_t ticks;  // threads of a pool start with all signals blocked
  sigemptyset(&ticks);
  sigaddset(&ticks, tick_signal());
  pthread_sigmask(SIG_UNBLOCK, &ticks, NULL);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = tick_signal();
  event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
  has_clock = timer_create(CLOCK_MONOTONIC, &event, &clock_of_thread) == 0;
  return has_clock;
}

void dh_start_ticking(void) {
  if (__builtin_expect(is_ticking, 1)) return;
  if (!has_clock && !make_clock()) return;
  is_ticking = 1;
  set_clock(TICK_NANOSECONDS);
}

int dh_is_ticking(void) {
  if (!has_clock) return 0;
  struct itimerspec times;
  return timer_gettime(clock_of_thread, &times) == 0 && times.it_interval.tv_nsec != 0;
}
