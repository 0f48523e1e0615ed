// Card documents as Lua and the commands see them. Invariant: a handle becomes unusable when its workspace is closed,
// and always shows the current state in the database.

public import CardDocuments
import Decks
import Storage

/// A document of an open workspace.
///
///     let document = try workspace.documents.create(background: nil)
///     try document.addText("el gato", at: ElementPlacement())
public final class DocumentHandle: WorkspaceHandle {
  public let workspace: Workspace
  private let stored: StoredDocument
  private var elementHandles = HandleTable<String, ElementHandle>()

  init(_ stored: StoredDocument, in workspace: Workspace) { (self.stored, self.workspace) = (stored, workspace) }

  /// Returns the current document.
  /// - Throws: `DocumentError.removed` if it is gone.
  public func document() throws -> StoredDocument {
    guard workspace.isOpen else { throw WorkspaceError.signedOut(what: "document") }
    try stored.refresh()
    return stored
  }

  /// Returns the id by which cards refer to the document.
  /// - Throws: `DocumentError.removed`; `.notSaved` for a file, which cards cannot refer to.
  public func idForCards() throws -> String {
    let kept = try document()
    guard kept.isInStore else { throw DocumentError.notSaved(path: kept.path ?? kept.id.description) }
    return kept.id.description
  }

  /// - Throws: `DocumentError.noElement` if it is gone.
  public func element(_ id: String) throws -> ElementHandle {
    guard try document().content.element(id) != nil else { throw DocumentError.noElement(id, document: stored.id) }
    return elementHandles[id] { ElementHandle(id, of: self) }
  }

  /// Returns the elements in drawing order: the last one is in front.
  public func elements() throws -> [ElementHandle] {
    try document().elements.map { element in elementHandles[element.id] { ElementHandle(element.id, of: self) } }
  }

  public func addText(
    _ text: String, style: TextStyle = TextStyle(), at placement: ElementPlacement
  ) throws -> ElementHandle {
    try element(try document().addText(text, style: style, at: placement).id)
  }

  public func addImage(
    _ picture: Picture, frame: Frame?, isCropped: Bool = false, at placement: ElementPlacement = ElementPlacement()
  ) throws -> ElementHandle {
    try element(try document().addImage(picture, frame: frame, isCropped: isCropped, at: placement).id)
  }

  /// Removes the document, and in the same step its reference from the cards that show it.
  /// - Returns: how many cards showed it.
  @discardableResult
  public func remove() throws -> Int {
    let stored = try document()
    return try workspace.perform(.removeDocument, count: { _ in 1 }) { db in
      try stored.remove(db)
      return try CardTable.removeDocument(db, stored.id.description, now: workspace.now)
    }
  }

  public func duplicate(background: CardColor? = nil) throws -> DocumentHandle {
    workspace.handle(of: try document().duplicate(background: background))
  }
}

/// An element of a document. While a handle of an element is held, requests for the same element return that handle.
public final class ElementHandle: WorkspaceHandle {
  public let document: DocumentHandle
  public let id: String
  public var workspace: Workspace { document.workspace }

  init(_ id: String, of document: DocumentHandle) { (self.id, self.document) = (id, document) }

  /// Returns the current element.
  /// - Throws: `DocumentError.noElement` if it was removed.
  public func element() throws -> Element {
    let stored = try document.document()
    guard let found = stored.content.element(id) else { throw DocumentError.noElement(id, document: stored.id) }
    return found
  }

  public func set(_ field: ElementField, to value: ElementValue) throws {
    // A pending move would be saved afterwards.
    if workspace.isReadingPastStep { throw WorkspaceError.lookingBack(Operation.changeDocuments.rawValue) }
    let stored = try document.document()
    try stored.set(field, of: id, to: value)
    switch field {
    // A height that is set explicitly is kept, so the box no longer grows.
    case .height: if try element().grows == true { try stored.set(.grows, of: id, to: .flag(false)) }
    case .text, .font, .size, .width, .wraps, .grows:
      for (id, field, value) in try stored.store.growth(of: [id], in: stored.content, isFixed: field == .size) {
        try stored.set(field, of: id, to: value)
      }
    default: break
    }
  }
}

extension CardHandle {
  /// Returns the document that the card shows; nil if it shows none, or one that is gone.
  public func document() throws -> DocumentHandle? {
    guard let id = try record().document else { return nil }
    do {
      return workspace.handle(of: try workspace.documents.store().open(id))
    } catch DocumentError.notFound {
      return nil
    }
  }
}
