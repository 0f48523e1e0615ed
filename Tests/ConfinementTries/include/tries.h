// What a broken decoder of pictures would try: each is one call, or a few, against the user who runs deckhand.

#ifndef CONFINEMENT_TRIES_H
#define CONFINEMENT_TRIES_H

/// What the tries are made against.
struct victim {
  /// A file of the user's, and the terminal of the shell.
  const char *file, *terminal;
  /// The shell: its process, and an address in it that holds an int.
  int process;
  unsigned long address;
  /// A descriptor that the shell has open and closes on no exec.
  int descriptor;
};

/// How many tries there are.
int try_count(void);

/// The name of a try; the last one replaces this process where it succeeds.
const char *try_name(int index);

/// Makes a try: 0 when it succeeded, otherwise the errno.
int try_make(int index, const struct victim *victim);

/// Lets any process of the user's trace this one, as a system without Yama does.
void allow_tracing(void);

#endif
