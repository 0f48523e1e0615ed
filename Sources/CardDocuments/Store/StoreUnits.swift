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
      try requireRoom()
      willChange(document)
      document.state.isRemoved = true
      return unit.note(document)
    }
    if decider != nil {
      let before = document.state
      document.state.isRemoved = true
      do { return try keepAlone(document, "removing a document") } catch {
        document.state = before
        throw error
      }
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
    if unit == nil { unit = newUnit() }
  }

  func newUnit() -> UnitOfWork {
    UnitOfWork(
      folder: folder, place: DocumentFolder.unitPrefix + newID().description, isInterrupted: wait.isInterrupted)
  }

  public var isInUnit: Bool { unit != nil }

  /// After `prepareUnit`: the first document of the unit that another process has saved since it was opened.
  public var conflict: DocumentID? {
    switch unitConflicts.first {
    case .changedElsewhere(let id, _)?, .changedBeforeRemoval(let id)?: id
    default: nil
    }
  }

  /// Locks the folder now, until the unit ends: a document that is opened after this is what the unit changes, and no
  /// other process changes it meanwhile. For a unit that lasts a moment.
  public func lockUnit() throws(DocumentError) {
    guard unit != nil, unitLock == nil else { return }
    unitLock = try locked()
    try recover()
  }

  /// Whether the unit has anything to write.
  public var hasUnitChanges: Bool { unit.map { !$0.changed.isEmpty || $0.isPrepared } ?? false }

  /// Bytes of memory that the unit takes until it ends, about.
  public var unitWeight: Int { unit?.weight ?? 0 }

  /// The documents that the unit adds, changes and removes: their ids, and which of the three.
  public var unitDocuments: [(id: String, kind: String)] {
    (unit?.changed ?? []).compactMap { document in
      let isNew = document.state.known == nil
      if document.isRemoved { return isNew ? nil : (document.id.description, "removed") }
      return (document.id.description, isNew ? "added" : "changed")
    }
  }

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
    if let decider {
      do { return try decider.keepUnit(of: self, "changing documents") } catch { throw DocumentError(relaying: error) }
    }
    _ = try prepareUnit()
    return try finishUnit()
  }

  /// One document's change as a unit of its own.
  func keepAlone(_ document: StoredDocument, _ what: String) throws(DocumentError) {
    guard let decider else { return }
    beginUnit()
    unit?.note(document)
    let conflicts: [DocumentError]
    do { conflicts = try decider.keepUnit(of: self, what) } catch {
      try rollbackUnit()
      throw DocumentError(relaying: error)
    }
    if let conflict = conflicts.first {
      if document.isRemoved { document.state.isRemoved = false }
      throw conflict
    }
  }

  /// Makes everything ready that the unit is to change; nothing of it is seen yet. The folder stays locked until
  /// `finishUnit` or `rollbackUnit`. When it throws, the unit is rolled back.
  /// - Returns: the batch, which is done once it is decided; nil when there is nothing to do.
  public func prepareUnit() throws(DocumentError) -> DocumentBatch? {
    guard let unit else { throw .noUnit }
    do {
      unitConflicts = []
      try lockUnit()
      return try stage(unit)
    } catch {
      try rollbackUnit()
      throw error
    }
  }

  /// Does what was made ready and is decided. What the disk refuses now is done by whoever opens the folder next.
  /// - Returns: as `commitUnit`.
  public func finishUnit() throws(DocumentError) -> [DocumentError] {
    guard let unit else { throw .noUnit }
    self.unit = nil
    defer {
      unitLock?.release()
      unitLock = nil
    }
    do { try unit.apply() } catch {
      unit.release()
      // Decided by its journal alone, it is done at the next opening; decided elsewhere likewise.
      if decider == nil { throw error }
    }
    try updateHandles(unit)
    return unitConflicts
  }

  private func stage(_ unit: UnitOfWork) throws(DocumentError) -> DocumentBatch? {
    for document in unit.changed {
      try unit.goOn()
      if document.isRemoved {
        guard let name = document.state.name, document.state.known != nil else { continue }
        if try isChangedElsewhere(document, name) {
          unitConflicts.append(.changedBeforeRemoval(document.id))
        } else {
          unit.removals.append(name)
          unit.removals.append(DocumentStore.thumbnailName(document.id))
        }
      } else if let conflict = try prepare(document) {
        unitConflicts.append(conflict)
      }
      try unit.stageImages(of: document)
    }
    try unit.gather()
    unit.removals += try imagesToRelease(by: unit)
    return try unit.prepare(isDecidedElsewhere: decider != nil)
  }

  /// The images that no document shows any more when the unit is done.
  private func imagesToRelease(by unit: UnitOfWork) throws(DocumentError) -> [String] {
    var candidates: Set<ContentHash> = []
    var shown: Set<ContentHash> = []
    for document in unit.changed {
      candidates.formUnion(document.state.imagesOnDisk)
      if !document.isRemoved { shown.formUnion(document.content.images) }
    }
    return try unused(candidates.subtracting(shown), besides: unit)
  }

  /// Those of the images that stand in no file which the unit leaves as it is.
  func unused(_ candidates: Set<ContentHash>, besides unit: UnitOfWork) throws(DocumentError) -> [String] {
    if candidates.isEmpty { return [] }
    let used = try imagesInUse(except: unit.names)
    let unused = candidates.subtracting(used).sorted { $0.description < $1.description }
    return unused.map(DocumentStore.imageName).filter(folder.has)
  }

  /// After the files are in place: the handles learn what is on disk.
  private func updateHandles(_ unit: UnitOfWork) throws(DocumentError) {
    for document in unit.changed where !document.isRemoved {
      guard let name = document.state.name, let bytes = unit.written[name] else { continue }
      _ = try wrote(document, name, bytes)
    }
    for name in unit.restored.names { try refresh(name) }
  }

  /// Leaves everything as it was before `beginUnit`, in memory too; what was made since is `isRemoved`.
  public func rollbackUnit() throws(DocumentError) {
    defer {
      unitLock?.release()
      unitLock = nil
    }
    guard let unit else { return }
    self.unit = nil
    for (document, state) in unit.before { document.state = state }
    try unit.clear()
  }
}
