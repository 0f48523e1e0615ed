// Table functions that could work for a long time without executing a Lua instruction, in versions that poll for a
// stop: concat, insert, move, remove, sort. Invariant: results, metamethods and errors are those of Lua 5.4; a plugin
// may not request more elements than its memory could hold.

#include <limits.h>
#include <string.h>

#include "runtime.h"

enum { POLL_EVERY = 256, MOST_ELEMENTS = 1 << 26 };

enum { READS = 1, WRITES = 2, MEASURES = 4 };

// Checks that the argument is a table, or has the metamethods for the uses.
static void check_table(lua_State *L, int argument, int uses) {
  if (lua_type(L, argument) == LUA_TTABLE) return;
  static const struct {
    int use;
    const char *event;
  } needs[] = {{READS, "__index"}, {WRITES, "__newindex"}, {MEASURES, "__len"}};
  int does = lua_getmetatable(L, argument);
  if (does) {
    for (int i = 0; i < 3 && does; i++) {
      if (!(uses & needs[i].use)) continue;
      lua_pushstring(L, needs[i].event);
      does = lua_rawget(L, -2) != LUA_TNIL;
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  if (!does) luaL_checktype(L, argument, LUA_TTABLE);
}

static lua_Integer length_of(lua_State *L, int uses) {
  if (lua_type(L, 1) == LUA_TTABLE) {
    if (!lua_getmetatable(L, 1)) return (lua_Integer)lua_rawlen(L, 1);
    lua_pop(L, 1);
  } else {
    check_table(L, 1, uses | MEASURES);
  }
  return luaL_len(L, 1);
}

static void bound(lua_State *L, lua_Integer count, const char *verb) {
  if (dh_of(L)->is_sandboxed && count > MOST_ELEMENTS) luaL_error(L, "too many elements to %s", verb);
}

static inline void poll_at(lua_State *L, lua_Integer i) {
  if (i % POLL_EVERY == 0) dh_poll(L);
}

// ---- concat

static void add_element(lua_State *L, luaL_Buffer *b, lua_Integer i) {
  lua_geti(L, 1, i);
  if (!lua_isstring(L, -1))
    luaL_error(L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1), (LUAI_UACINT)i);
  luaL_addvalue(b);
}

static int table_concat(lua_State *L) {
  lua_Integer length = length_of(L, READS);
  size_t separator_length;
  const char *separator = luaL_optlstring(L, 2, "", &separator_length);
  lua_Integer i = luaL_optinteger(L, 3, 1);
  lua_Integer last = luaL_optinteger(L, 4, length);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (; i < last; i++) {
    poll_at(L, i);
    add_element(L, &b, i);
    if (separator_length) luaL_addlstring(&b, separator, separator_length);
  }
  if (i == last) add_element(L, &b, i);
  luaL_pushresult(&b);
  return 1;
}

// ---- insert and remove

static int table_insert(lua_State *L) {
  lua_Integer free_place = (lua_Integer)((lua_Unsigned)length_of(L, READS | WRITES) + 1);
  int count = lua_gettop(L);
  lua_Integer place = free_place;
  if (count == 3) {
    place = luaL_checkinteger(L, 2);
    luaL_argcheck(L, (lua_Unsigned)place - 1u < (lua_Unsigned)free_place, 2, "position out of bounds");
    bound(L, free_place - place, "move");
    for (lua_Integer i = free_place; i > place; i--) {
      poll_at(L, i);
      lua_geti(L, 1, i - 1);
      lua_seti(L, 1, i);
    }
  } else if (count != 2) {
    return luaL_error(L, "wrong number of arguments to 'insert'");
  }
  lua_seti(L, 1, place);
  return 0;
}

static int table_remove(lua_State *L) {
  lua_Integer length = length_of(L, READS | WRITES);
  lua_Integer place = luaL_optinteger(L, 2, length);
  if (place != length)
    luaL_argcheck(L, (lua_Unsigned)place - 1u <= (lua_Unsigned)length, 1, "position out of bounds");
  if (place < length) bound(L, length - place, "move");
  lua_geti(L, 1, place);
  for (; place < length; place++) {
    poll_at(L, place);
    lua_geti(L, 1, place + 1);
    lua_seti(L, 1, place);
  }
  lua_pushnil(L);
  lua_seti(L, 1, place);
  return 1;
}

// ---- move

static int table_move(lua_State *L) {
  lua_Integer first = luaL_checkinteger(L, 2);
  lua_Integer last = luaL_checkinteger(L, 3);
  lua_Integer place = luaL_checkinteger(L, 4);
  int target = lua_isnoneornil(L, 5) ? 1 : 5;
  check_table(L, 1, READS);
  check_table(L, target, WRITES);
  if (last >= first) {
    luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    lua_Integer count = last - first + 1;
    luaL_argcheck(L, place <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    bound(L, count, "move");
    int goes_up = place > last || place <= first || (target != 1 && !lua_compare(L, 1, target, LUA_OPEQ));
    for (lua_Integer step = 0; step < count; step++) {
      lua_Integer i = goes_up ? step : count - 1 - step;
      poll_at(L, step);
      lua_geti(L, 1, first + i);
      lua_seti(L, target, place + i);
    }
  }
  lua_pushvalue(L, target);
  return 1;
}

// ---- sort: quicksort that loops over the larger part and recurses into the smaller one, so that it nests at most 32
// deep

// Whether the value at stack index a is less than the one at b; both indices are relative to the top.
static inline int is_less(lua_State *L, int a, int b) {
  if (lua_isnil(L, 2)) return lua_compare(L, a, b, LUA_OPLT);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, a - 1);
  lua_pushvalue(L, b - 2);
  lua_call(L, 2, 1);
  int answer = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return answer;
}

// Sorts the two elements at low and high.
static void order_two(lua_State *L, lua_Integer low, lua_Integer high) {
  lua_geti(L, 1, low);
  lua_geti(L, 1, high);
  if (is_less(L, -1, -2)) {
    lua_seti(L, 1, low);
    lua_seti(L, 1, high);
  } else {
    lua_pop(L, 2);
  }
}

static void refuse_order(lua_State *L) { luaL_error(L, "invalid order function for sorting"); }

// Partitions low...high, whose ends are in order around the pivot; the pivot is at high - 1 and on top of the stack.
// Moves the pivot to its final place, pops it and returns that place.
static lua_Integer split(lua_State *L, lua_Integer low, lua_Integer high) {
  lua_Integer up = low, down = high - 1;
  for (;;) {
    poll_at(L, up + down);
    while (lua_geti(L, 1, ++up), is_less(L, -1, -2)) {
      if (up == high - 1) refuse_order(L);
      lua_pop(L, 1);
      poll_at(L, up);
    }
    while (lua_geti(L, 1, --down), is_less(L, -3, -1)) {
      if (down < up) refuse_order(L);
      lua_pop(L, 1);
      poll_at(L, down);
    }
    if (down < up) break;
    lua_seti(L, 1, up);    // swaps the elements at `up` and `down`
    lua_seti(L, 1, down);
  }
  lua_pop(L, 1);
  lua_seti(L, 1, high - 1);  // swaps the pivot and the element at `up`
  lua_seti(L, 1, up);
  return up;
}

static void sort_range(lua_State *L, lua_Integer low, lua_Integer high, lua_Unsigned shuffle) {
  while (low < high) {
    dh_poll(L);
    order_two(L, low, high);
    if (high - low == 1) return;
    lua_Integer size = high - low + 1;
    lua_Integer middle = low + (high - low) / 2;
    if (size > 100 && shuffle) middle = low + size / 4 + (lua_Integer)(shuffle % (lua_Unsigned)(size / 2));
    order_two(L, low, middle);
    order_two(L, middle, high);
    if (high - low == 2) return;
    lua_geti(L, 1, middle);
    lua_pushvalue(L, -1);
    lua_geti(L, 1, high - 1);
    lua_seti(L, 1, middle);
    lua_seti(L, 1, high - 1);
    lua_Integer place = split(L, low, high);
    lua_Integer smaller;
    if (place - low < high - place) {
      sort_range(L, low, place - 1, shuffle);
      smaller = place - low;
      low = place + 1;
    } else {
      sort_range(L, place + 1, high, shuffle);
      smaller = high - place;
      high = place - 1;
    }
    // Unbalanced: from now on, pivots come from places that an input cannot have been crafted for.
    if ((high - low) / 128 > smaller) shuffle = shuffle * 6364136223846793005u + (lua_Unsigned)(size_t)L | 1;
  }
}

static int table_sort(lua_State *L) {
  lua_Integer length = length_of(L, READS | WRITES);
  if (length > 1) {
    luaL_argcheck(L, length < INT_MAX, 1, "array too big");
    bound(L, length, "sort");
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    luaL_checkstack(L, 40, "");
    sort_range(L, 1, length, 0);
  }
  return 0;
}

void dh_open_tables(lua_State *L) {
  dh_replace(L, "table", "concat", table_concat);
  dh_replace(L, "table", "insert", table_insert);
  dh_replace(L, "table", "move", table_move);
  dh_replace(L, "table", "remove", table_remove);
  dh_replace(L, "table", "sort", table_sort);
}
