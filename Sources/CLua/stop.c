// Stops Lua code from outside: Ctrl-C, limits, os.exit. The host's calls into Lua form a chain per thread, across all
// states. A signal handler marks the calls that must end and sets a hook on the running coroutine; the hook raises a
// sentinel at every instruction, and every function that could catch the sentinel raises it again. Invariant: while a
// call is marked, its Lua code completes nothing except its unwinding; when the call has ended, no hook remains.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"

// The error value of a stop: the address of this variable.
static const char sentinel = 0;

void dh_push_stop_value(lua_State *L) { lua_pushlightuserdata(L, (void *)&sentinel); }
int dh_is_stop_value(lua_State *L, int index) { return lua_touserdata(L, index) == (const void *)&sentinel; }

// The innermost call of the host into any state, on this thread.
_Thread_local dh_entry *volatile dh_innermost_entry;
#define innermost dh_innermost_entry
// How many Ctrl-Cs came since they were last cleared.
volatile sig_atomic_t dh_interrupts;
#define interrupts dh_interrupts

// ---- Marking and hooking

static void stop_hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  if (dh_of(L)->stop)
    dh_raise_stop(L);
  else
    lua_sethook(L, NULL, 0, 0);
}

static void set_hook(lua_State *L) { lua_sethook(L, stop_hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1); }

// Marks the calls from the innermost out to `last` (NULL: all of them). Also runs in signal handlers.
static void mark_through(const dh_entry *last, int reason) {
  for (dh_entry *entry = innermost; entry; entry = entry->outer) {
    if (!entry->stop) entry->stop = reason;
    if (entry->rt->entry == entry) entry->rt->stop = entry->stop;
    if (entry == last) break;
  }
}

static void hook_innermost(void) {
  dh_entry *entry = innermost;
  if (entry && entry->rt->stop && entry->rt->running) set_hook(entry->rt->running);
}

void dh_stop_through(const dh_entry *last, int reason) {
  mark_through(last, reason);
  hook_innermost();
}

void dh_stop_runtime(dh_runtime *rt, int reason) {
  dh_entry *last = rt->entry;
  if (!last) return;
  while (last->outer_same) last = last->outer_same;
  dh_stop_through(last, reason);
}

// The function that lua_error ends in, available in the static library. It unwinds with the error on top and skips
// the message handler of xpcall, which would run with hooks off.
extern void luaD_throw(lua_State *L, int status) __attribute__((noreturn));

int dh_raise_stop(lua_State *L) {
  dh_note_stop(L);
  set_hook(L);
  dh_of(L)->running = L;
  (void)lua_checkstack(L, 1);  // needed within a comparison; if this fails, Lua has a few slots in reserve for errors
  dh_push_stop_value(L);
  luaD_throw(L, LUA_ERRRUN);
}

void dh_note_memory(lua_State *L, int status) {
  dh_runtime *rt = dh_of(L);
  if (status == LUA_OK || status == LUA_YIELD || !rt->limit || !rt->has_refused) return;
  rt->has_refused = 0;
  if (rt->stop) return;
  // lauxlib's buffers report a lack of memory as an ordinary error.
  int is_memory = status == LUA_ERRMEM;
  if (!is_memory && lua_type(L, -1) == LUA_TSTRING) is_memory = strstr(lua_tostring(L, -1), "not enough memory") != NULL;
  if (is_memory) dh_stop_runtime(rt, DH_STOP_MEMORY);
}

void dh_pass_stop_on(lua_State *L, int status) {
  dh_runtime *rt = dh_of(L);
  rt->running = L;
  dh_note_memory(L, status);
  if (rt->stop) dh_raise_stop(L);
}

// ---- The chain of calls

// Returns the lowest address of this thread's stack, and sets its size; NULL if unknown.
static char *stack_base(size_t *size) {
  // The kernel made the first thread's stack, with the program's file name at its upper end. For that thread,
  // pthread_getattr_np would read /proc/self/maps at each start.
  char *top = gettid() == getpid() ? (char *)getauxval(AT_EXECFN) : NULL;
  struct rlimit limit;
  if (top && getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < (uintptr_t)top) {
    *size = limit.rlim_cur;
    return top - limit.rlim_cur;
  }
  pthread_attr_t attributes;
  void *base = NULL;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &base, size);
    pthread_attr_destroy(&attributes);
  }
  return base;
}

// Returns the lowest address that calls may use: the stack below it is reserved for what the last call does in C.
char *dh_stack_floor(void) {
  static _Thread_local char *floor;
  if (floor) return floor;
  size_t size = 0;
  char *base = stack_base(&size);
  // Unlimited or unknown: assume 8 MiB below the current frame.
  if (!base || size > ((size_t)64 << 20)) base = (char *)__builtin_frame_address(0) - (8 << 20), size = 8 << 20;
  size_t spare = size / 4 < ((size_t)2 << 20) ? size / 4 : (size_t)2 << 20;
  return floor = base + spare;
}

// ---- Limits over host code, and pauses

void dh_set_time_limit(lua_State *L, int64_t nanoseconds) { dh_of(L)->time_limit = nanoseconds; }
int64_t dh_time_limit(lua_State *L) { return dh_of(L)->time_limit; }

int dh_begin_limit(lua_State *L, dh_entry *entry, int64_t nanoseconds) {
  return dh_enter(dh_of(L), entry, nanoseconds > 0 ? nanoseconds : 1);
}

int dh_end_limit(lua_State *L, dh_entry *entry) {
  dh_runtime *rt = dh_of(L);
  int reason = dh_leave(rt, entry);
  if (reason && !rt->stop) lua_sethook(rt->running, NULL, 0, 0);
  return reason;
}

dh_entry *dh_pause_limits(int64_t lends) {
  dh_entry *entry = innermost;
  if (!entry || entry->paused_at) return NULL;
  entry->lends = lends;
  entry->paused_at = dh_now();
  return entry;
}

int64_t dh_time_paused(const dh_entry *entry, const dh_entry *paused, int64_t now) {
  if (!paused) return 0;
  int64_t waited = now - paused->paused_at;
  if (paused->lends == DH_FREE) return waited;
  int64_t left = paused->lends - entry->lent;
  return waited < left ? waited : left > 0 ? left : 0;
}

void dh_resume_limits(dh_entry *paused, int granted) {
  if (!paused) return;
  int64_t now = dh_now();
  int limited = 0;
  for (dh_entry *entry = paused; entry && (entry == paused || !entry->paused_at); entry = entry->outer) {
    int64_t waited = granted ? dh_time_paused(entry, paused, now) : 0;
    if (entry->deadline) entry->deadline = entry->deadline + waited;
    if (paused->lends != DH_FREE) entry->lent = entry->lent + waited;
    if (entry->limit) limited = 1;
  }
  paused->paused_at = 0;
  if (limited) dh_start_ticking();
}

void dh_restart_limit(void) {
  if (innermost) innermost->deadline = 0;
}

// ---- Ctrl-C, and signals that end the program

// Whether a finalizer is running: lua_gc then returns -1, and no hook reaches the code.
static int is_finalizing(void) {
  for (dh_entry *entry = innermost; entry; entry = entry->outer)
    if (lua_gc(entry->rt->main, LUA_GCISRUNNING) == -1) return 1;
  return 0;
}

// Exits after three Ctrl-Cs in a row that nothing has handled, if the running code cannot be stopped.
static void leave_when_stuck(void) {
  if (interrupts < 3 || !is_finalizing()) return;
  static const char text[] = "\ninterrupted: a finalizer (__gc) did not end; leaving\n";
  ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
  (void)ignored;
  _exit(130);
}

// The signals that are taken over; the first one only stops the running code.
static const int taken[] = {SIGINT, SIGTERM, SIGHUP};
enum { taken_count = sizeof taken / sizeof taken[0], deepest_taking = 16 };

static pthread_t owner;
static int nested;
// The handlers before each take-over. Where our handler was installed already, nothing is restored.
static struct sigaction before_us[deepest_taking][taken_count];
// The signal that asked the program to end, or 0.
static volatile sig_atomic_t ending_signal;

void dh_interrupt(void) {
  interrupts = interrupts + 1;
  dh_stop_through(NULL, DH_STOP_INTERRUPT);
}

// The first request to end the program is handled in order; a second one, or one while a finalizer runs, exits at
// once.
static void note_ending(int signal) {
  if (ending_signal || is_finalizing()) _exit(128 + signal);
  ending_signal = signal;
}

static void on_signal(int signal) {
  int saved = errno;
  if (!pthread_equal(pthread_self(), owner)) {
    pthread_kill(owner, signal);
  } else {
    if (signal != SIGINT) note_ending(signal);
    dh_interrupt();
    leave_when_stuck();
  }
  errno = saved;
}

static void take_signal(int signal, struct sigaction *before) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;  // without SA_RESTART, so that reads are interrupted too
  for (int i = 0; i < taken_count; i++) sigaddset(&action.sa_mask, taken[i]);
  sigaction(signal, NULL, before);
  int stays_ignored = signal != SIGINT && before->sa_handler == SIG_IGN;
  if (before->sa_handler != on_signal && !stays_ignored) sigaction(signal, &action, NULL);
}

// A screen or the line editor may have taken the signals in between, so each take-over checks who handles them.
void dh_take_interrupts(void) {
  int depth = nested++;
  if (depth >= deepest_taking) return;
  owner = pthread_self();
  for (int i = 0; i < taken_count; i++) take_signal(taken[i], &before_us[depth][i]);
}

void dh_release_interrupts(void) {
  if (nested == 0 || --nested >= deepest_taking) return;
  for (int i = 0; i < taken_count; i++)
    if (before_us[nested][i].sa_handler != on_signal) sigaction(taken[i], &before_us[nested][i], NULL);
}

int dh_was_interrupted(void) { return interrupts > 0; }
void dh_clear_interrupt(void) { interrupts = 0; }
int dh_ending_signal(void) { return ending_signal; }
void dh_note_ending_signal(int signal) { ending_signal = signal; }

int dh_must_end(void) {
  dh_entry *entry = innermost;
  return interrupts > 0 || (entry && entry->stop);
}

int dh_is_stopping(lua_State *L) { return dh_of(L)->stop; }

// ---- Time limits

// A 5 ms timer ticks on the thread that runs Lua while a call with a limit is running; each tick walks the chain of
// calls and stops the outermost one whose time is over. A call only stores its limit; the timer disarms itself at the
// first tick that finds no limit, so it never stays armed.

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
