// Protected calls of the host into Lua. Invariant: each returns a status, none raises; a stopped one leaves no hook.

#include <malloc.h>

#include "runtime.h"

// The host has control again: removes the hooks, unless the surrounding call must end too.
static int end_call(lua_State *L, dh_runtime *rt, dh_entry *entry, lua_State *running, int depth) {
  rt->host_depth = depth;
  rt->running = running;
  int reason = dh_leave(rt, entry);
  if (__builtin_expect(reason && !rt->stop, 0)) {
    lua_sethook(L, NULL, 0, 0);
    lua_sethook(running, NULL, 0, 0);
    rt->has_leftovers = rt->limit != 0;
  }
  return reason;
}

// Collects the garbage of a stopped call before the next call, which then has the full memory.
static void sweep_leftovers(lua_State *L, dh_runtime *rt) {
  rt->has_leftovers = 0;
  lua_gc(L, LUA_GCCOLLECT, 0);
  dh_return_idle_chunks(dh_of(L));
  malloc_trim(1 << 20);
}

// Sets the reserve aside again, after a call used it. Runs as Lua code, since the collector may run finalizers.
static void refill_reserve(lua_State *L, dh_runtime *rt) {
  dh_fill_reserve(rt);
  if (rt->reserve) return;
  sweep_leftovers(L, rt);
  dh_fill_reserve(rt);
}

static int refuse_call(lua_State *L, int top, int status) {
  lua_settop(L, top);
  if (status == LUA_ERRRUN) lua_pushliteral(L, "stack overflow (too many nested calls)");
  return status;
}

int dh_load(lua_State *L, const char *text, size_t length, const char *chunk_name) {
  dh_runtime *rt = dh_of(L);
  dh_entry entry;
  int top = lua_gettop(L), depth = rt->host_depth;
  lua_State *running = rt->running;
  int status = dh_enter(rt, &entry, rt->time_limit);
  if (status) return refuse_call(L, top, status);
  if (rt->has_leftovers) sweep_leftovers(L, rt);
  rt->running = L;
  rt->host_depth = 0;
  if (!rt->reserve) refill_reserve(L, rt);
  status = dh_load_text(L, text, length, chunk_name, "t");
  dh_note_memory(L, status);
  int reason = end_call(L, rt, &entry, running, depth);
  if (!reason || (status == LUA_OK && !rt->stop)) return status;
  lua_settop(L, top);
  return DH_STATUS_STOPPED + reason;
}

// Refuses a call whose arguments could not all be pushed.
static int refuse_short_call(lua_State *L, dh_runtime *rt, int top) {
  rt->is_short = 0;
  lua_settop(L, top);
  if (rt->limit) return DH_STATUS_STOPPED + DH_STOP_MEMORY;
  lua_pushliteral(L, "not enough memory");
  return LUA_ERRRUN;
}

// Calls the function below `arguments` values; its message handler is below it.
static int call_above_handler(lua_State *L, int arguments, int results, int64_t limit) {
  dh_runtime *rt = dh_of(L);
  dh_entry entry;
  int handler = lua_gettop(L) - arguments - 1, depth = rt->host_depth;
  lua_State *running = rt->running;
  int status = dh_enter(rt, &entry, limit);
  if (__builtin_expect(status, 0)) return refuse_call(L, handler, status);
  if (__builtin_expect(rt->is_short, 0)) {
    dh_leave(rt, &entry);
    return refuse_short_call(L, rt, handler);
  }
  if (__builtin_expect(rt->has_leftovers, 0)) sweep_leftovers(L, rt);
  rt->running = L;
  rt->host_depth = 0;
  if (__builtin_expect(!rt->reserve, 0)) refill_reserve(L, rt);
  status = lua_pcall(L, arguments, results, handler);
  if (__builtin_expect(status != LUA_OK, 0)) dh_note_memory(L, status);
  int reason = end_call(L, rt, &entry, running, depth);
  if (__builtin_expect(!reason, 1)) return status;
  if (status == LUA_OK && !rt->stop && reason != DH_STOP_EXIT) return LUA_OK;
  lua_settop(L, handler);
  return DH_STATUS_STOPPED + reason;
}

static int call_with_handler(lua_State *L, int arguments, int results, int64_t limit) {
  int function = lua_gettop(L) - arguments;
  lua_pushcfunction(L, dh_note_error);
  lua_insert(L, function);
  int status = call_above_handler(L, arguments, results, limit);
  lua_remove(L, function);
  return status;
}

int dh_call_protected(lua_State *L, int arguments, int results) {
  return call_with_handler(L, arguments, results, dh_of(L)->time_limit);
}

int dh_call_unlimited(lua_State *L, int arguments, int results) { return call_with_handler(L, arguments, results, 0); }

dh_use dh_begin_call(lua_State *L, int ref, int slots) {
  dh_runtime *rt = dh_of(L);
  L = rt->running;
  if (!lua_checkstack(L, slots + DH_ROOM)) return (dh_use){.L = NULL};
  dh_use use = {.L = L, .charged = rt->transient, .top = lua_gettop(L)};
  lua_pushcfunction(L, dh_note_error);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
  return use;
}

void dh_end_call(dh_use use) {
  lua_settop(use.L, use.top);
  dh_restore_charge(use.L, use.charged);
}

int dh_finish_call(lua_State *L, int arguments, int results) {
  return call_above_handler(L, arguments, results, dh_of(L)->time_limit);
}
