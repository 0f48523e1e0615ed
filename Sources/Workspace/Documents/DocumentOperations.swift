// The card documents of an account.
// Invariant: a change of a document is one operation; writing a page of documents changes nothing but its file.

public import CardDocuments
import Decks
public import Exchange
public import Files
import Problems
import Storage

public struct DocumentOperations {
  let workspace: Workspace

  /// Returns the store of the user's documents, opened at its first use.
  func store() throws -> DocumentStore {
    _ = try workspace.store(for: "document")
    if let known = workspace.opened.documents { return known }
    let fresh = DocumentStore(
      keeper: CollectionDocuments(workspace: workspace), drawing: workspace.drawing,
      isInterrupted: workspace.isInterrupted, randomBytes: workspace.environment.random.bytes)
    if workspace.isInUnit || workspace.database.isInOperation { fresh.beginUnit() }
    workspace.opened.documents = fresh
    return fresh
  }

  /// Creates a document and saves it at once. If no colour is given, it gets one of eight at random.
  public func create(background: CardColor?) throws -> DocumentHandle {
    var choices = workspace.environment.random.choices
    return workspace.handle(of: try store().create(background: background, using: &choices))
  }

  /// Opens a document by its id, an unambiguous prefix of it, or the path of any file.
  public func open(_ name: String) throws -> DocumentHandle { workspace.handle(of: try store().open(name)) }

  /// Returns the id of a stored document that cannot be opened because its row is damaged; nil for any other.
  public func damaged(_ name: String) throws -> DocumentID? { try store().damaged(name) }

  /// Removes a stored document without opening it, and in the same step its reference from the cards that show it.
  /// - Returns: how many cards showed it.
  public func removeDamaged(_ id: DocumentID) throws -> Int {
    try workspace.perform(.removeDocument, count: { _ in 1 }) { db in
      try DocumentTable.remove(db, id)
      return try CardTable.removeDocument(db, id.description, now: workspace.now)
    }
  }

  /// Opens, changes and saves a document as one change. Within a unit of work it becomes part of the unit.
  public func change<T>(_ name: String, _ body: (DocumentHandle) throws -> T) throws -> T {
    try workspace.perform(.changeDocuments) { _ in
      let handle = try open(name)
      let result = try body(handle)
      try handle.document().save()
      return result
    }
  }

  public func picture(file: String) throws -> Picture { try store().picture(file: file) }

  /// Returns all documents, and the problems of those that cannot be opened.
  public func all() throws -> (documents: [DocumentHandle], problems: [DocumentProblem]) {
    let (documents, problems) = try store().list()
    return (documents.map { workspace.handle(of: $0) }, problems)
  }

  /// Returns the ids of all documents without reading the documents.
  public func ids() throws -> [String] { try workspace.read(DocumentTable.ids) }

  /// Draws many documents on the pages of one file.
  public func drawSheet(_ documents: [DocumentHandle], to path: String, drawn: (Int) -> Void) throws {
    try store().sheet(documents.map { try $0.document() }, to: path, drawn: drawn)
  }

  /// Saves pending moves and sizes, when the shell exits or is suspended.
  /// - Returns: the errors of those that could not be saved.
  public func save() -> [any Error] {
    guard workspace.isOpen, let documents = workspace.opened.documents else { return [] }
    return documents.saveAll()
  }

  /// Writes documents as a single HTML file that shows them offline and without scripts.
  /// - Parameters:
  ///   - width: the width of each picture, in pixels.
  ///   - kinds: the kinds of files that may be written; other than plain files only if the user typed the path.
  ///   - progress: called with the number of documents drawn.
  /// - Throws: `DocumentError`, `FileError`; then the file is unchanged.
  public func writePage(
    _ documents: [DocumentHandle], titled title: String, width: Int, to path: String, _ kinds: FileKinds = .plain,
    progress: (Int) throws -> Void = { _ in }
  ) throws -> GalleryReport {
    let gallery = GalleryPage(title: title, count: documents.count) { place in
      try documents[place].document().picture(width: width)
    }
    return try gallery.write(to: path, kinds, isInterrupted: workspace.isInterrupted) { done in
      try workspace.poll()
      try progress(done)
    }
  }

  /// Returns the picture of a document for the page of a deck; nil if it is gone or cannot be drawn.
  func picture(ofDocument id: String) throws -> GalleryPicture? {
    do {
      return try open(id).document().picture(width: Self.pageWidth)
    } catch let problem as any Problem {
      guard problem.report.code != .interrupted else { throw problem }
      return nil
    }
  }

  private static var pageWidth: Int { 500 }
}

extension StoredDocument {
  fileprivate func picture(width: Int) throws -> GalleryPicture {
    let drawing = try png(width: width)
    return GalleryPicture(
      title: content.title, description: content.summary, png: drawing.bytes, broken: drawing.brokenElements.count)
  }
}

/// Stores documents as rows of the collection and their pictures among its media.
struct CollectionDocuments: DocumentKeeper {
  unowned let workspace: Workspace

  package var changeCount: Int { workspace.changeCount }

  package var now: Double { workspace.now }

  package func read<T>(_ body: (Database) throws -> T) throws -> T { try workspace.read(body) }

  package func change<T>(_ body: (Database) throws -> T) throws -> T {
    guard workspace.database.isInOperation else {
      return try workspace.perform(.changeDocuments, isOneStatement: true, body)
    }
    if workspace.isReadingPastStep { throw WorkspaceError.lookingBack(Operation.changeDocuments.rawValue) }
    try workspace.checkPendingLimit()
    return try workspace.database.operation(Operation.changeDocuments.rawValue, isOneStatement: true, body)
  }

  package func path(of picture: ContentHash) -> String { workspace.media.folder + "/" + picture.description }

  package func picture(_ hash: ContentHash) throws -> [UInt8]? {
    try workspace.opened.rehearsedPictures[hash] ?? workspace.media.content(hash.description)
  }

  package func keep(_ picture: [UInt8], _ hash: ContentHash) throws {
    if workspace.rehearsal.isOn { workspace.opened.rehearsedPictures[hash] = picture }
    try workspace.media.write(picture, hash: hash.description)
  }
}
