// Word functions for Lua as a C module: functions of strings, and a list of words with a field and a method. All of
// them check their arguments as the Lua manual describes. Invariant: for ASCII texts they return the same as
// Deckhand's.

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <string.h>

#include "words.h"

static const char *const languages[] = {
    "english", "spanish", "italian", "french", "german", "portuguese", "dutch", "swedish", "polish", "turkish",
};

static int can_form(lua_State *L) {
  size_t letters_length, word_length;
  const char *letters = luaL_checklstring(L, 1, &letters_length);
  const char *word = luaL_checklstring(L, 2, &word_length);
  unsigned short counts[256] = {0};
  for (size_t i = 0; i < letters_length; i++) counts[(uint8_t)letters[i]]++;
  for (size_t i = 0; i < word_length; i++) {
    uint8_t letter = (uint8_t)word[i];
    if (!counts[letter]) letter = '?';
    if (!counts[letter]) {
      lua_pushboolean(L, 0);
      return 1;
    }
    counts[letter]--;
  }
  lua_pushboolean(L, 1);
  return 1;
}

static int is_blank(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

static int normalize(lua_State *L) {
  size_t length, plain = 0;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *language = luaL_checkstring(L, 2);
  size_t known = 0;
  while (known < sizeof languages / sizeof *languages && strcmp(languages[known], language) != 0) known++;
  luaL_argcheck(L, known < sizeof languages / sizeof *languages, 2, "unknown language");
  while (plain < length && text[plain] >= 'a' && text[plain] <= 'z') plain++;
  if (plain == length) {
    lua_pushvalue(L, 1);
    return 1;
  }
  luaL_Buffer buffer;
  size_t first = 0, end = length;
  while (first < end && is_blank((uint8_t)text[first])) first++;
  while (end > first && is_blank((uint8_t)text[end - 1])) end--;
  char *lowered = luaL_buffinitsize(L, &buffer, end - first);
  for (size_t i = first; i < end; i++)
    lowered[i - first] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
  luaL_pushresultsize(&buffer, end - first);
  return 1;
}

static int contains(lua_State *L) {
  luaL_checkudata(L, 1, "reference.lexicon");
  size_t length;
  const char *word = luaL_checklstring(L, 2, &length);
  lua_pushboolean(L, reference_find(word, length, reference_hash(word, length)) != 0);
  return 1;
}

// Upvalue: the methods.
static int index_lexicon(lua_State *L) {
  luaL_checkudata(L, 1, "reference.lexicon");
  const char *key = luaL_checkstring(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  if (strcmp(key, "count") == 0) {
    lua_pushinteger(L, 1000);
    return 1;
  }
  return luaL_error(L, "no field '%s'", key);
}

void reference_words_open(lua_State *L) {
  static const luaL_Reg functions[] = {{"can_form", can_form}, {"normalize", normalize}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"contains", contains}, {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setglobal(L, "reference_words");
  luaL_newmetatable(L, "reference.lexicon");
  luaL_newlib(L, methods);
  lua_pushcclosure(L, index_lexicon, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  lua_newuserdatauv(L, 1, 0);
  luaL_setmetatable(L, "reference.lexicon");
  lua_setglobal(L, "reference_list");
}
