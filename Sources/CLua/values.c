// Plain values that the host passes to Lua: problems and frozen tables. Invariant: Swift calls nothing here with less
// than DH_ROOM free stack slots, and nothing raises except for lack of memory.

#include "runtime.h"

#include <string.h>

// ---- Problems

// Pushes a text that was probably pushed before; `texts` is the table of such texts. This avoids hashing it again.
static void push_known(lua_State *L, dh_runtime *rt, int texts, const char *bytes, size_t length) {
  if (length == 0 || length > 256) {
    lua_pushlstring(L, length ? bytes : "", length);
    return;
  }
  size_t hash = length * 31 + (unsigned char)bytes[0] * 7 + (unsigned char)bytes[length / 2] * 3 + (unsigned char)bytes[length - 1];
  size_t slot = hash % DH_TEXT_SLOTS;
  if (rt->texts[slot].length == length && memcmp(rt->texts[slot].bytes, bytes, length) == 0) {
    lua_rawgeti(L, texts, (lua_Integer)slot + 1);
    return;
  }
  rt->texts[slot].bytes = lua_pushlstring(L, bytes, length);
  rt->texts[slot].length = length;
  lua_pushvalue(L, -1);
  lua_rawseti(L, texts, (lua_Integer)slot + 1);
}

static void set_problem_text(lua_State *L, dh_runtime *rt, int texts, const char *key, size_t key_length, dh_text text) {
  push_known(L, rt, texts, key, key_length);
  push_known(L, rt, texts, text.bytes, text.length);
  lua_rawset(L, -3);
}

void dh_push_problem(lua_State *L, dh_text code, dh_text title, dh_text message, int more, int metatable) {
  dh_runtime *rt = dh_of(L);
  lua_createtable(L, 0, 3 + more);
  lua_rawgeti(L, LUA_REGISTRYINDEX, rt->texts_ref);
  int texts = lua_gettop(L);
  lua_pushvalue(L, texts - 1);
  set_problem_text(L, rt, texts, "code", 4, code);
  set_problem_text(L, rt, texts, "title", 5, title);
  set_problem_text(L, rt, texts, "message", 7, message);
  lua_settop(L, texts - 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, metatable);
  lua_setmetatable(L, -2);
}

// ---- Coroutines of another process

static const char coroutine_key = 0;

void dh_push_dead_coroutine(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &coroutine_key) == LUA_TTHREAD) return;
  lua_pop(L, 1);
  lua_newthread(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &coroutine_key);
}

// ---- Frozen tables

static int refuse_writing(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  return dh_raise_from_metamethod(L);
}

static int frozen_length(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)lua_rawlen(L, lua_upvalueindex(1)));
  return 1;
}

static int frozen_next(lua_State *L) {
  lua_settop(L, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_replace(L, 1);
  if (lua_next(L, 1)) return 2;
  lua_pushnil(L);
  return 1;
}

static int frozen_pairs(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, frozen_next, 1);
  lua_settop(L, 2);
  lua_insert(L, 1);
  lua_pushnil(L);
  return 3;
}

static void set_frozen(lua_State *L, const char *event, lua_CFunction function, int upvalue) {
  lua_pushstring(L, event);
  lua_pushvalue(L, upvalue);
  lua_pushcclosure(L, function, 1);
  lua_rawset(L, -3);
}

void dh_freeze(lua_State *L, const char *advice) {
  int content = lua_gettop(L);
  lua_pushstring(L, advice);
  lua_createtable(L, 0, 0);
  lua_createtable(L, 0, 6);
  lua_pushliteral(L, "__index");
  lua_pushvalue(L, content);
  lua_rawset(L, -3);
  set_frozen(L, "__newindex", refuse_writing, content + 1);
  set_frozen(L, "__len", frozen_length, content);
  set_frozen(L, "__pairs", frozen_pairs, content);
  set_text(L, "__metatable", "frozen table");
  lua_setmetatable(L, -2);
  lua_replace(L, content);
  lua_settop(L, content);
}

int dh_push_frozen_content(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return 0;
  lua_pushliteral(L, "__len");
  lua_rawget(L, -2);
  int frozen = lua_tocfunction(L, -1) == frozen_length;
  if (frozen) {
    lua_getupvalue(L, -1, 1);
    lua_rotate(L, -3, 1);
    lua_pop(L, 2);
    return 1;
  }
  lua_pop(L, 2);
  return 0;
}

const char *dh_frozen_advice(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return NULL;
  lua_pushliteral(L, "__newindex");
  lua_rawget(L, -2);
  const char *advice = NULL;
  if (lua_tocfunction(L, -1) == refuse_writing && lua_getupvalue(L, -1, 1)) {
    advice = lua_tostring(L, -1);  // its closure keeps it alive
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
  return advice;
}

int dh_is_of_frozen(lua_CFunction function) {
  return function == refuse_writing || function == frozen_length || function == frozen_next || function == frozen_pairs;
}
