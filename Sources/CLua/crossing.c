// Code that another process runs for this one: how its errors and stops are reported here, and how a stop request
// reaches it. Invariant: a stop request ends the call that it names or nothing; a request that arrives too late is
// ignored.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static void note_told(dh_runtime *rt, const char *position) {
  strncpy(rt->position, position, sizeof rt->position - 1);
  rt->position[sizeof rt->position - 1] = 0;
}

void dh_tell_position(lua_State *L, const char *position, const char *trace) {
  dh_runtime *rt = dh_of(L);
  note_told(rt, position);
  free(rt->trace);
  rt->trace = trace ? strdup(trace) : NULL;
  rt->has_told_position = 1;
}

void dh_clear_position(lua_State *L) { dh_of(L)->has_told_position = 0; }

void dh_tell_stop(lua_State *L, int reason, const char *position) {
  dh_runtime *rt = dh_of(L);
  note_told(rt, position);
  rt->has_stop_position = 1;
  if (!rt->stop) dh_stop_runtime(rt, reason);
}

// ---- In the process that runs the code: the calls from the host, innermost last

// The entry within which the innermost numbered call began, and the number of that call; 0 for none.
static _Thread_local dh_entry *volatile level_base;
static _Thread_local volatile sig_atomic_t level_serial;

dh_level dh_begin_level(int serial) {
  dh_level outer = {level_base, level_serial};
  level_serial = 0;
  level_base = dh_innermost_entry;
  level_serial = serial;
  return outer;
}

void dh_end_level(dh_level outer) {
  level_serial = 0;
  level_base = outer.base;
  level_serial = outer.serial;
}

// Stops the numbered call itself: the outermost entry inside its base, and everything within it.
void dh_stop_level(int reason) {
  dh_entry *last = dh_innermost_entry;
  if (!last || last == level_base) return;
  while (last->outer && last->outer != level_base) last = last->outer;
  dh_stop_through(last, reason);
}

static void on_asked_stop(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)context;
  int saved = errno, value = info->si_value.sival_int;
  if (level_serial && value >> 3 == level_serial) dh_stop_level(value & 7);
  errno = saved;
}

void dh_take_asked_stops(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_asked_stop;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, NULL);
}
