// Makes and closes Lua states, and has the protected entry points through which the host calls into them. Invariant:
// each function here that the host calls returns a status; none raises.

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

// ---- States

static int on_panic(lua_State *L) {
  const char *text = lua_tostring(L, -1);
  fprintf(stderr, "deckhand: an error outside any protected call: %s\n", text ? text : "(no message)");
  abort();
}

static void show_warning(void *ud, const char *text, int more) {
  dh_runtime *rt = ud;
  (void)rt;
  fputs(text, stderr);
  if (!more) fputc('\n', stderr);
}

static void warn_on(void *ud, const char *text, int more);
static void warn_off(void *ud, const char *text, int more) {
  dh_runtime *rt = ud;
  if (!more && strcmp(text, "@on") == 0) lua_setwarnf(rt->main, warn_on, rt);
}
static void warn_on(void *ud, const char *text, int more) {
  dh_runtime *rt = ud;
  if (!more && strcmp(text, "@off") == 0)
    lua_setwarnf(rt->main, warn_off, rt);
  else if (more || text[0] != '@')
    show_warning(ud, text, more);
}

static void open_plugin_libraries(lua_State *L) {
  static const luaL_Reg libraries[] = {{LUA_GNAME, luaopen_base},          {LUA_COLIBNAME, luaopen_coroutine},
                                       {LUA_TABLIBNAME, luaopen_table},    {LUA_STRLIBNAME, luaopen_string},
                                       {LUA_MATHLIBNAME, luaopen_math},    {LUA_UTF8LIBNAME, luaopen_utf8},
                                       {LUA_OSLIBNAME, luaopen_os}};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
    lua_pop(L, 1);
  }
}

// Allocates and frees references so that later ones are in the array part of the registry, where lookup is fast: the
// free ones keep it dense.
static void reserve_references(lua_State *L) {
  enum { COUNT = 128 };
  int references[COUNT];
  for (int i = 0; i < COUNT; i++) {
    lua_pushboolean(L, 1);
    references[i] = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  for (int i = COUNT - 1; i >= 0; i--) luaL_unref(L, LUA_REGISTRYINDEX, references[i]);
}

// Runs in a protected call, as opening libraries allocates.
static int open_all(lua_State *L) {
  int is_sandboxed = dh_of(L)->is_sandboxed;
  if (is_sandboxed)
    open_plugin_libraries(L);
  else
    luaL_openlibs(L);
  dh_open_guards(L);
  dh_open_patterns(L);
  dh_open_strings(L);
  dh_open_tables(L);
  dh_open_utf8(L);
  dh_open_library(L);
  dh_open_bound(L);
  if (is_sandboxed) dh_open_sandbox(L);
  reserve_references(L);
  lua_gc(L, LUA_GCGEN, 0, 0);
  return 0;
}

#define LONGEST_PLUGIN_STRING ((size_t)32 << 20)

lua_State *dh_open(const dh_host *host, const dh_options *options) {
  dh_prepare_allocator();
  dh_runtime *rt = calloc(1, sizeof *rt);
  if (!rt) return NULL;
  rt->host = *host;
  rt->stack_floor = dh_stack_floor();  // a state belongs to the thread that made it
  rt->is_sandboxed = options->is_sandboxed;
  rt->is_seeded = options->is_seeded;
  rt->seed = options->seed;
  rt->bound = SIZE_MAX;
  lua_State *L = lua_newstate(dh_allocate, rt);
  if (!L) {
    dh_free_chunks(rt);
    free(rt);
    return NULL;
  }
  *(dh_runtime **)lua_getextraspace(L) = rt;
  rt->main = L;
  rt->running = L;
  lua_atpanic(L, on_panic);
  lua_setwarnf(L, warn_off, rt);
  lua_pushcfunction(L, open_all);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
    dh_close(L);
    return NULL;
  }
  rt->host_depth = 1;
  dh_set_memory_limit(L, options->memory_limit);
  rt->string_limit = options->is_sandboxed ? LONGEST_PLUGIN_STRING : 0;
  dh_fill_reserve(rt);
  return L;
}

void dh_close(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  dh_entry entry;
  rt->limit = rt->string_limit = 0;
  rt->bound = SIZE_MAX;
  rt->host_depth = 0;
  rt->running = NULL;  // no hook: the state's finalizers run to their end, or to the third Ctrl-C
  int entered = dh_enter(rt, &entry, 0) == 0;
  lua_close(L);
  if (entered) dh_leave(rt, &entry);
  while (rt->types) {
    dh_type *next = rt->types->next;
    free(rt->types);
    rt->types = next;
  }
  dh_free_chunks(rt);
  free(rt->reserve);
  free(rt->trace);
  free(rt);
}

void dh_retire(lua_State *L) { dh_of(L)->is_retired = 1; }

void *dh_context(lua_State *L) { return dh_of(L)->host.context; }
void dh_set_context(lua_State *L, void *context) { dh_of(L)->host.context = context; }
lua_State *dh_running(lua_State *L) { return dh_of(L)->running; }
const char *dh_lua_version(void) { return LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE; }
size_t dh_memory_used(lua_State *L) { return dh_weight(dh_of(L)); }
void dh_set_memory_limit(lua_State *L, size_t limit) {
  dh_of(L)->limit = limit;
  dh_of(L)->bound = limit ? limit : dh_spare_memory();
}

// ---- The last error

void dh_set_tracing(lua_State *L, int on) { dh_of(L)->tracing = on; }
const char *dh_error_position(lua_State *L) { return dh_of(L)->position; }
const char *dh_stop_position(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  if (!rt->has_stop_position) return "";
  rt->has_stop_position = 0;
  return rt->position;
}
const char *dh_error_trace(lua_State *L) { return dh_of(L)->trace ? dh_of(L)->trace : ""; }
int dh_exit_status(lua_State *L) { return dh_of(L)->exit_status; }

// Finds the nearest Lua code from a level on; returns whether there is any.
static int find_line(lua_State *L, int level, lua_Debug *ar) {
  for (; level < 50 && lua_getstack(L, level, ar); level++) {
    lua_getinfo(L, "Sl", ar);
    if (ar->currentline > 0) return 1;
  }
  return 0;
}

static void note_position_from(lua_State *L, dh_runtime *rt, int level) {
  lua_Debug ar;
  rt->position[0] = 0;
  if (find_line(L, level, &ar)) snprintf(rt->position, sizeof rt->position, "%s:%d:", ar.short_src, ar.currentline);
}

int dh_raise_from_metamethod(lua_State *L) {
  lua_Debug ar;
  if (find_line(L, 1, &ar)) {
    lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static void note_position(lua_State *L, dh_runtime *rt) { note_position_from(L, rt, 1); }

// The first position is where the code was stopped; pcall raises the stop again from other places.
void dh_note_stop(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  if (!rt->has_stop_position) note_position_from(L, rt, 0);
  rt->has_stop_position = 1;
  rt->has_told_position = 0;
}

int dh_note_error(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  if (rt->stop) return 1;
  if (rt->has_told_position) {
    rt->has_told_position = 0;
    return 1;
  }
  note_position(L, rt);
  if (rt->tracing) {
    luaL_traceback(L, L, NULL, 1);
    free(rt->trace);
    rt->trace = strdup(lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  return 1;
}

// ---- Calls

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

// ---- Single operations, protected. They may run metamethods, so they count as Lua code.

static int guarded(lua_State *L, lua_CFunction operation, int index, int values, int results) {
  index = lua_absindex(L, index);
  lua_pushcfunction(L, operation);
  lua_insert(L, -(values + 1));
  lua_pushvalue(L, index);
  lua_insert(L, -(values + 1));
  return dh_call_protected(L, values + 1, results);
}

static int get_operation(lua_State *L) {
  lua_gettable(L, 1);
  return 1;
}
static int length_operation(lua_State *L) {
  lua_pushinteger(L, luaL_len(L, 1));
  return 1;
}
static int tostring_operation(lua_State *L) {
  if (!luaL_callmeta(L, 1, "__tostring"))
    dh_tolstring(L, 1, NULL);
  else if (lua_type(L, -1) != LUA_TSTRING)
    return luaL_error(L, "'__tostring' must return a string");
  return 1;
}

int dh_get_protected(lua_State *L, int index) { return guarded(L, get_operation, index, 1, 1); }
int dh_tostring_protected(lua_State *L, int index) { return guarded(L, tostring_operation, index, 0, 1); }

int dh_length_protected(lua_State *L, int index, int64_t *length) {
  int status = guarded(L, length_operation, index, 0, 1);
  if (status != LUA_OK) return status;
  *length = lua_tointegerx(L, -1, NULL);
  lua_pop(L, 1);
  return LUA_OK;
}

static int next_operation(lua_State *L) {
  lua_settop(L, 2);
  return lua_next(L, 1) ? 2 : 0;
}

int dh_next_raw(lua_State *L, int index) {
  int top = lua_gettop(L);
  if (guarded(L, next_operation, index, 1, 2) != LUA_OK) {
    lua_settop(L, top - 1);
    return -1;
  }
  if (!lua_isnil(L, -2)) return 1;
  lua_pop(L, 2);
  return 0;
}
