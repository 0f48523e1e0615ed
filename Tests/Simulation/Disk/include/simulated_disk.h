// A disk that fails on request, for the folder of a simulated machine: SQLite and Files reach it through the C
// library, whose calls are overridden in this process.
// Invariant: outside the watched folder every call is passed to the C library unchanged.

#ifndef SIMULATED_DISK_H
#define SIMULATED_DISK_H

#include <stdbool.h>
#include <stdint.h>

// What happens at the call that a fault names.
enum disk_fault_kind {
  DISK_FAULT_NONE,
  // That call fails, once.
  DISK_FAULT_ERROR,
  // From that call on the disk is full.
  DISK_FAULT_FULL,
  // That write is short: it takes half of its bytes.
  DISK_FAULT_SHORT,
  // The power fails: data that was not synced is kept or lost in pieces of 512 bytes.
  DISK_FAULT_POWER,
  // The process is killed: what it wrote so far is kept.
  DISK_FAULT_KILL,
  // Ctrl-C: from that query on, every caller is told to stop.
  DISK_FAULT_INTERRUPT,
  // SQLite's allocation with that number fails.
  DISK_FAULT_MEMORY,
  // All of SQLite's allocations fail from that one on.
  DISK_FAULT_STARVED,
  // Lua's allocation with that number fails, or all from that one on.
  DISK_FAULT_LUA,
  DISK_FAULT_LUA_STARVED,
};

// Records everything in the folder as synced and starts watching it; NULL watches nothing.
void disk_watch(const char *folder);

// Restarts the count of calls that change something at 0, and plans a fault.
// After a power cut or a kill every call that changes something fails; `image` then holds the content of the disk.
void disk_plan(enum disk_fault_kind kind, long call, uint64_t seed, const char *image);

// The number of calls that changed something since the fault was planned.
long disk_calls(void);

// Overrides SQLite's memory functions. Only allowed before SQLite is first used.
bool disk_count_memory(void);

// The number of SQLite's allocations since the fault was planned.
long disk_allocations(void);

// The number of Lua's allocations since the fault was planned.
long disk_lua_allocations(void);

// How often callers asked whether to stop since the fault was planned.
long disk_polls(void);

// Whether the planned fault has happened.
bool disk_has_failed(void);

// Whether the machine is off.
bool disk_is_off(void);

// Returns whether Ctrl-C was pressed; callers poll this.
bool disk_polls_interrupted(void);

// Captures this process's standard output and error, and supplies its standard input.
// Returns a descriptor of the original terminal.
int disk_capture(void);
void disk_set_input(const char *bytes, long count);
// Returns what was written since the last call; the caller frees it.
char *disk_taken_output(long *count);

// Sets what the program `simulated-net` is: a function that runs on a thread and gets its end of the channel.
void disk_serve_with(void (*function)(int));

#endif
