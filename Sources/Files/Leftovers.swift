// Files and folders that a process creates for a short time, and their removal after the process was killed.
// Invariant: such a name contains the id of its process, so that one in use is never taken for a leftover.

import Glibc

/// A temporary folder, open to the user alone, for unpacking or assembling files. It is removed with the object.
public final class Scratch {
  /// The purpose of the folder; a part of its name.
  public enum Kind: String, CaseIterable, Sendable {
    case package = ".package-"
    case backup = ".backup-"
    case restore = ".restore-"
  }

  public let folder: String

  /// - Parameter parent: where the folder is created. It may be a folder of the user, so nothing is removed from it: a
  ///   name there may look like that of a leftover. If it is one, `mark` the folder and call `Leftovers.sweepMarked`.
  public init(_ kind: Kind, in parent: String) throws(FileError) {
    folder = try Folder.makeTemporary(in: parent, prefix: kind.rawValue + "\(getpid())")
  }

  deinit {
    // The next sweep removes what cannot be removed now.
    do { try Folder.removeTree(folder) } catch { return }
  }

  public func path(_ name: String) -> String { folder + "/" + name }

  /// Adds a file to the folder that distinguishes it from every folder of the user: it holds the folder's own name.
  public func mark() throws(FileError) {
    var options = Replacement(isInterrupted: isNeverInterrupted)
    options.isSynced = false
    try AtomicFile.write(path(Leftovers.mark), lastPart(of: folder).utf8, options)
  }
}

public enum Leftovers {
  /// Returns whether the name belongs to a process that has ended.
  public static func contains(_ name: String) -> Bool {
    guard let process = process(of: name), process != getpid() else { return false }
    return kill(process, 0) != 0 && errno == ESRCH
  }

  public static func isScratch(_ name: String) -> Bool { end(ofScratch: name) != nil && process(of: name) != nil }

  /// Removes the leftovers of ended processes in a folder that only this program writes to. What cannot be removed
  /// stays: it does no harm, and `doctor` lists it.
  /// - Parameter target: removes only temporary files of this file, in any folder; nil for all.
  public static func sweep(_ folder: String, of target: String? = nil) {
    for name in names(in: folder) where contains(name) {
      let path = folder + "/" + name
      if let target {
        // Next to a file of the user, be strict: only files, and only the exact form of a temporary name.
        guard name.hasPrefix(target + "."), part(ofTemporary: name.dropFirst(target.count + 1)) != nil else { continue }
        unlink(path)
      } else {
        // Not a folder: a file.
        do { try Folder.removeTree(path) } catch { unlink(path) }
      }
    }
  }

  static let mark = "deckhand-temporary"

  /// Removes the marked temporary folders of ended processes in a folder of the user, as far as it can.
  public static func sweepMarked(_ folder: String) {
    for name in names(in: folder) where isScratch(name) && contains(name) {
      let path = folder + "/" + name
      // Without a readable mark it is not a leftover.
      do {
        let mark = try FileText.read(path + "/" + Leftovers.mark, limit: 256, isInterrupted: isNeverInterrupted)
        if mark == name { try Folder.removeTree(path) }
      } catch { continue }
    }
  }

  private static func names(in folder: String) -> [String] {
    // If the folder cannot be listed, its leftovers stay.
    do { return try Folder.names(in: folder) } catch { return [] }
  }

  /// How many numbers are tried for a temporary name.
  static let mostAttempts: Int32 = 1000

  /// The path of a file, with its name cut so that the temporary name stays within the 255 bytes of file systems.
  static func stem(of target: String) -> String {
    var name = lastPart(of: target)
    if name.utf8.count <= 230 { return target }
    while name.utf8.count > 230 { name.removeLast() }
    return parentFolder(of: target) + "/" + name
  }

  /// The name of the temporary file for a stem: `words.tsv.1234-0.tmp`. A sweep knows it by the process.
  /// - Parameter attempt: below 1,000.
  public static func temporary(for target: String, attempt: Int) -> String { "\(target).\(getpid())-\(attempt).tmp" }

  /// What follows the kind in the name of a scratch folder; nil for any other name.
  private static func end(ofScratch name: String) -> Substring? {
    Scratch.Kind.allCases.first { name.hasPrefix($0.rawValue) }.map { name.dropFirst($0.rawValue.count) }
  }

  private static func process(of name: String) -> Int32? {
    if let end = end(ofScratch: name) { return process(end.prefix { $0.isASCII && $0.isNumber }) }
    return name.lastIndex(of: ".").flatMap { end in
      part(ofTemporary: name[(name[..<end].lastIndex(of: ".").map(name.index(after:)) ?? name.startIndex)...])
    }
  }

  /// Parses the process id from the end of a temporary name: `1234` from `1234-0.tmp`; nil for `2024-05.tmp`.
  private static func part(ofTemporary end: Substring) -> Int32? {
    guard end.hasSuffix(".tmp") else { return nil }
    let parts = end.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let attempt = number(parts[1]), attempt < mostAttempts else { return nil }
    return process(parts[0])
  }

  private static func process(_ digits: Substring) -> Int32? { number(digits).flatMap { $0 > 0 ? $0 : nil } }

  /// Parses a number in the form that this program writes: no sign, no leading zero.
  private static func number(_ digits: Substring) -> Int32? { Int32(digits).flatMap { "\($0)" == digits ? $0 : nil } }
}
