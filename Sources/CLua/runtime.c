// Where an error came from: the position and the trace of the last one. Invariant: nothing here calls another file.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

void dh_set_tracing(lua_State *L, int on) { dh_of(L)->tracing = on; }
const char *dh_error_position(lua_State *L) { return dh_of(L)->position; }
const char *dh_stop_position(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  if (!rt->has_stop_position) return "";
  rt->has_stop_position = 0;
  return rt->position;
}
const char *dh_error_trace(lua_State *L) { return dh_of(L)->trace ? dh_of(L)->trace : ""; }
int dh_exit_status(lua_State *L) { return dh_of(L)->exit_status; }

// Finds the nearest Lua code from a level on; returns whether there is any.
static int find_line(lua_State *L, int level, lua_Debug *ar) {
  for (; level < 50 && lua_getstack(L, level, ar); level++) {
    lua_getinfo(L, "Sl", ar);
    if (ar->currentline > 0) return 1;
  }
  return 0;
}

static void note_position_from(lua_State *L, dh_runtime *rt, int level) {
  lua_Debug ar;
  rt->position[0] = 0;
  if (find_line(L, level, &ar)) snprintf(rt->position, sizeof rt->position, "%s:%d:", ar.short_src, ar.currentline);
}

int dh_raise_from_metamethod(lua_State *L) {
  lua_Debug ar;
  if (find_line(L, 1, &ar)) {
    lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static void note_position(lua_State *L, dh_runtime *rt) { note_position_from(L, rt, 1); }

// The first position is where the code was stopped; pcall raises the stop again from other places.
void dh_note_stop(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  if (!rt->has_stop_position) note_position_from(L, rt, 0);
  rt->has_stop_position = 1;
  rt->has_told_position = 0;
}

int dh_note_error(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  if (rt->stop) return 1;
  if (rt->has_told_position) {
    rt->has_told_position = 0;
    return 1;
  }
  note_position(L, rt);
  if (rt->tracing) {
    luaL_traceback(L, L, NULL, 1);
    free(rt->trace);
    rt->trace = strdup(lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  return 1;
}
