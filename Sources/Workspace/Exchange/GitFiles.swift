// What git says of files before a build writes over them.
// Invariant: git is asked and never told: nothing is added, committed or locked; it runs no program that the folder
// names.

import Exchange
import Files
import Glibc

/// The files of a folder, as git knows them.
struct GitFiles {
  let folder: String
  let workspace: Workspace

  /// The files among these that differ from what is committed, or that git does not know.
  /// - Parameter paths: from the folder.
  /// - Throws: `BuildError.noGit` where git does not answer.
  func uncommitted(_ paths: [String]) throws -> [String] {
    if paths.isEmpty { return [] }
    guard let program = workspace.media.executable("git") else {
      throw BuildError.noGit(path: folder, reason: "git is not installed")
    }
    let words = [
      program, "-C", folder, "-c", "core.fsmonitor=false", "--no-optional-locks", "status", "--porcelain=v1", "-z",
      "--no-renames", "--untracked-files=all", "--ignored=matching", "--",
    ]
    let text = try output(words + paths.map { ":(literal)\($0)" })
    return text.split(separator: "\0").map { String($0.dropFirst(3)) }
  }

  private func output(_ words: [String]) throws -> String {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw BuildError.noGit(path: folder, reason: "git could not be started")
    }
    defer { close(ends[0]) }
    let home = ["HOME", "PATH"].compactMap { name in workspace.environment.variables.value(name).map { "\(name)=\($0)" }
    }
    let started = startProgram(words, environment: home + ["LC_ALL=C"], channel: ends[1])
    close(ends[1])
    guard started.failure == 0 else { throw BuildError.noGit(path: folder, reason: "git could not be started") }
    var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 14))
    while true {
      let count = read(ends[0], &chunk, chunk.count)
      if count > 0 { bytes += chunk[..<count] }
      if count == 0 || count < 0 && errno != EINTR { break }
    }
    var status: Int32 = 0
    while waitpid(started.process, &status, 0) < 0, errno == EINTR {}
    // The status that it exits with: 128 says that the folder is in no repository.
    guard status == 0 else { throw BuildError.noGit(path: folder, reason: "the folder is in no repository of git") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
