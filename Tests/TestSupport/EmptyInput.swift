// The standard input of the tests, which Lua states read by `io`. Invariant: once asked for, it is empty, whether the
// tests were started at a terminal, from a pipe or from nothing.

import Glibc

/// Puts /dev/null in place of the process's standard input, at its first use: a test that reads it would wait for
/// whoever types at the terminal where the tests were started.
public let emptyStandardInput: Void = {
  let descriptor = open("/dev/null", O_RDONLY)
  guard descriptor >= 0 else { preconditionFailure("no /dev/null: errno \(errno)") }
  dup2(descriptor, STDIN_FILENO)
  close(descriptor)
}()
