// Running programs that make sounds and pictures. Invariant: a program that was given up leaves no process behind.

import Files
import Glibc

/// How a program ended.
struct ProgramEnd {
  /// Whether it ended by itself with status 0; nil if it timed out.
  let isDone: Bool?
  /// The last line of its errors.
  let reason: String?
}

/// Runs a program to its end, with the limits of `wait`.
/// - Parameters:
///   - words: the program's path and its arguments.
///   - input: the file for its standard input; nil for `/dev/null`.
/// - Returns: nil if it cannot be started.
/// - Throws: `WorkspaceError.interrupted`.
func runProgram(
  _ words: [String], input: String? = nil, seconds: Double, _ environment: Environment
) throws -> ProgramEnd? {
  let errors = ErrorOutput()
  let started = startProgram(words, environment: environment.variables.entries, input: input, errors: errors)
  if started.failure != 0 { return nil }
  let isDone = try wait(for: started.process, seconds: seconds, environment, errors)
  return ProgramEnd(isDone: isDone, reason: errors?.lastLine())
}

/// Waits for a program to end. If it exceeds the timeout or the user interrupts, kills it with all processes that it
/// started.
/// - Returns: whether it ended by itself with status 0; nil if it timed out.
/// - Throws: `WorkspaceError.interrupted`.
func wait(for process: pid_t, seconds: Double, _ environment: Environment, _ errors: ErrorOutput?) throws -> Bool? {
  let start = environment.clocks.elapsed()
  var status: Int32 = 0
  while waitpid(process, &status, WNOHANG) == 0 {
    let isInterrupted = environment.isInterrupted()
    if isInterrupted || environment.clocks.elapsed() - start > seconds {
      kill(-process, SIGKILL)
      kill(process, SIGKILL)
      waitpid(process, &status, 0)
      if isInterrupted { throw WorkspaceError.interrupted }
      return nil
    }
    errors?.drain()
    environment.clocks.pause(2)
  }
  return status == 0
}
