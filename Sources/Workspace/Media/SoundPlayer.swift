// Running the programs that make and play sounds and pictures; that of the setting `media.player` plays the sounds of
// cards. Invariant: it is started from an argument list, never by a shell; it has no access to the terminal, and is
// terminated with the object that started it; the links made for it are removed with them. A program that was given up
// leaves no process behind.

import Files
import Glibc

final class SoundPlayer {
  private let process: pid_t
  private let program: String
  private let sounds: NamedLinks
  private let errors: ErrorOutput?
  /// The status from waitpid(2); nil while the program runs.
  private var status: Int32?

  /// - Parameters:
  ///   - words: the program's path and its arguments; the sounds are appended.
  ///   - environment: `NAME=value`.
  /// - Returns: nil if it cannot be started.
  init?(_ words: [String], _ sounds: NamedLinks, environment: [String]) {
    errors = ErrorOutput()
    let started = startProgram(words + sounds.paths, environment: environment, errors: errors)
    guard started.failure == 0 else { return nil }
    (process, program) = (started.process, lastPart(of: words[0]))
    self.sounds = sounds
  }

  var isPlaying: Bool {
    var ended: Int32 = 0
    if status == nil, waitpid(process, &ended, WNOHANG) == process { status = ended }
    return status == nil
  }

  /// The error if the program has failed.
  var failure: WorkspaceError? {
    isPlaying || status == 0 ? nil : .playerFailed(program: program, reason: errors?.lastLine())
  }

  deinit {
    guard isPlaying else { return }
    // The processes that it started are in its process group.
    kill(-process, SIGTERM)
    endProgram(process)
  }
}

/// Links to files in a temporary folder, which is removed with this object. A player recognises the type of a file by
/// its name.
final class NamedLinks {
  let paths: [String]
  private let folder: String

  /// - Parameter files: each file and the name that its link gets; every link has a folder of its own, so that names
  ///   may repeat.
  init(_ files: [(path: String, name: String)], in temporary: String) throws(FileError) {
    folder = try Folder.makeTemporary(in: temporary, prefix: "deckhand-sounds")
    var paths: [String] = []
    for (number, file) in files.enumerated() {
      let place = "\(folder)/\(number + 1)"
      let path = place + "/" + file.name
      // The data folder may be given as a relative path.
      guard mkdir(place, 0o700) == 0, symlink(realPath(file.path) ?? file.path, path) == 0 else {
        let failure = FileError(path, .make)
        NamedLinks.remove(folder)
        throw failure
      }
      paths.append(path)
    }
    self.paths = paths
  }

  deinit { NamedLinks.remove(folder) }

  private static func remove(_ folder: String) {
    do throws(FileError) { try Folder.removeTree(folder) } catch {
      // The system cleans up its temporary folder eventually.
    }
  }
}

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
