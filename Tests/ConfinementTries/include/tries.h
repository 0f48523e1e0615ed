// What a compromised picture decoder would attempt: each attempt is one call, or a few, against the user who runs
// deckhand.

#ifndef CONFINEMENT_TRIES_H
#define CONFINEMENT_TRIES_H

/// The targets of the attempts.
struct victim {
  /// A file of the user's, and the terminal of the shell.
  const char *file, *terminal;
  /// The shell: its process id, and an address in it that holds an int.
  int process;
  unsigned long address;
  /// A descriptor that the shell has open without close-on-exec.
  int descriptor;
};

/// The number of attempts.
int try_count(void);

/// The name of an attempt; the last one replaces this process if it succeeds.
const char *try_name(int index);

/// Makes an attempt: returns 0 if it succeeded, otherwise the errno.
int try_make(int index, const struct victim *victim);

/// Lets any process of the user trace this one, as on a system without Yama.
void allow_tracing(void);

#endif
