// The program of the setting `media.player`, which plays the sounds of cards. Invariant: it is started from a list of
// words, never by a shell; it gets nothing of the terminal, and ends with the object that started it.

import Files
import Glibc

/// A player under way.
final class SoundPlayer {
  private let process: pid_t
  private var isReaped = false

  /// - Parameters:
  ///   - words: the program's path and its arguments.
  ///   - environment: `NAME=value`.
  /// - Returns: nil when it cannot be started.
  init?(_ words: [String], environment: [String]) {
    let started = startProgram(words, environment: environment)
    guard started.failure == 0 else { return nil }
    process = started.process
  }

  /// False once it has ended.
  var isPlaying: Bool {
    var status: Int32 = 0
    if !isReaped, waitpid(process, &status, WNOHANG) == process { isReaped = true }
    return !isReaped
  }

  deinit {
    guard isPlaying else { return }
    // What it started is in its group.
    kill(-process, SIGTERM)
    kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
