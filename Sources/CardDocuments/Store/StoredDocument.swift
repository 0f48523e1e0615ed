// An open document: its content, its row, and when changes reach the row.
// Invariant: every change except of a position or a size is in the database (or in the open unit of work) when its
// method returns, and applies to the current content of the row; a change that fails leaves memory as it was.

import Files
package import Storage
import Text
import Values

/// A handle on one document. While a handle is alive, opening the same document returns the same handle.
///
///     let document = try store.open("6D92")
///     try document.set(.x, of: document.elements[0].id, to: .number(120))
///     try document.save()
public final class StoredDocument {
  enum Place {
    /// A row, valid while the keeper's `changeCount` equals `seen`.
    case row(DocumentRow, seen: Int)
    /// A file of the user, which is only read; nil for a document that was filled from a template of the store.
    case file(String?)
    /// The row was removed, or the unit of work that created it was rolled back.
    case removed
  }

  /// All mutable state, so that a unit of work can restore it as a whole.
  struct State {
    var place: Place
    /// The content of the row; for a file, its content when it was opened.
    var base: CardDocument
    var waiting: [String: [ElementField: Value?]] = [:]
    /// The content that is shown and edited.
    var content: CardDocument
    /// Whether a document from a file was changed. All of it waits for the save that makes a row of it.
    var isChangedOutside = false
    /// Pictures that were added to a document from a file.
    var pictures: [ContentHash: [UInt8]] = [:]
  }

  var state: State
  public let store: DocumentStore

  init(_ place: Place, _ content: CardDocument, in store: DocumentStore) {
    state = State(place: place, base: content, content: content)
    self.store = store
  }

  convenience init(_ row: DocumentRow, in store: DocumentStore) throws(DocumentError) {
    self.init(.row(row, seen: store.keeper.changeCount), try row.decoded(), in: store)
  }

  /// The document at its last refresh, including unsaved moves.
  public var content: CardDocument { state.content }
  public var id: DocumentID { state.content.id }
  public var version: Int { state.content.version }
  public var background: CardColor { state.content.background }
  public var elements: [Element] { state.content.elements }
  /// True for a document of a later version, which can be shown but not changed.
  public var isReadOnly: Bool { state.content.isReadOnly }
  /// Whether positions or sizes are unsaved; for a document from a file, whether anything is.
  public var hasUnsavedChanges: Bool { !state.waiting.isEmpty || state.isChangedOutside }
  /// Whether the document is a row, which may have been removed, and not a file.
  public var isInStore: Bool {
    if case .file = state.place { false } else { true }
  }
  /// Whether the row was missing at the last refresh.
  var isRemoved: Bool {
    if case .removed = state.place { true } else { false }
  }
  /// The user's file that it, or its template, was read from; nil if there is none.
  public var path: String? {
    if case .file(let path) = state.place { path } else { nil }
  }
  /// When it was last changed, in seconds since 1970; nil for a file.
  public var modified: Double? {
    if case .row(let row, _) = state.place { row.modified } else { nil }
  }

  public func addText(
    _ text: String, style: TextStyle = TextStyle(), at placement: ElementPlacement = ElementPlacement()
  ) throws -> Element {
    let id = store.newID()
    return try change { try $0.addText(text, style: style, at: placement, id: id) }
  }

  /// Adds a picture that the store has prepared in front of all elements.
  public func addImage(
    _ picture: Picture, frame: Frame? = nil, isCropped: Bool = false, alt: String = "",
    at placement: ElementPlacement = ElementPlacement()
  ) throws -> Element {
    let png = picture.png
    let hash = ContentHash(of: png)
    let id = store.newID()
    return try change(bringing: (hash, png)) {
      try $0.addImage(hash, frame: frame, isCropped: isCropped, alt: alt, at: placement, id: id)
    }
  }

  /// Sets one field of an element. Positions and sizes wait for `save()`; everything else is saved at once.
  public func set(_ field: ElementField, of element: String, to value: ElementValue) throws {
    guard field.isPlacement, isInStore else {
      return try change { try $0.set(field, of: element, to: value) }
    }
    try refresh()
    store.willChange(self)
    try state.content.set(field, of: element, to: value)
    let moved = state.content.element(element)?.json[field.rawValue]
    if moved == state.base.element(element)?.json[field.rawValue] {
      state.waiting[element]?[field] = nil
      if state.waiting[element]?.isEmpty == true { state.waiting[element] = nil }
    } else {
      state.waiting[element, default: [:]].updateValue(moved, forKey: field)
    }
    store.noteMoves(of: self)
  }

  /// Creates a document with the same content, including unsaved moves, and with another background if one is given.
  public func duplicate(background: CardColor? = nil) throws -> StoredDocument {
    try refresh()
    var copy = try content.duplicate(id: store.newID())
    if let background { try copy.setBackground(background) }
    return try store.add(copy, from: self)
  }

  /// Writes the unsaved changes. A file becomes a document, in the newest version, with its pictures; it gets a new id
  /// if another document has its id already.
  public func save() throws {
    guard isInStore else {
      if isReadOnly { throw DocumentError.laterVersion(version) }
      return try enter(content, from: self)
    }
    try refresh()
    guard hasUnsavedChanges else { return }
    try change { document in
      if document.isReadOnly { throw DocumentError.laterVersion(document.version) }
      document = document.setting(state.waiting)
      state.waiting = [:]
    }
    store.noteMoves(of: self)
  }

  /// Removes the row. Pictures that nothing else shows remain until `doctor media --mend`, for an undo.
  package func remove(_ db: Database) throws {
    guard isInStore else { throw DocumentError.notInStore(path: path ?? id.description) }
    try reload(db)
    store.willChange(self)
    try DocumentTable.remove(db, id)
    state.place = .removed
    store.noteMoves(of: self)
  }

  /// Loads the current content of the row; throws `DocumentError.removed` if the row no longer exists.
  public func refresh() throws {
    guard isInStore else { return }
    let keeper = store.keeper
    try keeper.read { db in
      if case .row(_, seen: keeper.changeCount) = state.place { return }
      try reload(db)
    }
  }

  /// Reads the row whatever `changeCount` is: within a transaction, the count misses a commit made just before it.
  private func reload(_ db: Database) throws {
    guard let row = try DocumentTable.row(db, id) else {
      state.place = .removed
      throw DocumentError.removed(id)
    }
    try take(row)
  }

  func take(_ row: DocumentRow) throws(DocumentError) {
    let seen = store.keeper.changeCount
    if case .row(let known, _) = state.place, known.content == row.content, known.modified == row.modified {
      return state.place = .row(known, seen: seen)
    }
    let wasRemoved = isRemoved
    let (old, new) = (state.base, try row.decoded())
    // What another process locked is not moved, nor anything in a document that a later version rewrote.
    state.waiting = state.waiting.filter { element, _ in
      !new.isReadOnly && (new.element(element)?.isLocked != true || old.element(element)?.isLocked == true)
    }
    show(new)
    state.place = .row(row, seen: seen)
    if wasRemoved { store.noteMoves(of: self) }
  }

  private func show(_ base: CardDocument) {
    state.base = base
    if state.waiting.isEmpty { return state.content = base }
    state.waiting = state.waiting.filter { base.element($0.key) != nil }
    state.content = base.setting(state.waiting)
  }

  /// Changes the content: `body` checks and applies the change (it throws before it changes anything), then the
  /// document is written. A change of a document from a file waits for a save.
  ///
  ///     try document.change { try $0.setBackground(.black) }
  /// - Parameter picture: what the change shows, with its hash.
  @discardableResult public func change<Result>(
    bringing picture: (ContentHash, [UInt8])? = nil, _ body: (inout CardDocument) throws -> Result
  ) throws -> Result {
    store.willChange(self)
    guard isInStore else {
      let result = try body(&state.content)
      if let picture { state.pictures[picture.0] = picture.1 }
      state.isChangedOutside = true
      return result
    }
    return try changingRow { db in
      try reload(db)
      var changed = state.base
      let result = try body(&changed)
      if let picture { try store.keeper.keep(picture.1, picture.0) }
      try write(changed, db)
      return result
    }
  }

  /// Runs an operation on the row; if it fails, memory is as it was.
  private func changingRow<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let before = state
    do { return try store.keeper.change(body) } catch {
      state = before
      throw error
    }
  }

  private func write(_ content: CardDocument, _ db: Database) throws {
    let bytes = content.encoded
    show(content)
    if case .row(let known, _) = state.place, known.content == bytes { return }
    guard bytes.count <= DocumentFormat.maximumBytes else {
      throw DocumentError.tooMuch(file: "document \(id)", .whole, "bytes", limit: DocumentFormat.maximumBytes)
    }
    let row = DocumentRow(id: content.id.description, content: bytes, modified: store.keeper.now)
    try DocumentTable.write(db, row)
    state.place = .row(row, seen: store.keeper.changeCount)
  }

  /// Makes a row of content that has none, with its pictures; under a new id if there is a row with its id already.
  func enter(_ content: CardDocument, from other: StoredDocument?) throws {
    store.willChange(self)
    try changingRow { db in
      var content = content
      if try DocumentTable.row(db, content.id) != nil { content = try content.duplicate(id: store.newID()) }
      if let other { try bring(other, to: &content) }
      (state.isChangedOutside, state.pictures, state.place) = (false, [:], .removed)
      try write(content, db)
    }
    store.hold(self)
  }

  /// Stores the pictures that another document shows, and replaces file names in `content` with their hashes.
  private func bring(_ other: StoredDocument, to content: inout CardDocument) throws {
    let beside = try other.picturesBeside()
    content.load(beside.mapValues { ContentHash(of: $0) })
    var pictures = Dictionary(firstOf: beside.values.map { (ContentHash(of: $0), $0) })
    for hash in content.images where pictures[hash] == nil && !other.isInStore {
      if let bytes = try other.picture(hash), ContentHash(of: bytes) == hash { pictures[hash] = bytes }
    }
    for (hash, bytes) in pictures { try store.keeper.keep(bytes, hash) }
  }
}
