// A word game as a C module for Lua: the four rules of the classic mode, with the same results as in Deckhand: points,
// or nil and a table of code, title, message and word.

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "words.h"

#define USED_SLOTS 4096

typedef struct game {
  uint8_t counts[256];
  uint32_t used_count, used[USED_SLOTS];
  char found[USED_SLOTS][32];
} game;

typedef enum verdict { ACCEPTED, TOO_SHORT, ALREADY_USED, NOT_POSSIBLE, NOT_A_WORD } verdict;

static const char *const texts[][3] = {
    [TOO_SHORT] = {"too_short", "This word is too short", "Words need at least two letters"},
    [ALREADY_USED] = {"already_used", "You already used this word", "Keep looking!"},
    [NOT_POSSIBLE] = {"not_possible", "This word is not possible",
                      "Create only words from the letters in the given word"},
    [NOT_A_WORD] = {"not_a_word", "This is not a valid word", "Use only real words"},
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static verdict judge(game *game, const char *word, size_t length) {
  if (length < 2) return TOO_SHORT;
  uint64_t hash = reference_hash(word, length);
  uint32_t slot = hash % USED_SLOTS;
  for (; game->used[slot]; slot = (slot + 1) % USED_SLOTS) {
    const char *found = game->found[game->used[slot] - 1];
    if (strlen(found) == length && memcmp(found, word, length) == 0) return ALREADY_USED;
  }
  uint8_t counts[256];
  memcpy(counts, game->counts, sizeof counts);
  for (size_t i = 0; i < length; i++)
    if (counts[(uint8_t)word[i]]-- == 0) return NOT_POSSIBLE;
  if (!reference_find(word, length, hash)) return NOT_A_WORD;
  memcpy(game->found[game->used_count], word, length);
  game->used[slot] = ++game->used_count;
  return ACCEPTED;
}

static void set_text(lua_State *L, const char *key, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

static int guess(lua_State *L) {
  game *game = luaL_checkudata(L, 1, "reference.game");
  size_t length;
  const char *word = luaL_checklstring(L, 2, &length);
  verdict verdict = judge(game, word, length);
  if (verdict == ACCEPTED) {
    lua_pushinteger(L, (lua_Integer)length);
    return 1;
  }
  lua_pushnil(L);
  lua_createtable(L, 0, 4);
  set_text(L, "code", texts[verdict][0]);
  set_text(L, "title", texts[verdict][1]);
  set_text(L, "message", texts[verdict][2]);
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, "word");
  luaL_setmetatable(L, "reference.problem");
  return 2;
}

static int guess_all(lua_State *L) {
  game *game = luaL_checkudata(L, 1, "reference.game");
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 2);
  lua_createtable(L, (int)count, 0);
  for (lua_Integer i = 1; i <= count; i++) {
    size_t length;
    lua_rawgeti(L, 2, i);
    const char *word = luaL_checklstring(L, -1, &length);
    verdict verdict = judge(game, word, length);
    lua_pop(L, 1);
    if (verdict == ACCEPTED)
      lua_pushinteger(L, (lua_Integer)length);
    else
      lua_pushstring(L, texts[verdict][0]);
    lua_rawseti(L, -2, i);
  }
  return 1;
}

static int problem_text(lua_State *L) {
  lua_getfield(L, 1, "message");
  return 1;
}

static void make_types(lua_State *L) {
  luaL_newmetatable(L, "reference.problem");
  lua_pushcfunction(L, problem_text);
  lua_setfield(L, -2, "__tostring");
  luaL_newmetatable(L, "reference.game");
  lua_pushcfunction(L, guess);
  lua_setfield(L, -2, "guess");
  lua_pushcfunction(L, guess_all);
  lua_setfield(L, -2, "guess_all");
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 2);
}

static void push_game(lua_State *L, const char *base) {
  game *made = lua_newuserdatauv(L, sizeof *made, 0);
  memset(made, 0, sizeof *made);
  for (const char *letter = base; *letter; letter++) made->counts[(uint8_t)*letter]++;
  luaL_setmetatable(L, "reference.game");
}

struct reference_games {
  lua_State *L;
};

reference_games *reference_games_open(const char *code, const char *text, const size_t *ends, size_t count) {
  reference_games *games = malloc(sizeof *games);
  lua_State *L = games->L = luaL_newstate();
  luaL_openlibs(L);
  lua_gc(L, LUA_GCGEN, 0, 0);
  make_types(L);
  if (luaL_loadbuffer(L, code, strlen(code), "=bench") != LUA_OK) return NULL;
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    lua_pushlstring(L, text + ends[i], ends[i + 1] - ends[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  push_game(L, "ab");
  return games;
}

void reference_games_begin(reference_games *games, const char *base) {
  push_game(games->L, base);
  lua_replace(games->L, 3);
}

double reference_games_run(reference_games *games, long repeats) {
  lua_State *L = games->L;
  lua_settop(L, 3);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  lua_pushvalue(L, 2);
  lua_pushinteger(L, repeats);
  double start = now();
  int status = lua_pcall(L, 3, 0, 0);
  return status == LUA_OK ? now() - start : -1;
}

void reference_games_close(reference_games *games) {
  lua_close(games->L);
  free(games);
}
