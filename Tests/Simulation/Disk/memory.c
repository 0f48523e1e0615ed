// SQLite's memory, which can be made to run out: SQLite's own memory functions are wrapped by counting ones.
// Invariant: without a planned fault every allocation goes to SQLite's own functions.

#include "synced.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>

static sqlite3_mem_methods usual;
static atomic_long allocations, failing;
static atomic_bool goes_on, has_failed;

static bool fails(void) {
  long number = atomic_fetch_add(&allocations, 1) + 1, first = failing;
  bool is_now = first > 0 && (goes_on ? number >= first : number == first);
  if (is_now) has_failed = true;
  return is_now;
}

static void *allocate(int size) { return fails() ? NULL : usual.xMalloc(size); }
static void *resize(void *block, int size) { return fails() ? NULL : usual.xRealloc(block, size); }

bool disk_count_memory(void) {
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual) != SQLITE_OK) return false;
  sqlite3_mem_methods counted = usual;
  counted.xMalloc = allocate;
  counted.xRealloc = resize;
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &counted) == SQLITE_OK;
}

void plan_memory(long call, bool for_good) {
  allocations = 0;
  has_failed = false;
  goes_on = for_good;
  failing = call;
}

bool memory_has_failed(void) { return has_failed; }
long disk_allocations(void) { return allocations; }
