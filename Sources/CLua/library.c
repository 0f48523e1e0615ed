// Other parts of Lua's libraries that need care: os.date with long formats, random numbers that repeat for the host's
// seed, and tostring, which gives a plugin ids instead of addresses. Invariant: a seeded state takes no seed from the
// clock.

#include <string.h>
#include <time.h>

#include "runtime.h"

// ---- os.date

enum { LONGEST_PLAIN_FORMAT = 1024 };

// Returns the length of a piece of the format that splits no conversion.
static size_t piece_length(const char *format, size_t left) {
  size_t at = 0;
  while (at < left && at < LONGEST_PLAIN_FORMAT)
    at += format[at] != '%' ? 1 : at + 1 < left && (format[at + 1] == 'E' || format[at + 1] == 'O') ? 3 : 2;
  return at < left ? at : left;
}

// Calls Lua's own function for each piece in this frame, so that its errors name the called function. Each piece gets
// a leading letter, which is removed from the result, so that a "!" or "*t" within the format has no meaning.
static int date_in_pieces(lua_State *L, const char *format, size_t length) {
  const char *start = *format == '!' ? "!x" : "x";
  lua_Integer when = luaL_optinteger(L, 2, (lua_Integer)time(NULL));
  const char *end = format + length;
  format += *format == '!' ? 1 : 0;
  lua_settop(L, 1);
  lua_pushinteger(L, when);
  // Keeps the format alive.
  lua_pushvalue(L, 1);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  while (format < end) {
    dh_poll(L);
    size_t piece = piece_length(format, (size_t)(end - format));
    lua_pushstring(L, start);
    lua_pushlstring(L, format, piece);
    lua_concat(L, 2);
    lua_replace(L, 1);
    dh_of(L)->plain_date(L);
    size_t count;
    const char *text = lua_tolstring(L, -1, &count);
    lua_pushlstring(L, text + 1, count - 1);
    lua_remove(L, -2);
    luaL_addvalue(&b);
    format += piece;
  }
  luaL_pushresult(&b);
  return 1;
}

static int guarded_date(lua_State *L) {
  size_t length;
  const char *format = luaL_optlstring(L, 1, "%c", &length);
  if (length <= LONGEST_PLAIN_FORMAT) return dh_of(L)->plain_date(L);
  luaL_argcheck(L, !dh_of(L)->is_sandboxed, 1, "format too long");
  return date_in_pieces(L, format, length);
}

// ---- math.randomseed

// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
static uint64_t draw(dh_runtime *rt) {
  uint64_t z = rt->seed += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

// Its upvalue is that of Lua's own function: the state of the generator.
static int guarded_randomseed(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  if (lua_isnone(L, 1) && rt->is_seeded) {
    lua_pushinteger(L, (lua_Integer)draw(rt));
    lua_pushinteger(L, (lua_Integer)draw(rt));
  }
  return rt->plain_randomseed(L);
}

static void open_random(lua_State *L) {
  dh_of(L)->plain_randomseed = dh_library_function(L, "math", "randomseed");
  lua_getglobal(L, "math");
  lua_getfield(L, -1, "randomseed");
  lua_getupvalue(L, -1, 1);
  lua_pushcclosure(L, guarded_randomseed, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, -4, "randomseed");
  if (dh_of(L)->is_seeded)
    lua_call(L, 0, 0);
  else
    lua_pop(L, 1);
  lua_pop(L, 2);
}

// ---- tostring

// The registry key of the table of ids, which has weak keys.
static const char identities_key = 0;

// Pushes the id of the value at index, a number that it keeps as long as it lives.
static void push_id(lua_State *L, int index) {
  index = lua_absindex(L, index);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &identities_key);
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_rawgeti(L, -1, 0);
    lua_Integer id = lua_tointeger(L, -1) + 1;
    lua_pop(L, 1);
    lua_pushinteger(L, id);
    lua_rawseti(L, -2, 0);
    lua_pushvalue(L, index);
    lua_pushinteger(L, id);
    lua_rawset(L, -3);
    lua_pushinteger(L, id);
  }
  lua_remove(L, -2);
}

void dh_push_identity(lua_State *L, int index) {
  const void *address = lua_topointer(L, index);
  if (!address)
    lua_pushnil(L);
  else if (dh_of(L)->is_sandboxed)
    push_id(L, index);
  else
    lua_pushfstring(L, "%p", address);
}

const char *dh_tolstring(lua_State *L, int index, size_t *length) {
  index = lua_absindex(L, index);
  int kind = lua_type(L, index);
  if (!dh_of(L)->is_sandboxed || kind == LUA_TNIL || kind == LUA_TBOOLEAN || kind == LUA_TNUMBER ||
      luaL_getmetafield(L, index, "__tostring") != LUA_TNIL) {
    if (dh_of(L)->is_sandboxed && kind > LUA_TNUMBER) lua_pop(L, 1);
    return luaL_tolstring(L, index, length);
  }
  if (kind == LUA_TSTRING) {
    lua_pushvalue(L, index);
    return lua_tolstring(L, -1, length);
  }
  lua_pushstring(L, dh_value_name(L, index));
  lua_pushliteral(L, ": ");
  push_id(L, index);
  lua_concat(L, 3);
  return lua_tolstring(L, -1, length);
}

void dh_open_library(lua_State *L) {
  dh_of(L)->plain_date = dh_library_function(L, "os", "date");
  dh_replace(L, "os", "date", guarded_date);
  open_random(L);
  lua_createtable(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &identities_key);
}
