// What a script run changed, until it ends well or not at all.
// Invariant: until the commit nothing outside the unit's own folder is touched, and every document it changed can be
// put back as it was.

import Files

/// A batch of changes of the folder that is ready to be done.
public struct DocumentBatch: Sendable {
  /// A file that it changes, by its name within the folder.
  public struct File: Sendable {
    public let name: String
    /// What it holds until now; nil when it is not there.
    public let before: [UInt8]?
    /// The SHA-256 of what it will hold; nil when it goes.
    public let after: String?

    public init(name: String, before: [UInt8]?, after: String?) {
      (self.name, self.before, self.after) = (name, before, after)
    }
  }

  public let id: String
  public let files: [File]
}

final class UnitOfWork {
  private let folder: DocumentFolder
  private let journal: Journal
  private let isInterrupted: () -> Bool
  private var alive: FileLock?
  /// The names of images in the unit's folder, and how many files are in it.
  private var staged = (images: [ContentHash: String](), count: 0)
  private var remembered: Set<ObjectIdentifier> = []
  /// The documents that are noted, and bytes that each takes of the memory about.
  private var noted: [ObjectIdentifier: Int] = [:]
  /// Bytes of memory that all of them take about.
  private(set) var weight = 0
  private var plan = Plan()

  /// The documents to be written or removed, in the order of their first change.
  private(set) var changed: [StoredDocument] = []
  /// Every document that was touched, as it was before.
  private(set) var before: [(StoredDocument, StoredDocument.State)] = []
  var removals: [String] = []
  /// Files that were put back as they had been, by name, and the images that those show.
  private(set) var restored = (names: [String](), images: Set<ContentHash>())
  private(set) var isPrepared = false
  /// What was written, by the name of the file.
  private(set) var written: [String: [UInt8]] = [:]

  /// What is to be done to the folder.
  private struct Plan {
    var changes: [FolderChange] = []
    var files: [DocumentBatch.File] = []
    /// The names of files whose new content was written straight into the unit's folder.
    var replaced: Set<String> = []
  }

  /// Files that are synced one by one. What is more is synced at once, by the file system.
  private static let mostSyncs = 16

  /// - Parameter isInterrupted: asked until the unit is ready to be decided; true gives up.
  init(folder: DocumentFolder, place: String, isInterrupted: @escaping () -> Bool) {
    (self.folder, self.isInterrupted) = (folder, isInterrupted)
    journal = Journal(place: place)
  }

  func holds(_ document: StoredDocument) -> Bool { remembered.contains(ObjectIdentifier(document)) }

  func remember(_ document: StoredDocument) {
    if remembered.insert(ObjectIdentifier(document)).inserted { before.append((document, document.state)) }
  }

  func note(_ document: StoredDocument) {
    let bytes = 8192 + 1024 * document.elements.count
    let before = noted.updateValue(bytes, forKey: ObjectIdentifier(document))
    weight += bytes - (before ?? 0)
    if before == nil { changed.append(document) }
  }

  /// Puts images on disk, out of memory, where only this unit sees them.
  func stageImages(of document: StoredDocument) throws(DocumentError) {
    for (hash, bytes) in document.state.images where staged.images[hash] == nil {
      if try !folder.hasIntact(hash) { staged.images[hash] = try stage(bytes) }
    }
    document.state.images = [:]
  }

  func image(_ hash: ContentHash) throws(DocumentError) -> [UInt8]? {
    guard let name = staged.images[hash] else { return nil }
    return try folder.read(journal.place + "/" + name, limit: DocumentFolder.maximumImage).bytes
  }

  /// Makes the unit's own folder.
  func begin() throws(DocumentError) {
    guard alive == nil else { return }
    try folder.makeFolder(journal.place)
    do { alive = try FileLock(ifFree: folder.full(journal.place + "/" + Journal.alive)) } catch {
      throw .writing(error)
    }
  }

  private func stage(_ bytes: [UInt8]) throws(DocumentError) -> String {
    try begin()
    staged.count += 1
    let name = String(staged.count)
    try folder.write(
      bytes, to: journal.place + "/" + name, isSynced: staged.count <= Self.mostSyncs, syncsName: false)
    return name
  }

  /// Makes what was staged last through a loss of power.
  private func syncStaged() throws(DocumentError) {
    if staged.count > Self.mostSyncs { try folder.syncAll(journal.place) }
  }

  /// - Throws: `inUse` when the user asks to stop.
  func goOn() throws(DocumentError) {
    if isInterrupted() { throw .inUse(FileError(folder.path, .write, .interrupted)) }
  }

  /// The names of the files that the unit writes or removes.
  var names: Set<String> { Set(written.keys).union(removals).union(restored.names) }

  /// Writes the images and the documents into the unit's folder.
  func gather() throws(DocumentError) {
    let used = changed.reduce(into: Set<ContentHash>()) { $0.formUnion($1.isRemoved ? [] : $1.content.images) }
    for (hash, name) in staged.images.sorted(by: { $0.key.description < $1.key.description }) where used.contains(hash)
    {
      let final = DocumentStore.imageName(hash)
      plan.changes.append(.put(staged: name, name: final))
      plan.files.append(DocumentBatch.File(name: final, before: nil, after: hash.description))
    }
    if !plan.changes.isEmpty { try folder.makeFolder(DocumentFolder.images) }
    for document in changed where !document.isRemoved {
      guard let name = document.state.name else { continue }
      try goOn()
      let bytes = document.state.saved.encoded
      written[name] = bytes
      try put(bytes, name)
    }
  }

  private func put(_ bytes: [UInt8], _ name: String) throws(DocumentError) {
    plan.changes.append(.put(staged: try stage(bytes), name: name))
    let after = ContentHash(of: bytes).description
    plan.files.append(DocumentBatch.File(name: name, before: try content(of: name), after: after))
  }

  /// What a file holds now; nil when it is not there.
  func content(of name: String) throws(DocumentError) -> [UInt8]? {
    try folder.has(name) ? folder.read(name, limit: DocumentFolder.maximumImage).bytes : nil
  }

  /// Puts a file back as it was: nil takes it away.
  func restore(_ name: String, _ bytes: [UInt8]?) throws(DocumentError) {
    restored.names.append(name)
    if let bytes { collectHashes(in: bytes, into: &restored.images) }
    if let bytes { try put(bytes, name) } else { removals.append(name) }
  }

  /// Writes the journal: what the unit will do, once it is decided.
  /// - Returns: nil when there is nothing to do.
  func prepare(isDecidedElsewhere: Bool) throws(DocumentError) -> DocumentBatch? {
    for name in removals where !name.hasPrefix(DocumentFolder.thumbnails + "/") {
      if let bytes = try content(of: name) {
        plan.files.append(DocumentBatch.File(name: name, before: bytes, after: nil))
      }
    }
    plan.changes += removals.map { .remove(name: $0) }
    if plan.changes.isEmpty { return nil }
    if alive == nil { _ = try stage([]) }
    try syncStaged()
    isPrepared = true
    try journal.commit(plan.changes, isDecidedElsewhere: isDecidedElsewhere, in: folder)
    return DocumentBatch(id: journal.place, files: plan.files)
  }

  // MARK: Replacing everything

  /// Where the new content of a file is to be written.
  func placeForReplacement(of name: String) -> String {
    staged.count += 1
    plan.changes.append(.put(staged: String(staged.count), name: name))
    plan.replaced.insert(name)
    return folder.full(journal.place + "/" + String(staged.count))
  }

  func isReplaced(_ name: String) -> Bool { plan.replaced.contains(name) }

  /// The same as `prepare`, without the way back: whoever replaces everything has made a backup.
  func prepareReplacing(isDecidedElsewhere: Bool) throws(DocumentError) -> DocumentBatch {
    plan.changes += removals.map { .remove(name: $0) }
    for name in plan.replaced where name.contains("/") { try makeFolders(above: name) }
    isPrepared = true
    try journal.commit(plan.changes, isDecidedElsewhere: isDecidedElsewhere, in: folder)
    return DocumentBatch(id: journal.place, files: [])
  }

  private func makeFolders(above name: String) throws(DocumentError) {
    do { try makePrivateFolder(parentFolder(of: folder.full(name))) } catch { throw .writing(error) }
  }

  func apply() throws(DocumentError) {
    if alive != nil { try journal.apply(plan.changes, in: folder) }
    release()
  }

  func release() {
    alive?.release()
    alive = nil
  }

  func clear() throws(DocumentError) {
    defer { release() }
    if alive != nil { try journal.clear(in: folder) }
  }
}
