// How deckhand-draw gives its rights away. Each is for good, for all threads that are started afterwards.

#ifndef CDRAWING_CONFINE_H
#define CDRAWING_CONFINE_H

/// Closes every descriptor but 0, 1 and 2, reads fontconfig's configuration, and then forbids this process to read any
/// file but fonts and what libraries are made of, and every system call that drawing does not need: the network, other
/// programs and processes, terminals, opening a file for writing; each of them fails with EPERM or EACCES. To be called
/// while there is one thread. Returns 0, or -1 where the kernel has not all of it; the rest holds then.
int cdrawing_confine(void);

/// Landlock: which files can be read. -1 where the kernel has none.
int cdrawing_limit_paths(void);

/// seccomp: which system calls there are. -1 where the kernel has none.
int cdrawing_limit_calls(void);

#endif
