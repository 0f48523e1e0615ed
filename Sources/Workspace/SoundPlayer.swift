// The program of the setting `media.player`, which plays the sounds of cards. Invariant: it is started from a list of
// words, never by a shell; it gets nothing of the terminal, and ends with the object that started it.

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
    guard let process = SoundPlayer.spawn(words, environment) else { return nil }
    self.process = process
  }

  /// In a group of its own, so that Ctrl-C at the terminal reaches the shell alone.
  private static func spawn(_ words: [String], _ environment: [String]) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var process: pid_t = 0
    let (arguments, variables) = (strings(words), strings(environment))
    defer { for string in arguments + variables { free(string) } }
    return posix_spawn(&process, words[0], &actions, &attributes, arguments, variables) == 0 ? process : nil
  }

  /// Copies for C, with a null behind the last; the caller frees them.
  private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }

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
