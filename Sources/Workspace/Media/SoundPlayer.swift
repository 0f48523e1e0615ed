// The program of the setting `media.player`, which plays the sounds of cards. Invariant: it is started from a list of
// words, never by a shell; it gets nothing of the terminal, and ends with the object that started it; the links that it
// is given go with it.

import Files
import Glibc

/// A player under way.
final class SoundPlayer {
  private let process: pid_t
  private let sounds: NamedLinks
  private var isReaped = false

  /// - Parameters:
  ///   - words: the program's path and its arguments; the sounds follow them.
  ///   - environment: `NAME=value`.
  /// - Returns: nil when it cannot be started.
  init?(_ words: [String], _ sounds: NamedLinks, environment: [String]) {
    let started = startProgram(words + sounds.paths, environment: environment)
    guard started.failure == 0 else { return nil }
    process = started.process
    self.sounds = sounds
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
    endProgram(process)
  }
}

/// Links to files in a temporary folder, which goes with this object. A player goes by the name to know what a file is.
final class NamedLinks {
  let paths: [String]
  private let folder: String

  /// - Parameter files: a file, and the name that it is to have; two with one name get folders of their own.
  init(_ files: [(path: String, name: String)], in temporary: String) throws(FileError) {
    folder = try Folder.makeTemporary(in: temporary, prefix: "deckhand-sounds")
    var paths: [String] = []
    for (number, file) in files.enumerated() {
      let place = "\(folder)/\(number + 1)"
      let path = place + "/" + file.name
      guard mkdir(place, 0o700) == 0, symlink(file.path, path) == 0 else {
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
      // It is the system's folder for what is of the moment: what is left there goes in time.
    }
  }
}
