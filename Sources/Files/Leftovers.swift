// Files and folders that a process makes for a moment, and what is left of them when it is killed.
// Invariant: such a name holds the id of its process, so that what is in use is never taken for a leftover.

import Glibc

/// A folder of its own, open to the user alone, for what is unpacked or put together. It goes with the value.
///
///     let scratch = try Scratch(.backup, in: folder)
///     try store.copy(to: scratch.path("collection.sqlite"))
public final class Scratch {
  /// What it is for; a part of its name.
  public enum Kind: String, CaseIterable, Sendable {
    case package = ".package-"
    case backup = ".backup-"
    case restore = ".restore-"
  }

  public let folder: String

  /// - Parameter parent: where it is made. What ended processes left there is removed first.
  public init(_ kind: Kind, in parent: String) throws(FileError) {
    Leftovers.sweep(parent)
    folder = try Folder.makeTemporary(in: parent, prefix: kind.rawValue + "\(getpid())")
  }

  deinit {
    // What cannot be removed now is removed by the next sweep.
    do { try Folder.removeTree(folder) } catch { return }
  }

  public func path(_ name: String) -> String { folder + "/" + name }
}

public enum Leftovers {
  /// Whether a process that is gone made the name for itself.
  public static func contains(_ name: String) -> Bool {
    guard let process = process(of: name), process != getpid() else { return false }
    return kill(process, 0) != 0 && errno == ESRCH
  }

  /// Whether a name is that of a `Scratch`.
  public static func isScratch(_ name: String) -> Bool { end(ofScratch: name) != nil && process(of: name) != nil }

  /// Removes what processes that are gone have left in a folder. What cannot be removed stays: it is in nobody's way,
  /// and `doctor` names it.
  /// - Parameter target: only what was to become this file; nil for all.
  public static func sweep(_ folder: String, of target: String? = nil) {
    let names: [String]
    // A folder that cannot be listed keeps them.
    do { names = try Folder.names(in: folder) } catch { return }
    for name in names where contains(name) {
      let path = folder + "/" + name
      if let target {
        // Beside a file of the user's only what can be nothing else: no folder, and nothing between the two names.
        guard name.hasPrefix(target + "."), part(ofTemporary: name.dropFirst(target.count + 1)) != nil else { continue }
        unlink(path)
      } else {
        // It is a file, then.
        do { try Folder.removeTree(path) } catch { unlink(path) }
      }
    }
  }

  /// Numbers that are tried for such a name.
  static let mostAttempts: Int32 = 1000

  /// The path of a file, its name cut where a longer one would be more than the 255 bytes that systems take.
  static func stem(of target: String) -> String {
    var name = lastPart(of: target)
    if name.utf8.count <= 230 { return target }
    while name.utf8.count > 230 { name.removeLast() }
    return parentFolder(of: target) + "/" + name
  }

  /// The name of a temporary file that becomes another one, by its stem: `words.tsv.1234-0.tmp`.
  static func temporary(for target: String, attempt: Int) -> String { "\(target).\(getpid())-\(attempt).tmp" }

  /// What stands behind the kind in the name of a scratch folder; nil for another name.
  private static func end(ofScratch name: String) -> Substring? {
    Scratch.Kind.allCases.first { name.hasPrefix($0.rawValue) }.map { name.dropFirst($0.rawValue.count) }
  }

  private static func process(of name: String) -> Int32? {
    if let end = end(ofScratch: name) { return process(end.prefix { $0.isASCII && $0.isNumber }) }
    return name.lastIndex(of: ".").flatMap { end in
      part(ofTemporary: name[(name[..<end].lastIndex(of: ".").map(name.index(after:)) ?? name.startIndex)...])
    }
  }

  /// The process that the end of such a name tells: `1234` of `1234-0.tmp`; nil for anything else, `2024-05.tmp` too.
  private static func part(ofTemporary end: Substring) -> Int32? {
    guard end.hasSuffix(".tmp") else { return nil }
    let parts = end.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let attempt = number(parts[1]), attempt < mostAttempts else { return nil }
    return process(parts[0])
  }

  private static func process(_ digits: Substring) -> Int32? { number(digits).flatMap { $0 > 0 ? $0 : nil } }

  /// A number as this program writes one: no sign, no 0 in front.
  private static func number(_ digits: Substring) -> Int32? { Int32(digits).flatMap { "\($0)" == digits ? $0 : nil } }
}
