// How a process that runs code of strangers gives its rights away, for good.

#ifndef DECKHAND_CONFINEMENT_H
#define DECKHAND_CONFINEMENT_H

#include <sys/types.h>

/// Closes every descriptor but 0, 1 and 2, has the process end with the one that started it, and then forbids it every
/// system call but those of memory, clocks and the channel that it has: no file is opened, no process made, nothing of
/// the network reached; each try fails with EPERM. To be called while there is one thread. Returns 0, or -1 where the
/// kernel cannot hold it to that: then no code of a stranger's may run.
int confine_code(void);

/// Closes every descriptor but 0, 1 and 2.
void confine_descriptors(void);

/// Lets a process of this user's have so many seconds of processor time from now; then the kernel ends it.
void confine_time(pid_t process, unsigned long seconds);

#endif
