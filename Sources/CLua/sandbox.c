// The environment of a plugin: an allow-list of Lua's standard library, and special versions of some functions:
// setmetatable, getmetatable, tostring, print, collectgarbage, require. Invariant: a plugin's globals contain only
// what is named here; no table of a plugin has a metatable that the plugin can reach and change.

#include <stdio.h>
#include <string.h>

#include "runtime.h"

// ---- The allow-lists

static const char *const globals[] = {"_G",     "_VERSION", "assert",   "collectgarbage", "coroutine", "error",   "getmetatable",
                                      "ipairs", "load",     "math",     "next",           "os",        "pairs",   "pcall",
                                      "print",  "rawequal", "rawget",   "rawlen",         "rawset",    "select",  "setmetatable",
                                      "string", "table",    "tonumber", "tostring",       "type",      "utf8",    "xpcall",
                                      NULL};
static const char *const os_functions[] = {"clock", "date", "time", NULL};
static const char *const math_members[] = {"abs",  "acos", "asin",       "atan",       "ceil", "cos",  "deg",    "exp",        "floor",
                                           "fmod", "huge", "log",        "max",        "maxinteger", "min", "mininteger", "modf", "pi",
                                           "rad",  "random", "randomseed", "sin",      "sqrt", "tan",  "tointeger", "type",    "ult",
                                           NULL};  // without those of older versions
static const char *const string_functions[] = {"byte",  "char",   "find", "format",   "gmatch", "gsub",  "len",   "lower", "match",
                                               "pack",  "packsize", "rep",  "reverse",  "sub",    "unpack", "upper", NULL};

static int is_listed(const char *name, const char *const *list) {
  for (; *list; list++)
    if (strcmp(name, *list) == 0) return 1;
  return 0;
}

// Removes everything from the table on top of the stack that is not listed; the table stays there.
static void keep_only(lua_State *L, const char *const *list) {
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING && is_listed(lua_tostring(L, -1), list)) continue;
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, -4);
  }
}

static void keep_only_in(lua_State *L, const char *library, const char *const *list) {
  lua_getglobal(L, library);
  keep_only(L, list);
  lua_pop(L, 1);
}

// ---- Metatables. The actual metatable of a table is a copy of the events in the given one, so that no `__gc` or
// `__concat` can be added later; the copy is updated each time setmetatable gets the same table.

static const char *const events[] = {"__index", "__newindex", "__call", "__tostring", "__name", "__len",  "__pairs",
                                     "__eq",    "__lt",       "__le",   "__close",    "__mode", "__metatable",
                                     "__add",   "__sub",      "__mul",  "__div",      "__mod",  "__pow",  "__unm",
                                     "__idiv",  "__band",     "__bor",  "__bxor",     "__shl",  "__shr",  "__bnot"};
enum { EVENT_COUNT = sizeof events / sizeof *events };

// `original_key`: in a copy, the table that it was made from. In the registry, `copies_key`: the copies by their
// originals, all weak; `names_key`: the names of the events.
static const char original_key = 0, copies_key = 0, names_key = 0;

static void refuse_event(lua_State *L, const char *event) {
  lua_pushstring(L, event);
  if (lua_rawget(L, 2) != LUA_TNIL)
    luaL_error(L, "bad argument #2 to 'setmetatable' (a plugin's metatable cannot have '%s')", event);
  lua_pop(L, 1);
}

// Pushes the copy for the table at 2.
static void push_copy(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &copies_key);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 4);
    lua_pushvalue(L, 2);
    lua_rawsetp(L, -2, &original_key);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  lua_remove(L, -2);
}

// Replaces a `__call` that is not a function. Lua would follow a chain of such values in one instruction, in
// quadratic time; here each link is a separate call.
static int call_through(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

static void wrap_call(lua_State *L, int copy) {
  lua_pushliteral(L, "__call");
  lua_pushvalue(L, -1);
  int kind = lua_rawget(L, copy);
  if (kind == LUA_TNIL || kind == LUA_TFUNCTION) {
    lua_pop(L, 2);
    return;
  }
  lua_pushcclosure(L, call_through, 1);
  lua_rawset(L, copy);
}

// Removes `__mode` for weak keys with strong values, so that such a table holds its keys: the collector's work on
// chains through such tables is quadratic, in one step that nothing can stop. A program cannot distinguish this from
// a collector that has not run yet.
static void keep_weak_keys(lua_State *L, int copy) {
  lua_pushliteral(L, "__mode");
  lua_pushvalue(L, -1);
  const char *mode = lua_rawget(L, copy) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  int is_ephemeron = strchr(mode, 'k') && !strchr(mode, 'v');
  lua_pop(L, 1);
  lua_pushnil(L);
  if (is_ephemeron)
    lua_rawset(L, copy);
  else
    lua_pop(L, 2);
}

static void update_copy(lua_State *L, int copy) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &names_key);
  int names = lua_gettop(L);
  for (int i = 1; i <= EVENT_COUNT; i++) {
    lua_rawgeti(L, names, i);
    lua_pushvalue(L, -1);
    int is_given = lua_rawget(L, 2) != LUA_TNIL;
    if (!is_given) {
      lua_pushvalue(L, -2);
      is_given = lua_rawget(L, copy) != LUA_TNIL;  // it was set before, and must be removed
      lua_pop(L, 1);
    }
    if (is_given)
      lua_rawset(L, copy);
    else
      lua_pop(L, 2);
  }
  lua_pop(L, 1);
  wrap_call(L, copy);
  keep_weak_keys(L, copy);
}

static int sandbox_setmetatable(lua_State *L) {
  int kind = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, kind == LUA_TNIL || kind == LUA_TTABLE, 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
  lua_settop(L, 2);
  if (kind == LUA_TTABLE) {
    refuse_event(L, "__gc");
    refuse_event(L, "__concat");
    push_copy(L);
    update_copy(L, 3);
  }
  lua_setmetatable(L, 1);
  lua_settop(L, 1);
  return 1;
}

static int sandbox_getmetatable(lua_State *L) {
  luaL_checkany(L, 1);
  if (!lua_getmetatable(L, 1)) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushliteral(L, "__metatable");
  if (lua_rawget(L, -2) != LUA_TNIL) return 1;
  if (lua_rawgetp(L, -2, &original_key) == LUA_TNIL) lua_pushboolean(L, 0);  // the host's own metatable
  return 1;
}

static void open_metatables(lua_State *L) {
  lua_createtable(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "kv");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &copies_key);
  lua_createtable(L, EVENT_COUNT, 0);
  for (int i = 0; i < EVENT_COUNT; i++) {
    lua_pushstring(L, events[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_rawsetp(L, LUA_REGISTRYINDEX, &names_key);
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}

// ---- tostring, print, collectgarbage

static int sandbox_tostring(lua_State *L) {
  luaL_checkany(L, 1);
  dh_tolstring(L, 1, NULL);
  return 1;
}

// Control characters except tab and newline are printed as numbers, as a plugin must not control the terminal. So are
// the marks that reorder the text around them, U+202A to U+202E and U+2066 to U+2069, and the line and paragraph
// separators, U+2028 and U+2029. Returns the code point of such a mark at the start of the text, or 0.
static unsigned hidden_mark(const char *text, size_t length) {
  const unsigned char *bytes = (const unsigned char *)text;
  if (length < 3 || bytes[0] != 0xE2) return 0;
  unsigned point = 0x2000 | (bytes[1] & 0x3Fu) << 6 | (bytes[2] & 0x3Fu);
  return (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) ? point : 0;
}

static void write_printable(lua_State *L, const char *text, size_t length) {
  size_t plain = 0;
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    int is_c1 = c == 0xC2 && i + 1 < length && ((unsigned char)text[i + 1] & 0xE0) == 0x80;
    unsigned mark = hidden_mark(text + i, length - i);
    if (!mark && !is_c1 && (c >= 0x20 || c == '\n' || c == '\t') && c != 0x7F) continue;
    dh_poll(L);
    fwrite(text + plain, 1, i - plain, stdout);
    if (is_c1) c = (unsigned char)text[++i];
    if (mark) {
      fprintf(stdout, "\\u{%X}", mark);
      i += 2;
    } else {
      fprintf(stdout, "\\x%02x", c);
    }
    plain = i + 1;
  }
  fwrite(text + plain, 1, length - plain, stdout);
}

static int sandbox_print(lua_State *L) {
  int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    size_t length;
    const char *text = dh_tolstring(L, i, &length);
    if (i > 1) fputc('\t', stdout);
    write_printable(L, text, length);
    lua_pop(L, 1);
  }
  fputc('\n', stdout);
  return 0;
}

static int sandbox_collectgarbage(lua_State *L) {
  const char *what = luaL_optstring(L, 1, "collect");
  luaL_argcheck(L, strcmp(what, "count") == 0, 1, "a plugin may only use \"count\"");
  lua_pushnumber(L, lua_gc(L, LUA_GCCOUNT) + lua_gc(L, LUA_GCCOUNTB) / 1024.0);
  return 1;
}

// ---- require

// Upvalues: the loaded modules by name (the value and the chunk name; a light userdata while a module is being
// loaded), and the host function that returns a module's text and chunk name for its name.
static int sandbox_require(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  int kind = lua_rawget(L, lua_upvalueindex(1));
  if (kind == LUA_TLIGHTUSERDATA) return luaL_error(L, "module '%s' requires itself", name);
  if (kind == LUA_TTABLE) {
    lua_rawgeti(L, -1, 1);
    return lua_rawgeti(L, -2, 2) == LUA_TNIL ? (lua_pop(L, 1), 1) : 2;
  }
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 2);
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  const char *chunk_name = luaL_checkstring(L, 3);
  lua_pushfstring(L, "=%s", chunk_name);
  int status = dh_load_text(L, text, length, lua_tostring(L, -1), "t");
  dh_pass_stop_on(L, status);
  // On one line: of an error that ends the loading of a plugin, only the first line is reported.
  if (status != LUA_OK) return luaL_error(L, "error loading module '%s': %s", name, lua_tostring(L, -1));
  lua_pushvalue(L, 1);
  lua_pushlightuserdata(L, L);  // being loaded
  lua_rawset(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  status = lua_pcall(L, 2, 1, 0);
  if (status != LUA_OK) {
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    lua_rawset(L, lua_upvalueindex(1));
    dh_pass_stop_on(L, status);
    return lua_error(L);
  }
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushboolean(L, 1);
  }
  lua_createtable(L, 2, 0);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, 1);
  lua_pushvalue(L, 3);
  lua_rawseti(L, -2, 2);
  lua_pushvalue(L, 1);
  lua_insert(L, -2);
  lua_rawset(L, lua_upvalueindex(1));
  lua_pushvalue(L, 3);
  return 2;
}

// Modules written for other programs may require the standard libraries by name: they get the plugin's own.
static const char *const required_libraries[] = {"_G", "coroutine", "math", "os", "string", "table", "utf8"};
enum { REQUIRED_COUNT = sizeof required_libraries / sizeof *required_libraries };

void dh_push_require(lua_State *L, const dh_function *finder) {
  lua_createtable(L, 0, REQUIRED_COUNT + 4);
  dh_push_globals(L);
  for (int i = 0; i < REQUIRED_COUNT; i++) {
    lua_createtable(L, 1, 0);
    lua_pushstring(L, required_libraries[i]);
    lua_rawget(L, -3);
    lua_rawseti(L, -2, 1);
    lua_pushstring(L, required_libraries[i]);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  lua_pop(L, 1);
  dh_push_function(L, finder);
  lua_pushcclosure(L, sandbox_require, 2);
}

// ---- Installation

void dh_open_sandbox(lua_State *L) {
  open_metatables(L);
  static const luaL_Reg functions[] = {{"setmetatable", sandbox_setmetatable},     {"getmetatable", sandbox_getmetatable},
                                       {"tostring", sandbox_tostring},             {"print", sandbox_print},
                                       {"collectgarbage", sandbox_collectgarbage}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    dh_replace(L, "_G", functions[i].name, functions[i].func);
  keep_only_in(L, "_G", globals);
  keep_only_in(L, "os", os_functions);
  keep_only_in(L, "math", math_members);
  keep_only_in(L, "string", string_functions);
}
