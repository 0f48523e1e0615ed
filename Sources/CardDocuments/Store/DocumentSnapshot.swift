// The folder as a whole: one moment's files for a backup, and all of them replaced by those of one.
// Invariant: a snapshot is taken while nobody writes; a replacement is one batch, done as a whole or not at all.

import Files
import Glibc

/// The files of the store at one moment, linked beside it, until it is let go of.
public final class DocumentSnapshot {
  private let folder: DocumentFolder
  private let place: String
  /// Held so that nobody takes the links for what a killed process left.
  private let alive: FileLock?
  /// The names of the files within the store, and where they are linked.
  public private(set) var files: [(name: String, path: String)] = []

  fileprivate init(_ folder: DocumentFolder, place: String) throws {
    (self.folder, self.place) = (folder, place)
    try folder.makeFolder(place)
    alive = try FileLock(ifFree: folder.full(place + "/" + Journal.alive))
  }

  fileprivate func add(_ name: String) throws {
    let path = folder.full(place) + "/\(files.count)"
    guard link(folder.full(name), path) == 0 else { throw DocumentError.cannotWrite(path: path, errno: errno) }
    files.append((name, path))
  }

  /// Takes the links away again. What cannot be taken away now goes when the folder is next opened.
  public func remove() {
    alive?.release()
    // What remains is removed when the folder is next opened.
    do { try folder.removeFolder(place) } catch { return }
  }
}

extension DocumentStore {
  /// The documents and images as they are now.
  /// - Parameter whileLocked: runs while nobody can change a document: to copy what goes with them.
  public func snapshot(whileLocked: () throws -> Void) throws -> DocumentSnapshot {
    let lock = try locked()
    defer { lock.release() }
    try recover()
    let snapshot = try DocumentSnapshot(folder, place: DocumentFolder.unitPrefix + newID().description)
    do {
      let documents = try folder.documents().filter { !$0.isSymbolicLink }.map(\.name)
      for name in try documents + imageNames() { try snapshot.add(name) }
      try whileLocked()
    } catch {
      snapshot.remove()
      throw error
    }
    return snapshot
  }

  func imageNames() throws(DocumentError) -> [String] {
    try folder.names(in: DocumentFolder.images).filter { ContentHash($0) != nil }
      .map { DocumentFolder.images + "/" + $0 }
  }

  // MARK: Replacing everything

  /// Begins to replace all documents and images. The folder stays locked until `finishUnit` or `rollbackUnit`.
  public func beginReplacing() throws(DocumentError) {
    try rollbackUnit()
    beginUnit()
    unitLock = try locked()
    try recover()
    try unit?.begin()
  }

  /// Where the new content of a file is to be written.
  /// - Parameter name: within the store; `../NAME` is beside it, in the account's folder.
  public func placeForReplacement(of name: String) throws(DocumentError) -> String {
    guard let unit else { throw .noUnit }
    return unit.placeForReplacement(of: name)
  }

  /// Makes the replacement ready: what was written takes its places, every other document and image goes.
  public func prepareReplacing() throws(DocumentError) -> DocumentBatch? {
    guard let unit else { throw .noUnit }
    for name in try folder.documents().filter({ !$0.isSymbolicLink }).map(\.name) + imageNames()
    where !unit.isReplaced(name) {
      unit.removals.append(name)
    }
    for name in try folder.names(in: DocumentFolder.thumbnails) {
      unit.removals.append(DocumentFolder.thumbnails + "/" + name)
    }
    return try unit.prepareReplacing(isDecidedElsewhere: decider != nil)
  }
}
