// A disk that fails on request, for the folder of a simulated machine: SQLite and Files reach it through the C library,
// whose calls are taken over in this process.
// Invariant: outside of the watched folder every call is the C library's own.

#ifndef SIMULATED_DISK_H
#define SIMULATED_DISK_H

#include <stdbool.h>
#include <stdint.h>

// What happens at the call that a fault names.
enum disk_fault_kind {
  DISK_FAULT_NONE,
  // That call fails, once.
  DISK_FAULT_ERROR,
  // From that call on there is no room for a byte more.
  DISK_FAULT_FULL,
  // That write takes a half of what it was given.
  DISK_FAULT_SHORT,
  // The power fails: what was not synced is there or not, in pieces of 512 bytes.
  DISK_FAULT_POWER,
  // The process is killed: what it wrote until then is there.
  DISK_FAULT_KILL,
  // Ctrl-C: from that question on, whoever asks is told to stop.
  DISK_FAULT_INTERRUPT,
  // SQLite's allocation of that number gives nothing.
  DISK_FAULT_MEMORY,
  // No allocation of SQLite's gives anything from that one on.
  DISK_FAULT_STARVED,
  // Lua's allocation of that number gives nothing, and all from that one on.
  DISK_FAULT_LUA,
  DISK_FAULT_LUA_STARVED,
};

// Everything in the folder counts as synced from here on; NULL watches nothing.
void disk_watch(const char *folder);

// Counts calls that change something from 0 again, and plans a fault.
// After a power cut or a kill every call that changes something fails; what the disk holds then lies in `image`.
void disk_plan(enum disk_fault_kind kind, long call, uint64_t seed, const char *image);

// Calls that changed something since the fault was planned.
long disk_calls(void);

// Takes over the memory of SQLite. Only before its first use.
bool disk_count_memory(void);

// Allocations of SQLite since the fault was planned.
long disk_allocations(void);

// Allocations of Lua since the fault was planned.
long disk_lua_allocations(void);

// Questions whether to stop since the fault was planned.
long disk_polls(void);

// Whether the planned fault has happened.
bool disk_has_failed(void);

// Whether the machine is off.
bool disk_is_off(void);

// Asked for Ctrl-C.
bool disk_polls_interrupted(void);

// Has what this process writes to standard output and error kept, and gives its standard input.
// Returns a descriptor of the terminal of before.
int disk_capture(void);
void disk_set_input(const char *bytes, long count);
// What was written since the last time; the caller frees it.
char *disk_taken_output(long *count);

// What a program called `simulated-net` is: a function of a thread, given its end of the channel.
void disk_serve_with(void (*function)(int));

#endif
