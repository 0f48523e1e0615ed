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

/// Limits a process of this user to this many seconds of processor time from now; then the kernel ends it.
void confine_time(pid_t process, unsigned long seconds);

#endif
