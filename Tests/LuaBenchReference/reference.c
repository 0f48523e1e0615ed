// The reference type: one method with a string, one field, both reached as C modules usually do.

#include "reference.h"

#include <lua5.4/lauxlib.h>
#include <string.h>

typedef struct thing {
  const char *text;
  size_t length;
} thing;

static int contains(lua_State *L) {
  const thing *self = luaL_checkudata(L, 1, "reference");
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  lua_pushboolean(L, length == self->length && memcmp(text, self->text, length) == 0);
  return 1;
}

// Upvalue: the methods.
static int index_thing(lua_State *L) {
  const thing *self = luaL_checkudata(L, 1, "reference");
  const char *key = luaL_checkstring(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  if (strcmp(key, "size") == 0) {
    lua_pushinteger(L, (lua_Integer)self->length);
    return 1;
  }
  return luaL_error(L, "no field '%s'", key);
}

void reference_open(lua_State *L) {
  luaL_newmetatable(L, "reference");
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, contains);
  lua_setfield(L, -2, "contains");
  lua_pushcclosure(L, index_thing, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  thing *made = lua_newuserdatauv(L, sizeof *made, 0);
  made->text = "paper";
  made->length = 5;
  luaL_setmetatable(L, "reference");
  lua_setglobal(L, "reference");
}

long long reference_calls(lua_State *L, int count) {
  long long sum = 0;
  for (int i = 0; i < count; i++) {
    lua_pushvalue(L, -1);
    lua_pushinteger(L, i);
    lua_pcallk(L, 1, 1, 0, 0, NULL);
    sum += lua_tointegerx(L, -1, NULL);
    lua_settop(L, -2);
  }
  return sum;
}
