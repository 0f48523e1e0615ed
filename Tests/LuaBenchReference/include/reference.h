// The reference for LuaRuntime's bound calls: the same type written in plain C with luaL_checkudata.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <lua5.4/lua.h>

// Sets the global `reference`: an object with the method contains(text) -> boolean and the field size.
void reference_open(lua_State *L);
// Calls the function on top of the stack `count` times with bare lua_pcallk and an integer; returns the sum of its
// results.
long long reference_calls(lua_State *L, int count);

#endif
