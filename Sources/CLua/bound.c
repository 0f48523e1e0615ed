// Bound types: userdata that hold one reference to a Swift object, and the trampolines through which Lua calls Swift.
// A trampoline checks self by the type that its userdata begins with, calls one Swift function, and raises only after
// that function has returned. Invariants: a userdata's reference is released exactly once, by __gc, whoever calls it;
// the first word of every userdata in a state is a pointer, and only a bound object's points to a dh_type.
// Measured: lines of a file 590, as the way in is compiled into each trampoline only within one file.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

// The content of a bound object's userdata.
typedef struct object_box {
  const dh_type *type;
  void *object;  // NULL once released
  size_t cost;
} object_box;

#define STEP_AFTER (1024 * 1024)  // bytes of new host objects after which the collector runs a step

// Registry keys; only their addresses matter. `objects` maps an object's address to its userdata (weak values),
// `guarded` holds the metatables that debug.setmetatable must not set, `functions` is the metatable of the host
// functions that are garbage-collected.
static const char objects_key = 0, guarded_key = 0, functions_key = 0;

// ---- Failing

static int fail_argument(lua_State *L, const dh_function *function, int argument, const char *text) {
  lua_Debug ar;
  const char *name = function->name;
  if (lua_getstack(L, 0, &ar)) {
    lua_getinfo(L, "n", &ar);
    if (ar.namewhat && strcmp(ar.namewhat, "method") == 0) {
      argument--;
      if (argument == 0) return luaL_error(L, "calling '%s' on bad self (%s)", name, text);
    }
  }
  return luaL_error(L, "bad argument #%d to '%s' (%s)", argument, name, text);
}

static int fail(lua_State *L, const dh_function *function, int answer) {
  if (answer == DH_FAIL_VALUE) return lua_error(L);
  const char *text = lua_tostring(L, -1);
  if (answer == DH_FAIL_MESSAGE) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
    return lua_error(L);
  }
  return fail_argument(L, function, DH_FAIL_ARGUMENT - answer, text ? text : "bad value");
}

// Work that must wait until Swift's frame is gone: enforcing the memory limit, and collecting garbage for new host
// objects.
static int settle(lua_State *L, dh_runtime *rt) {
  if (rt->is_short) return dh_raise_short(L);
  if (rt->external_since_step > STEP_AFTER) {
    rt->external_since_step = 0;
    lua_gc(L, LUA_GCSTEP, STEP_AFTER / 1024);
  }
  if (!rt->limit || dh_weight(rt) <= rt->limit) return 0;
  lua_gc(L, LUA_GCCOLLECT, 0);
  if (dh_weight(rt) <= rt->limit) return 0;
  if (!rt->stop) dh_stop_runtime(rt, DH_STOP_MEMORY);
  return dh_raise_stop(L);
}

// Runs after each host call.
static inline void finish(lua_State *L, dh_runtime *rt) {
  if (__builtin_expect(rt->stop != 0, 0)) dh_raise_stop(L);
  if (__builtin_expect((rt->limit | (size_t)rt->is_short) != 0 || rt->external_since_step > STEP_AFTER, 0)) settle(L, rt);
}

// Returns why a function cannot be called now, or NULL; also makes room for it on the stack.
static inline const char *refusal(lua_State *L, const dh_runtime *rt, const dh_function *function) {
  if (__builtin_expect(rt->is_retired, 0) && !function->outlives) return DH_CLOSED_STATE;
  return __builtin_expect(lua_checkstack(L, DH_ROOM), 1) ? NULL : "stack overflow";
}

static inline int invoke(lua_State *L, dh_runtime *rt, void *object, const dh_function *function) {
  size_t taken = rt->transient;  // restored at the end of the call
  rt->host_depth++;
  int answer = rt->host.invoke(L, object, function->swift);
  rt->host_depth--;
  rt->transient = taken;
  finish(L, rt);
  return answer;
}

// Calls the fast path of a function; DH_DECLINED means that the general path must be called.
static inline int invoke_fast(lua_State *L, dh_runtime *rt, void *object, const dh_function *function) {
  rt->host_depth++;
  int answer = function->fast(L, object, function->context);
  rt->host_depth--;
  if (__builtin_expect(answer >= 0, 1)) finish(L, rt);
  return answer;
}

static inline int enter(lua_State *L, void *object, const dh_function *function) {
  dh_runtime *rt = dh_of(L);
  const char *why = refusal(L, rt, function);
  if (__builtin_expect(why != NULL, 0)) return luaL_error(L, "%s", why);
  int answer = invoke(L, rt, object, function);
  if (__builtin_expect(answer < 0, 0)) return fail(L, function, answer);
  return answer;
}

// A fast path needs no more stack than Lua gives to each call.
static inline int enter_fast(lua_State *L, void *object, const dh_function *function) {
  dh_runtime *rt = dh_of(L);
  if (__builtin_expect(rt->is_retired, 0)) return enter(L, object, function);
  int answer = invoke_fast(L, rt, object, function);
  return __builtin_expect(answer < 0, 0) ? enter(L, object, function) : answer;
}

// ---- Self

// Returns the box of the value at index if it is a userdata of the type, otherwise NULL.
static inline object_box *box_of(lua_State *L, int index, const dh_type *type) {
  if (lua_type(L, index) != LUA_TUSERDATA) return NULL;
  object_box *box = lua_touserdata(L, index);
  return box->type == type ? box : NULL;
}

static int bad_self(lua_State *L, const dh_function *function, const object_box *box) {
  if (box) return luaL_error(L, "%s is closed", function->type->name);
  lua_pushfstring(L, "%s expected, got %s", function->type->name, dh_value_name(L, 1));
  return fail_argument(L, function, 1, lua_tostring(L, -1));
}

static inline const dh_function *own_function(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

static int call_function(lua_State *L) { return enter(L, NULL, own_function(L)); }

static int call_fast_function(lua_State *L) { return enter_fast(L, NULL, own_function(L)); }

static int call_method(lua_State *L) {
  const dh_function *function = own_function(L);
  object_box *box = box_of(L, 1, function->type);
  if (__builtin_expect(!box || !box->object, 0)) return bad_self(L, function, box);
  return enter(L, box->object, function);
}

static int call_fast_method(lua_State *L) {
  const dh_function *function = own_function(L);
  object_box *box = box_of(L, 1, function->type);
  if (__builtin_expect(!box || !box->object, 0)) return bad_self(L, function, box);
  return enter_fast(L, box->object, function);
}

// Like a method, but a closed object still has a text.
static int call_tostring(lua_State *L) {
  const dh_function *function = own_function(L);
  object_box *box = box_of(L, 1, function->type);
  if (!box) return bad_self(L, function, box);
  if (box->object) return enter(L, box->object, function);
  lua_pushfstring(L, "%s (closed)", function->type->name);
  return 1;
}

// ---- Calls for another process

static void push_host_function(lua_State *L, const dh_function *function, lua_CFunction trampoline) {
  lua_pushlightuserdata(L, (void *)function);
  lua_pushcclosure(L, trampoline, 1);
}

// Upvalue: the dh_function. A failure is returned by number, as the other process raises it.
static int serve_call(lua_State *L) {
  const dh_function *function = own_function(L);
  dh_runtime *rt = dh_of(L);
  object_box *box = function->type ? box_of(L, 1, function->type) : NULL;
  if (function->type && (!box || !box->object)) {
    rt->served = DH_BAD_SELF;
    return 0;
  }
  void *object = box ? box->object : NULL;
  const char *why = refusal(L, rt, function);
  if (why) {
    lua_pushstring(L, why);
    rt->served = DH_FAIL_MESSAGE;
    return 1;
  }
  int answer = function->fast ? invoke_fast(L, rt, object, function) : DH_DECLINED;
  if (answer == DH_DECLINED) answer = invoke(L, rt, object, function);
  rt->served = answer;
  return answer < 0 ? 1 : answer;
}

int dh_serve(lua_State *L, const dh_function *function, int arguments, int *answer) {
  push_host_function(L, function, serve_call);
  lua_insert(L, -(arguments + 1));
  int status = dh_call_unlimited(L, arguments, LUA_MULTRET);
  *answer = dh_of(L)->served;
  dh_clear_position(L);
  return status;
}

const dh_function *dh_host_function(lua_State *L, int index) {
  lua_CFunction function = lua_tocfunction(L, index);
  if (function != call_function && function != call_fast_function) return NULL;
  if (!lua_getupvalue(L, index, 1)) return NULL;
  const dh_function *found = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return found;
}

// ---- Fields

static int unknown_field(lua_State *L, const char *name, int writing) {
  dh_runtime *rt = dh_of(L);
  rt->host_depth++;
  rt->host.unknown_field(L, name, 2, writing);
  rt->host_depth--;
  return dh_raise_from_metamethod(L);
}

// Upvalues: the type, the members (name to method, or to the dh_function of a getter).
static int index_checked(lua_State *L) {
  lua_pushvalue(L, 2);
  int kind = lua_rawget(L, lua_upvalueindex(2));
  if (kind == LUA_TFUNCTION) return 1;
  const dh_type *type = lua_touserdata(L, lua_upvalueindex(1));
  if (kind != LUA_TLIGHTUSERDATA) {
    lua_settop(L, 2);
    return unknown_field(L, type->name, 0);
  }
  const dh_function *getter = lua_touserdata(L, -1);
  object_box *box = box_of(L, 1, type);
  if (!box || !box->object) return bad_self(L, getter, box);
  lua_settop(L, 1);
  return getter->fast ? enter_fast(L, box->object, getter) : enter(L, box->object, getter);
}

static int assign_checked(lua_State *L) {
  const dh_type *type = lua_touserdata(L, lua_upvalueindex(1));
  lua_settop(L, 3);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TLIGHTUSERDATA) return unknown_field(L, type->name, 1);
  const dh_function *setter = lua_touserdata(L, -1);
  object_box *box = box_of(L, 1, type);
  if (!box || !box->object) return bad_self(L, setter, box);
  lua_settop(L, 3);
  return enter(L, box->object, setter);
}

// Handles a name that is not a method, for a type without fields. Upvalue: the type.
static int index_missing(lua_State *L) {
  const dh_type *type = lua_touserdata(L, lua_upvalueindex(1));
  lua_settop(L, 2);
  return unknown_field(L, type->name, 0);
}

// Releases a reference to a Swift object, and what was charged for it.
static void release_held(lua_State *L, void **held, size_t cost) {
  dh_runtime *rt = dh_of(L);
  void *object = *held;
  *held = NULL;
  rt->external -= cost;
  rt->host_depth++;
  rt->host.release(object);
  rt->host_depth--;
}

// Releases a Swift function whose Lua function was collected. Its userdata is the dh_function, the upvalue of its
// trampoline.
static int release_function(lua_State *L) {
  dh_function *function = lua_touserdata(L, 1);
  if (!function || !lua_getmetatable(L, 1)) return 0;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key);
  int is_ours = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  if (is_ours && function->swift) release_held(L, &function->swift, function->cost);
  return 0;
}

static int release(lua_State *L) {
  const dh_type *type = lua_touserdata(L, lua_upvalueindex(1));
  object_box *box = box_of(L, 1, type);
  if (box && box->object) release_held(L, &box->object, box->cost);
  return 0;
}

// ---- Types

static void set_closure(lua_State *L, const dh_type *type, const char *event, lua_CFunction function, int table_ref) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, type->metatable_ref);
  lua_pushstring(L, event);
  lua_pushlightuserdata(L, (void *)type);
  int upvalues = 1;
  if (table_ref != LUA_NOREF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, table_ref);
    upvalues = 2;
  }
  lua_pushcclosure(L, function, upvalues);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

// A type without fields finds its methods in a table, which saves a C call for each access.
static void index_by_table(lua_State *L, const dh_type *type) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, type->members_ref);
  lua_createtable(L, 0, 2);
  set_text(L, "__metatable", type->name);
  lua_pushliteral(L, "__index");
  lua_pushlightuserdata(L, (void *)type);
  lua_pushcclosure(L, index_missing, 1);
  lua_rawset(L, -3);
  lua_setmetatable(L, -2);
  lua_rawgeti(L, LUA_REGISTRYINDEX, type->metatable_ref);
  lua_pushliteral(L, "__index");
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

dh_type *dh_type_new(lua_State *L, const char *name) {
  dh_runtime *rt = dh_of(L);
  dh_type *type = calloc(1, sizeof *type);
  if (!type) abort();
  type->name = name;
  type->next = rt->types;
  rt->types = type;
  lua_createtable(L, 0, 12);
  type->metatable = lua_topointer(L, -1);
  set_text(L, "__name", name);
  set_text(L, "__metatable", name);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &guarded_key);
  lua_pushvalue(L, -2);
  lua_pushlightuserdata(L, type);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  type->metatable_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_createtable(L, 0, 16);
  type->members_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_createtable(L, 0, 4);
  type->setters_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  set_closure(L, type, "__gc", release, LUA_NOREF);
  set_closure(L, type, "__newindex", assign_checked, type->setters_ref);
  index_by_table(L, type);
  return type;
}

void dh_push_function(lua_State *L, const dh_function *function) {
  push_host_function(L, function, function->fast ? call_fast_function : call_function);
}

void dh_push_owned_function(lua_State *L, void *swift, const char *name, size_t cost) {
  size_t length = strlen(name) + 1;
  dh_function *function = lua_newuserdatauv(L, sizeof *function + length, 0);
  char *copy = (char *)(function + 1);
  memcpy(copy, name, length);
  *function = (dh_function){.swift = swift, .name = copy, .cost = cost};
  lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key);
  lua_setmetatable(L, -2);
  dh_runtime *rt = dh_of(L);
  rt->external += cost;
  rt->external_since_step += cost;
  lua_pushcclosure(L, call_function, 1);
}

static void set_member(lua_State *L, int table_ref, const dh_function *function, int as_method) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, table_ref);
  lua_pushstring(L, function->name);
  if (as_method)
    push_host_function(L, function, function->fast ? call_fast_method : call_method);
  else
    lua_pushlightuserdata(L, (void *)function);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

void dh_type_method(lua_State *L, dh_type *type, const dh_function *function) {
  set_member(L, type->members_ref, function, 1);
}
void dh_type_getter(lua_State *L, dh_type *type, const dh_function *function) {
  // Only a function as __index receives the object that a field is computed from.
  if (!type->has_fields) set_closure(L, type, "__index", index_checked, type->members_ref);
  type->has_fields = 1;
  set_member(L, type->members_ref, function, 0);
}
void dh_type_setter(lua_State *L, dh_type *type, const dh_function *function) {
  set_member(L, type->setters_ref, function, 0);
}

void dh_type_operator(lua_State *L, dh_type *type, const dh_function *function) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, type->metatable_ref);
  lua_pushstring(L, function->name);
  push_host_function(L, function, strcmp(function->name, "__tostring") == 0 ? call_tostring : call_method);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

// ---- Objects

int dh_push_object(lua_State *L, const dh_type *type, void *object, size_t cost) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &objects_key);
  if (lua_rawgetp(L, -1, object) == LUA_TUSERDATA) {
    object_box *known = box_of(L, -1, type);
    if (known && known->object == object) {
      lua_remove(L, -2);
      return 0;
    }
  }
  lua_pop(L, 1);
  object_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  box->type = type;
  box->object = object;
  box->cost = cost;
  lua_rawgeti(L, LUA_REGISTRYINDEX, type->metatable_ref);
  lua_setmetatable(L, -2);
  dh_runtime *rt = dh_of(L);
  rt->external += cost;
  rt->external_since_step += cost;
  lua_pushvalue(L, -1);
  lua_rawsetp(L, -3, object);
  lua_remove(L, -2);
  return 1;
}

void dh_set_cost(lua_State *L, int index, size_t cost) {
  if (!dh_type_of(L, index)) return;
  object_box *box = lua_touserdata(L, index);
  if (!box->object) return;
  dh_runtime *rt = dh_of(L);
  rt->external = rt->external - box->cost + cost;
  if (cost > box->cost) rt->external_since_step += cost - box->cost;
  box->cost = cost;
}

void *dh_to_object(lua_State *L, int index, const dh_type *type) {
  object_box *box = box_of(L, index, type);
  return box ? box->object : NULL;
}

const dh_type *dh_type_of(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
  const void *metatable = lua_topointer(L, -1);
  lua_pop(L, 1);
  for (const dh_type *type = dh_of(L)->types; type; type = type->next)
    if (type->metatable == metatable) return type;
  return NULL;
}

const char *dh_value_name(lua_State *L, int index) {
  const dh_type *type = dh_type_of(L, index);
  if (type) return type->name;
  if (lua_isnone(L, index)) return "no value";
  if (lua_type(L, index) == LUA_TLIGHTUSERDATA) return "light userdata";
  if (lua_getmetatable(L, index)) {
    lua_pushliteral(L, "__name");
    lua_rawget(L, -2);
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 2);  // the metatable keeps the string alive
    if (name) return name;
  }
  return luaL_typename(L, index);
}

// ---- Modules

// Upvalues: the module's name, its computed fields.
static int index_module(lua_State *L) {
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TLIGHTUSERDATA) {
    const dh_function *getter = lua_touserdata(L, -1);
    lua_settop(L, 0);
    return enter(L, NULL, getter);
  }
  return unknown_field(L, lua_tostring(L, lua_upvalueindex(1)), 0);
}

void dh_push_module(lua_State *L, const char *name) {
  lua_createtable(L, 0, 16);
  lua_createtable(L, 0, 3);
  set_text(L, "__name", name);
  set_text(L, "__metatable", name);
  lua_pushliteral(L, "__index");
  lua_pushstring(L, name);
  lua_createtable(L, 0, 4);
  lua_pushcclosure(L, index_module, 2);
  lua_rawset(L, -3);
  lua_setmetatable(L, -2);
}

void dh_module_getter(lua_State *L, const dh_function *function) {
  if (!lua_getmetatable(L, -1)) return;
  lua_pushliteral(L, "__index");
  lua_rawget(L, -2);
  lua_getupvalue(L, -1, 2);
  lua_pushstring(L, function->name);
  lua_pushlightuserdata(L, (void *)function);
  lua_rawset(L, -3);
  lua_pop(L, 3);
}

// ---- The debug library may inspect bound objects, but not forge them or take their functions apart

static int is_bound_metatable(lua_State *L, int index) {
  if (!lua_istable(L, index)) return 0;
  lua_pushvalue(L, index);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &guarded_key);
  lua_insert(L, -2);
  int known = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 2);
  return known;
}

static int guarded_setmetatable(lua_State *L) {
  luaL_argexpected(L, lua_isnoneornil(L, 2) || lua_istable(L, 2), 2, "nil or table");
  luaL_argcheck(L, !is_bound_metatable(L, 2), 2, "the metatable of a bound type is only for its objects");
  luaL_argcheck(L, !dh_type_of(L, 1), 1, "the metatable of a bound object cannot be changed");
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

static int is_trampoline(lua_State *L, int index) {
  lua_CFunction function = lua_tocfunction(L, index);
  static const lua_CFunction ours[] = {call_function, call_fast_function, call_method,    call_fast_method,
                                       call_tostring, index_checked,      assign_checked, release,
                                       index_module,  index_missing,      serve_call};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (function == ours[i]) return 1;
  return dh_is_of_frozen(function);
}

// The upvalue is the original function; it is called unless its first argument is a host function.
static int guarded_upvalue(lua_State *L) {
  luaL_argcheck(L, !is_trampoline(L, 1), 1, "a function of the host cannot be changed");
  int count = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, count, LUA_MULTRET);
  return lua_gettop(L);
}

// A running function of the host uses its arguments until it returns. The upvalue is the original function; it runs in
// this frame, as levels are counted from there.
static int guarded_setlocal(lua_State *L) {
  int argument = lua_isthread(L, 1) ? 2 : 1;
  lua_State *owner = argument == 2 ? lua_tothread(L, 1) : L;
  lua_Debug ar;
  if (lua_getstack(owner, (int)luaL_checkinteger(L, argument), &ar)) {
    lua_getinfo(owner, "S", &ar);
    luaL_argcheck(L, *ar.what != 'C', argument, "the values of a function of the host cannot be changed");
  }
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static void guard_debug(lua_State *L, const char *name, lua_CFunction guard) {
  lua_getfield(L, -1, name);
  lua_pushcclosure(L, guard, 1);
  lua_setfield(L, -2, name);
}

void dh_open_bound(lua_State *L) {
  lua_createtable(L, 0, 0);
  lua_createtable(L, 0, 1);
  set_text(L, "__mode", "v");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &objects_key);
  lua_createtable(L, 0, 8);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &guarded_key);
  lua_createtable(L, 0, 2);
  set_text(L, "__metatable", "function");
  lua_pushliteral(L, "__gc");
  lua_pushcfunction(L, release_function);
  lua_rawset(L, -3);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &functions_key);
  lua_createtable(L, DH_TEXT_SLOTS, 0);
  dh_of(L)->texts_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  if (dh_of(L)->is_sandboxed) return;
  lua_getglobal(L, "debug");
  lua_pushcfunction(L, guarded_setmetatable);
  lua_setfield(L, -2, "setmetatable");
  static const char *const changing[] = {"setupvalue", "upvaluejoin", "getupvalue"};
  for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) guard_debug(L, changing[i], guarded_upvalue);
  guard_debug(L, "setlocal", guarded_setlocal);
  lua_pop(L, 1);
}
