// What a script run changed, until it ends well or not at all.
// Invariant: until the commit nothing outside the unit's own folder is touched, and every document it changed can be
// put back as it was.

import Files

final class UnitOfWork {
  private let folder: DocumentFolder
  private let journal: Journal
  private var alive: FileLock?
  private var staged: [ContentHash: String] = [:]
  private var remembered: Set<ObjectIdentifier> = []
  private var noted: Set<ObjectIdentifier> = []
  private var files = 0
  private var changes: [FolderChange] = []

  /// The documents to be written or removed, in the order of their first change.
  private(set) var changed: [StoredDocument] = []
  /// Every document that was touched, as it was before.
  private(set) var before: [(StoredDocument, StoredDocument.State)] = []
  var removals: [String] = []
  /// What was written, by the name of the file.
  private(set) var written: [String: [UInt8]] = [:]

  init(folder: DocumentFolder, place: String) {
    self.folder = folder
    journal = Journal(place: place)
  }

  func holds(_ document: StoredDocument) -> Bool { remembered.contains(ObjectIdentifier(document)) }

  func remember(_ document: StoredDocument) {
    if remembered.insert(ObjectIdentifier(document)).inserted { before.append((document, document.state)) }
  }

  func note(_ document: StoredDocument) {
    if noted.insert(ObjectIdentifier(document)).inserted { changed.append(document) }
  }

  /// Puts images on disk, out of memory, where only this unit sees them.
  func stageImages(of document: StoredDocument) throws(DocumentError) {
    for (hash, bytes) in document.state.images where staged[hash] == nil {
      if try !folder.hasIntact(hash) { staged[hash] = try stage(bytes) }
    }
    document.state.images = [:]
  }

  func image(_ hash: ContentHash) throws(DocumentError) -> [UInt8]? {
    guard let name = staged[hash] else { return nil }
    return try folder.read(journal.place + "/" + name, limit: DocumentFolder.maximumImage).bytes
  }

  private func stage(_ bytes: [UInt8]) throws(DocumentError) -> String {
    if alive == nil {
      try folder.makeFolder(journal.place)
      do { alive = try FileLock(ifFree: folder.full(journal.place + "/" + Journal.alive)) } catch {
        throw .writing(error)
      }
    }
    files += 1
    let name = String(files)
    try folder.write(bytes, to: journal.place + "/" + name, syncsName: false)
    return name
  }

  /// Writes all there is to write into the unit's folder, and makes it certain that it will be done.
  func commit() throws(DocumentError) {
    let used = changed.reduce(into: Set<ContentHash>()) { $0.formUnion($1.isRemoved ? [] : $1.content.images) }
    for (hash, name) in staged.sorted(by: { $0.key.description < $1.key.description }) where used.contains(hash) {
      changes.append(.put(staged: name, name: DocumentStore.imageName(hash)))
    }
    if !changes.isEmpty { try folder.makeFolder(DocumentFolder.images) }
    for document in changed where !document.isRemoved {
      guard let name = document.state.name else { continue }
      let bytes = document.state.saved.encoded
      changes.append(.put(staged: try stage(bytes), name: name))
      written[name] = bytes
    }
    changes += removals.map { .remove(name: $0) }
    if alive == nil { _ = try stage([]) }
    try journal.commit(changes, in: folder)
  }

  func apply() throws(DocumentError) {
    try journal.apply(changes, in: folder)
    alive?.release()
  }

  func clear() throws(DocumentError) {
    if alive != nil { try journal.clear(in: folder) }
    alive?.release()
  }
}
