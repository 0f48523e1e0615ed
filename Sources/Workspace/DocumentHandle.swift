// Card documents as they are handed to Lua and to commands. Invariant: a handle ends with the workspace that made it;
// the store below decides when a change is on disk.

public import CardDocuments
import Decks
import Files
import Storage

/// A document of an open workspace.
///
///     let document = try workspace.createDocument(background: nil)
///     try document.addText("el gato", color: .black, font: "", at: ElementPlacement())
public final class DocumentHandle: WorkspaceHandle {
  public let workspace: Workspace
  private let stored: StoredDocument
  private var elementHandles = HandleTable<String, ElementHandle>()

  init(_ stored: StoredDocument, in workspace: Workspace) {
    self.stored = stored
    self.workspace = workspace
  }

  deinit { workspace.forget(stored) }

  /// The document, once the gate has been looked at.
  public func document() throws -> StoredDocument {
    guard workspace.isOpen else { throw WorkspaceError.signedOut(what: "document") }
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
    _ text: String, color: CardColor, font: String, wraps: Bool = false, at placement: ElementPlacement
  ) throws -> ElementHandle {
    try element(try document().addText(text, color: color, font: font, wraps: wraps, at: placement).id)
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
    guard stored.isInStore else {
      try stored.remove()
      return 0
    }
    let shown = stored.id.description
    let isShown = try workspace.read { try CardTable.documents($0) }.contains { $0.document == shown }
    guard isShown else {
      try stored.remove()
      return 0
    }
    return try workspace.perform(.changeDocuments) { db in
      try stored.remove()
      return try CardTable.removeDocument(db, shown, now: workspace.environment.clocks.now())
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
    try document.document().set(field, of: id, to: value)
  }
}

extension Workspace {
  /// The user's documents, opened at the first use.
  func documentStore() throws -> DocumentStore {
    _ = try store(for: "document")
    if let known = opened.documents { return known }
    let entropy = environment.random.entropy
    try makePrivateFolder(folder)
    let fresh = try DocumentStore(
      folder: folder + "/documents", drawing: drawing,
      wait: LockWait(elapsed: environment.clocks.elapsed, isInterrupted: environment.isInterrupted),
      randomBytes: { count in
        (0..<(count + 7) / 8).flatMap { _ in withUnsafeBytes(of: entropy()) { Array($0) } }.prefix(count).map { $0 }
      }, decider: self, step: documentStep)
    if isInUnit || database.isInOperation || rehearsal.isOn { fresh.beginUnit() }
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

  /// Opens a document, changes it and saves it as one change. Another process that changes the document meanwhile
  /// waits, so that each sees what the other did. Within a unit of work it is a part of that.
  ///
  ///     try workspace.changeDocument("6D92") { try $0.addText("hola", color: .black, font: "", at: place) }
  public func changeDocument<T>(_ name: String, _ body: (DocumentHandle) throws -> T) throws -> T {
    let isAlone = !isInUnit && !database.isInOperation
    return try perform(.changeDocuments) { _ in
      let documents = try documentStore()
      if isAlone { try documents.lockUnit() }
      let handle = try openDocument(name)
      let result = try body(handle)
      try handle.document().save()
      return result
    }
  }

  /// A picture file as documents keep it.
  public func picture(file: String) throws -> Picture { try documentStore().picture(file: file) }

  /// All documents, and what is wrong with the files that do not open.
  public func documents() throws -> (documents: [DocumentHandle], problems: [DocumentProblem]) {
    let (documents, problems) = try documentStore().list()
    return (documents.map { handle(of: $0) }, problems)
  }

  /// Files and ids without decoding any of them.
  public func documentEntries() throws -> [DocumentEntry] { try documentStore().entries() }

  /// What is wrong with the documents' folder as a whole.
  public func documentProblems() throws -> [DocumentProblem] { try documentStore().check() }

  /// Many documents on the pages of one file.
  public func drawSheet(_ documents: [DocumentHandle], to path: String, drawn: (Int) -> Void) throws {
    try documentStore().sheet(documents.map { try $0.document() }, to: path, drawn: drawn)
  }

  /// Saves moves and sizes that wait: when the shell is left or suspended.
  /// - Returns: what could not be saved.
  public func saveDocuments() -> [DocumentError] {
    guard isOpen, let documents = opened.documents else { return [] }
    return documents.saveAll()
  }
}

extension CardHandle {
  /// The document that the card shows; nil when it shows none, or one that is gone.
  public func document() throws -> DocumentHandle? {
    guard let id = try record().document else { return nil }
    let store = try workspace.documentStore()
    do throws(DocumentError) {
      return workspace.handle(of: try store.open(id))
    } catch {
      if case .notFound = error { return nil }
      throw error
    }
  }
}
