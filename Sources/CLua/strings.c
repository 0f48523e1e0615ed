// String functions that could work for a long time without executing a Lua instruction, in versions that poll for a
// stop and respect the limit of one string: rep, format, lower, upper, reverse, pack, unpack, packsize. Invariant:
// results and errors are those of Lua 5.4.

#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime.h"

#define BLOCK ((size_t)1 << 20)  // bytes that are processed between two polls for a stop
#define FLOAT_FLAGS "-+ #0"      // flags that a conversion of floats may have

// Runs the collector before a large buffer near the limit, as lauxlib's buffers do not let the collector make room.
static void make_room(lua_State *L, size_t size) {
  dh_runtime *rt = dh_of(L);
  if (size > BLOCK && rt->limit && rt->used + rt->external + 2 * size > rt->limit) lua_gc(L, LUA_GCCOLLECT, 0);
}

// ---- rep

static size_t longest_string(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  return rt->string_limit ? rt->string_limit : (size_t)INT_MAX;
}

// Fills the buffer by repeating its first `unit` bytes.
static void repeat_unit(lua_State *L, char *buffer, size_t unit, size_t total) {
  size_t done = unit < total ? unit : total;
  while (done < total) {
    dh_poll(L);
    size_t step = done < BLOCK ? done : BLOCK - BLOCK % unit;
    if (step == 0) step = done;  // a unit longer than a block
    if (step > total - done) step = total - done;
    memcpy(buffer + done, buffer, step);
    done += step;
  }
}

static int string_rep(lua_State *L) {
  size_t length, separator_length;
  const char *text = luaL_checklstring(L, 1, &length);
  lua_Integer count = luaL_checkinteger(L, 2);
  const char *separator = luaL_optlstring(L, 3, "", &separator_length);
  size_t unit = length + separator_length;
  if (count <= 0 || unit == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  if (unit < length || unit > longest_string(L) / (size_t)count) return luaL_error(L, "resulting string too large");
  size_t total = (size_t)count * unit - separator_length;
  luaL_Buffer b;
  make_room(L, total);
  char *buffer = luaL_buffinitsize(L, &b, total);
  memcpy(buffer, text, length);
  if (count > 1) memcpy(buffer + length, separator, separator_length);
  repeat_unit(L, buffer, unit, total);
  luaL_pushresultsize(&b, total);
  return 1;
}

// ---- lower, upper, reverse

static int change_case(lua_State *L, int (*change)(int)) {
  size_t length;
  const unsigned char *text = (const unsigned char *)luaL_checklstring(L, 1, &length);
  luaL_Buffer b;
  make_room(L, length);
  char *buffer = luaL_buffinitsize(L, &b, length);
  for (size_t i = 0; i < length; i++) {
    if (i % BLOCK == BLOCK - 1) dh_poll(L);
    buffer[i] = (char)change(text[i]);
  }
  luaL_pushresultsize(&b, length);
  return 1;
}

static int string_lower(lua_State *L) { return change_case(L, tolower); }
static int string_upper(lua_State *L) { return change_case(L, toupper); }

static int string_reverse(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  luaL_Buffer b;
  make_room(L, length);
  char *buffer = luaL_buffinitsize(L, &b, length);
  for (size_t i = 0; i < length; i++) {
    if (i % BLOCK == BLOCK - 1) dh_poll(L);
    buffer[i] = text[length - 1 - i];
  }
  luaL_pushresultsize(&b, length);
  return 1;
}

// ---- format

enum { LONGEST_SPEC = 22, ITEM_SIZE = 120, FIXED_ITEM_SIZE = 110 + 310 };

// "%q" of a string: adds a literal that Lua reads back as the same string.
static void add_quoted(lua_State *L, luaL_Buffer *b, const char *text, size_t length) {
  luaL_addchar(b, '"');
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (i % BLOCK == BLOCK - 1) dh_poll(L);
    if (c == '"' || c == '\\' || c == '\n') {
      luaL_addchar(b, '\\');
      luaL_addchar(b, (char)c);
    } else if (iscntrl(c)) {
      char escape[8];
      int is_followed = i + 1 < length && isdigit((unsigned char)text[i + 1]);
      snprintf(escape, sizeof escape, is_followed ? "\\%03d" : "\\%d", c);
      luaL_addstring(b, escape);
    } else {
      luaL_addchar(b, (char)c);
    }
  }
  luaL_addchar(b, '"');
}

// "%q" of a number: adds a literal that Lua reads back as exactly that number.
static void add_exact_number(lua_State *L, luaL_Buffer *b, int argument) {
  char item[ITEM_SIZE];
  if (lua_isinteger(L, argument)) {
    lua_Integer value = lua_tointeger(L, argument);
    snprintf(item, sizeof item, value == LUA_MININTEGER ? "0x%llx" : "%lld", value);
  } else {
    lua_Number value = lua_tonumber(L, argument);
    if (isinf(value))
      strcpy(item, value > 0 ? "1e9999" : "-1e9999");
    else if (isnan(value))
      strcpy(item, "(0/0)");
    else
      snprintf(item, sizeof item, "%a", value);
    if (isfinite(value) && !strchr(item, '.')) {  // the locale may use a decimal comma
      char *point = strchr(item, ',');
      if (point) *point = '.';
    }
  }
  luaL_addstring(b, item);
}

static void add_literal(lua_State *L, luaL_Buffer *b, int argument) {
  size_t length;
  switch (lua_type(L, argument)) {
    case LUA_TSTRING: {
      const char *text = lua_tolstring(L, argument, &length);
      add_quoted(L, b, text, length);
      break;
    }
    case LUA_TNUMBER: add_exact_number(L, b, argument); break;
    case LUA_TNIL: luaL_addstring(b, "nil"); break;
    case LUA_TBOOLEAN: luaL_addstring(b, lua_toboolean(L, argument) ? "true" : "false"); break;
    default: luaL_argerror(L, argument, "value has no literal form");
  }
}

// Checks a conversion: flags from `flags`, a width of up to two digits, and a precision of the same form if allowed.
static void check_spec(lua_State *L, const char *spec, const char *flags, int may_have_precision) {
  const char *at = spec + 1;
  at += strspn(at, flags);
  if (*at != '0') {
    for (int i = 0; i < 2 && isdigit((unsigned char)*at); i++) at++;
    if (*at == '.' && may_have_precision) {
      at++;
      for (int i = 0; i < 2 && isdigit((unsigned char)*at); i++) at++;
    }
  }
  if (!isalpha((unsigned char)*at)) luaL_error(L, "invalid conversion specification: '%s'", spec);
}

// Copies the conversion after a '%' to `spec`; returns its letter, and moves *format past it.
static char read_spec(lua_State *L, const char **format, char *spec) {
  size_t length = strspn(*format, "-+ #0123456789.") + 1;
  if (length >= LONGEST_SPEC) luaL_error(L, "invalid format (too long)");
  spec[0] = '%';
  memcpy(spec + 1, *format, length);
  spec[length + 1] = 0;
  *format += length;
  return spec[length];
}

// Turns "%5d" into "%5lld".
static void widen(char *spec) {
  size_t length = strlen(spec);
  char letter = spec[length - 1];
  strcpy(spec + length - 1, "ll");
  spec[length + 1] = letter;
  spec[length + 2] = 0;
}

static void add_integer(lua_State *L, luaL_Buffer *b, int argument, char *spec, const char *flags) {
  char *item = luaL_prepbuffsize(b, ITEM_SIZE);
  lua_Integer value = luaL_checkinteger(L, argument);
  check_spec(L, spec, flags, 1);
  widen(spec);
  luaL_addsize(b, (size_t)snprintf(item, ITEM_SIZE, spec, value));
}

static void add_float(lua_State *L, luaL_Buffer *b, int argument, const char *spec, char letter) {
  size_t size = letter == 'f' ? FIXED_ITEM_SIZE : ITEM_SIZE;
  char *item = luaL_prepbuffsize(b, size);
  lua_Number value = luaL_checknumber(L, argument);
  check_spec(L, spec, FLOAT_FLAGS, 1);
  luaL_addsize(b, (size_t)snprintf(item, size, spec, value));
}

static void add_character(lua_State *L, luaL_Buffer *b, int argument, const char *spec) {
  char *item = luaL_prepbuffsize(b, ITEM_SIZE);
  check_spec(L, spec, "-", 0);
  luaL_addsize(b, (size_t)snprintf(item, ITEM_SIZE, spec, (int)luaL_checkinteger(L, argument)));
}

// Adds the text on top of the stack with width and precision, and pops it.
static void add_padded(lua_State *L, luaL_Buffer *b, char *item, const char *spec, const char *text) {
  luaL_addsize(b, (size_t)snprintf(item, ITEM_SIZE, spec, text));
  lua_pop(L, 1);
}

static void add_text(lua_State *L, luaL_Buffer *b, int argument, const char *spec) {
  char *item = luaL_prepbuffsize(b, ITEM_SIZE);
  size_t length;
  const char *text = dh_tolstring(L, argument, &length);
  if (spec[2] == 0) {
    luaL_addvalue(b);
    return;
  }
  luaL_argcheck(L, length == strlen(text), argument, "string contains zeros");
  check_spec(L, spec, "-", 1);
  if (!strchr(spec, '.') && length >= 100)
    luaL_addvalue(b);
  else
    add_padded(L, b, item, spec, text);
}

// Adds the address of the value, or its id in a sandboxed state.
static void add_identity(lua_State *L, luaL_Buffer *b, int argument, char *spec) {
  char *item = luaL_prepbuffsize(b, ITEM_SIZE);
  check_spec(L, spec, "-", 0);
  spec[strlen(spec) - 1] = 's';
  dh_push_identity(L, argument);
  add_padded(L, b, item, spec, lua_isnil(L, -1) ? "(null)" : lua_tostring(L, -1));
}

static void add_conversion(lua_State *L, luaL_Buffer *b, int argument, char *spec, char letter) {
  switch (letter) {
    case 'c': add_character(L, b, argument, spec); break;
    case 'd': case 'i': add_integer(L, b, argument, spec, "-+0 "); break;
    case 'u': add_integer(L, b, argument, spec, "-0"); break;
    case 'o': case 'x': case 'X': add_integer(L, b, argument, spec, "-#0"); break;
    case 'a': case 'A':
      // Only here Lua checks the conversion before the argument.
      check_spec(L, spec, FLOAT_FLAGS, 1);
      add_float(L, b, argument, spec, letter);
      break;
    case 'e': case 'E': case 'f': case 'g': case 'G': add_float(L, b, argument, spec, letter); break;
    case 'p': add_identity(L, b, argument, spec); break;
    case 'q':
      if (spec[2]) luaL_error(L, "specifier '%%q' cannot have modifiers");
      add_literal(L, b, argument);
      break;
    case 's': add_text(L, b, argument, spec); break;
    default: luaL_error(L, "invalid conversion '%s' to 'format'", spec);
  }
}

static int string_format(lua_State *L) {
  int top = lua_gettop(L), argument = 1;
  size_t length;
  const char *format = luaL_checklstring(L, 1, &length);
  const char *end = format + length;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  while (format < end) {
    const char *mark = memchr(format, '%', (size_t)(end - format));
    if (!mark) mark = end;
    if (mark > format) luaL_addlstring(&b, format, (size_t)(mark - format));
    if (mark == end) break;
    dh_poll(L);
    format = mark + 1;
    if (*format == '%') {
      luaL_addchar(&b, '%');
      format++;
      continue;
    }
    char spec[LONGEST_SPEC + 12];
    if (++argument > top) return luaL_argerror(L, argument, "no value");
    char letter = read_spec(L, &format, spec);
    add_conversion(L, &b, argument, spec, letter);
  }
  luaL_pushresult(&b);
  return 1;
}

// ---- pack, unpack, packsize: a plugin's formats are bounded

enum { LONGEST_PACK_FORMAT = 1 << 16, LONGEST_PACK_SIZE_DIGITS = 6 };

static void check_pack_format(lua_State *L) {
  size_t length;
  const char *format = luaL_checklstring(L, 1, &length);
  if (!dh_of(L)->is_sandboxed) return;
  luaL_argcheck(L, length <= LONGEST_PACK_FORMAT, 1, "format too long");
  int digits = 0;
  for (size_t i = 0; i < length; i++) {
    digits = isdigit((unsigned char)format[i]) ? digits + 1 : 0;
    luaL_argcheck(L, digits <= LONGEST_PACK_SIZE_DIGITS, 1, "size in format too large");
  }
}

static int string_pack(lua_State *L) {
  check_pack_format(L);
  return dh_of(L)->plain_pack(L);
}
static int string_unpack(lua_State *L) {
  check_pack_format(L);
  return dh_of(L)->plain_unpack(L);
}
static int string_packsize(lua_State *L) {
  check_pack_format(L);
  return dh_of(L)->plain_packsize(L);
}

void dh_open_strings(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  rt->plain_pack = dh_library_function(L, "string", "pack");
  rt->plain_unpack = dh_library_function(L, "string", "unpack");
  rt->plain_packsize = dh_library_function(L, "string", "packsize");
  static const luaL_Reg functions[] = {{"rep", string_rep},         {"format", string_format},   {"lower", string_lower},
                                       {"upper", string_upper},     {"reverse", string_reverse}, {"pack", string_pack},
                                       {"unpack", string_unpack},   {"packsize", string_packsize}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    dh_replace(L, "string", functions[i].name, functions[i].func);
}
