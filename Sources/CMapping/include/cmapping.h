// Files in memory that somebody may cut short meanwhile, and what of files Swift's Glibc does not have. Invariant:
// reading a mapping of this file never ends the process: a page that the file does not have any more reads as zeros.

#ifndef CMAPPING_H
#define CMAPPING_H

#include <stdbool.h>
#include <stddef.h>

/// Catches SIGBUS from now on, for the whole process. Calling it again does nothing.
void mapping_guard(void);

/// Maps the first bytes of an open file to be read, shared with every process that maps it; NULL where it cannot be.
void *mapping_begin(int file, size_t count);

/// Ends a mapping that `mapping_begin` gave.
void mapping_end(void *start, size_t count);

/// Writes out all that waits for the file system of an open file (syncfs(2)). Returns 0 or an errno.
int mapping_sync_file_system(int file);

/// For a handler of SIGBUS: whether the address is in a mapping. It reads as zeros then, and the thread may go on.
bool mapping_fill(const void *address);

/// Writes all that waits for the disk that an open file is on, and waits for it: 0, or -1 and `errno`.

#endif
