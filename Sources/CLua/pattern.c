// Lua's patterns: string.find, match, gmatch and gsub with the semantics of Lua 5.4, in a matcher that polls for a
// stop while it works. Invariant: a pattern is parsed while it is matched, so an error in it is raised exactly when
// matching reaches it, and recursion is bounded as in Lua ("pattern too complex"). It is one long file because its
// parts are mutually recursive.
// Measured: lines of a file 615, as the matcher is compiled into find, match, gmatch and gsub only within one file.

#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "runtime.h"

#define MAX_DEPTH 200
#define MAX_CAPTURES 32
#define ESCAPE '%'

enum { CAPTURE_OPEN = -1, CAPTURE_POSITION = -2 };

typedef unsigned char byte;

typedef struct capture {
  const byte *start;
  ptrdiff_t length;  // or CAPTURE_OPEN, CAPTURE_POSITION
} capture;

typedef struct matcher {
  const byte *subject, *subject_end;
  const byte *pattern_end;
  lua_State *L;
  volatile sig_atomic_t *stop;
  int depth_left;
  int captures;
  int is_begun;          // whether `lead_end` is known
  const byte *lead_end;  // the end of the pattern's first item, if every match must begin with one; else NULL
  capture capture[MAX_CAPTURES];
} matcher;

static const byte *match_here(matcher *m, const byte *s, const byte *p);

static inline void poll(matcher *m) {
  if (__builtin_expect(*m->stop != 0, 0)) dh_raise_stop(m->L);
}

// ---- Single characters

// Returns the end of the item at p: a character, an escaped one, or a set.
static const byte *item_end(matcher *m, const byte *p) {
  byte first = *p++;
  if (first == ESCAPE) {
    if (p == m->pattern_end) luaL_error(m->L, "malformed pattern (ends with '%%')");
    return p + 1;
  }
  if (first != '[') return p;
  if (*p == '^') p++;
  for (int is_first = 1; is_first || *p != ']'; is_first = 0) {  // a leading ']' is literal
    if (p == m->pattern_end) luaL_error(m->L, "malformed pattern (missing ']')");
    if (*p++ == ESCAPE && p < m->pattern_end) p++;
  }
  return p + 1;
}

static int is_of_class(int c, int letter) {
  int belongs;
  switch (letter | 0x20) {
    case 'a': belongs = isalpha(c); break;
    case 'c': belongs = iscntrl(c); break;
    case 'd': belongs = isdigit(c); break;
    case 'g': belongs = isgraph(c); break;
    case 'l': belongs = islower(c); break;
    case 'p': belongs = ispunct(c); break;
    case 's': belongs = isspace(c); break;
    case 'u': belongs = isupper(c); break;
    case 'w': belongs = isalnum(c); break;
    case 'x': belongs = isxdigit(c); break;
    case 'z': belongs = c == 0; break;  // from older versions of Lua
    default: return letter == c;
  }
  return (letter & 0x20 ? belongs != 0 : belongs == 0);
}

// Whether c is in the set that begins at p and whose ']' is at last.
static int is_in_set(int c, const byte *p, const byte *last) {
  int found = 1;
  if (p[1] == '^') {
    found = 0;
    p++;
  }
  while (++p < last) {
    if (*p == ESCAPE) {
      p++;
      if (is_of_class(c, *p)) return found;
    } else if (p[1] == '-' && p + 2 < last) {
      p += 2;
      if (p[-2] <= c && c <= *p) return found;
    } else if (*p == c) {
      return found;
    }
  }
  return !found;
}

// Whether the item p..end matches the character at s.
static inline int matches_one(const matcher *m, const byte *s, const byte *p, const byte *end) {
  if (s >= m->subject_end) return 0;
  switch (*p) {
    case '.': return 1;
    case ESCAPE: return is_of_class(*s, p[1]);
    case '[': return is_in_set(*s, p, end - 1);
    default: return *p == *s;
  }
}

// ---- Repetitions

// Counts the characters from s on that the item matches.
static ptrdiff_t count_matches(matcher *m, const byte *s, const byte *p, const byte *end) {
  const byte *at = s, *last = m->subject_end;
  switch (*p) {
    case '.': return last - s;
    case '[':
      for (; at < last && is_in_set(*at, p, end - 1); at++) poll(m);
      break;
    case ESCAPE:
      for (; at < last && is_of_class(*at, p[1]); at++) poll(m);
      break;
    default:
      for (; at < last && *at == *p; at++) poll(m);
  }
  return at - s;
}

// Returns the plain character that a match of the pattern from p on must begin with, or -1.
static int first_character(const matcher *m, const byte *p) {
  if (p >= m->pattern_end || *p == 0 || strchr("^$*+?.([%-)", *p)) return -1;
  byte suffix = p[1];
  return suffix == '*' || suffix == '?' || suffix == '-' ? -1 : *p;
}

// Matches as many as possible, then fewer.
static const byte *match_longest(matcher *m, const byte *s, const byte *p, const byte *end) {
  ptrdiff_t count = count_matches(m, s, p, end);
  int next = m->depth_left > 0 ? first_character(m, end + 1) : -1;
  for (; count >= 0; count--) {
    if (next >= 0 && (s + count >= m->subject_end || s[count] != next)) {
      poll(m);
      continue;
    }
    const byte *after = match_here(m, s + count, end + 1);
    if (after) return after;
  }
  return NULL;
}

// Matches as few as possible, then more.
static const byte *match_shortest(matcher *m, const byte *s, const byte *p, const byte *end) {
  for (;; s++) {
    const byte *after = match_here(m, s, end + 1);
    if (after) return after;
    if (!matches_one(m, s, p, end)) return NULL;
  }
}

// ---- Captures

static const byte *open_capture(matcher *m, const byte *s, const byte *p, ptrdiff_t kind) {
  if (m->captures >= MAX_CAPTURES) luaL_error(m->L, "too many captures");
  m->capture[m->captures].start = s;
  m->capture[m->captures].length = kind;
  m->captures++;
  const byte *after = match_here(m, s, p);
  if (!after) m->captures--;
  return after;
}

static const byte *close_capture(matcher *m, const byte *s, const byte *p) {
  int index = m->captures - 1;
  while (index >= 0 && m->capture[index].length != CAPTURE_OPEN) index--;
  if (index < 0) luaL_error(m->L, "invalid pattern capture");
  m->capture[index].length = s - m->capture[index].start;
  const byte *after = match_here(m, s, p);
  if (!after) m->capture[index].length = CAPTURE_OPEN;
  return after;
}

// %1 to %9: matches the text of an earlier capture again.
static const byte *match_back(matcher *m, const byte *s, int digit) {
  int index = digit - '1';
  if (index < 0 || index >= m->captures || m->capture[index].length == CAPTURE_OPEN)
    luaL_error(m->L, "invalid capture index %%%d", index + 1);
  size_t length = (size_t)m->capture[index].length;
  if ((size_t)(m->subject_end - s) < length || memcmp(m->capture[index].start, s, length) != 0) return NULL;
  return s + length;
}

// ---- %b and %f

static const byte *match_balanced(matcher *m, const byte *s, const byte *p) {
  if (p + 1 >= m->pattern_end) luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
  byte opening = p[0], closing = p[1];
  if (*s != opening) return NULL;
  int open = 1;
  while (++s < m->subject_end) {
    poll(m);
    if (*s == closing) {
      if (--open == 0) return s + 1;
    } else if (*s == opening) {
      open++;
    }
  }
  return NULL;
}

// Returns the end of the set if s is at a frontier of it, else NULL.
static const byte *match_frontier(matcher *m, const byte *s, const byte *set) {
  if (*set != '[') luaL_error(m->L, "missing '[' after '%%f' in pattern");
  const byte *end = item_end(m, set);
  int before = s == m->subject ? 0 : s[-1];
  return !is_in_set(before, set, end - 1) && is_in_set(*s, set, end - 1) ? end : NULL;
}

// ---- The matcher

// Matches an item with its suffix, if any: *, +, -, ?. Returns whether the match continues at *s, *p; otherwise *s is
// the result.
static inline int step_item(matcher *m, const byte **s, const byte **p) {
  const byte *end = item_end(m, *p);
  byte suffix = *end;
  if (!matches_one(m, *s, *p, end)) {
    if (suffix == '*' || suffix == '?' || suffix == '-') {
      *p = end + 1;
      return 1;
    }
    *s = NULL;
    return 0;
  }
  switch (suffix) {
    case '?': {
      const byte *after = match_here(m, *s + 1, end + 1);
      if (after) {
        *s = after;
        return 0;
      }
      *p = end + 1;
      return 1;
    }
    case '+': *s = match_longest(m, *s + 1, *p, end); return 0;
    case '*': *s = match_longest(m, *s, *p, end); return 0;
    case '-': *s = match_shortest(m, *s, *p, end); return 0;
    default:
      *s += 1;
      *p = end;
      return 1;
  }
}

// Matches an escape that is more than a single character. Returns what step_item returns.
static inline int step_escape(matcher *m, const byte **s, const byte **p) {
  byte letter = (*p)[1];
  if (letter == 'b') {
    *s = match_balanced(m, *s, *p + 2);
    *p += 4;
    return *s != NULL;
  }
  if (letter == 'f') {
    *p = match_frontier(m, *s, *p + 2);
    if (*p) return 1;
    *s = NULL;
    return 0;
  }
  if (letter >= '0' && letter <= '9') {
    *s = match_back(m, *s, letter);
    *p += 2;
    return *s != NULL;
  }
  return step_item(m, s, p);
}

// Returns the end of the match of the pattern from p on at s, or NULL.
static const byte *match_here(matcher *m, const byte *s, const byte *p) {
  if (m->depth_left-- == 0) luaL_error(m->L, "pattern too complex");
  poll(m);
  int goes_on = 1;
  while (goes_on && p != m->pattern_end) {
    switch (*p) {
      case '(':
        s = p[1] == ')' ? open_capture(m, s, p + 2, CAPTURE_POSITION) : open_capture(m, s, p + 1, CAPTURE_OPEN);
        goes_on = 0;
        break;
      case ')':
        s = close_capture(m, s, p + 1);
        goes_on = 0;
        break;
      case '$':
        if (p + 1 == m->pattern_end) {
          s = s == m->subject_end ? s : NULL;
          goes_on = 0;
        } else {
          goes_on = step_item(m, &s, &p);
        }
        break;
      case ESCAPE: goes_on = step_escape(m, &s, &p); break;
      default: goes_on = step_item(m, &s, &p); break;
    }
  }
  m->depth_left++;
  return s;
}

// ---- Results

// Gets the text of capture i, or the whole match if there are no captures. A position is pushed, and CAPTURE_POSITION
// returned.
static ptrdiff_t get_capture(matcher *m, int i, const byte *start, const byte *end, const byte **text) {
  if (i >= m->captures) {
    if (i != 0) luaL_error(m->L, "invalid capture index %%%d", i + 1);
    *text = start;
    return end - start;
  }
  const capture *found = &m->capture[i];
  *text = found->start;
  if (found->length == CAPTURE_OPEN) luaL_error(m->L, "unfinished capture");
  if (found->length == CAPTURE_POSITION) lua_pushinteger(m->L, found->start - m->subject + 1);
  return found->length;
}

static void push_capture(matcher *m, int i, const byte *start, const byte *end) {
  const byte *text;
  ptrdiff_t length = get_capture(m, i, start, end, &text);
  if (length != CAPTURE_POSITION) lua_pushlstring(m->L, (const char *)text, (size_t)length);
}

// Pushes all captures; if there are none and `start` is given, the whole match.
static int push_captures(matcher *m, const byte *start, const byte *end) {
  int count = m->captures == 0 && start ? 1 : m->captures;
  luaL_checkstack(m->L, count, "too many captures");
  for (int i = 0; i < count; i++) push_capture(m, i, start, end);
  return count;
}

static void prepare(matcher *m, lua_State *L, const char *subject, size_t subject_length, const char *pattern,
                    size_t pattern_length) {
  m->L = L;
  m->stop = &dh_of(L)->stop;
  m->depth_left = MAX_DEPTH;
  m->captures = 0;
  m->is_begun = 0;
  m->subject = (const byte *)subject;
  m->subject_end = m->subject + subject_length;
  m->pattern_end = (const byte *)pattern + pattern_length;
}

// Sets `lead_end`; raises what matching the first item would raise.
static void begin(matcher *m, const byte *p) {
  m->is_begun = 1;
  m->lead_end = NULL;
  if (p >= m->pattern_end || strchr("()$", *p)) return;
  if (*p == ESCAPE && (p[1] == 'b' || p[1] == 'f' || isdigit(p[1]))) return;
  const byte *end = item_end(m, p);
  if (*end != '*' && *end != '?' && *end != '-') m->lead_end = end;
}

static inline const byte *match_at(matcher *m, const byte *s, const byte *p) {
  if (!m->is_begun) begin(m, p);
  poll(m);
  if (m->lead_end && !matches_one(m, s, p, m->lead_end)) return NULL;
  m->captures = 0;
  m->depth_left = MAX_DEPTH;
  return match_here(m, s, p);
}

// Returns where the next match from s on can begin: for a pattern that must begin with a plain character, its next
// occurrence. NULL if there is none.
static inline const byte *next_candidate(const matcher *m, const byte *s, int first) {
  return first < 0 ? s : memchr(s, first, (size_t)(m->subject_end - s));
}

// ---- find and match

static const char special_characters[] = "^$*+?.([%-";

static int is_plain(const char *pattern, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (pattern[i] && strchr(special_characters, pattern[i])) return 0;
  return 1;
}

#define WINDOW ((size_t)4 << 20)  // bytes that are searched between two polls for a stop

// Plain search, linear, one window at a time.
static const char *find_plain(lua_State *L, const char *text, size_t length, const char *wanted, size_t wanted_length) {
  if (wanted_length == 0) return text;
  if (wanted_length == 1) return memchr(text, *wanted, length);
  while (length >= wanted_length) {
    size_t window = WINDOW + 2 * wanted_length;
    if (window > length) window = length;
    const char *found = memmem(text, window, wanted, wanted_length);
    if (found) return found;
    dh_poll(L);
    size_t done = window - wanted_length + 1;
    text += done;
    length -= done;
  }
  return NULL;
}

// Converts a start position as string functions take it: 1-based, from the end if negative; the result is at least 1.
static size_t start_position(lua_Integer position, size_t length) {
  if (position > 0) return (size_t)position;
  if (position == 0 || position < -(lua_Integer)length) return 1;
  return length + (size_t)position + 1;
}

static int search(lua_State *L, int wants_positions) {
  size_t length, pattern_length;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  size_t start = start_position(luaL_optinteger(L, 3, 1), length) - 1;
  lua_settop(L, 4);
  if (start > length) {
    lua_pushnil(L);
    return 1;
  }
  if (wants_positions && (lua_toboolean(L, 4) || is_plain(pattern, pattern_length))) {
    const char *found = find_plain(L, text + start, length - start, pattern, pattern_length);
    if (!found) {
      lua_pushnil(L);
      return 1;
    }
    lua_pushinteger(L, found - text + 1);
    lua_pushinteger(L, found - text + (lua_Integer)pattern_length);
    return 2;
  }
  matcher m;
  prepare(&m, L, text, length, pattern, pattern_length);
  const byte *p = (const byte *)pattern;
  int is_anchored = *p == '^';
  if (is_anchored) p++;
  int first = is_anchored ? -1 : first_character(&m, p);
  for (const byte *s = m.subject + start; s <= m.subject_end; s++) {
    if (!(s = next_candidate(&m, s, first))) break;
    const byte *end = match_at(&m, s, p);
    if (end && wants_positions) {
      lua_pushinteger(L, s - m.subject + 1);
      lua_pushinteger(L, end - m.subject);
      return push_captures(&m, NULL, NULL) + 2;
    }
    if (end) return push_captures(&m, s, end);
    if (is_anchored) break;
  }
  lua_pushnil(L);
  return 1;
}

static int pattern_find(lua_State *L) { return search(L, 1); }
static int pattern_match(lua_State *L) { return search(L, 0); }

// ---- gmatch

typedef struct iteration {
  matcher m;
  const byte *next, *pattern;
  const byte *last_end;  // an empty match here would repeat the last match
  int first;
} iteration;

// Upvalues: the subject and the pattern, to keep them alive, and the iteration.
static int next_match(lua_State *L) {
  iteration *it = lua_touserdata(L, lua_upvalueindex(3));
  it->m.L = L;
  for (const byte *s = it->next; s <= it->m.subject_end; s++) {
    if (!(s = next_candidate(&it->m, s, it->first))) break;
    const byte *end = match_at(&it->m, s, it->pattern);
    if (!end || end == it->last_end) continue;
    it->next = it->last_end = end;
    return push_captures(&it->m, s, end);
  }
  return 0;
}

static int pattern_gmatch(lua_State *L) {
  size_t length, pattern_length;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  size_t start = start_position(luaL_optinteger(L, 3, 1), length) - 1;
  lua_settop(L, 2);
  iteration *it = lua_newuserdatauv(L, sizeof *it, 0);
  prepare(&it->m, L, text, length, pattern, pattern_length);
  it->next = it->m.subject + (start > length ? length + 1 : start);
  it->pattern = (const byte *)pattern;
  it->last_end = NULL;
  it->first = first_character(&it->m, it->pattern);
  lua_pushcclosure(L, next_match, 3);
  return 1;
}

// ---- gsub

// Adds the replacement string at 3, with %0 to %9 and %% replaced.
static void add_string(matcher *m, luaL_Buffer *b, const byte *start, const byte *end) {
  lua_State *L = m->L;
  size_t left;
  const char *text = lua_tolstring(L, 3, &left);
  const char *mark;
  while ((mark = memchr(text, ESCAPE, left))) {
    luaL_addlstring(b, text, (size_t)(mark - text));
    byte next = (byte)mark[1];
    if (next == ESCAPE) {
      luaL_addchar(b, ESCAPE);
    } else if (next == '0') {
      luaL_addlstring(b, (const char *)start, (size_t)(end - start));
    } else if (next >= '1' && next <= '9') {
      const byte *found;
      ptrdiff_t length = get_capture(m, next - '1', start, end, &found);
      if (length == CAPTURE_POSITION)
        luaL_addvalue(b);
      else
        luaL_addlstring(b, (const char *)found, (size_t)length);
    } else {
      luaL_error(L, "invalid use of '%c' in replacement string", ESCAPE);
    }
    left -= (size_t)(mark + 2 - text);
    text = mark + 2;
  }
  luaL_addlstring(b, text, left);
}

// Adds the replacement of the match start..end; returns whether it replaced anything.
static int add_replacement(matcher *m, luaL_Buffer *b, const byte *start, const byte *end, int kind) {
  lua_State *L = m->L;
  if (kind == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    lua_call(L, push_captures(m, start, end), 1);
  } else if (kind == LUA_TTABLE) {
    push_capture(m, 0, start, end);
    lua_gettable(L, 3);
  } else {
    add_string(m, b, start, end);
    return 1;
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(b, (const char *)start, (size_t)(end - start));
    return 0;
  }
  if (!lua_isstring(L, -1)) return luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  luaL_addvalue(b);
  return 1;
}

// Copies the text up to the next place where a match can begin; returns that place, or NULL.
static const byte *copy_to_candidate(matcher *m, luaL_Buffer *b, const byte *s, int first) {
  const byte *at = next_candidate(m, s, first);
  const byte *upto = at ? at : m->subject_end;
  if (upto > s) luaL_addlstring(b, (const char *)s, (size_t)(upto - s));
  return at;
}

static int pattern_gsub(lua_State *L) {
  size_t length, pattern_length;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  int kind = lua_type(L, 3);
  lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1);
  luaL_argexpected(L, kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE, 3,
                   "string/function/table");
  lua_settop(L, 4);
  matcher m;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  prepare(&m, L, text, length, pattern, pattern_length);
  const byte *p = (const byte *)pattern, *s = m.subject, *last_end = NULL;
  int is_anchored = *p == '^';
  if (is_anchored) p++;
  int first = is_anchored ? -1 : first_character(&m, p);
  lua_Integer count = 0;
  int has_changed = 0;
  while (count < most) {
    if (first >= 0) {
      const byte *at = copy_to_candidate(&m, &b, s, first);
      s = at ? at : m.subject_end;
      if (!at) break;
    }
    const byte *end = match_at(&m, s, p);
    if (end && end != last_end) {
      count++;
      has_changed |= add_replacement(&m, &b, s, end, kind);
      s = last_end = end;
    } else if (s < m.subject_end) {
      luaL_addchar(&b, (char)*s);
      s++;
    } else {
      break;
    }
    if (is_anchored) break;
  }
  if (has_changed) {
    luaL_addlstring(&b, (const char *)s, (size_t)(m.subject_end - s));
    luaL_pushresult(&b);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, count);
  return 2;
}

void dh_open_patterns(lua_State *L) {
  dh_replace(L, "string", "find", pattern_find);
  dh_replace(L, "string", "match", pattern_match);
  dh_replace(L, "string", "gmatch", pattern_gmatch);
  dh_replace(L, "string", "gsub", pattern_gsub);
}
