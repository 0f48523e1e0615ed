// Swift heap memory used on behalf of a state: copies that a host call makes for it, and data that Swift stores for
// it. Invariant: Lua's heap, the stored data and the charges of running calls together stay under the bound; a charge
// beyond it is refused before anything is allocated.

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime.h"

enum {
  PROBE_SHIFT = 24,        // the allocator is probed each time a call has been charged another 16 MiB,
  LARGE_CHARGE = 1 << 20,  // and for each large block
};

// Makes glibc return large blocks to the system as soon as they are freed. By default it retains increasingly large
// blocks, and memory that a state freed long ago still counts as the program's.
static void return_large_blocks(void) {
  mallopt(M_MMAP_THRESHOLD, LARGE_CHARGE);
  mallopt(M_TRIM_THRESHOLD, 8 * LARGE_CHARGE);
}

void dh_prepare_allocator(void) {
  static pthread_once_t prepared = PTHREAD_ONCE_INIT;
  pthread_once(&prepared, return_large_blocks);
}

// Half of the memory that the program may have, at most 16 GiB: the user's own code never needs more, and the program
// is not killed for lack of memory.
size_t dh_spare_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  size_t all = pages > 0 && size > 0 ? (size_t)pages * (size_t)size : (size_t)4 << 30, most = (size_t)16 << 30;
  struct rlimit space;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur < all) all = space.rlim_cur;
  return all / 2 < most ? all / 2 : most;
}

// Whether malloc can provide this many bytes: Swift ends the program when an allocation fails.
static int can_allocate(size_t bytes) {
  void *block = malloc(bytes);
  free(block);
  return block != NULL;
}

// Whether the state fits under the bound with `more` bytes, not counting garbage. A state without a limit is not
// collected here: the user's own finalizers would run in the middle of the host's work.
static int fits(lua_State *L, dh_runtime *rt, size_t more) {
  size_t weight = dh_weight(rt);
  if (weight <= rt->bound && more <= rt->bound - weight) return 1;
  if (!rt->limit || more > rt->bound) return 0;
  lua_gc(L, LUA_GCCOLLECT, 0);
  weight = dh_weight(rt);
  return weight <= rt->bound && more <= rt->bound - weight;
}

static int charge_with_care(lua_State *L, dh_runtime *rt, size_t bytes) {
  if (rt->stop || !rt->reserve) return 0;
  if (!fits(L, rt, bytes) || !can_allocate(bytes > LARGE_CHARGE ? bytes : LARGE_CHARGE)) {
    if (rt->limit) dh_stop_runtime(rt, DH_STOP_MEMORY);
    return 0;
  }
  rt->transient += bytes;
  return 1;
}

int dh_charge(lua_State *L, size_t bytes) {
  dh_runtime *rt = dh_of(L);
  size_t taken = rt->transient + bytes, weight = dh_weight(rt);
  int is_plain = weight <= rt->bound && bytes <= rt->bound - weight && bytes < LARGE_CHARGE && !rt->stop &&
                 rt->reserve && taken >> PROBE_SHIFT == rt->transient >> PROBE_SHIFT;
  if (__builtin_expect(!is_plain, 0)) return charge_with_care(L, rt, bytes);
  rt->transient = taken;
  return 1;
}

size_t dh_charged(lua_State *L) { return dh_of(L)->transient; }

void dh_restore_charge(lua_State *L, size_t charged) {
  dh_of(L)->transient = charged;
  dh_of(L)->is_short = 0;
}

int dh_has_room(lua_State *L, size_t bytes) {
  dh_runtime *rt = dh_of(L);
  size_t weight = dh_weight(rt);
  int is_plain = weight <= rt->bound && bytes <= rt->bound - weight && !rt->stop && bytes < LARGE_CHARGE && rt->reserve;
  if (__builtin_expect(is_plain, 1)) return 1;
  if (rt->stop) return 0;
  if (rt->reserve && fits(L, rt, bytes) && (bytes < LARGE_CHARGE || can_allocate(bytes))) return 1;
  rt->is_short = 1;
  if (rt->limit) dh_stop_runtime(rt, DH_STOP_MEMORY);
  return 0;
}

size_t dh_room(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  size_t weight = dh_weight(rt);
  return weight < rt->bound ? rt->bound - weight : 0;
}

void dh_keep(lua_State *L, size_t bytes) { dh_of(L)->external += bytes; }
void dh_release(lua_State *L, size_t bytes) { dh_of(L)->external -= bytes; }
int dh_stop_reason_of(lua_State *L) { return dh_of(L)->stop; }
void dh_collect(lua_State *L) { lua_gc(L, LUA_GCCOLLECT, 0); }

int dh_raise_short(lua_State *L) {
  dh_runtime *rt = dh_of(L);
  rt->is_short = 0;
  if (!rt->limit) return luaL_error(L, "not enough memory: the result is too large");
  if (!rt->stop) dh_stop_runtime(rt, DH_STOP_MEMORY);
  return dh_raise_stop(L);
}
