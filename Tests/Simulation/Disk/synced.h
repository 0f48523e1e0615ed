// What a disk holds for certain, and what a power cut makes of the rest. Only `disk.c` uses it, under its lock.
// Also the memory of SQLite and of Lua, whose faults `disk.c` plans.

#ifndef SYNCED_H
#define SYNCED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// The C library's own function of that name.
#define REAL(name) ((__typeof__(&name))real_call(#name))
void *real_call(const char *name);

// Records a file, or a folder's names, as synced: a power cut keeps it as it is now.
void sync_file(const char *path, ino_t inode);
void sync_folder(const char *path, ino_t inode);
// Records everything below a folder as synced.
void sync_all(const char *path);
// Forgets everything that was synced.
void forget_synced(void);

// Makes SQLite's allocation with that number fail, or all from that one on; 0 for none.
void plan_memory(long call, bool for_good);
bool memory_has_failed(void);
// The same for Lua's allocations.
void plan_lua(long call, bool for_good);
bool lua_has_failed(void);

// Writes the folder as a power cut leaves it to another folder, which must not exist.
void cut_power(const char *folder, const char *image, uint64_t seed);
// Writes the folder as a killed process leaves it: everything that was written.
void copy_all(const char *path, const char *target);

#endif
