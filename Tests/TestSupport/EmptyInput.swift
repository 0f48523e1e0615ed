// The standard input of the tests, which Lua states read with `io`. Invariant: after its first use it is empty,
// whether the tests were started at a terminal, from a pipe or without input.

import Glibc

/// Replaces the process's standard input by /dev/null at its first use; otherwise a test that reads it would wait for
/// input at the terminal where the tests were started.
public let emptyStandardInput: Void = {
  let descriptor = open("/dev/null", O_RDONLY)
  guard descriptor >= 0 else { preconditionFailure("no /dev/null: errno \(errno)") }
  dup2(descriptor, STDIN_FILENO)
  close(descriptor)
}()
