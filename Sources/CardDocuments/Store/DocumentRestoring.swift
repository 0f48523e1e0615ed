// Putting the store's files back as they were: for undo.
// Invariant: a file is put back only while it is as the step that is undone left it; images that nothing shows go
// along.

import Glibc

extension DocumentStore {
  /// Makes ready what puts files back. It is done by `finishUnit`, once it is decided.
  /// - Parameter files: each as it was and as it was left.
  /// - Returns: the batch; its files are the way back. nil when there is nothing to do.
  /// - Throws: `changedSince` when a file is not as it was left.
  public func prepareRestoring(_ files: [DocumentBatch.File]) throws(DocumentError) -> DocumentBatch? {
    if hasUnitChanges { throw .noUnit }
    let unit = newUnit()
    self.unit = unit
    do {
      unitConflicts = []
      unitLock = try locked()
      try recover()
      var candidates: Set<ContentHash> = []
      for file in files {
        if let hash = DocumentStore.imageHash(file.name) {
          try restoreImage(hash, file, unit)
          candidates.insert(hash)
        } else {
          try restoreDocument(file, unit)
        }
      }
      let shown = unit.restored.images
      unit.removals += try unused(candidates.subtracting(shown), besides: unit)
      return try unit.prepare(isDecidedElsewhere: decider != nil)
    } catch {
      try rollbackUnit()
      throw error
    }
  }

  private func restoreDocument(_ file: DocumentBatch.File, _ unit: UnitOfWork) throws(DocumentError) {
    let now = try unit.content(of: file.name)
    guard now.map({ ContentHash(of: $0).description }) == file.after else {
      throw .changedSince(path: folder.full(file.name))
    }
    if let held = heldHandle(file.name), held.hasUnsavedChanges { throw .changedSince(path: held.path) }
    try unit.restore(file.name, file.before)
  }

  private func restoreImage(
    _ hash: ContentHash, _ file: DocumentBatch.File, _ unit: UnitOfWork
  ) throws(DocumentError) {
    guard let bytes = file.before, try !folder.hasIntact(hash) else { return }
    try folder.makeFolder(DocumentFolder.images)
    try unit.restore(file.name, bytes)
  }

  private static func imageHash(_ name: String) -> ContentHash? {
    let start = DocumentFolder.images + "/"
    return name.hasPrefix(start) ? ContentHash(String(name.dropFirst(start.count))) : nil
  }

  /// The handle on a file that was put back learns what it holds.
  func refresh(_ name: String) throws(DocumentError) {
    guard let held = heldHandle(name) else { return }
    guard folder.has(name) else { return held.state.isRemoved = true }
    let file = try folder.read(name, limit: CardFormat.maximumBytes)
    let content = try CardDocument(reading: file.bytes, file: folder.full(name))
    held.state = StoredDocument.State(
      content: content, name: name, known: (file.stamp, ContentHash(of: file.bytes)), imagesOnDisk: content.images)
  }
}
