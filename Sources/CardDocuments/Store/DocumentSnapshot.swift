// The folder as a whole: one moment's files for a backup, and all of them replaced by those of one.
// Invariant: a snapshot is taken while nobody writes; a replacement is one batch, done as a whole or not at all.

public import Files
import Glibc

/// The documents and images of a folder at one moment, linked beside it, until it is let go of.
///
///     let snapshot = try DocumentSnapshot(of: folder + "/documents", named: "a", wait) { try held.begin() }
///     defer { snapshot.remove() }
public final class DocumentSnapshot {
  private let folder: DocumentFolder
  /// Where the links are; nil where the disk takes none, and nobody can write either.
  private let place: String?
  /// Held so that nobody takes the links for what a killed process left, or changes files that are not linked.
  private let alive: FileLock?
  /// The names of the files within the folder, and where they are read.
  public private(set) var files: [(name: String, path: String)] = []

  /// - Parameters:
  ///   - path: the folder of the documents; one that is not there has none.
  ///   - name: of the folder of the links; no other snapshot has it.
  ///   - wait: how long another process that writes into it is waited for.
  ///   - whileLocked: runs while nobody can change a document: to hold what goes with them.
  public init(of path: String, named name: String, _ wait: LockWait, whileLocked: () throws -> Void) throws {
    folder = DocumentFolder(path: path) { _ in 0 }
    guard fileExists(path) else {
      (place, alive) = (nil, nil)
      try whileLocked()
      return
    }
    let lock = try DocumentSnapshot.lock(folder, wait)
    let names = try folder.documents().filter { !$0.isSymbolicLink }.map(\.name) + folder.imageNames()
    let linked = try DocumentSnapshot.link(names, at: DocumentFolder.unitPrefix + name, in: folder)
    (place, alive) = (linked?.place, linked?.alive ?? lock)
    files = linked?.files ?? names.map { [folder] in ($0, folder.full($0)) }
    do { try whileLocked() } catch {
      remove()
      throw error
    }
    if linked != nil { lock?.release() }
  }

  /// Nil where the disk does not even take a lock.
  private static func lock(_ folder: DocumentFolder, _ wait: LockWait) throws -> FileLock? {
    do throws(FileError) { return try FileLock(folder.full(DocumentFolder.lock), wait) } catch {
      if error.isUnwritable { return nil }
      throw error
    }
  }

  private typealias Linked = (place: String, alive: FileLock?, files: [(name: String, path: String)])

  private static func link(_ names: [String], at place: String, in folder: DocumentFolder) throws -> Linked? {
    do throws(DocumentError) {
      try folder.makeFolder(place)
      let alive = try alive(in: folder.full(place))
      var files: [(name: String, path: String)] = []
      for name in names {
        let path = folder.full(place) + "/\(files.count)"
        guard Glibc.link(folder.full(name), path) == 0 else { throw .cannotWrite(path: path, errno: errno) }
        files.append((name, path))
      }
      return (place, alive, files)
    } catch {
      do { try folder.removeFolder(place) } catch {
        // It goes when the folder is next opened.
      }
      if error.isUnwritable { return nil }
      throw error
    }
  }

  private static func alive(in place: String) throws(DocumentError) -> FileLock? {
    do throws(FileError) { return try FileLock(ifFree: place + "/" + Journal.alive) } catch { throw .writing(error) }
  }

  /// Takes the links away again. What cannot be taken away now goes when the folder is next opened.
  public func remove() {
    alive?.release()
    guard let place else { return }
    do { try folder.removeFolder(place) } catch { return }
  }
}

extension DocumentFolder {
  func imageNames() throws(DocumentError) -> [String] {
    try names(in: DocumentFolder.images).filter { ContentHash($0) != nil }
      .map { DocumentFolder.images + "/" + $0 }
  }
}

extension DocumentStore {
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
    for name in try folder.documents().filter({ !$0.isSymbolicLink }).map(\.name) + folder.imageNames()
    where !unit.isReplaced(name) {
      unit.removals.append(name)
    }
    for name in try folder.names(in: DocumentFolder.thumbnails) {
      unit.removals.append(DocumentFolder.thumbnails + "/" + name)
    }
    return try unit.prepareReplacing(isDecidedElsewhere: decider != nil)
  }
}
