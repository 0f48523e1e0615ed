// Making and closing Lua states, and the protected doors through which the host calls into them.
// Invariant: each function here that the host calls answers a status; none raises.

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

// Runs protected: opening libraries allocates.
static int open_all(lua_State *L) {
  luaL_openlibs(L);
  dh_open_guards(L);
  dh_open_bound(L);
  lua_gc(L, LUA_GCGEN, 0, 0);
  return 0;
}

lua_State *dh_open(const dh_host *host, size_t memory_limit) {
  dh_runtime *rt = calloc(1, sizeof *rt);
  if (!rt) return NULL;
  rt->host = *host;
  lua_State *L = lua_newstate(dh_allocate, rt);
  if (!L) {
    dh_free_chunks(rt);
    free(rt);
    return NULL;
  }
  *(dh_runtime **)lua_getextraspace(L) = rt;
  rt->main = L;
  rt->running = L;
  rt->host_depth = 1;
  lua_atpanic(L, on_panic);
  lua_setwarnf(L, warn_off, rt);
  lua_pushcfunction(L, open_all);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
    dh_close(L);
    return NULL;
  }
  rt->limit = memory_limit;
  return L;
}

void dh_close(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  rt->limit = 0;
  rt->host_depth = 0;
  lua_close(L);
  while (rt->types) {
    dh_type *next = rt->types->next;
    free(rt->types);
    rt->types = next;
  }
  dh_free_chunks(rt);
  free(rt->trace);
  free(rt);
}

void *dh_context(lua_State *L) { return dh_of(L)->host.context; }
void dh_set_context(lua_State *L, void *context) { dh_of(L)->host.context = context; }
lua_State *dh_running(lua_State *L) { return dh_of(L)->running; }
size_t dh_memory_used(lua_State *L) { return dh_of(L)->used + dh_of(L)->external; }
void dh_set_memory_limit(lua_State *L, size_t limit) { dh_of(L)->limit = limit; }

// ---- The last error

void dh_set_tracing(lua_State *L, int on) { dh_of(L)->tracing = on; }
const char *dh_error_position(lua_State *L) { return dh_of(L)->position; }
const char *dh_error_trace(lua_State *L) { return dh_of(L)->trace ? dh_of(L)->trace : ""; }
int dh_exit_status(lua_State *L) { return dh_of(L)->exit_status; }

static void note_position(lua_State *L, dh_runtime *rt) {
  lua_Debug ar;
  rt->position[0] = 0;
  for (int level = 1; level < 50 && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline <= 0) continue;
    snprintf(rt->position, sizeof rt->position, "%s:%d:", ar.short_src, ar.currentline);
    return;
  }
}

int dh_note_error(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  if (rt->stop) return 1;
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

int dh_load(lua_State *L, const char *text, size_t length, const char *chunk_name) {
  return luaL_loadbufferx(L, text, length, chunk_name, "t");
}

// The host has control again from its outermost call: what was stopped is over.
static int end_stop(dh_runtime *rt) {
  int reason = rt->stop;
  if (rt->entries == 0) {
    rt->stop = DH_STOP_NONE;
    lua_sethook(rt->main, NULL, 0, 0);
  }
  return reason;
}

int dh_call_protected(lua_State *L, int arguments, int results) {
  dh_runtime *rt = dh_of(L);
  int function = lua_gettop(L) - arguments;
  if (rt->stop) {  // it came while the host worked: nothing new begins
    lua_settop(L, function - 1);
    return DH_STATUS_STOPPED + rt->stop;
  }
  int depth = rt->host_depth;
  lua_State *running = rt->running;
  lua_pushcfunction(L, dh_note_error);
  lua_insert(L, function);
  dh_runtime *before = dh_enter_runtime(rt);
  rt->entries++;
  rt->running = L;
  rt->host_depth = 0;
  int status = lua_pcall(L, arguments, results, function);
  rt->host_depth = depth;
  rt->running = running;
  rt->entries--;
  dh_leave_runtime(rt, before);
  if (status == LUA_ERRMEM && rt->limit && !rt->stop) rt->stop = DH_STOP_MEMORY;
  lua_remove(L, function);
  if (!rt->stop) return status;
  int reason = end_stop(rt);
  if (status == LUA_OK && rt->entries == 0 && reason != DH_STOP_EXIT) return LUA_OK;
  lua_settop(L, function - 1);
  return DH_STATUS_STOPPED + reason;
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
static int set_operation(lua_State *L) {
  lua_settable(L, 1);
  return 0;
}
static int length_operation(lua_State *L) {
  lua_pushinteger(L, luaL_len(L, 1));
  return 1;
}
static int tostring_operation(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  return 1;
}

int dh_get_protected(lua_State *L, int index) { return guarded(L, get_operation, index, 1, 1); }
int dh_set_protected(lua_State *L, int index) { return guarded(L, set_operation, index, 2, 0); }
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
