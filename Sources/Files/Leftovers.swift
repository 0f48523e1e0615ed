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

  /// Removes what processes that are gone have left in a folder. What cannot be removed stays: it is in nobody's way,
  /// and `doctor` names it.
  /// - Parameter target: only what was to become this file; nil for all.
  public static func sweep(_ folder: String, of target: String? = nil) {
    let names: [String]
    do { names = try Folder.names(in: folder) } catch { return }
    for name in names where target.map({ name.hasPrefix($0 + ".") }) ?? true && contains(name) {
      do { try Folder.removeTree(folder + "/" + name) } catch { unlink(folder + "/" + name) }
    }
  }

  /// The name of a temporary file that becomes another one: `words.tsv.1234-0.tmp`.
  static func temporary(for target: String, attempt: Int) -> String { "\(target).\(getpid())-\(attempt).tmp" }

  private static func process(of name: String) -> Int32? {
    for kind in Scratch.Kind.allCases where name.hasPrefix(kind.rawValue) {
      return number(name.dropFirst(kind.rawValue.count).prefix { $0.isASCII && $0.isNumber })
    }
    guard name.hasSuffix(".tmp"), let last = name.dropLast(4).split(separator: ".").last else { return nil }
    let parts = last.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && Int(parts[1]) != nil ? number(parts[0]) : nil
  }

  private static func number(_ digits: Substring) -> Int32? { Int32(digits).flatMap { $0 > 0 ? $0 : nil } }
}
