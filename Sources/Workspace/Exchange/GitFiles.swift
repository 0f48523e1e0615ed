// Which files differ from the last commit, before a build overwrites them.
// Invariant: git is only queried: nothing is added, committed or locked. Git runs no program that the folder's
// configuration names, because it only lists what was committed and hashes bytes: it reads no index and converts no
// file, and it may not fetch an object that is missing.

import Exchange
import Files
import Glibc

struct GitFiles {
  let folder: String
  let workspace: Workspace

  /// Returns those of the files whose bytes differ from the last commit, or that it does not contain.
  /// - Parameter paths: relative to the folder.
  /// - Throws: `BuildError.noGit` if git cannot be run or fails.
  func uncommitted(_ paths: [String]) throws -> [String] {
    if paths.isEmpty { return [] }
    guard try !output(["rev-parse", "--verify", "--quiet", "HEAD"], empty: 1).isEmpty else { return paths }
    var committed: [Substring: Substring] = [:]
    for line in try output(["--literal-pathspecs", "ls-tree", "-z", "HEAD", "--"] + paths).split(separator: "\0") {
      guard let tab = line.firstIndex(of: "\t"), let hash = line[..<tab].split(separator: " ").last else { continue }
      committed[line[tab...].dropFirst()] = hash
    }
    let hashes = try output(["hash-object", "--no-filters", "--"] + paths).split(separator: "\n")
    guard hashes.count == paths.count else { throw BuildError.noGit(path: folder, reason: "git failed") }
    return zip(paths, hashes).filter { committed[$0[...]] != $1 }.map(\.0)
  }

  /// - Parameter empty: the exit status for an empty answer.
  private func output(_ words: [String], empty: CInt = 0) throws -> String {
    guard let program = workspace.media.executable("git") else {
      throw BuildError.noGit(path: folder, reason: "git is not installed")
    }
    let home = workspace.environment.variables.entries(of: ["HOME", "PATH"])
    let rules = ["LC_ALL=C", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1"]
    let (process, socket): (pid_t, CInt)
    do throws(ProgramFailure) {
      (process, socket) = try startTalkingProgram([program, "-C", folder] + words, environment: home + rules)
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
    if status != 0 && status != empty { throw BuildError.noGit(path: folder, reason: "git failed") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
