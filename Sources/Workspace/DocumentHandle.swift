// Card documents as they are handed to Lua and to commands, and what the room of documents needs of the workspace.
// Invariant: a handle ends with the workspace that made it, and shows the document as it is in the database now.

public import CardDocuments
import Decks
import Files
package import Storage

/// A document of an open workspace.
///
///     let document = try workspace.createDocument(background: nil)
///     try document.addText("el gato", at: ElementPlacement())
public final class DocumentHandle: WorkspaceHandle {
  public let workspace: Workspace
  private let stored: StoredDocument
  private var elementHandles = HandleTable<String, ElementHandle>()

  init(_ stored: StoredDocument, in workspace: Workspace) {
    self.stored = stored
    self.workspace = workspace
  }

  deinit { workspace.forget(stored) }

  /// The document as it is now.
  /// - Throws: `DocumentError.removed` when it is gone.
  public func document() throws -> StoredDocument {
    guard workspace.isOpen else { throw WorkspaceError.signedOut(what: "document") }
    try stored.refresh()
    return stored
  }

  /// - Throws: `DocumentError.noElement` when it is gone.
  public func element(_ id: String) throws -> ElementHandle {
    guard try document().content.element(id) != nil else {
      throw DocumentError.noElement(id, document: stored.id)
    }
    return elementHandles[id] { ElementHandle(id, of: self) }
  }

  /// In drawing order: the last is in front.
  public func elements() throws -> [ElementHandle] {
    try document().elements.map { element in elementHandles[element.id] { ElementHandle(element.id, of: self) } }
  }

  func forgetElement(_ id: String) { elementHandles.forget(id) }

  public func addText(
    _ text: String, style: TextStyle = TextStyle(), at placement: ElementPlacement
  ) throws -> ElementHandle {
    try element(try document().addText(text, style: style, at: placement).id)
  }

  public func addImage(
    _ path: String, frame: Frame?, isCropped: Bool = false, at placement: ElementPlacement
  ) throws -> ElementHandle {
    try element(try document().addImage(file: path, frame: frame, isCropped: isCropped, at: placement).id)
  }

  public func addImage(
    _ picture: Picture, frame: Frame?, isCropped: Bool = false, at placement: ElementPlacement = ElementPlacement()
  ) throws -> ElementHandle {
    try element(try document().addImage(picture, frame: frame, isCropped: isCropped, at: placement).id)
  }

  /// Removes it, in one step with taking it away from the cards that show it.
  /// - Returns: how many did.
  @discardableResult
  public func remove() throws -> Int {
    let stored = try document()
    return try workspace.perform(.removeDocument, count: { _ in 1 }) { db in
      try stored.remove(db)
      return try CardTable.removeDocument(db, stored.id.description, now: workspace.environment.clocks.now())
    }
  }

  public func duplicate() throws -> DocumentHandle { workspace.handle(of: try document().duplicate()) }
}

/// An element of a document. The same element is the same handle while somebody holds it.
///
///     try document.elements()[0].set(.x, to: .number(120))
public final class ElementHandle: WorkspaceHandle {
  public let document: DocumentHandle
  public let id: String
  public var workspace: Workspace { document.workspace }

  init(_ id: String, of document: DocumentHandle) {
    self.id = id
    self.document = document
  }

  deinit { document.forgetElement(id) }

  /// The element as it stands.
  /// - Throws: `DocumentError.noElement` when it was removed.
  public func element() throws -> Element {
    let stored = try document.document()
    guard let found = stored.content.element(id) else { throw DocumentError.noElement(id, document: stored.id) }
    return found
  }

  public func set(_ field: ElementField, to value: ElementValue) throws {
    let stored = try document.document()
    try stored.set(field, of: id, to: value)
    switch field {
    // Who says how high a box is wants it so.
    case .height: if try element().grows == true { try stored.set(.grows, of: id, to: .flag(false)) }
    case .text, .font, .size, .width, .wraps, .grows: try growBox()
    default: break
    }
  }
}

extension Workspace {
  /// The user's documents, opened at the first use.
  func documentStore() throws -> DocumentStore {
    _ = try store(for: "document")
    if let known = opened.documents { return known }
    let fresh = DocumentStore(
      keeper: self, drawing: drawing, isInterrupted: environment.isInterrupted,
      randomBytes: environment.random.bytes)
    if isInUnit || database.isInOperation { fresh.beginUnit() }
    opened.documents = fresh
    return fresh
  }

  func handle(of stored: StoredDocument) -> DocumentHandle {
    handles.documents[ObjectIdentifier(stored)] { DocumentHandle(stored, in: self) }
  }

  func forget(_ stored: StoredDocument) { handles.documents.forget(ObjectIdentifier(stored)) }

  /// A new document, saved at once. Without a colour, one of eight at random.
  public func createDocument(background: CardColor?) throws -> DocumentHandle {
    var choices = environment.random.choices
    return handle(of: try documentStore().create(background: background, using: &choices))
  }

  /// A document by its id, an unambiguous beginning of it, or the path of any file.
  public func openDocument(_ name: String) throws -> DocumentHandle { handle(of: try documentStore().open(name)) }

  /// Opens a document, changes it and saves it as one change. Within a unit of work it is a part of that.
  ///
  ///     try workspace.changeDocument("6D92") { try $0.addText("hola", at: place) }
  public func changeDocument<T>(_ name: String, _ body: (DocumentHandle) throws -> T) throws -> T {
    try perform(.changeDocuments) { _ in
      let handle = try openDocument(name)
      let result = try body(handle)
      try handle.document().save()
      return result
    }
  }

  /// A picture file as documents keep it.
  public func picture(file: String) throws -> Picture { try documentStore().picture(file: file) }

  /// All documents, and what is wrong with those that do not open.
  public func documents() throws -> (documents: [DocumentHandle], problems: [DocumentProblem]) {
    let (documents, problems) = try documentStore().list()
    return (documents.map { handle(of: $0) }, problems)
  }

  /// The ids of all documents, without reading any of them.
  public func documentIDs() throws -> [String] { try read(DocumentTable.ids) }

  /// Many documents on the pages of one file.
  public func drawSheet(_ documents: [DocumentHandle], to path: String, drawn: (Int) -> Void) throws {
    try documentStore().sheet(documents.map { try $0.document() }, to: path, drawn: drawn)
  }

  /// Saves moves and sizes that wait: when the shell is left or suspended.
  /// - Returns: what could not be saved.
  public func saveDocuments() -> [any Error] {
    guard isOpen, let documents = opened.documents else { return [] }
    return documents.saveAll()
  }
}

extension Workspace: DocumentKeeper {
  package var now: Double { environment.clocks.now() }

  package func change<T>(_ body: (Database) throws -> T) throws -> T {
    guard database.isInOperation else { return try perform(.changeDocuments, isOneStatement: true, body) }
    try requireRoomInUnit()
    return try database.operation(Operation.changeDocuments.rawValue, isOneStatement: true, body)
  }

  package func path(of picture: ContentHash) -> String { mediaFolder + "/" + picture.description }

  package func picture(_ hash: ContentHash) throws -> [UInt8]? {
    try opened.rehearsedPictures[hash] ?? mediaContent(hash.description)
  }

  package func keep(_ picture: [UInt8], _ hash: ContentHash) throws {
    if rehearsal.isOn { opened.rehearsedPictures[hash] = picture }
    try writeMedia(picture, hash: hash.description)
  }
}

extension CardHandle {
  /// The document that the card shows; nil when it shows none, or one that is gone.
  public func document() throws -> DocumentHandle? {
    guard let id = try record().document else { return nil }
    do {
      return workspace.handle(of: try workspace.documentStore().open(id))
    } catch DocumentError.notFound {
      return nil
    }
  }
}
