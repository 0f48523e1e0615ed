// How a process that runs untrusted code permanently gives up its rights.

#ifndef DECKHAND_CONFINEMENT_H
#define DECKHAND_CONFINEMENT_H

#include <sys/types.h>

/// Closes every descriptor except 0, 1 and 2, makes the process end with the one that started it, and then forbids
/// every system call except those for memory, clocks and its open channel: it can open no file, start no process and
/// reach no network; each attempt fails with EPERM. Must be called while there is only one thread. Returns 0, or -1
/// if the kernel cannot enforce this: then no untrusted code may run.
int confine_code(void);

/// Closes every descriptor except 0, 1 and 2.
void confine_descriptors(void);

/// What may be done with a file, or with the files in a folder.
enum { MAY_READ = 0, MAY_RUN = 1, MAY_WRITE = 2 };

/// Begins a list of the only files that this process may use. Returns -1 if the kernel does not support it.
int confine_begin_paths(void);

/// Adds a file or a folder to the list; a missing one is ignored.
void confine_allow(int ruleset, const char *path, int use);

/// From now on, permanently, only the listed files can be used. Returns 0 or -1.
int confine_end_paths(int ruleset);

/// Gives up all rights except those that `program` needs to convert `source` into files in `folder`: it has no network
/// and no other process, and limits on memory, time and the size of files. Must be called right before the program
/// replaces this one. Returns 0, or -1 if the kernel does not support all of it; the supported restrictions then hold.
int confine_converter(const char *program, const char *source, const char *folder);

/// Limits a process of this user to this many seconds of processor time from now; then the kernel ends it.
void confine_time(pid_t process, unsigned long seconds);

#endif
