// Makes and closes Lua states, and reads single values for the host. Invariant: each function here that the host calls
// returns a status; none raises.

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
