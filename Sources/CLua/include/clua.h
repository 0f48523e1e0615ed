// The parts of Lua that Swift may use: the functions of its API that cannot raise, and the few entry points through
// which Swift runs code that can. Invariant: no function declared here lets a Lua error (a longjmp) cross the frame
// of its Swift caller.
#ifndef DECKHAND_CLUA_H
#define DECKHAND_CLUA_H

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>
#include <stddef.h>
#include <stdint.h>

// Why running Lua code is being stopped. While this is not DH_STOP_NONE, nothing in Lua can catch an error.
enum dh_stop_reason {
  DH_STOP_NONE = 0,
  DH_STOP_INTERRUPT = 1,  // Ctrl-C
  DH_STOP_DEADLINE = 2,   // the time limit of the call
  DH_STOP_MEMORY = 3,     // the memory limit of the state
  DH_STOP_EXIT = 4,       // os.exit
};

// What a bound function returns instead of a count of results.
enum dh_failure {
  DH_FAIL_VALUE = -1,    // the value on top of the stack is the error, unchanged
  DH_FAIL_MESSAGE = -2,  // the string on top is the message; the position is prepended
  DH_FAIL_ARGUMENT = -3, // the string on top says what is wrong with argument DH_FAIL_ARGUMENT - answer
};

// The error of whatever asks the host for something in a state that is closed.
#define DH_CLOSED_STATE "this belongs to a Lua state that is closed: its plugin was unloaded, or its session has ended"

// Status of a protected call when the code was stopped: DH_STATUS_STOPPED + reason.
enum { DH_STATUS_STOPPED = 100 };

// Free slots of the Lua stack when a host function, or host work on a stack, begins. Code that pushes no more than
// these need not reserve room; code that nests, or pushes a variable number of values, must.
enum { DH_ROOM = 64 };

typedef struct dh_runtime dh_runtime;

// A call of the host into a state, or host work under a limit: a link in the chain of its thread. It lives in the
// caller's frame.
typedef struct dh_entry {
  struct dh_runtime *rt;
  struct dh_entry *outer, *outer_same;  // the surrounding call; the surrounding call in the same state
  volatile int stop;                    // why it must end, or DH_STOP_NONE
  int64_t limit;                        // nanoseconds; 0 for none
  volatile int64_t deadline;            // in terms of dh_now; 0 until the first tick
  volatile int64_t paused_at;           // when it was paused, with the calls around it; 0 if it is not
  int64_t lends;                        // how long a pause may last in total, or DH_FREE; while paused_at is set
  volatile int64_t lent;                // how long this call has been paused on loan
} dh_entry;

// A bound type in one state.
typedef struct dh_type {
  const char *name;
  const void *metatable;  // its identity; the registry holds it at metatable_ref
  int metatable_ref, members_ref, setters_ref;
  int has_fields;  // whether `__index` is a function, as fields require
  struct dh_type *next;
} dh_type;

// The fast path of a host function, which is tried first. It returns the count of results, or DH_DECLINED with the
// stack and everything else unchanged; then the general path is taken. It neither charges for memory nor fails,
// pushes at most DH_FAST_ROOM values at a time, and itself checks whether the user is signed in.
typedef int (*dh_fast_path)(lua_State *L, void *object, void *context);
enum { DH_FAST_ROOM = LUA_MINSTACK };
static const int DH_DECLINED = -1;

// A host function. `swift` is an object that the state's owner keeps alive, or that the collector releases; `type` is
// the required type of self (or NULL).
typedef struct dh_function {
  void *swift;  // NULL once released
  const dh_type *type;
  const char *name;
  size_t cost;  // bytes charged for a garbage-collected function
  dh_fast_path fast;  // or NULL
  void *context;      // passed to the fast path
  int outlives;       // callable even if the state is retired, as it does not act on the host
} dh_function;

// What the host passes to the C side when it makes a state. None of these functions may raise.
typedef struct dh_host {
  void *context;  // the host's own object for the state
  // Runs a host function; returns the count of results, or a dh_failure.
  int (*invoke)(lua_State *L, void *object, void *function);
  // Releases the reference that a userdata held.
  void (*release)(void *object);
  // Pushes the message for a field that the type does not have. `writing` distinguishes an assignment from a read.
  void (*unknown_field)(lua_State *L, const char *type_name, int key_index, int writing);
} dh_host;

// ---- States

typedef struct dh_options {
  size_t memory_limit;  // bytes; 0 for none
  int is_sandboxed;     // a plugin's environment instead of Lua's whole library
  int is_seeded;        // its random numbers repeat with `seed`
  uint64_t seed;
} dh_options;

// Makes a state with Lua's libraries open and made safe; NULL if out of memory.
lua_State *dh_open(const dh_host *host, const dh_options *options);
// Closes the state: runs finalizers (hooks off), then frees everything it allocated.
void dh_close(lua_State *L);
// From now on the host's functions refuse calls from the state's code; the state is to be closed once none of it
// runs.
void dh_retire(lua_State *L);
// Returns the version of Lua that is linked: `5.4.4`.
const char *dh_lua_version(void);
// Returns the bytes that the state holds now, including those charged for host objects.
size_t dh_memory_used(lua_State *L);
void *dh_context(lua_State *L);
void dh_set_context(lua_State *L, void *context);
// Returns the coroutine whose code runs now: the host pushes values for Lua there.
lua_State *dh_running(lua_State *L);
void dh_set_memory_limit(lua_State *L, size_t limit);

// ---- Swift heap memory used for a state. See charge.c.

// Charges bytes to the running host call; they are released at its end. Returns 0 if the state may not have them, or
// must stop: then nothing was charged, and the call must end.
int dh_charge(lua_State *L, size_t bytes);
// Returns the total charged by the running host calls; dh_restore_charge goes back to such a total.
size_t dh_charged(lua_State *L);
void dh_restore_charge(lua_State *L, size_t charged);
// Whether a value of this many bytes may be pushed. If not, the call must end: its trampoline raises the error.
int dh_has_room(lua_State *L, size_t bytes);
// Returns the bytes that may still be charged.
size_t dh_room(lua_State *L);
// Charges, and releases, what Swift stores for the state beyond a call.
void dh_keep(lua_State *L, size_t bytes);
void dh_release(lua_State *L, size_t bytes);
// Returns why the running code was asked to stop, or DH_STOP_NONE.
int dh_stop_reason_of(lua_State *L);
// Collects all garbage.
void dh_collect(lua_State *L);

// ---- Calls

// Compiles text (never bytecode). Leaves the function or the message on the stack; returns what dh_call_protected
// does.
int dh_load(lua_State *L, const char *text, size_t length, const char *chunk_name);
// Calls the function below `arguments` values. Returns LUA_OK, a Lua status with the error on top, or
// DH_STATUS_STOPPED + reason with nothing pushed. Never raises.
int dh_call_protected(lua_State *L, int arguments, int results);
// The same in steps, for calls that must be fast. dh_begin_call pushes a message handler and the value at `ref` of
// the registry, on the stack of the running coroutine; the `L` of its result is NULL if there is no room for `slots`
// values and DH_ROOM. The caller then pushes the arguments. dh_finish_call returns what dh_call_protected does;
// dh_end_call must always follow: it restores the stack and releases what was charged meanwhile.
typedef struct dh_use {
  lua_State *L;
  size_t charged;
  int top;
} dh_use;
dh_use dh_begin_call(lua_State *L, int ref, int slots);
int dh_finish_call(lua_State *L, int arguments, int results);
void dh_end_call(dh_use use);
// Returns where the last error was raised (`file:line:` of the nearest Lua code), or an empty string.
const char *dh_error_position(lua_State *L);
// Returns, once, where the last stop found Lua code running; otherwise an empty string.
const char *dh_stop_position(lua_State *L);
// Returns the traceback of the last error if tracing is on, otherwise an empty string. Valid until the next error.
const char *dh_error_trace(lua_State *L);
void dh_set_tracing(lua_State *L, int on);
// The status given to os.exit, after a call returned DH_STATUS_STOPPED + DH_STOP_EXIT.
int dh_exit_status(lua_State *L);

// t[k] for any value, with metamethods, protected: pops the key, pushes the value and returns LUA_OK, or pushes the
// error.
int dh_get_protected(lua_State *L, int index);
// #v with metamethods; LUA_OK sets *length, otherwise the error is on top. A length that is not an integer is an
// error.
int dh_length_protected(lua_State *L, int index, int64_t *length);
// tostring(v) with metamethods: pushes the string, or the error.
int dh_tostring_protected(lua_State *L, int index);
// next(t, k): pops the key; returns 1 and pushes key and value, 0 at the end, -1 if the key is not in the table.
int dh_next_raw(lua_State *L, int index);

// ---- Stopping

// Takes over SIGINT, SIGTERM and SIGHUP for the calling thread until dh_release_interrupts. Both nest, also around
// other code that takes the signals in between. Ignored SIGTERM and SIGHUP stay ignored.
void dh_take_interrupts(void);
void dh_release_interrupts(void);
// Whether the running call, or the host work done for it, was asked to stop. Cheap enough to poll.
int dh_is_stopping(lua_State *L);
// Whether a Ctrl-C came since the last dh_clear_interrupt, whatever was running.
int dh_was_interrupted(void);
void dh_clear_interrupt(void);
// Has the effect of a Ctrl-C: all running calls end, and nothing in Lua can catch it.
void dh_interrupt(void);
// The SIGTERM or SIGHUP that came, or 0; the second function records one that other code received.
int dh_ending_signal(void);
void dh_note_ending_signal(int signal);
// Whether host work should end: a Ctrl-C came, or the innermost host call on this thread was asked to stop.
int dh_must_end(void);
// Returns a monotonic time in nanoseconds.
int64_t dh_now(void);
// Asks the host's calls into any state to end, from the innermost one on this thread out to `last` (NULL: the
// outermost). Nothing in Lua can catch it; it has no effect while no call is running.
void dh_stop_through(const dh_entry *last, int reason);
// The time that each host call into this state may take, including all that it calls; 0 for no limit.
void dh_set_time_limit(lua_State *L, int64_t nanoseconds);
int64_t dh_time_limit(lua_State *L);
// Sets a limit on host work and all that it calls. Begin returns 0, or DH_STATUS_STOPPED + reason or LUA_ERRRUN;
// after an error the limit must not be ended. End returns why the work was to stop, or DH_STOP_NONE.
int dh_begin_limit(lua_State *L, dh_entry *entry, int64_t nanoseconds);
int dh_end_limit(lua_State *L, dh_entry *entry);
// Pauses the limits of all running calls on this thread until the result is passed to dh_resume_limits: each call's
// for at most `lends` nanoseconds over all its pauses, or without a bound if DH_FREE. A pause that is not `granted`
// in the end counts after all.
enum : int64_t { DH_FREE = INT64_MAX };
dh_entry *dh_pause_limits(int64_t lends);
void dh_resume_limits(dh_entry *paused, int granted);
// Restarts the limit of the innermost call.
void dh_restart_limit(void);
// Whether the timer of the limits is armed on this thread.
int dh_is_ticking(void);

// ---- Bound types

// Adds a bound type to the state: makes and stores its metatable. The names must outlive the state.
dh_type *dh_type_new(lua_State *L, const char *name);
// Adds a method (called with `:`), a readable or writable field, or one of the operators `__len`, `__call`,
// `__tostring`, `__close`.
void dh_type_method(lua_State *L, dh_type *type, const dh_function *function);
void dh_type_getter(lua_State *L, dh_type *type, const dh_function *function);
void dh_type_setter(lua_State *L, dh_type *type, const dh_function *function);
void dh_type_operator(lua_State *L, dh_type *type, const dh_function *function);
// Pushes a plain host function.
void dh_push_function(lua_State *L, const dh_function *function);
// Pushes a host function that lives as long as Lua holds it. It owns one reference to `swift`, which the collector
// releases. `cost` is the bytes charged for `swift`.
void dh_push_owned_function(lua_State *L, void *swift, const char *name, size_t cost);
// Pushes the userdata of an object: the existing one, or a new one, which then owns one reference; returns whether it
// took that reference. `cost` is the bytes charged for the object in addition to the userdata.
int dh_push_object(lua_State *L, const dh_type *type, void *object, size_t cost);
// Sets what the bound object at index is charged from now on.
void dh_set_cost(lua_State *L, int index, size_t cost);
// Returns the object of the value at index if it is a live userdata of the type; otherwise NULL.
void *dh_to_object(lua_State *L, int index, const dh_type *type);
// Returns the bound type of the value at index, also for closed objects, or NULL.
const dh_type *dh_type_of(lua_State *L, int index);
// Makes a module: a table whose unknown fields raise. Leaves it on the stack; functions are set raw.
void dh_push_module(lua_State *L, const char *name);
// Adds a field that is computed at each read to the module on top of the stack.
void dh_module_getter(lua_State *L, const dh_function *function);
// Pushes the table of a problem with its three texts, with room for `more` fields; `metatable` is a registry
// reference.
typedef struct dh_text {
  const char *bytes;
  size_t length;
} dh_text;
void dh_push_problem(lua_State *L, dh_text code, dh_text title, dh_text message, int more, int metatable);
// Pushes a table of `pairs` fields, whose keys and values are in the table at reference `prepared`, and one more,
// whose key follows those and whose value is at stack index `value`. `metatable` is a reference. See prepared.c.
void dh_push_prepared(lua_State *L, int prepared, int pairs, int value, int metatable);
// Pushes a plugin's `require`: `finder` returns the text and the chunk name of a module.
void dh_push_require(lua_State *L, const dh_function *finder);
// Pushes the coroutine that stands for those of another process: always the same one, which cannot be resumed.
void dh_push_dead_coroutine(lua_State *L);
// Wraps the table on top of the stack in a frozen proxy: it can be read; writing raises `advice`.
void dh_freeze(lua_State *L, const char *advice);
// Pushes the table behind a frozen proxy and returns 1; returns 0 for any other value.
int dh_push_frozen_content(lua_State *L, int index);

// ---- Code that another process runs. See crossing.c.

// Runs a host function on the `arguments` values on top of the stack, as its trampoline would. Returns LUA_OK and
// sets *answer to the count of results, or to a dh_failure with one value on top; otherwise returns what
// dh_call_protected does. If self is not of the function's type, *answer is DH_BAD_SELF, and nothing ran.
enum { DH_BAD_SELF = -1000000 };
int dh_serve(lua_State *L, const dh_function *function, int arguments, int *answer);
// Returns the host function of the value at index, or NULL.
const dh_function *dh_host_function(lua_State *L, int index);
// Returns the message for writing to the frozen table at index; NULL for any other value.
const char *dh_frozen_advice(lua_State *L, int index);
// Sets where the error arose that the running host function is about to return: in the other process, or in a callback.
// `trace` may be NULL.
void dh_tell_position(lua_State *L, const char *position, const char *trace);
// Clears that place, once the error is caught, or if none is raised.
void dh_clear_position(lua_State *L);
// The same for a stop; the stop begins here if it has not begun yet.
void dh_tell_stop(lua_State *L, int reason, const char *position);
// Numbers the calls from the other process: what follows, until dh_end_level, belongs to the call of that number.
typedef struct dh_level {
  struct dh_entry *base;
  int serial;
} dh_level;
dh_level dh_begin_level(int serial);
void dh_end_level(dh_level outer);
// Asks the innermost numbered call to stop.
void dh_stop_level(int reason);
// From now on SIGUSR1 with the value `serial << 3 | reason` does that, if the innermost call still has that serial.
void dh_take_asked_stops(void);

// ---- Functions in place of macros of lua.h

static inline dh_runtime *dh_of(lua_State *L) { return *(dh_runtime **)lua_getextraspace(L); }
static inline void dh_pop(lua_State *L, int n) { lua_settop(L, -n - 1); }
static inline const char *dh_string(lua_State *L, int index, size_t *length) {
  return lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, length) : NULL;
}
static inline const char *dh_type_word(lua_State *L, int index) { return lua_typename(L, lua_type(L, index)); }
static inline void dh_new_table(lua_State *L, int array, int fields) { lua_createtable(L, array, fields); }
static inline void dh_remove(lua_State *L, int index) { lua_rotate(L, index, -1); lua_settop(L, -2); }
static inline void dh_push_globals(lua_State *L) { lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS); }
static inline int dh_ref(lua_State *L) { return luaL_ref(L, LUA_REGISTRYINDEX); }
static inline void dh_unref(lua_State *L, int ref) { luaL_unref(L, LUA_REGISTRYINDEX, ref); }
static inline void dh_push_ref(lua_State *L, int ref) { lua_rawgeti(L, LUA_REGISTRYINDEX, ref); }
// Returns the name of the value at index in errors: the name of its bound type, its `__name`, or its Lua type.
const char *dh_value_name(lua_State *L, int index);

#endif
