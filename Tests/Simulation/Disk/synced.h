// What a disk holds for certain, and what a power cut makes of the rest. Only `disk.c` uses it, under its lock.
// And the memory of SQLite and of Lua, which `disk.c` plans, too.

#ifndef SYNCED_H
#define SYNCED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// The C library's own call of that name.
#define REAL(name) ((__typeof__(&name))real_call(#name))
void *real_call(const char *name);

// A file, or a folder's names, is as it should be after a power cut.
void sync_file(const char *path, ino_t inode);
void sync_folder(const char *path, ino_t inode);
// Everything below a folder.
void sync_all(const char *path);
// Nothing is known to be synced.
void forget_synced(void);

// SQLite's allocation of that number fails, or all from it on; 0 for none.
void plan_memory(long call, bool for_good);
bool memory_has_failed(void);
// The same of Lua's.
void plan_lua(long call, bool for_good);
bool lua_has_failed(void);

// Writes what a power cut leaves of the folder to another one that is not there yet.
void cut_power(const char *folder, const char *image, uint64_t seed);
// Writes what a killed process leaves: all that it wrote.
void copy_all(const char *path, const char *target);

#endif
