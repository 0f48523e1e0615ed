// The git status of files before a build overwrites them.
// Invariant: git is only queried: nothing is added, committed or locked, and git runs no program that the folder's
// configuration names.

import Exchange
import Files
import Glibc

/// The git status of the files in a folder.
struct GitFiles {
  let folder: String
  let workspace: Workspace

  /// Returns those of the files that differ from the last commit, or that git does not track.
  /// - Parameter paths: relative to the folder.
  /// - Throws: `BuildError.noGit` if git cannot be run or fails.
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
    let home = workspace.environment.variables.entries(of: ["HOME", "PATH"])
    let (process, socket): (pid_t, CInt)
    do throws(ProgramFailure) {
      (process, socket) = try startTalkingProgram(words, environment: home + ["LC_ALL=C"])
    } catch {
      throw BuildError.noGit(path: folder, reason: "git could not be started")
    }
    defer { close(socket) }
    var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 14))
    while true {
      let count = read(socket, &chunk, chunk.count)
      if count > 0 { bytes += chunk[..<count] }
      if count == 0 || count < 0 && errno != EINTR { break }
    }
    let status = waitForExit(of: process)
    // Git exits with 128 outside a repository, and in one that it refuses, such as one of another user.
    if status == 128 {
      throw BuildError.noGit(path: folder, reason: "git accepts no repository there; `git status` says why")
    }
    if status != 0 { throw BuildError.noGit(path: folder, reason: "git failed") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
