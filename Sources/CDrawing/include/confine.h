// How deckhand-draw gives up its rights. Each restriction is permanent, and applies to all threads that are started
// afterwards.

#ifndef CDRAWING_CONFINE_H
#define CDRAWING_CONFINE_H

/// Closes every descriptor except 0, 1 and 2, loads fontconfig's configuration, and then forbids this process to read
/// any files except fonts and system libraries, and to make any system call that drawing does not need: the network,
/// other programs and processes, terminals, opening a file for writing; each of them fails with EPERM or EACCES. Must
/// be called while there is only one thread. Returns 0, or -1 if the kernel does not support all of it; the supported
/// restrictions then hold.
int cdrawing_confine(void);

/// Landlock: restricts which files can be read. Returns -1 if the kernel does not support it.
int cdrawing_limit_paths(void);

/// seccomp: restricts the system calls. Returns -1 if the kernel does not support it.
int cdrawing_limit_calls(void);

#endif
