// A document that somebody has open: what it holds now, what its row holds, and when the one becomes the other.
// Invariant: every change but that of a place or a size is in the database (or in the open unit of work) when its
// method returns, and is made to what is there then; one that could not be made leaves memory as it was.

import Files
package import Storage
import Text
import Values

/// A handle on one document. The same document is the same handle while somebody holds it.
///
///     let document = try store.open("6D92")
///     try document.set(.x, of: document.elements[0].id, to: .number(120))
///     try document.save()
public final class StoredDocument {
  enum Place {
    /// A row, good for that count of changes, and when it was written.
    case row(DocumentRow, seen: Int)
    /// A file of the user's, which is only read.
    case file(String)
    /// It was removed, or was made in a unit of work that was taken back.
    case removed
  }

  /// All that changes, so that a unit of work can put it back as a whole.
  struct State {
    var place: Place
    /// What is in the database, or of a file what would be saved.
    var base: CardDocument
    /// The places and sizes that wait for a save, by element and field.
    var waiting: [String: [ElementField: Value?]] = [:]
    /// What is seen and edited.
    var content: CardDocument
    /// Whether a document from a file was changed: all of it waits for the save that makes a row of it.
    var isChangedOutside = false
    /// Pictures that were added to a document from a file.
    var pictures: [ContentHash: [UInt8]] = [:]
  }

  var state: State
  /// The store that opened it.
  public let store: DocumentStore

  init(_ place: Place, _ content: CardDocument, in store: DocumentStore) {
    state = State(place: place, base: content, content: content)
    self.store = store
  }

  convenience init(_ row: DocumentRow, in store: DocumentStore) throws(DocumentError) {
    self.init(.row(row, seen: store.keeper.changeCount), try row.decoded(), in: store)
  }

  /// The document as it was when it was last looked at, moves that wait for a save included.
  public var content: CardDocument { state.content }
  public var id: DocumentID { state.content.id }
  public var version: Int { state.content.version }
  public var background: CardColor { state.content.background }
  public var elements: [Element] { state.content.elements }
  /// Of a later version: it can be seen, not changed.
  public var isReadOnly: Bool { state.content.isReadOnly }
  /// Whether places or sizes wait for a save; of a document from a file, whether anything does.
  public var hasUnsavedChanges: Bool { !state.waiting.isEmpty || state.isChangedOutside }
  /// Whether it is a row, which may be gone; else it is a file.
  public var isInStore: Bool { path == nil }
  /// Whether it had no row when it was last looked at.
  var isRemoved: Bool {
    if case .removed = state.place { true } else { false }
  }
  /// The file of the user's that it was read from; nil for a row.
  public var path: String? {
    if case .file(let path) = state.place { path } else { nil }
  }
  /// When it was last changed, in seconds since 1970; nil for a file.
  public var modified: Double? {
    if case .row(let row, _) = state.place { row.modified } else { nil }
  }

  // MARK: - Changing

  public func setBackground(_ color: CardColor) throws {
    try change { document throws(DocumentError) in try document.setBackground(color) }
  }

  public func addText(
    _ text: String, style: TextStyle = TextStyle(), at placement: ElementPlacement = ElementPlacement()
  ) throws -> Element {
    let id = store.newID()
    return try change { document throws(DocumentError) in
      try document.addText(text, style: style, at: placement, id: id)
    }
  }

  /// Puts a picture in front that the store has made ready.
  public func addImage(
    _ picture: Picture, frame: Frame? = nil, isCropped: Bool = false, alt: String = "",
    at placement: ElementPlacement = ElementPlacement()
  ) throws -> Element {
    let png = picture.png
    let hash = ContentHash(of: png)
    let id = store.newID()
    return try change(bringing: (hash, png)) { document throws(DocumentError) in
      try document.addImage(hash, frame: frame, isCropped: isCropped, alt: alt, at: placement, id: id)
    }
  }

  /// Draws a panel of a colour behind the elements of a group; nil takes it away.
  public func setPanel(of group: String, to color: CardColor?) throws {
    try change { document throws(DocumentError) in try document.setPanel(of: group, to: color) }
  }

  /// Sets one field of an element. Places and sizes wait for `save()`, everything else is saved at once.
  public func set(_ field: ElementField, of element: String, to value: ElementValue) throws {
    guard field.isPlacement, isInStore else {
      return try change { document throws(DocumentError) in try document.set(field, of: element, to: value) }
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

  /// False when it was in front of all.
  @discardableResult
  public func raise(_ element: String) throws -> Bool {
    try change { document throws(DocumentError) in try document.raise(element) }
  }

  /// False when it was behind all.
  @discardableResult
  public func lower(_ element: String) throws -> Bool {
    try change { document throws(DocumentError) in try document.lower(element) }
  }

  public func removeElement(_ element: String) throws {
    try change { document throws(DocumentError) in try document.removeElement(element) }
  }

  /// A new document with the same content, moves that wait for a save included.
  public func duplicate() throws -> StoredDocument {
    try refresh()
    return try store.add(try content.duplicate(id: store.newID()), from: self)
  }

  /// Writes what waits for it. A file becomes a document, in the newest version, with its pictures; it gets a new id
  /// when there is a document of its id already.
  public func save() throws {
    guard isInStore else {
      if isReadOnly { throw DocumentError.laterVersion(version) }
      return try enter(content, from: self)
    }
    try refresh()
    guard hasUnsavedChanges else { return }
    let waiting = state.waiting
    try change { document in
      document = document.setting(waiting)
      state.waiting = [:]
    }
    store.noteMoves(of: self)
  }

  /// Removes its row. Pictures that nothing else shows stay, so that this can be undone, until `doctor media --mend`.
  package func remove(_ db: Database) throws {
    if let path { throw DocumentError.notInStore(path: path) }
    try reload(db)
    store.willChange(self)
    try DocumentTable.remove(db, id)
    state.place = .removed
    store.noteMoves(of: self)
  }

  // MARK: - Rows

  /// Takes over what is in the database now.
  /// - Throws: `DocumentError.removed` when it is not there any more.
  public func refresh() throws {
    guard isInStore else { return }
    let keeper = store.keeper
    try keeper.read { db in
      if case .row(_, seen: keeper.changeCount) = state.place { return }
      try reload(db)
    }
  }

  /// Within a transaction nothing was noticed that was committed just before it.
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
    show(try row.decoded())
    state.place = .row(row, seen: seen)
    if wasRemoved { store.noteMoves(of: self) }
  }

  private func show(_ base: CardDocument) {
    state.base = base
    if state.waiting.isEmpty { return state.content = base }
    state.waiting = state.waiting.filter { base.element($0.key) != nil }
    state.content = base.setting(state.waiting)
  }

  /// The way of every change: `body` checks and applies it (it throws before it changes anything), then it is written;
  /// that of a file waits for a save.
  private func change<Result>(
    bringing picture: (ContentHash, [UInt8])? = nil,
    _ body: (inout CardDocument) throws(DocumentError) -> Result
  ) throws -> Result {
    store.willChange(self)
    guard isInStore else {
      let result = try body(&state.content)
      if let picture { state.pictures[picture.0] = picture.1 }
      state.isChangedOutside = true
      return result
    }
    let before = state
    do {
      return try store.keeper.change { db in
        try reload(db)
        var changed = state.base
        let result = try body(&changed)
        if let picture { try store.keeper.keep(picture.1, picture.0) }
        try write(changed, db)
        return result
      }
    } catch {
      state = before
      throw error
    }
  }

  private func write(_ content: CardDocument, _ db: Database) throws {
    let bytes = content.encoded
    show(content)
    if case .row(let known, _) = state.place, known.content == bytes { return }
    guard bytes.count <= CardFormat.maximumBytes else {
      throw DocumentError.tooMuch(file: "document \(id)", .whole, "bytes", limit: CardFormat.maximumBytes)
    }
    let row = DocumentRow(id: content.id.description, content: bytes, modified: store.keeper.now)
    try DocumentTable.write(db, row)
    state.place = .row(row, seen: store.keeper.changeCount)
  }

  /// Makes a row of a content that has none, with its pictures; under a new id where there is one of its id already.
  func enter(_ content: CardDocument, from other: StoredDocument?) throws {
    store.willChange(self)
    let before = state
    do {
      try store.keeper.change { db in
        var content = content
        if try DocumentTable.row(db, content.id) != nil { content = try content.duplicate(id: store.newID()) }
        if let other { try bring(other, to: &content) }
        (state.isChangedOutside, state.pictures, state.place) = (false, [:], .removed)
        try write(content, db)
      }
    } catch {
      state = before
      throw error
    }
    store.hold(self)
  }

  /// Keeps the pictures that another document shows.
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
