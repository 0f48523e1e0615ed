// What the bound calls of LuaRuntime are measured against: the same type written in plain C with luaL_checkudata.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <lua5.4/lua.h>

// Sets the global `reference`: an object with the method contains(text) -> boolean and the field size.
void reference_open(lua_State *L);
// Calls the function on top `count` times by bare lua_pcallk, with an integer each; answers the sum of its results.
long long reference_calls(lua_State *L, int count);

#endif
