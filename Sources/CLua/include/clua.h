// What Swift may use of Lua: the parts of its API that cannot raise, and the few doors through which raising code is
// reached. Invariant: no function declared here lets a Lua error (a longjmp) cross the frame of its Swift caller.
#ifndef DECKHAND_CLUA_H
#define DECKHAND_CLUA_H

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>
#include <stddef.h>
#include <stdint.h>

// Why running Lua code is being stopped. While it is not DH_STOP_NONE nothing in Lua can catch an error.
enum dh_stop_reason {
  DH_STOP_NONE = 0,
  DH_STOP_INTERRUPT = 1,  // Ctrl-C
  DH_STOP_DEADLINE = 2,   // the time limit of the call
  DH_STOP_MEMORY = 3,     // the memory limit of the state
  DH_STOP_EXIT = 4,       // os.exit
};

// What a bound function answers in place of a count of results.
enum dh_failure {
  DH_FAIL_VALUE = -1,    // the value on top of the stack is the error, as it is
  DH_FAIL_MESSAGE = -2,  // the string on top is the message; the position is put before it
  DH_FAIL_ARGUMENT = -3, // the string on top says what is wrong with argument DH_FAIL_ARGUMENT - answer
};

// Status of a protected call when the code was stopped: DH_STATUS_STOPPED + reason.
enum { DH_STATUS_STOPPED = 100 };

// Slots of the Lua stack that are free when a host function, or work of the host on a stack, begins: one that pushes no
// more than these need not ask for room. What nests, or pushes as many values as it is told, asks.
enum { DH_ROOM = 64 };

typedef struct dh_runtime dh_runtime;

// A call of the host into a state, or a stretch of host work under a limit: a link of the chain on its thread. It lives
// in the caller's frame.
typedef struct dh_entry {
  struct dh_runtime *rt;
  struct dh_entry *outer, *outer_same;  // the call around it; the one around it in the same state
  volatile int stop;                    // why it must end, or DH_STOP_NONE
  int64_t limit;                        // nanoseconds; 0 for none
  volatile int64_t deadline;            // when the clock of dh_now passes it; 0 until the first tick
  volatile int64_t paused_at;           // since when it and the calls around it stand still; 0 when they do not
  int64_t lends;                        // how long they do in all, or DH_FREE; while paused_at is set
  volatile int64_t lent;                // how long this one stood still on loan
} dh_entry;

// What a bound type is in one state.
typedef struct dh_type {
  const char *name;
  const void *metatable;  // its identity; kept in the registry by reference
  int metatable_ref, members_ref, setters_ref;
  int has_fields;  // whether `__index` is a function, which fields need
  struct dh_type *next;
} dh_type;

// The fast path of a host function: asked first, it answers the count of results; or DH_DECLINED, with the stack and
// everything else as it was, and the general path is taken. Neither charges for memory nor fails; pushes at most
// DH_FAST_ROOM values at a time, and looks itself whether the user is signed in.
typedef int (*dh_fast_path)(lua_State *L, void *object, void *context);
enum { DH_FAST_ROOM = LUA_MINSTACK };
static const int DH_DECLINED = -1;

// A function of the host: `swift` is an object that the state's owner keeps alive, or that the collector gives back;
// `type` is what self must be (or NULL).
typedef struct dh_function {
  void *swift;  // NULL once given back
  const dh_type *type;
  const char *name;
  size_t cost;  // bytes that a collected function is charged with
  dh_fast_path fast;  // or NULL
  void *context;      // what that is handed
  int outlives;       // answers when the state is retired, too: what it does is not the host's
} dh_function;

// What the host hands to the C side when it makes a state. None of these may raise.
typedef struct dh_host {
  void *context;  // the host's own view of the state
  // Runs a host function; answers the count of results, or a dh_failure.
  int (*invoke)(lua_State *L, void *object, void *function);
  // Takes back the reference that a userdata held.
  void (*release)(void *object);
  // A field that the type does not have: pushes the message. `writing` tells an assignment from a read.
  void (*unknown_field)(lua_State *L, const char *type_name, int key_index, int writing);
} dh_host;

// ---- States

typedef struct dh_options {
  size_t memory_limit;  // bytes; 0 for none
  int is_sandboxed;     // a plugin's environment in place of Lua's whole library
  int is_seeded;        // its random numbers repeat with `seed`
  uint64_t seed;
} dh_options;

// A new state with the libraries of Lua open, made safe; NULL without memory.
lua_State *dh_open(const dh_host *host, const dh_options *options);
// Closes the state: finalizers run (hooks off), then everything it allocated is given back.
void dh_close(lua_State *L);
// From now on the host's functions refuse what its code asks of them: it is to be closed once none of it runs.
void dh_retire(lua_State *L);
// Bytes that the state holds now, those charged for host objects included.
// The version of Lua that is linked: `5.4.4`.
const char *dh_lua_version(void);
size_t dh_memory_used(lua_State *L);
void *dh_context(lua_State *L);
void dh_set_context(lua_State *L, void *context);
// The coroutine whose code runs now: where the host pushes what it hands to Lua.
lua_State *dh_running(lua_State *L);
void dh_set_memory_limit(lua_State *L, size_t limit);

// ---- What a state takes of Swift's heap. See charge.c.

// Takes bytes for the host call under way, which gives them back at its end. Answers 0 when the state may not have
// them, or is to stop: then nothing was taken, and the call must end.
int dh_charge(lua_State *L, size_t bytes);
// What the host calls under way have taken; and back to that.
size_t dh_charged(lua_State *L);
void dh_restore_charge(lua_State *L, size_t charged);
// Whether a value of so many bytes may be pushed. When not, the call must end: its trampoline raises the error.
int dh_has_room(lua_State *L, size_t bytes);
// Bytes that may be taken yet.
size_t dh_room(lua_State *L);
// What Swift keeps for the state beyond a call, and gives back.
void dh_keep(lua_State *L, size_t bytes);
void dh_release(lua_State *L, size_t bytes);
// Why what runs is asked to stop, or DH_STOP_NONE.
int dh_stop_reason_of(lua_State *L);
// Collects all garbage.
void dh_collect(lua_State *L);

// ---- Calls

// Compiles text (never bytecode). Leaves the function or the message on the stack; answers as dh_call_protected.
int dh_load(lua_State *L, const char *text, size_t length, const char *chunk_name);
// Calls the function below `arguments` values. Answers LUA_OK, a Lua status with the error on top, or
// DH_STATUS_STOPPED + reason with nothing pushed. Never raises.
int dh_call_protected(lua_State *L, int arguments, int results);
// The same in two steps, for calls that must be fast: begin pushes a message handler and the value at `ref` of the
// registry, on the stack of the running coroutine; its `L` is NULL when that has no room for `slots` values and
// DH_ROOM. Then the arguments are pushed. After an answer of finish that is not LUA_OK it is as after
// dh_call_protected. End takes what is left off the stack, and gives back what was charged meanwhile.
typedef struct dh_use {
  lua_State *L;
  size_t charged;
  int top;
} dh_use;
dh_use dh_begin_call(lua_State *L, int ref, int slots);
int dh_finish_call(lua_State *L, int arguments, int results);
void dh_end_call(dh_use use);
// Where the last error was raised (`file:line:` of the nearest Lua code), or an empty string.
const char *dh_error_position(lua_State *L);
// Where the last stop found Lua code running, once; else an empty string.
const char *dh_stop_position(lua_State *L);
// The traceback of the last error, when tracing is on; else an empty string. Stays valid until the next error.
const char *dh_error_trace(lua_State *L);
void dh_set_tracing(lua_State *L, int on);
// The status that os.exit was given, once a call answered DH_STATUS_STOPPED + DH_STOP_EXIT.
int dh_exit_status(lua_State *L);

// t[k] for any value, with metamethods, protected: pops the key, pushes the value and answers LUA_OK, or the error.
int dh_get_protected(lua_State *L, int index);
// #v with metamethods; on LUA_OK *length is set, else the error is on top. A length that is no integer is an error.
int dh_length_protected(lua_State *L, int index, int64_t *length);
// tostring(v) with metamethods: pushes the string, or the error.
int dh_tostring_protected(lua_State *L, int index);
// next(t, k): pops the key; answers 1 and pushes key and value, 0 at the end, -1 when the key is not one of the table.
int dh_next_raw(lua_State *L, int index);

// ---- Stopping

// Takes over SIGINT, SIGTERM and SIGHUP for the calling thread until dh_release_interrupts; both nest, also around
// whatever takes the signals in between. Ignored ones stay ignored.
void dh_take_interrupts(void);
void dh_release_interrupts(void);
// Whether the running call, or the host work done for it, is asked to stop. Cheap enough to poll.
int dh_is_stopping(lua_State *L);
// Whether a Ctrl-C came since the last dh_clear_interrupt, whatever ran.
int dh_was_interrupted(void);
void dh_clear_interrupt(void);
// As a Ctrl-C: all calls under way end, and nothing in Lua catches it.
void dh_interrupt(void);
// The SIGTERM or SIGHUP that came, or 0; and noting one that somebody else took.
int dh_ending_signal(void);
void dh_note_ending_signal(int signal);
// Whether host work is to end: a Ctrl-C came, or the innermost call of the host on this thread is asked to stop.
int dh_must_end(void);
// Nanoseconds of a clock that only goes forward.
int64_t dh_now(void);
// Asks the calls of the host into any state to end, from the innermost one on this thread out to `last` (NULL: to the
// outermost). Nothing in Lua catches it; it does nothing while no call is under way.
void dh_stop_through(const dh_entry *last, int reason);
// The time that each call of the host into this state may take, all that it calls included; 0 for no limit.
void dh_set_time_limit(lua_State *L, int64_t nanoseconds);
int64_t dh_time_limit(lua_State *L);
// A limit over host work and all that it calls. Begin answers 0, or DH_STATUS_STOPPED + reason or LUA_ERRRUN, and then
// must not be ended. End answers why it was to stop, or DH_STOP_NONE.
int dh_begin_limit(lua_State *L, dh_entry *entry, int64_t nanoseconds);
int dh_end_limit(lua_State *L, dh_entry *entry);
// The limits of all calls under way on this thread stand still until the answer is given back: each call's for at most
// `lends` nanoseconds over all its pauses, or as long as it takes by DH_FREE. What is not `granted` in the end counts
// after all.
enum : int64_t { DH_FREE = INT64_MAX };
dh_entry *dh_pause_limits(int64_t lends);
void dh_resume_limits(dh_entry *paused, int granted);
// The limit of the innermost call counts from now on.
void dh_restart_limit(void);
// Whether the clock of the limits is armed on this thread.
int dh_is_ticking(void);

// ---- Bound types

// Describes a bound type to the state: its metatable is made and kept. The names must outlive the state.
dh_type *dh_type_new(lua_State *L, const char *name);
// Adds a method (called with `:`), a readable or writable field, or one of the operators `__len`, `__call`,
// `__tostring`, `__close`.
void dh_type_method(lua_State *L, dh_type *type, const dh_function *function);
void dh_type_getter(lua_State *L, dh_type *type, const dh_function *function);
void dh_type_setter(lua_State *L, dh_type *type, const dh_function *function);
void dh_type_operator(lua_State *L, dh_type *type, const char *event, const dh_function *function);
// Pushes a plain host function.
void dh_push_function(lua_State *L, const dh_function *function);
// Pushes a host function that lives as long as Lua holds it: it owns one reference to `swift`, given back by the
// collector. `cost` is what `swift` weighs in bytes.
void dh_push_owned_function(lua_State *L, void *swift, const char *name, size_t cost);
// Pushes the userdata of an object: the one that lives already, or a new one, which then owns one reference; answers
// whether it took that reference. `cost` is what the object weighs in bytes beside the userdata.
int dh_push_object(lua_State *L, const dh_type *type, void *object, size_t cost);
// What the bound object at index weighs from now on.
void dh_set_cost(lua_State *L, int index, size_t cost);
// The object in the value at index when it is a live userdata of the type; else NULL.
void *dh_to_object(lua_State *L, int index, const dh_type *type);
// The bound type of the value at index, closed objects included, or NULL.
const dh_type *dh_type_of(lua_State *L, int index);
// Makes a module: a table whose unknown fields raise. Leaves it on the stack; functions are set raw.
void dh_push_module(lua_State *L, const char *name);
// Gives the module on top of the stack a field that is computed at each read.
void dh_module_getter(lua_State *L, const dh_function *function);
// Pushes the table of a problem with its three texts, and room for `more` fields; `metatable` is a reference.
typedef struct dh_text {
  const char *bytes;
  size_t length;
} dh_text;
void dh_push_problem(lua_State *L, dh_text code, dh_text title, dh_text message, int more, int metatable);
// Pushes a table of `pairs` fields whose keys and values stand in the table at reference `prepared`, and of one more,
// whose key stands after those and whose value is at stack index `value`. `metatable` is a reference. See prepared.c.
void dh_push_prepared(lua_State *L, int prepared, int pairs, int value, int metatable);
// Pushes a plugin's `require`: `finder` answers the text and the chunk name of a module.
void dh_push_require(lua_State *L, const dh_function *finder);
// Wraps the table on top of the stack into a frozen proxy: reading works, writing raises `advice`.
void dh_freeze(lua_State *L, const char *advice);
// Pushes the table behind a frozen proxy and answers 1; answers 0 for any other value.
int dh_push_frozen_content(lua_State *L, int index);

// ---- Code that another process runs. See crossing.c.

// Runs a host function on the `arguments` values on top of the stack, as its trampoline would. Answers LUA_OK, with
// *answer the count of results or a dh_failure (then one value) on top; or as dh_call_protected does. A self that is
// not the function's is DH_BAD_SELF, and nothing ran.
enum { DH_BAD_SELF = -1000000 };
int dh_serve(lua_State *L, const dh_function *function, int arguments, int *answer);
// The host function behind the value at index, or NULL.
const dh_function *dh_host_function(lua_State *L, int index);
// What writing to the frozen table at index is answered; NULL for any other value.
const char *dh_frozen_advice(lua_State *L, int index);
// Where the other process says that the error arose which the host function under way answers.
void dh_tell_position(lua_State *L, const char *position);
// Takes that back, where no error is raised.
void dh_forget_told_position(lua_State *L);
// The same of a stop, which begins here when it has not begun yet.
void dh_tell_stop(lua_State *L, int reason, const char *position);
// Calls from the other process are numbered: what follows is the call of that number, until it is ended.
typedef struct dh_level {
  struct dh_entry *base;
  int serial;
} dh_level;
dh_level dh_begin_level(int serial);
void dh_end_level(dh_level outer);
// Asks the innermost numbered call to stop.
void dh_stop_level(int reason);
// From now on SIGUSR1 with the value `serial << 3 | reason` does that, where the serial is still the innermost one's.
void dh_take_asked_stops(void);

// ---- What the macros of lua.h would be

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
// What the value at index is called in an error: the name of its bound type, its `__name`, or its Lua type.
const char *dh_value_name(lua_State *L, int index);

#endif
