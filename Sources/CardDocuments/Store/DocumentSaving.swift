// Saving documents, at once or with the unit of work. Invariant: what another process wrote meanwhile is never written
// over: this version becomes a document of its own.

import Files

extension DocumentStore {
  func noteMoves(of document: StoredDocument) {
    if document.isInStore { withMoves[ObjectIdentifier(document)] = document }
  }

  /// Writes all moves that wait: when the shell is left or suspended, and before a unit of work is committed.
  /// - Returns: what could not be saved, or was saved as a document of its own; none keeps the others from it.
  public func saveAll() -> [DocumentError] {
    var failures: [DocumentError] = []
    for (key, document) in withMoves.sorted(by: { $0.value.id < $1.value.id }) {
      do {
        if document.hasUnsavedChanges, !document.isRemoved { try document.save() }
      } catch { failures.append(error) }
      if !document.hasUnsavedChanges || document.isRemoved { withMoves[key] = nil }
    }
    return failures
  }

  func willChange(_ document: StoredDocument) { unit?.remember(document) }

  /// - Throws: what `joinsUnit` throws.
  func requireRoom() throws(DocumentError) {
    do { try joinsUnit() } catch { throw DocumentError(relaying: error) }
  }

  func save(_ document: StoredDocument) throws(DocumentError) {
    if let unit {
      try requireRoom()
      try unit.stageImages(of: document)
      return unit.note(document)
    }
    if decider != nil { return try keepAlone(document, "changing a document") }
    let lock = try locked()
    defer { lock.release() }
    let conflict = try prepare(document)
    if !document.state.images.isEmpty { try folder.makeFolder(DocumentFolder.images) }
    for (hash, bytes) in document.state.images where try !folder.hasIntact(hash) {
      try folder.write(bytes, to: DocumentStore.imageName(hash))
    }
    guard let name = document.state.name else { return }
    let bytes = document.state.saved.encoded
    try folder.write(bytes, to: name)
    releaseImages(try wrote(document, name, bytes))
    if let conflict { throw conflict }
  }

  /// Takes old images in, and when another process saved the document since, makes this version a document of its own.
  func prepare(_ document: StoredDocument) throws(DocumentError) -> DocumentError? {
    let adopted = try adoptable(of: document)
    if !adopted.isEmpty {
      let hashes = adopted.mapValues { ContentHash(of: $0) }
      document.state.content.load(hashes)
      for bytes in adopted.values { document.state.images[ContentHash(of: bytes)] = bytes }
    }
    guard let name = document.state.name, try isChangedElsewhere(document, name) else { return nil }
    let old = document.id
    let copy = newID()
    document.state.content = try document.state.content.duplicate(id: copy)
    document.state.name = copy.fileName
    document.state.known = nil
    document.state.imagesOnDisk = []
    return .changedElsewhere(old, copy: copy)
  }

  /// A document whose file another process removed is just written again.
  func isChangedElsewhere(_ document: StoredDocument, _ name: String) throws(DocumentError) -> Bool {
    guard let stamp = try folder.stamp(of: name) else { return false }
    guard let known = document.state.known else { return true }
    if stamp == known.stamp { return false }
    do {
      return ContentHash(of: try folder.read(name, limit: CardFormat.maximumBytes).bytes) != known.digest
    } catch {
      if case .tooLargeFile = error { return true }
      throw error
    }
  }

  /// Remembers what is on disk now. Gives the images that the file showed before and does not show any more.
  func wrote(
    _ document: StoredDocument, _ name: String, _ bytes: [UInt8]
  ) throws(DocumentError) -> Set<ContentHash> {
    if let stamp = try folder.stamp(of: name) { document.state.known = (stamp, ContentHash(of: bytes)) }
    handles[name] = WeakHandle(document: document)
    document.state.images = [:]
    let images = document.content.images
    defer { document.state.imagesOnDisk = images }
    return document.state.imagesOnDisk.subtracting(images)
  }
}
