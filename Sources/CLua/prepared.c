// Tables that are made repeatedly with the same texts, which are stored in the registry. Invariant: a prepared table
// is a sequence of keys and values, followed by a last key without a value; none of them is nil.

#include "runtime.h"

void dh_push_prepared(lua_State *L, int prepared, int pairs, int value, int metatable) {
  lua_createtable(L, 0, pairs + 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, prepared);
  int texts = lua_gettop(L);
  lua_Integer place = 1;
  for (int pair = 0; pair < pairs; pair++, place += 2) {
    lua_rawgeti(L, texts, place);
    lua_rawgeti(L, texts, place + 1);
    lua_rawset(L, texts - 1);
  }
  lua_rawgeti(L, texts, place);
  lua_pushvalue(L, value);
  lua_rawset(L, texts - 1);
  lua_settop(L, texts - 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, metatable);
  lua_setmetatable(L, -2);
}
