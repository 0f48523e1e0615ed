// utf8.len, utf8.offset and utf8.codes in versions that poll for a stop. Invariant: results and errors are those of
// Lua 5.4.

#include "runtime.h"

enum { POLL_MASK = 0xFFFF };  // bytes between two polls for a stop, minus one

typedef unsigned char byte;

static int is_continuation(byte c) { return (c & 0xC0) == 0x80; }

// Decodes the character at s into *code, in a text that ends with a NUL. Returns its end, or NULL if the bytes are
// not a character. Strict: no surrogates, and nothing above U+10FFFF; otherwise the original UTF-8, up to 31 bits.
static const byte *decode(const byte *s, uint32_t *code, int is_strict) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000, 0x200000, 0x4000000};
  byte first = *s;
  if (first < 0x80) {
    *code = first;
    return s + 1;
  }
  if (first < 0xC0 || first >= 0xFE) return NULL;
  int more = 1;
  while (more < 5 && first & (0x40 >> more)) more++;
  uint32_t value = first & (0x3F >> more);
  for (int i = 1; i <= more; i++) {
    if (!is_continuation(s[i])) return NULL;
    value = value << 6 | (s[i] & 0x3F);
  }
  if (value < least[more]) return NULL;
  if (is_strict && (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))) return NULL;
  *code = value;
  return s + more + 1;
}

// Converts a position that counts from the end if negative; the result is 0 if it is before the start.
static lua_Integer position(lua_Integer given, size_t length) {
  if (given >= 0) return given;
  return (size_t)0 - (size_t)given > length ? 0 : (lua_Integer)length + given + 1;
}

static int utf8_len(lua_State *L) {
  size_t length;
  const byte *text = (const byte *)luaL_checklstring(L, 1, &length);
  lua_Integer at = position(luaL_optinteger(L, 2, 1), length);
  lua_Integer last = position(luaL_optinteger(L, 3, -1), length);
  int is_strict = !lua_toboolean(L, 4);
  luaL_argcheck(L, at >= 1 && --at <= (lua_Integer)length, 2, "initial position out of bounds");
  luaL_argcheck(L, --last < (lua_Integer)length, 3, "final position out of bounds");
  lua_Integer count = 0;
  for (; at <= last; count++) {
    if ((count & POLL_MASK) == POLL_MASK) dh_poll(L);
    uint32_t code;
    const byte *next = decode(text + at, &code, is_strict);
    if (!next) {
      lua_pushnil(L);
      lua_pushinteger(L, at + 1);
      return 2;
    }
    at = next - text;
  }
  lua_pushinteger(L, count);
  return 1;
}

static inline void poll_at(lua_State *L, lua_Integer at) {
  if ((at & POLL_MASK) == POLL_MASK) dh_poll(L);
}

// Returns the position of the first byte of the character that `at` is in.
static lua_Integer start_before(lua_State *L, const byte *text, lua_Integer at) {
  while (at > 0 && is_continuation(text[at])) {
    at--;
    poll_at(L, at);
  }
  return at;
}

static int utf8_offset(lua_State *L) {
  size_t length;
  const byte *text = (const byte *)luaL_checklstring(L, 1, &length);
  lua_Integer n = luaL_checkinteger(L, 2);
  lua_Integer at = position(luaL_optinteger(L, 3, n >= 0 ? 1 : (lua_Integer)length + 1), length);
  luaL_argcheck(L, at >= 1 && --at <= (lua_Integer)length, 3, "position out of bounds");
  if (n == 0) {
    at = start_before(L, text, at);
  } else {
    if (is_continuation(text[at])) return luaL_error(L, "initial position is a continuation byte");
    for (; n < 0 && at > 0; n++) {
      at = start_before(L, text, at - 1);
      poll_at(L, n);
    }
    if (n > 0) n--;
    for (; n > 0 && at < (lua_Integer)length; n--) {
      do poll_at(L, at++);
      while (is_continuation(text[at]));  // the NUL at the end is not a continuation byte
    }
  }
  if (n == 0)
    lua_pushinteger(L, at + 1);
  else
    lua_pushnil(L);
  return 1;
}

static int next_code(lua_State *L, int is_strict) {
  size_t length;
  const byte *text = (const byte *)luaL_checklstring(L, 1, &length);
  lua_Unsigned at = (lua_Unsigned)lua_tointeger(L, 2);
  while (at < length && is_continuation(text[at])) {
    at++;
    poll_at(L, (lua_Integer)at);
  }
  if (at >= length) return 0;
  uint32_t code;
  if (!decode(text + at, &code, is_strict)) return luaL_error(L, "invalid UTF-8 code");
  lua_pushinteger(L, (lua_Integer)at + 1);
  lua_pushinteger(L, code);
  return 2;
}

static int next_code_strict(lua_State *L) { return next_code(L, 1); }
static int next_code_lax(lua_State *L) { return next_code(L, 0); }

static int utf8_codes(lua_State *L) {
  luaL_checkstring(L, 1);
  lua_pushcfunction(L, lua_toboolean(L, 2) ? next_code_lax : next_code_strict);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

void dh_open_utf8(lua_State *L) {
  dh_replace(L, "utf8", "len", utf8_len);
  dh_replace(L, "utf8", "offset", utf8_offset);
  dh_replace(L, "utf8", "codes", utf8_codes);
}
