// Shared by the C files of this room: the runtime that belongs to each Lua state, and the chain of the host's calls.
// Invariants: `host_depth` is above zero exactly while a host function runs and no Lua code that it called does;
// `stop` is the stop request of the runtime's innermost call, so that code in Lua and in C polls one word.
#ifndef DECKHAND_RUNTIME_H
#define DECKHAND_RUNTIME_H

#include <signal.h>

#include "clua.h"

#define DH_SMALL_CLASSES 32  // blocks of 16, 32, ... 512 bytes come from free lists

#define DH_TEXT_SLOTS 64

struct dh_runtime {
  dh_host host;
  lua_State *main;
  // Stopping: read at every return from the host, written by signal handlers.
  volatile sig_atomic_t stop;
  lua_State *volatile running;  // the coroutine whose code runs now
  dh_entry *volatile entry;     // the innermost call of the host into this state
  int host_depth;
  int exit_status;
  int64_t time_limit;   // of each call, in nanoseconds; 0 for none
  char *stack_floor;    // no call may go deeper into the native stack
  int is_retired;       // to be closed once none of its code runs; the host refuses that code's requests
  int is_sandboxed;
  uint64_t seed;        // of its random numbers; each randomseed() without arguments draws from it
  int is_seeded;
  // Memory; see charge.c. `bound` is the limit or, without a limit, the memory that the machine can spare.
  size_t used, limit, bound;
  size_t external, external_since_step;  // what Swift stores for the state
  size_t transient;                      // what the running host calls have been charged
  int is_short;         // a host call could not push all of its values
  int has_refused;      // an allocation, since this was last checked
  int has_leftovers;    // of a stopped call
  void *reserve;        // for a host call that finds no memory left; NULL until the next call after that
  size_t string_limit;  // bytes of one string while Lua code runs; 0 for no limit
  void *free_blocks[DH_SMALL_CLASSES + 1];
  struct dh_chunk *chunks;
  size_t chunk_left;
  size_t idle_bytes;   // in the free lists
  size_t idle_kept;    // idle_bytes when idle chunks were last looked for
  char *chunk_next;
  // The last error.
  int tracing;
  char position[256];
  int has_stop_position;  // position is that of a stop and has not been read yet
  char *trace;
  int has_told_position;  // position and trace are those of the error that is about to be raised; see dh_tell_position
  int served;             // the answer of the last host function that dh_serve ran
  // Frequent texts of problems: strings that the table at `texts_ref` of the registry holds by slot.
  struct {
    const char *bytes;
    size_t length;
  } texts[DH_TEXT_SLOTS];
  int texts_ref;
  // Bound types, newest first.
  dh_type *types;
  // Functions of Lua's own libraries that the replacements call.
  lua_CFunction plain_sethook, plain_date, plain_pack, plain_unpack, plain_packsize, plain_randomseed;
};

// The allocator of the states; `ud` is the runtime. See allocator.c.
void *dh_allocate(void *ud, void *block, size_t old_size, size_t new_size);
void dh_free_chunks(dh_runtime *rt);
// Sets the reserve aside again, if there is memory for it.
void dh_fill_reserve(dh_runtime *rt);
// Returns memory to the system that freed small blocks occupied.
void dh_return_idle_chunks(dh_runtime *rt);
// Bytes that the state holds, in Lua's heap and in Swift's.
static inline size_t dh_weight(const dh_runtime *rt) { return rt->used + rt->external + rt->transient; }
// Must be called before the first state is made.
void dh_prepare_allocator(void);
// The bound of a state without a limit.
size_t dh_spare_memory(void);
// Raises the error, or the stop, that follows from `is_short`; only after Swift's frame is gone.
int dh_raise_short(lua_State *L);

// ---- stop.c

// Ends a call; returns why it was asked to stop, or DH_STOP_NONE. The runtime's stop is then that of the surrounding
// call, which a signal handler may mark meanwhile; so it is read again until it is stable.
static inline int dh_leave(dh_runtime *rt, dh_entry *entry) {
  extern _Thread_local dh_entry *volatile dh_innermost_entry;
  dh_entry *outer = entry->outer_same;
  dh_innermost_entry = entry->outer;
  rt->entry = outer;
  if (!outer) {
    rt->stop = DH_STOP_NONE;
    return entry->stop;
  }
  sig_atomic_t stop;
  do {
    stop = outer->stop;
    rt->stop = stop;
  } while (outer->stop != stop);
  return entry->stop;
}
// Asks all calls to stop, from the innermost to the outermost of this runtime.
void dh_stop_runtime(dh_runtime *rt, int reason);
// Raises the error that nothing in Lua can catch.
int dh_raise_stop(lua_State *L);
// Pushes the value of that error.
void dh_push_stop_value(lua_State *L);
int dh_is_stop_value(lua_State *L, int index);
// Records where a stop found the code running, unless a place is recorded already.
void dh_note_stop(lua_State *L);
// For loops in C: raises if a stop was requested.
static inline void dh_poll(lua_State *L) {
  if (__builtin_expect(dh_of(L)->stop != 0, 0)) dh_raise_stop(L);
}
// For functions that nest in C: raises if the native stack is nearly used up.
static inline void dh_check_stack(lua_State *L) {
  if (__builtin_expect((char *)__builtin_frame_address(0) < dh_of(L)->stack_floor, 0))
    luaL_error(L, "stack overflow (too many nested calls)");
}
// After code failed with a status, its error on top: asks the runtime to stop if a memory limit was the cause.
void dh_note_memory(lua_State *L, int status);
// The same, and then raises the stop again if there is one.
void dh_pass_stop_on(lua_State *L, int status);
// The innermost call of the host into any state, on this thread.
extern _Thread_local dh_entry *volatile dh_innermost_entry;
// Returns the lowest address of this thread's native stack at which a call may begin.
char *dh_stack_floor(void);

// How long the clock of a call has stood still by `now`, for pauses of the call or inside it; 0 for NULL.
int64_t dh_time_paused(const dh_entry *entry, const dh_entry *paused, int64_t now);
// Ensures that the timer ticks on this thread; called when an entry with a limit begins.
void dh_start_ticking(void);

// ---- The chain of calls

extern volatile sig_atomic_t dh_interrupts;  // Ctrl-Cs that have not been cleared

// Begins a call of the host into the state. Returns 0; DH_STATUS_STOPPED + reason if no call may begin; LUA_ERRRUN if
// the native stack is nearly used up. dh_leave must follow only after 0.
static inline int dh_enter(dh_runtime *rt, dh_entry *entry, int64_t limit) {
  dh_entry *outer = dh_innermost_entry;
  if (__builtin_expect((char *)__builtin_frame_address(0) < rt->stack_floor, 0)) return LUA_ERRRUN;
  if (__builtin_expect(rt->stop != 0, 0)) return DH_STATUS_STOPPED + rt->stop;
  // A Ctrl-C just before the first call is meant for that call.
  if (__builtin_expect(!outer && dh_interrupts, 0)) return DH_STATUS_STOPPED + DH_STOP_INTERRUPT;
  entry->rt = rt;
  entry->outer = outer;
  entry->outer_same = rt->entry;
  entry->stop = DH_STOP_NONE;
  entry->limit = limit;
  entry->deadline = 0;
  entry->paused_at = 0;
  entry->lent = 0;
  rt->entry = entry;
  dh_innermost_entry = entry;
  if (__builtin_expect(outer && outer->stop, 0)) {  // no call begins inside one that must end
    int reason = outer->stop;
    dh_leave(rt, entry);
    return DH_STATUS_STOPPED + reason;
  }
  if (limit) dh_start_ticking();
  return 0;
}

// ---- Functions that replace or guard those of Lua's libraries

void dh_open_guards(lua_State *L);    // guards.c: pcall, xpcall, coroutines, load, os.exit, debug.sethook
void dh_open_patterns(lua_State *L);  // pattern.c: string.find, match, gmatch, gsub
void dh_open_strings(lua_State *L);   // strings.c: rep, format, lower, upper, reverse, pack
void dh_open_tables(lua_State *L);    // tables.c: concat, insert, move, remove, sort
void dh_open_utf8(lua_State *L);      // utf8.c: len, offset, codes
void dh_open_library(lua_State *L);   // library.c: os.date, math.randomseed, tostring
void dh_open_sandbox(lua_State *L);   // sandbox.c: removes what a plugin must not have
void dh_open_bound(lua_State *L);     // bound.c: refuses to forge or take apart bound objects
// values.c: whether it is one of the functions of a frozen table.
int dh_is_of_frozen(lua_CFunction function);

// Sets a field of the table on top of the stack to a text.
static inline void set_text(lua_State *L, const char *key, const char *value) {
  lua_pushstring(L, key);
  lua_pushstring(L, value);
  lua_rawset(L, -3);
}

// Sets field `name` of the global table `library`.
void dh_replace(lua_State *L, const char *library, const char *name, lua_CFunction function);
// Returns the C function in that field.
lua_CFunction dh_library_function(lua_State *L, const char *library, const char *name);

// Pushes what tostring returns, with ids instead of addresses in a sandboxed state.
const char *dh_tolstring(lua_State *L, int index, size_t *length);
// Pushes the text that represents the address of the value, or nil.
void dh_push_identity(lua_State *L, int index);
// Loads `length` bytes of text in pieces, polling for a stop. Otherwise like lua_load.
int dh_load_text(lua_State *L, const char *text, size_t length, const char *chunk_name, const char *mode);

// Like dh_call_protected, with only the time limits of the surrounding calls.
int dh_call_unlimited(lua_State *L, int arguments, int results);
// The message handler of the host's calls: records position and trace, and leaves the error unchanged.
int dh_note_error(lua_State *L);
// Raises the message on top of the stack with the position of the nearest Lua code: the caller of a metamethod can be a
// library function, such as table.insert, which has no line.
int dh_raise_from_metamethod(lua_State *L);

#endif
