// The program of the setting `media.player`, which plays the sounds of cards. Invariant: it is started from an
// argument list, never by a shell; it has no access to the terminal, and is terminated with the object that started
// it; the links made for it are removed with them.

import Files
import Glibc

/// A running player.
final class SoundPlayer {
  private let process: pid_t
  private let sounds: NamedLinks
  private var isReaped = false

  /// - Parameters:
  ///   - words: the program's path and its arguments; the sounds are appended.
  ///   - environment: `NAME=value`.
  /// - Returns: nil if it cannot be started.
  init?(_ words: [String], _ sounds: NamedLinks, environment: [String]) {
    let started = startProgram(words + sounds.paths, environment: environment)
    guard started.failure == 0 else { return nil }
    process = started.process
    self.sounds = sounds
  }

  /// Whether the program is still running.
  var isPlaying: Bool {
    var status: Int32 = 0
    if !isReaped, waitpid(process, &status, WNOHANG) == process { isReaped = true }
    return !isReaped
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
