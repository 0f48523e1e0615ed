// The documents of one user: a folder with one file a document and the images they share.
// Invariant: a document's file never names an image that was not written before it, an image goes with its last use
// only, and of two processes that change one document neither loses its version.

public import Files
import Glibc
import Text
import Values

/// A file in the store, unread.
///
///     for entry in try store.entries() { print(entry.path, entry.size) }
public struct DocumentEntry: Equatable, Sendable {
  public let path: String
  /// By the file's name; nil when that is no UUID, then only opening it tells.
  public let id: DocumentID?
  /// Seconds since 1970.
  public let modified: Double
  public let size: Int
}

/// Decides about a batch of changed files together with something else: in this program, the database.
///
/// A batch that was made ready is done if, and only if, it was decided, whatever happens to the process meanwhile.
public protocol DocumentDecider: AnyObject {
  /// Whether the batch of that id was decided.
  func isDecided(_ batch: String) throws -> Bool
  /// Keeps what the store's unit of work changed: calls `prepareUnit`, decides, then calls `finishUnit`; or
  /// `rollbackUnit`.
  /// - Parameter what: what is done, in words: "changing a document".
  /// - Returns: what `finishUnit` gave.
  func keepUnit(of store: DocumentStore, _ what: String) throws -> [DocumentError]
}

/// The folder of a user's documents.
///
///     let document = try store.create(background: .yellow, using: &random)
///     try store.open("6D92").setBackground(.black)   // by the beginning of its id
public final class DocumentStore {
  let folder: DocumentFolder
  weak var decider: (any DocumentDecider)?
  /// Draws, and decodes pictures.
  public let drawing: DrawingProgram
  private let wait: LockWait
  private let randomBytes: (Int) -> [UInt8]
  var handles: [String: WeakHandle] = [:]
  var withMoves: [ObjectIdentifier: StoredDocument] = [:]
  var unit: UnitOfWork?
  /// The folder's lock, from `prepareUnit` to `finishUnit`.
  var unitLock: FileLock?
  var unitConflicts: [DocumentError] = []

  struct WeakHandle {
    weak var document: StoredDocument?
  }

  /// Opens the folder, making it where there is none; what a killed process left half done is finished or cleared.
  /// - Parameters:
  ///   - wait: how long another process that writes into the folder is waited for.
  ///   - randomBytes: so many random bytes, for ids; never the seeded ones of a script.
  ///   - decider: who decides about each change; without one the files alone do.
  ///   - step: called before each step that changes the disk; anything but 0 is an error number that makes the step
  ///     fail.
  public init(
    folder path: String, drawing: DrawingProgram, wait: LockWait, randomBytes: @escaping (Int) -> [UInt8],
    decider: (any DocumentDecider)? = nil, step: @escaping (String) -> Int32 = { _ in 0 }
  ) throws(DocumentError) {
    self.decider = decider
    folder = DocumentFolder(path: path, step: step)
    self.drawing = drawing
    self.wait = wait
    self.randomBytes = randomBytes
    do {
      try folder.makeFolder()
      if try hasLeftovers() {
        let lock = try locked()
        defer { lock.release() }
        try recover()
      }
    } catch {
      // On a disk that is full, or may not be written to, what is there is read all the same.
      guard error.isUnwritable else { throw error }
    }
  }

  private func hasLeftovers() throws(DocumentError) -> Bool {
    for place in ["", DocumentFolder.images, DocumentFolder.thumbnails] {
      for name in try folder.names(in: place) {
        if name.hasPrefix(DocumentFolder.temporaryPrefix) { return true }
        if place.isEmpty, name.hasPrefix(DocumentFolder.unitPrefix) { return true }
      }
    }
    return false
  }

  /// Finishes or clears what a process that is gone has left. The caller holds the folder's lock.
  func recover() throws(DocumentError) {
    try Journal.recover(in: folder) { [decider] (batch) throws(DocumentError) in
      guard let decider else { return nil }
      do { return try decider.isDecided(batch) } catch { throw DocumentError(relaying: error) }
    }
  }

  /// The folder's lock: one process at a time writes into it.
  func locked() throws(DocumentError) -> FileLock {
    do { return try FileLock(folder.full(DocumentFolder.lock), wait) } catch { throw .writing(error) }
  }

  /// A random UUID, version 4 of RFC 9562.
  func newID() -> DocumentID {
    var bytes = Array(randomBytes(16).prefix(16))
    bytes += Array(repeating: 0, count: 16 - bytes.count)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return DocumentID(bytes: bytes)
  }

  /// Lets go of all documents: an open unit of work is rolled back, moves that wait are forgotten (`saveAll()` first
  /// keeps them). What of the unit could not be cleared from disk is cleared when the folder is opened the next time.
  public func close() {
    do { try rollbackUnit() } catch { unit = nil }
    withMoves = [:]
    handles = [:]
  }

  // MARK: - Finding

  /// All files in the store by name, without reading any: for lists, counts and completion.
  public func entries() throws(DocumentError) -> [DocumentEntry] {
    var entries: [DocumentEntry] = []
    for file in try folder.documents() where !file.isSymbolicLink {
      if heldHandle(file.name)?.isRemoved == true { continue }
      entries.append(
        DocumentEntry(
          path: folder.full(file.name), id: DocumentStore.id(fromName: file.name), modified: file.stamp.modified,
          size: file.stamp.size))
    }
    for document in unit?.changed ?? [] where document.state.known == nil && !document.isRemoved {
      entries.append(DocumentEntry(path: document.path, id: document.id, modified: 0, size: 0))
    }
    return entries
  }

  private static func id(fromName name: String) -> DocumentID? {
    let file = name.split(separator: "/").last ?? ""
    return DocumentID(String(file.dropLast(".rwcard".count)))
  }

  /// All documents, by file name; those that do not open are reported instead, and do not hold the rest up.
  public func list() throws(DocumentError) -> (documents: [StoredDocument], problems: [DocumentProblem]) {
    var documents: [StoredDocument] = []
    var problems: [DocumentProblem] = []
    var seen: [DocumentID: String] = [:]
    for file in try folder.documents() {
      do {
        let document = try handle(on: file.name)
        if document.isRemoved { continue }
        if let other = seen.updateValue(file.name, forKey: document.id) {
          problems.append(DocumentStore.sameID(document.id, file: folder.full(file.name), other: other))
          continue
        }
        documents.append(document)
      } catch {
        problems.append(DocumentProblem(error, path: folder.full(file.name)))
      }
    }
    documents += (unit?.changed ?? []).filter { $0.state.known == nil && !$0.isRemoved }
    return (documents, problems)
  }

  static func sameID(_ id: DocumentID, file: String, other: String) -> DocumentProblem {
    DocumentProblem(
      .duplicateID, JSONPointer.whole.appending("id"), "the file \(printable(other)) holds a document \(id) too",
      path: file)
  }

  /// Opens a document of the store by its id or an unambiguous beginning of it, or any file by its path.
  public func open(_ name: String) throws(DocumentError) -> StoredDocument {
    if let id = DocumentID(name) { return try open(id) }
    if name.contains("/") || name.hasSuffix(".rwcard") { return try open(path: name) }
    let entries = try entries()
    // A file whose name is no id has to be read for it.
    let isPlain = entries.allSatisfy { $0.id != nil }
    let ids = isPlain ? entries.compactMap(\.id) : try list().documents.map(\.id)
    let wanted = name.uppercased()
    let matches = ids.filter { $0.description.hasPrefix(wanted) }
    if name.isEmpty || matches.isEmpty {
      throw .notFound(name, suggestion: suggestion(for: wanted, among: ids.map(\.description)))
    }
    guard matches.count == 1, let id = matches.first else { throw .ambiguous(name, count: matches.count) }
    return try open(id)
  }

  public func open(_ id: DocumentID) throws(DocumentError) -> StoredDocument {
    if let document = heldHandle(id.fileName), document.id == id, unit?.holds(document) == true {
      guard !document.isRemoved else { throw .notFound(id.description, suggestion: nil) }
      return document
    }
    if folder.has(id.fileName) {
      let document = try handle(on: id.fileName)
      if document.id == id { return document }
    }
    // A file whose name is not its document's id.
    for document in try list().documents where document.id == id { return document }
    throw .notFound(id.description, suggestion: nil)
  }

  /// Opens a file. One outside the store is never written to; `save()` puts a copy of it into the store.
  public func open(path: String) throws(DocumentError) -> StoredDocument {
    if let name = nameInFolder(path) {
      let document = try handle(on: name)
      if document.isRemoved { throw .cannotRead(path: path, errno: ENOENT) }
      return document
    }
    let file = try readPlainFile(path, limit: CardFormat.maximumBytes, followingLinks: true)
    let content = try CardDocument(reading: file.bytes, file: path)
    let known = (stamp: file.stamp, digest: ContentHash(of: file.bytes))
    return StoredDocument(
      StoredDocument.State(content: content, known: known, outside: path), store: self)
  }

  /// The name in the folder of a path that leads there.
  private func nameInFolder(_ path: String) -> String? {
    guard let root = realPath(folder.path) else { return nil }
    let file = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    guard let parent = realPath(parentFolder(of: path)) else { return nil }
    if parent == root { return file }
    guard parent.hasPrefix(root + "/") else { return nil }
    return String(parent.dropFirst(root.count + 1)) + "/" + file
  }

  /// The handle on a file that is held now; one that was saved under another name since does not count.
  func heldHandle(_ name: String) -> StoredDocument? {
    handles[name]?.document.flatMap { $0.state.name == name ? $0 : nil }
  }

  /// The handle on a file of the store, read again when another process changed it and nothing waits to be saved.
  private func handle(on name: String) throws(DocumentError) -> StoredDocument {
    let old = heldHandle(name)
    if let old, unit?.holds(old) == true || old.hasUnsavedChanges { return old }
    if let old, let stamp = try folder.stamp(of: name), stamp == old.state.known?.stamp, !old.isRemoved { return old }
    let file = try folder.read(name, limit: CardFormat.maximumBytes)
    let content = try CardDocument(reading: file.bytes, file: folder.full(name))
    let state = StoredDocument.State(
      content: content, name: name, known: (file.stamp, ContentHash(of: file.bytes)),
      imagesOnDisk: content.images)
    if let old, !old.isRemoved {
      old.state = state
      return old
    }
    let document = StoredDocument(state, store: self)
    handles[name] = WeakHandle(document: document)
    return document
  }

  // MARK: - Making

  /// A picture file (PNG, JPEG, GIF, WebP, SVG) as documents keep it: PNG, its long side at most 1000 pixels.
  public func picture(file: String) throws(DocumentError) -> Picture {
    try picture(
      from: readPlainFile(file, limit: DocumentFolder.maximumImage, followingLinks: true).bytes, named: file)
  }

  func picture(from bytes: [UInt8], named name: String) throws(DocumentError) -> Picture {
    do { return try drawing.picture(from: bytes, longSide: CardFormat.imageSide) } catch {
      throw .picture(file: name, error)
    }
  }

  /// A new empty document, saved at once.
  /// - Parameters:
  ///   - background: nil for one of eight soft colours.
  ///   - random: chooses among them, so a seeded run repeats.
  public func create(
    background: CardColor? = nil, using random: inout some RandomNumberGenerator
  ) throws(DocumentError) -> StoredDocument {
    let color = background ?? CardColor.soft.randomElement(using: &random) ?? .yellow
    return try add(CardDocument(id: newID(), background: color), from: nil)
  }

  func add(_ content: CardDocument, from other: StoredDocument?) throws(DocumentError) -> StoredDocument {
    var state = StoredDocument.State(content: content, name: content.id.fileName)
    if let other { try bring(other, to: &state) }
    let document = StoredDocument(state, store: self)
    document.state.isRemoved = true
    willChange(document)
    document.state.isRemoved = false
    handles[content.id.fileName] = WeakHandle(document: document)
    do { try save(document) } catch {
      if case .changedElsewhere = error { throw error }
      document.state.isRemoved = true
      throw error
    }
    return document
  }

  /// Puts a document from outside into the store; its handle is then one on the store's file.
  func takeIn(_ document: StoredDocument) throws(DocumentError) {
    if document.isReadOnly { throw .laterVersion(document.version) }
    let before = document.state
    willChange(document)
    var state = before
    if try entries().contains(where: { $0.id == state.content.id }) {
      state.content = try state.content.duplicate(id: newID())
    }
    try bring(document, to: &state)
    state.name = state.content.id.fileName
    state.known = nil
    state.outside = nil
    state.isChangedOutside = false
    document.state = state
    handles[state.content.id.fileName] = WeakHandle(document: document)
    do { try save(document) } catch {
      if case .changedElsewhere = error { throw error }
      document.state = before
      throw error
    }
  }

  /// Takes along the images that another document has and the store may not have.
  private func bring(_ other: StoredDocument, to state: inout StoredDocument.State) throws(DocumentError) {
    for hash in state.content.images where !folder.has(DocumentStore.imageName(hash)) {
      if let bytes = try imageIfThere(hash, of: other) { state.images[hash] = bytes }
    }
    let adopted = try adoptable(of: other)
    state.content.load(adopted.mapValues { ContentHash(of: $0) })
    for bytes in adopted.values { state.images[ContentHash(of: bytes)] = bytes }
  }
}

private func realPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(validatingCString: resolved)
}
