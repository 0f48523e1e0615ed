// Lua library functions through which a stop could be caught or missed, in versions that raise the stop again: pcall,
// xpcall, coroutines, load, os.exit, debug.sethook. Invariant: each behaves like Lua's own until a stop comes.

#include <string.h>

#include "runtime.h"

// ---- pcall and xpcall

static int finish_pcall(lua_State *L, int status, lua_KContext skipped) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)skipped;
  dh_pass_stop_on(L, status);
  dh_clear_position(L);
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

static int guarded_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  dh_check_stack(L);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  return finish_pcall(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_pcall), 0);
}

static int guarded_xpcall(lua_State *L) {
  int count = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  dh_check_stack(L);
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);
  return finish_pcall(L, lua_pcallk(L, count - 2, LUA_MULTRET, 2, 2, finish_pcall), 2);
}

// ---- Coroutines

static const char *status_word(lua_State *L, lua_State *co) {
  if (L == co) return "running";
  int status = lua_status(co);
  if (status == LUA_YIELD) return "suspended";
  if (status != LUA_OK) return "dead";
  lua_Debug ar;
  if (lua_getstack(co, 0, &ar)) return "normal";
  return lua_gettop(co) == 0 ? "dead" : "suspended";
}

static int has_failed(lua_State *co) { return lua_status(co) > LUA_YIELD; }

// A coroutine that was ended by a stop must not run again, not even its pending `__close` handlers: its hooks are off
// for good. Lua has marked it as dead; the error value on its stack says why.
static int is_killed(lua_State *co) { return has_failed(co) && dh_is_stop_value(co, -1); }

// After a stop: pops the value that the coroutine's code ended with, and pushes the stop value if the coroutine died.
// It does not use `lua_settop`, which would look for variables to close.
static void take_ending(lua_State *L, lua_State *co) {
  lua_xmove(co, L, 1);
  lua_pop(L, 1);
  if (has_failed(co)) dh_push_stop_value(co);
}

// Runs `co` with the arguments on top of L. Returns the count of its values, moved to L, or -1 with the error on L.
static int resume(lua_State *L, lua_State *co, int arguments) {
  dh_runtime *rt = dh_of(L);
  dh_check_stack(L);
  const char *word = status_word(L, co);
  if (*word != 's') {
    lua_pushstring(L, *word == 'd' ? "cannot resume dead coroutine" : "cannot resume non-suspended coroutine");
    return -1;
  }
  if (!lua_checkstack(co, arguments)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  rt->running = co;  // a signal that comes after the poll sets its hook on `co`
  dh_poll(L);
  lua_xmove(L, co, arguments);
  int count = 0;
  int status = lua_resume(co, L, arguments, &count);
  rt->running = L;
  if (status != LUA_OK && status != LUA_YIELD) {
    dh_note_memory(co, status);
    if (rt->stop) take_ending(L, co);
    dh_poll(L);
    lua_xmove(co, L, 1);
    return -1;
  }
  dh_poll(L);
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
  luaL_argexpected(L, co, 1, "thread");
  return co;
}

static int guarded_resume(lua_State *L) {
  lua_State *co = check_coroutine(L);
  int count = resume(L, co, lua_gettop(L) - 1);
  lua_pushboolean(L, count >= 0);
  if (count < 0) {
    dh_clear_position(L);
    count = 1;
  }
  lua_insert(L, -(count + 1));
  return count + 1;
}

// Closes a coroutine's pending variables; their handlers are Lua code that runs on the coroutine. Returns LUA_OK, or
// an error's status with the error on top of `co`; the coroutine is dead in both cases. Raises a stop.
static int reset(lua_State *L, lua_State *co) {
  dh_runtime *rt = dh_of(L);
  dh_check_stack(L);
  rt->running = co;
  dh_poll(L);
  int status = lua_resetthread(co);
  rt->running = L;
  dh_note_memory(co, status);
  if (rt->stop && status != LUA_OK) take_ending(L, co);
  dh_poll(L);
  return status;
}

static int wrapped_resume(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  int count = resume(L, co, lua_gettop(L));
  if (count >= 0) return count;
  int status = lua_status(co);
  if (has_failed(co) && !is_killed(co)) {  // it died of an error, which its pending variables are closed with
    status = reset(L, co);
    lua_xmove(co, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int guarded_create(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  dh_poll(L);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  return 1;
}

static int guarded_wrap(lua_State *L) {
  guarded_create(L);
  lua_pushcclosure(L, wrapped_resume, 1);
  return 1;
}

static int guarded_close(lua_State *L) {
  lua_State *co = check_coroutine(L);
  const char *word = status_word(L, co);
  if (*word != 's' && *word != 'd') return luaL_error(L, "cannot close a %s coroutine", word);
  if (is_killed(co)) {
    lua_pushboolean(L, 0);
    lua_pushliteral(L, "the coroutine was stopped");
    return 2;
  }
  int status = reset(L, co);
  lua_pushboolean(L, status == LUA_OK);
  if (status == LUA_OK) return 1;
  lua_xmove(co, L, 1);
  return 2;
}

// Stores the messages that Lua creates on a coroutine outside any protected call. Lua then finds these strings and
// allocates nothing, so no memory error can jump from there past all frames in between.
static void keep_messages(lua_State *L) {
  static const char *const messages[] = {"C stack overflow", "error in error handling", "cannot resume dead coroutine",
                                         "cannot resume non-suspended coroutine", "not enough memory"};
  lua_createtable(L, sizeof messages / sizeof *messages, 0);
  for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
    lua_pushstring(L, messages[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_rawsetp(L, LUA_REGISTRYINDEX, messages);
}

// ---- load

enum {
  PIECE = 1024,               // bytes that the parser gets between two polls for a stop
  LONGEST_SOURCE = 4 << 20,   // bytes of a plugin's chunk
  MOST_JUMPS = 8192,          // `goto` and `break` in a plugin's chunk: the parser's work is quadratic in them
};

typedef struct piece_reader {
  const char *next;
  size_t left, total;
  uint64_t last_bytes;
  int jumps;
} piece_reader;

static void bound_source(lua_State *L, piece_reader *reader, const char *piece, size_t size) {
  reader->total += size;
  if (reader->total > LONGEST_SOURCE) luaL_error(L, "chunk has more than 4 MiB");
  for (size_t i = 0; i < size; i++) {
    reader->last_bytes = reader->last_bytes << 8 | (unsigned char)piece[i];
    int is_jump = (reader->last_bytes & 0xFFFFFFFFFF) == 0x627265616B || (reader->last_bytes & 0xFFFFFFFF) == 0x676F746F;
    if (is_jump && ++reader->jumps > MOST_JUMPS) luaL_error(L, "chunk has too many jumps");
  }
}

static const char *read_piece(lua_State *L, void *ud, size_t *size) {
  piece_reader *reader = ud;
  dh_poll(L);
  const char *piece = reader->next;
  *size = reader->left < PIECE ? reader->left : PIECE;
  if (dh_of(L)->is_sandboxed) bound_source(L, reader, piece, *size);
  reader->next += *size;
  reader->left -= *size;
  return piece;
}

int dh_load_text(lua_State *L, const char *text, size_t length, const char *chunk_name, const char *mode) {
  if (dh_of(L)->is_sandboxed && length > LONGEST_SOURCE) {
    lua_pushliteral(L, "chunk has more than 4 MiB");
    return LUA_ERRSYNTAX;
  }
  piece_reader reader = {.next = text, .left = length};
  return lua_load(L, read_piece, &reader, chunk_name, mode);
}

enum { reader_slot = 5 };  // the stack slot of the reader function's text while the parser reads it

static const char *read_from_function(lua_State *L, void *ud, size_t *size) {
  piece_reader *reader = ud;
  if (reader->left) return read_piece(L, ud, size);
  luaL_checkstack(L, 2, "too many nested functions");
  lua_pushvalue(L, 1);
  lua_call(L, 0, 1);
  dh_poll(L);
  *size = 0;
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return NULL;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "reader function must return a string");
  lua_replace(L, reader_slot);
  reader->next = lua_tolstring(L, reader_slot, &reader->left);
  return reader->left ? read_piece(L, ud, size) : NULL;
}

static int guarded_load(lua_State *L) {
  int environment = lua_isnone(L, 4) ? 0 : 4;
  const char *mode = luaL_optstring(L, 3, "bt");
  if (dh_of(L)->is_sandboxed) mode = strchr(mode, 't') ? "t" : "";  // never bytecode
  size_t length;
  const char *text = lua_tolstring(L, 1, &length);
  int status;
  if (text) {
    status = dh_load_text(L, text, length, luaL_optstring(L, 2, text), mode);
  } else {
    const char *chunk_name = luaL_optstring(L, 2, "=(load)");
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, reader_slot);
    piece_reader reader = {.next = NULL};
    status = lua_load(L, read_from_function, &reader, chunk_name, mode);
  }
  dh_pass_stop_on(L, status);
  if (status != LUA_OK) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (environment) {
    lua_pushvalue(L, environment);
    if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
  }
  return 1;
}

// ---- os.exit, debug.sethook

static int guarded_exit(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  int status = 0;
  if (lua_isboolean(L, 1))
    status = lua_toboolean(L, 1) ? 0 : 1;
  else
    status = (int)luaL_optinteger(L, 1, 0);
  if (!rt->stop) {
    rt->exit_status = status & 0xFF;
    dh_stop_runtime(rt, DH_STOP_EXIT);
  }
  return dh_raise_stop(L);
}

// Without the poll, a stop that came while the library set its own hook would be lost with the stop's hook.
static int guarded_sethook(lua_State *L) {
  int results = dh_of(L)->plain_sethook(L);
  dh_poll(L);
  return results;
}

// ---- Installation

void dh_replace(lua_State *L, const char *library, const char *name, lua_CFunction function) {
  lua_getglobal(L, library);
  lua_pushcfunction(L, function);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

lua_CFunction dh_library_function(lua_State *L, const char *library, const char *name) {
  lua_getglobal(L, library);
  lua_getfield(L, -1, name);
  lua_CFunction function = lua_tocfunction(L, -1);
  lua_pop(L, 2);
  return function;
}

void dh_open_guards(lua_State *L) {
  keep_messages(L);
  dh_replace(L, "_G", "pcall", guarded_pcall);
  dh_replace(L, "_G", "xpcall", guarded_xpcall);
  dh_replace(L, "_G", "load", guarded_load);
  dh_replace(L, "coroutine", "create", guarded_create);
  dh_replace(L, "coroutine", "resume", guarded_resume);
  dh_replace(L, "coroutine", "wrap", guarded_wrap);
  dh_replace(L, "coroutine", "close", guarded_close);
  dh_replace(L, "os", "exit", guarded_exit);
  if (dh_of(L)->is_sandboxed) return;
  dh_of(L)->plain_sethook = dh_library_function(L, "debug", "sethook");
  dh_replace(L, "debug", "sethook", guarded_sethook);
}
