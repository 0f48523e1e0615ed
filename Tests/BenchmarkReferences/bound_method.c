// A bound method as a C programmer writes it: luaL_newmetatable, __index, luaL_checkudata, luaL_checklstring.

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>
#include <string.h>
#include <time.h>

#include "references.h"

typedef struct word_box {
  size_t length;
  char text[32];
} word_box;

static int contains(lua_State *L) {
  word_box *box = luaL_checkudata(L, 1, "reference.word");
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  lua_pushboolean(L, length == box->length && memcmp(text, box->text, length) == 0);
  return 1;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void push_word(lua_State *L, const char *text) {
  word_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  box->length = strlen(text);
  memcpy(box->text, text, box->length + 1);
  luaL_newmetatable(L, "reference.word");
  lua_pushcfunction(L, contains);
  lua_setfield(L, -2, "contains");
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

double reference_bound_method(long count) {
  static const char code[] = "local word, count = ... for i = 1, count do word:contains('cambering') end";
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  lua_gc(L, LUA_GCGEN, 0, 0);
  double seconds = -1;
  if (luaL_loadbuffer(L, code, sizeof code - 1, "=bench") == LUA_OK) {
    push_word(L, "cambering");
    lua_pushinteger(L, count);
    double start = now();
    if (lua_pcall(L, 2, 0, 0) == LUA_OK) seconds = now() - start;
  }
  lua_close(L);
  return seconds;
}
