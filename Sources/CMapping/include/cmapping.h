// Mapped files that another process may truncate, and file functions that Swift's Glibc module lacks. Invariant:
// reading a mapping made here never ends the process: a page that the file no longer has reads as zeros.

#ifndef CMAPPING_H
#define CMAPPING_H

#include <stdbool.h>
#include <stddef.h>

/// Catches SIGBUS from now on, for the whole process. Calling it again does nothing.
void mapping_guard(void);

/// Maps the first bytes of an open file for reading, shared with every process that maps it; NULL on failure.
void *mapping_begin(int file, size_t count);

/// Ends a mapping made by `mapping_begin`.
void mapping_end(void *start, size_t count);

/// Writes all pending data of an open file's file system to the disk (syncfs(2)). Returns 0 or an errno.
int mapping_sync_file_system(int file);

/// Renames a file, unless something has the new name (renameat2(2)). Returns 0, or -1 and an errno: EINVAL if the file
/// system cannot do that.
int mapping_rename_if_free(const char *path, const char *target);

/// Whether a process has a file open for writing that is open here for reading only: then the system grants no read
/// lease (fcntl(2)). False if the file system has no leases or the file belongs to another user.
bool mapping_is_open_for_writing(int file);

/// For a SIGBUS handler: whether the address is in a mapping. If so, its page is replaced by zeros, and the thread may
/// continue.
bool mapping_fill(const void *address);

#endif
