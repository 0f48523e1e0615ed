// Lua's memory, which can be made to run out: the linker gives the runtime this allocator in place of its own.
// Invariant: without a planned fault every allocation goes to the runtime's own allocator. No allocation fails within
// a call of the host: there the runtime would end the process, which the simulator covers by kills.

#include "synced.h"

#include "../../../Sources/CLua/runtime.h"

#include <stdatomic.h>

void *__real_dh_allocate(void *ud, void *block, size_t old_size, size_t new_size);
void *__wrap_dh_allocate(void *ud, void *block, size_t old_size, size_t new_size);

static atomic_long allocations, failing;
static atomic_bool goes_on, has_failed;

// Lua asks once more after a garbage collection.
static bool fails(void) {
  long number = atomic_fetch_add(&allocations, 1) + 1, first = failing;
  bool is_now = first > 0 && (goes_on ? number >= first : number == first || number == first + 1);
  if (is_now) has_failed = true;
  return is_now;
}

void *__wrap_dh_allocate(void *ud, void *block, size_t old_size, size_t new_size) {
  const dh_runtime *runtime = ud;
  if (new_size > (block ? old_size : 0) && runtime->host_depth == 0 && fails()) return NULL;
  return __real_dh_allocate(ud, block, old_size, new_size);
}

void plan_lua(long call, bool for_good) {
  allocations = 0;
  has_failed = false;
  goes_on = for_good;
  failing = call;
}

bool lua_has_failed(void) { return has_failed; }
long disk_lua_allocations(void) { return allocations; }
