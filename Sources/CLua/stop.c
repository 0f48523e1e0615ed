// Stopping Lua code from outside: Ctrl-C, limits, os.exit. A signal handler puts a hook on the coroutine that runs now; the
// hook raises a sentinel at every instruction until the host has control again, and every function that could catch it
// raises it again. Invariant: while `stop` is set no Lua code of this runtime completes anything but its unwinding, and no
// hook is left on once the host has control.

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime.h"

// The error value of a stop: its address is the value.
static const char sentinel = 0;

// The innermost runtime that the host called into, on this thread.
static _Thread_local dh_runtime *volatile innermost;
// A Ctrl-C that came while this process asks for them.
static volatile sig_atomic_t interrupts;

// ---- The signal

static void stop_hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  if (dh_of(L)->stop)
    dh_raise_stop(L);
  else
    lua_sethook(L, NULL, 0, 0);
}

static void arm(dh_runtime *rt, int reason) {
  if (!rt->stop) rt->stop = reason;
  if (rt->running) lua_sethook(rt->running, stop_hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
}

// Three in a row that nothing has answered: what runs is a finalizer, which no hook reaches.
static void leave_when_stuck(void) {
  if (interrupts < 3 || !innermost || innermost->stop != DH_STOP_INTERRUPT) return;
  static const char text[] = "\ninterrupted: what was running did not stop; leaving\n";
  ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
  (void)ignored;
  _exit(130);
}

static pthread_t owner;
static int nested;
static struct sigaction before_us;

static void on_interrupt(int signal) {
  int saved = errno;
  if (!pthread_equal(pthread_self(), owner)) {
    pthread_kill(owner, signal);
    errno = saved;
    return;
  }
  interrupts = interrupts + 1;
  leave_when_stuck();
  for (dh_runtime *rt = innermost; rt; rt = rt->outer) arm(rt, DH_STOP_INTERRUPT);
  errno = saved;
}

void dh_take_interrupts(void) {
  if (nested++ > 0) return;
  owner = pthread_self();
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;  // without SA_RESTART, so that a read ends too
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_us);
}

void dh_release_interrupts(void) {
  if (nested == 0 || --nested > 0) return;
  sigaction(SIGINT, &before_us, NULL);
}

int dh_was_interrupted(void) { return interrupts > 0; }
void dh_clear_interrupt(void) { interrupts = 0; }
int dh_is_stopping(lua_State *L) { return dh_of(L)->stop; }
void dh_request_stop(lua_State *L, int reason) { arm(dh_of(L), reason); }

dh_runtime *dh_enter_runtime(dh_runtime *rt) {
  dh_runtime *before = innermost;
  if (before != rt) rt->outer = before;
  innermost = rt;
  return before;
}

void dh_leave_runtime(dh_runtime *rt, dh_runtime *before) {
  innermost = before;
  if (before != rt) rt->outer = NULL;
}

int dh_raise_stop(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  lua_sethook(L, stop_hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
  rt->running = L;
  lua_pushlightuserdata(L, (void *)&sentinel);
  return lua_error(L);
}

// After code failed with a status: raises the stop again when there is one. A refused allocation is one where a limit is.
static void pass_stop_on(lua_State *L, int status) {
  dh_runtime *rt = dh_of(L);
  rt->running = L;
  if (status == LUA_ERRMEM && rt->limit && !rt->stop) rt->stop = DH_STOP_MEMORY;
  if (rt->stop) dh_raise_stop(L);
}

// ---- pcall and xpcall

static int finish_pcall(lua_State *L, int status, lua_KContext skipped) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)skipped;
  pass_stop_on(L, status);
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

static int guarded_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  return finish_pcall(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_pcall), 0);
}

static int is_stopping(lua_State *L) {
  lua_pushboolean(L, dh_of(L)->stop != 0);
  return 1;
}

// A message handler runs with hooks off when the hook raised: so it is reached through a Lua closure that looks first, and
// ends in a tail call so that levels and tracebacks read as if it were not there.
static const char handler_guard[] =
    "local stopping = ...\n"
    "return function(handler)\n"
    "  return function(e) if stopping() then return e end return handler(e) end\n"
    "end\n";

static int guarded_xpcall(lua_State *L) {
  int count = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 2);
  lua_call(L, 1, 1);
  lua_replace(L, 2);  // the guarded handler
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);
  return finish_pcall(L, lua_pcallk(L, count - 2, LUA_MULTRET, 2, 2, finish_pcall), 2);
}

// ---- Coroutines

// Runs `co` with the arguments on top of L. Answers the count of values it gave, moved to L, or -1 with the error on L.
static int resume(lua_State *L, lua_State *co, int arguments) {
  dh_runtime *rt = dh_of(L);
  if (rt->stop) dh_raise_stop(L);
  if (!lua_checkstack(co, arguments)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, arguments);
  int count = 0;
  rt->running = co;
  int status = lua_resume(co, L, arguments, &count);
  rt->running = L;
  if (status != LUA_OK && status != LUA_YIELD) {
    pass_stop_on(L, status);
    lua_xmove(co, L, 1);
    return -1;
  }
  if (rt->stop) dh_raise_stop(L);
  if (!lua_checkstack(L, count + 1)) {
    lua_settop(co, -count - 1);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, count);
  return count;
}

static lua_State *check_coroutine(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  luaL_argexpected(L, co, 1, "coroutine");
  return co;
}

static int guarded_resume(lua_State *L) {
  lua_State *co = check_coroutine(L);
  int count = resume(L, co, lua_gettop(L) - 1);
  lua_pushboolean(L, count >= 0);
  if (count < 0) count = 1;
  lua_insert(L, -(count + 1));
  return count + 1;
}

// Closes a coroutine's pending variables: their handlers are Lua code that runs on it.
static int reset(lua_State *L, lua_State *co) {
  dh_runtime *rt = dh_of(L);
  rt->running = co;
  int status = lua_resetthread(co);
  rt->running = L;
  return status;
}

static int wrapped_resume(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  int count = resume(L, co, lua_gettop(L));
  if (count >= 0) return count;
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) {
    status = reset(L, co);
    pass_stop_on(L, status == LUA_ERRMEM ? status : LUA_ERRRUN);
    lua_xmove(co, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int guarded_wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, wrapped_resume, 1);
  return 1;
}

static const char *status_word(lua_State *L, lua_State *co) {
  if (L == co) return "running";
  int status = lua_status(co);
  if (status == LUA_YIELD) return "suspended";
  if (status != LUA_OK) return "dead";
  lua_Debug ar;
  if (lua_getstack(co, 0, &ar)) return "normal";
  return lua_gettop(co) == 0 ? "dead" : "suspended";
}

static int guarded_close(lua_State *L) {
  lua_State *co = check_coroutine(L);
  const char *word = status_word(L, co);
  if (*word != 's' && *word != 'd') return luaL_error(L, "cannot close a %s coroutine", word);
  int status = reset(L, co);
  if (status == LUA_OK) {
    if (dh_of(L)->stop) return dh_raise_stop(L);
    lua_pushboolean(L, 1);
    return 1;
  }
  pass_stop_on(L, status);
  lua_pushboolean(L, 0);
  lua_xmove(co, L, 1);
  return 2;
}

// ---- os.exit

static int guarded_exit(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  int status = 0;
  if (lua_isboolean(L, 1))
    status = lua_toboolean(L, 1) ? 0 : 1;
  else
    status = (int)luaL_optinteger(L, 1, 0);
  if (!rt->stop) {
    rt->exit_status = status & 0xFF;
    rt->stop = DH_STOP_EXIT;
  }
  return dh_raise_stop(L);
}

// ---- Putting them in place

static void replace(lua_State *L, const char *library, const char *name, lua_CFunction function) {
  lua_getglobal(L, library);
  lua_pushcfunction(L, function);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

void dh_open_guards(lua_State *L) {
  replace(L, "_G", "pcall", guarded_pcall);
  replace(L, "coroutine", "resume", guarded_resume);
  replace(L, "coroutine", "wrap", guarded_wrap);
  replace(L, "coroutine", "close", guarded_close);
  replace(L, "os", "exit", guarded_exit);
  lua_getglobal(L, "_G");
  luaL_loadbuffer(L, handler_guard, sizeof handler_guard - 1, "=xpcall");
  lua_pushcfunction(L, is_stopping);
  lua_call(L, 1, 1);
  lua_pushcclosure(L, guarded_xpcall, 1);
  lua_setfield(L, -2, "xpcall");
  lua_pop(L, 1);
}
