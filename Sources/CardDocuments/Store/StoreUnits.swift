// Removing documents, and units of work: what a script run changes is written when it ends well, and not at all
// otherwise.
// Invariant: after a rollback, and after a commit that failed before its journal stood, folder and handles are as they
// were before `beginUnit`; once the journal stands the whole of it is done, by the next one who opens the folder if
// need be.

import Files

extension DocumentStore {
  func remove(_ document: StoredDocument) throws(DocumentError) {
    guard let name = document.state.name else { throw .notInStore(path: document.path) }
    if let unit {
      willChange(document)
      document.state.isRemoved = true
      return unit.note(document)
    }
    let lock = try locked()
    defer { lock.release() }
    guard try !isChangedElsewhere(document, name) else { throw .changedBeforeRemoval(document.id) }
    try folder.remove(name)
    document.state.isRemoved = true
    folder.syncNames(around: name)
    removeThumbnail(of: document.id)
    releaseImages(document.state.imagesOnDisk)
  }

  // MARK: - Units of work

  /// From now on nothing is written until the unit is committed.
  public func beginUnit() {
    if unit == nil { unit = UnitOfWork(folder: folder, place: DocumentFolder.unitPrefix + newID().description) }
  }

  public var isInUnit: Bool { unit != nil }

  /// Writes what was changed since `beginUnit`, all of it or nothing; what an error kept from it is as after a
  /// rollback. Moves that wait for a save stay waiting.
  /// - Returns: the documents that another process changed meanwhile (`changedElsewhere`: this version is kept as a new
  ///   one; `changedBeforeRemoval`: not removed).
  public func commitUnit() throws(DocumentError) -> [DocumentError] {
    guard let unit else { throw .noUnit }
    guard !unit.changed.isEmpty else {
      self.unit = nil
      try unit.clear()
      return []
    }
    let lock: FileLock
    do { lock = try locked() } catch {
      try rollbackUnit()
      throw error
    }
    defer { lock.release() }
    var conflicts: [DocumentError] = []
    do { try stage(unit, &conflicts) } catch {
      try rollbackUnit()
      throw error
    }
    self.unit = nil
    try unit.apply()
    try finish(unit)
    return conflicts
  }

  private func stage(_ unit: UnitOfWork, _ conflicts: inout [DocumentError]) throws(DocumentError) {
    try Journal.recover(in: folder)
    for document in unit.changed {
      if document.isRemoved {
        guard let name = document.state.name, document.state.known != nil else { continue }
        if try isChangedElsewhere(document, name) {
          conflicts.append(.changedBeforeRemoval(document.id))
        } else {
          unit.removals.append(name)
          unit.removals.append(DocumentStore.thumbnailName(document.id))
        }
      } else if let conflict = try prepare(document) {
        conflicts.append(conflict)
      }
      try unit.stageImages(of: document)
    }
    try unit.commit()
  }

  /// After the files are in place: the handles learn what is on disk, and unused images go.
  private func finish(_ unit: UnitOfWork) throws(DocumentError) {
    var unused: Set<ContentHash> = []
    for document in unit.changed {
      if document.isRemoved {
        unused.formUnion(document.state.imagesOnDisk)
      } else if let name = document.state.name, let bytes = unit.written[name] {
        unused.formUnion(try wrote(document, name, bytes))
      }
    }
    releaseImages(unused)
  }

  /// Leaves everything as it was before `beginUnit`, in memory too; what was made since is `isRemoved`.
  public func rollbackUnit() throws(DocumentError) {
    guard let unit else { return }
    self.unit = nil
    for (document, state) in unit.before { document.state = state }
    try unit.clear()
  }
}
