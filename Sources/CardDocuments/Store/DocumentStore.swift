// The documents of one user: rows of the collection, and the pictures that they share. Invariant: a picture is stored
// before the row that names it; every change is one statement of one operation, and applies to the document as it is in
// the database at that moment, so two processes that change the same document both keep their changes.

import Files
package import Storage
import Text
import Values

/// The storage of documents: in this program, the account's collection and its media.
package protocol DocumentKeeper {
  /// Increases whenever rows that were read may be stale.
  var changeCount: Int { get }
  /// Seconds since 1970.
  var now: Double { get }
  func read<T>(_ body: (Database) throws -> T) throws -> T
  /// Runs a change of one document as an operation, or as part of the current one.
  func change<T>(_ body: (Database) throws -> T) throws -> T
  func path(of picture: ContentHash) -> String
  func picture(_ hash: ContentHash) throws -> [UInt8]?
  /// Stores a picture for the document that the current operation writes.
  func keep(_ picture: [UInt8], _ hash: ContentHash) throws
}

/// A user's documents.
///
///     let document = try store.create(background: .yellow, using: &random)
///     try store.open("6D92").setBackground(.black)   // by the beginning of its id
public final class DocumentStore {
  package let keeper: any DocumentKeeper
  /// Draws documents, and decodes pictures.
  public let drawing: DrawingProgram
  let isInterrupted: () -> Bool
  private let randomBytes: (Int) -> [UInt8]
  private var handles: [DocumentID: WeakHandle] = [:]
  private var withMoves: [ObjectIdentifier: StoredDocument] = [:]
  /// Each document that the current unit of work touched, with its state in memory before. Nil outside a unit of work.
  private var before: [ObjectIdentifier: (document: StoredDocument, state: StoredDocument.State)]?

  private struct WeakHandle {
    weak var document: StoredDocument?
  }

  /// - Parameter randomBytes: returns the given number of random bytes, for ids; never the seeded ones of a script.
  package init(
    keeper: any DocumentKeeper, drawing: DrawingProgram, isInterrupted: @escaping () -> Bool,
    randomBytes: @escaping (Int) -> [UInt8]
  ) {
    (self.keeper, self.drawing) = (keeper, drawing)
    (self.isInterrupted, self.randomBytes) = (isInterrupted, randomBytes)
  }

  /// A random UUID, version 4 of RFC 9562.
  func newID() -> DocumentID {
    var bytes = Array(randomBytes(16).prefix(16))
    bytes += Array(repeating: 0, count: 16 - bytes.count)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return DocumentID(bytes: bytes)
  }

  /// Returns all documents by id, and the ids and the problems of those that cannot be opened.
  public func all() throws -> (documents: [StoredDocument], unopened: [(id: String, problem: DocumentProblem)]) {
    var documents: [StoredDocument] = []
    var unopened: [(id: String, problem: DocumentProblem)] = []
    for row in try keeper.read(DocumentTable.rows) {
      do { documents.append(try handle(on: row)) } catch { unopened.append((row.id, DocumentProblem(error))) }
    }
    return (documents, unopened)
  }

  /// Opens a document by its id or an unambiguous prefix of it, or any file by its path.
  public func open(_ name: String) throws -> StoredDocument {
    if Self.isPath(name) { return try open(path: name) }
    return try open(id(of: name))
  }

  /// Returns the id of a document whose row cannot be decoded; nil for a document that can be opened, and for a path.
  package func damaged(_ name: String) throws -> DocumentID? {
    if Self.isPath(name) { return nil }
    let found = try id(of: name)
    guard let row = try keeper.read({ try DocumentTable.row($0, found) }) else { return nil }
    do throws(DocumentError) { _ = try row.decoded() } catch { return found }
    return nil
  }

  /// Returns the id that a name stands for: an id, or an unambiguous prefix of the id of a document.
  private func id(of name: String) throws -> DocumentID {
    if let id = DocumentID(name) { return id }
    let ids = try keeper.read(DocumentTable.ids)
    let wanted = name.uppercased()
    let matches = ids.filter { $0.hasPrefix(wanted) }
    if name.isEmpty || matches.isEmpty {
      throw DocumentError.notFound(name, suggestion: suggestion(for: wanted, among: ids))
    }
    guard matches.count == 1, let id = DocumentID(matches[0]) else {
      throw DocumentError.ambiguous(name, count: matches.count)
    }
    return id
  }

  /// Whether `open` takes a name that is not an id for the path of a file.
  public static func isPath(_ name: String) -> Bool { name.contains("/") || name.lowercased().hasSuffix(".rwcard") }

  public func open(_ id: DocumentID) throws -> StoredDocument {
    guard let row = try keeper.read({ try DocumentTable.row($0, id) }) else {
      throw DocumentError.notFound(id.description, suggestion: nil)
    }
    return try handle(on: row)
  }

  /// Opens a file. The file is never written to; `save()` makes a document of it.
  public func open(path: String) throws(DocumentError) -> StoredDocument {
    let bytes = try bytes(ofFile: path, limit: DocumentFormat.maximumBytes)
    return StoredDocument(.file(path), try CardDocument(reading: bytes, file: path), in: self)
  }

  private func handle(on row: DocumentRow) throws(DocumentError) -> StoredDocument {
    if let held = DocumentID(row.id).flatMap({ handles[$0]?.document }) {
      try held.take(row)
      return held
    }
    let document = try StoredDocument(row, in: self)
    handles[document.id] = WeakHandle(document: document)
    return document
  }

  /// Reads a picture of any supported kind and converts it to the stored form: PNG, at most 1000 pixels long.
  public func picture(file: String) throws(DocumentError) -> Picture {
    try picture(from: bytes(ofFile: file), named: file)
  }

  func picture(from bytes: [UInt8], named name: String) throws(DocumentError) -> Picture {
    do { return try drawing.picture(from: bytes, longSide: DocumentFormat.imageSide) } catch {
      throw .picture(file: name, error)
    }
  }

  /// Creates an empty document and saves it at once.
  /// - Parameters:
  ///   - background: nil for one of eight soft colours.
  ///   - random: chooses the colour, so a seeded run is repeatable.
  public func create(
    background: CardColor? = nil, using random: inout some RandomNumberGenerator
  ) throws -> StoredDocument {
    let color = background ?? CardColor.soft.randomElement(using: &random) ?? .yellow
    return try add(CardDocument(id: newID(), background: color), from: nil)
  }

  /// - Parameter other: the document whose pictures it shows.
  func add(_ content: CardDocument, from other: StoredDocument?) throws -> StoredDocument {
    let document = StoredDocument(.removed, content, in: self)
    try document.enter(content, from: other)
    return document
  }

  func hold(_ document: StoredDocument) { handles[document.id] = WeakHandle(document: document) }

  /// Adds or removes the document in `withMoves`. A document from a file, or one that nobody has saved, needs its own
  /// `save()`; the moves of a removed document wait for its return.
  func noteMoves(of document: StoredDocument) {
    let isKept = document.isInStore && !document.isRemoved && document.hasUnsavedChanges
    withMoves[ObjectIdentifier(document)] = isKept ? document : nil
  }

  /// Saves all unsaved moves: when the user leaves or suspends the shell, and before a unit of work is committed.
  /// - Returns: the errors of the documents that could not be saved; the others are saved.
  public func saveAll() -> [any Error] {
    var failures: [any Error] = []
    for document in withMoves.values.sorted(by: { $0.id < $1.id }) {
      do { try document.save() } catch { failures.append(error) }
    }
    for document in Array(withMoves.values) { noteMoves(of: document) }
    return failures
  }

  /// Starts to record the state of documents in memory. Their rows are rolled back with the transaction.
  package func beginUnit() {
    if before == nil { before = [:] }
  }

  func willChange(_ document: StoredDocument) {
    if before?[ObjectIdentifier(document)] == nil { before?[ObjectIdentifier(document)] = (document, document.state) }
  }

  package func endUnit() { before = nil }

  /// Ends the unit, and restores all documents in memory to their state at its beginning.
  package func rollbackUnit() {
    for (document, state) in (before ?? [:]).values {
      document.state = state
      noteMoves(of: document)
    }
    before = nil
  }
}
