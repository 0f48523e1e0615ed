// A document that somebody has open: what it holds now, what its file holds, and when the one becomes the other.
// Invariant: every change but that of a place or a size is on disk (or in the open unit of work) when its method
// returns; one that could not be saved is taken back, so memory never claims what the disk does not have.

import Values

/// A handle on one document. The same file is the same handle while somebody holds it.
///
///     let document = try store.open("6D92")
///     try document.set(.x, of: document.elements[0].id, to: .number(120))
///     try document.save()
public final class StoredDocument {
  /// All that changes, so that a unit of work can put it back as a whole.
  struct State {
    /// What is seen and edited.
    var content: CardDocument
    /// The places and sizes that wait for a save: by element and field, what the file holds in their stead.
    var waiting: [String: [ElementField: Value?]] = [:]
    /// The file within the folder; nil while it is outside.
    var name: String?
    /// The file as it was last read or written; nil when it was never written.
    var known: (stamp: FileStamp, digest: ContentHash)?
    /// The file outside the folder that it was read from.
    var outside: String?
    /// Whether a document from outside was changed: all of it waits for the save that puts it into the store.
    var isChangedOutside = false
    var isRemoved = false
    /// Images that are not on disk yet.
    var images: [ContentHash: [UInt8]] = [:]
    /// Images that the file on disk shows.
    var imagesOnDisk: Set<ContentHash> = []

    /// What its file holds, or will when the unit of work ends.
    var saved: CardDocument { waiting.isEmpty ? content : content.restoring(waiting) }
    var hasUnsavedChanges: Bool { !waiting.isEmpty || isChangedOutside }
  }

  var state: State
  /// The store that opened it.
  public let store: DocumentStore

  init(_ state: State, store: DocumentStore) {
    self.state = state
    self.store = store
  }

  /// The document as it stands, moves that wait for a save included.
  public var content: CardDocument { state.content }
  public var id: DocumentID { state.content.id }
  public var version: Int { state.content.version }
  public var background: CardColor { state.content.background }
  public var elements: [Element] { state.content.elements }
  /// Whether it was removed, or was made in a unit of work that was taken back. Its methods then throw `removed`.
  public var isRemoved: Bool { state.isRemoved }
  /// Of a later version: it can be seen, not changed.
  public var isReadOnly: Bool { state.content.isReadOnly }
  /// Whether places or sizes wait for a save; of a document outside the store, whether anything does.
  public var hasUnsavedChanges: Bool { state.hasUnsavedChanges }
  public var isInStore: Bool { state.name != nil }
  public var path: String { state.name.map(store.folder.full) ?? state.outside ?? "" }
  /// When its file was last changed, in seconds since 1970; nil before it is first written.
  public var modified: Double? { state.known?.stamp.modified }

  // MARK: - Changing

  public func setBackground(_ color: CardColor) throws(DocumentError) {
    try change { document throws(DocumentError) in try document.setBackground(color) }
  }

  public func addText(
    _ text: String, color: CardColor = .black, font: String = "", wraps: Bool = false,
    at placement: ElementPlacement = ElementPlacement()
  ) throws(DocumentError) -> Element {
    let id = store.newID()
    return try change { document throws(DocumentError) in
      try document.addText(text, color: color, font: font, wraps: wraps, at: placement, id: id)
    }
  }

  /// Copies a picture file (PNG, JPEG, GIF, WebP, SVG) in as PNG, its long side at most 1000 pixels.
  public func addImage(
    file: String, frame: Frame? = nil, isCropped: Bool = false, alt: String = "",
    at placement: ElementPlacement = ElementPlacement()
  ) throws(DocumentError) -> Element {
    guard !isReadOnly else { throw .laterVersion(version) }
    return try addImage(try store.picture(file: file), frame: frame, isCropped: isCropped, alt: alt, at: placement)
  }

  /// The same of a picture that is in memory.
  /// - Parameter name: what to call it in an error.
  public func addImage(
    _ picture: [UInt8], named name: String, frame: Frame? = nil, alt: String = "",
    at placement: ElementPlacement = ElementPlacement()
  ) throws(DocumentError) -> Element {
    try addImage(try store.picture(from: picture, named: name), frame: frame, alt: alt, at: placement)
  }

  /// The same of a picture that the store has made ready.
  public func addImage(
    _ picture: Picture, frame: Frame? = nil, isCropped: Bool = false, alt: String = "",
    at placement: ElementPlacement = ElementPlacement()
  ) throws(DocumentError) -> Element {
    let png = picture.png
    let hash = ContentHash(of: png)
    let id = store.newID()
    return try change(bringing: [hash: png]) { document throws(DocumentError) in
      try document.addImage(hash, frame: frame, isCropped: isCropped, alt: alt, at: placement, id: id)
    }
  }

  /// Draws a panel of a colour behind the elements of a group; nil takes it away.
  public func setPanel(of group: String, to color: CardColor?) throws(DocumentError) {
    try change { document throws(DocumentError) in try document.setPanel(of: group, to: color) }
  }

  /// Sets one field of an element. Places and sizes wait for `save()`, everything else is saved at once.
  public func set(_ field: ElementField, of element: String, to value: ElementValue) throws(DocumentError) {
    let old = field.isPlacement ? content.element(element)?.json[field.rawValue] : nil
    try change(waits: field.isPlacement) { document throws(DocumentError) in
      try document.set(field, of: element, to: value)
    }
    guard field.isPlacement, isInStore, content.element(element)?.json[field.rawValue] != old,
      state.waiting[element]?[field] == nil
    else { return }
    state.waiting[element, default: [:]].updateValue(old, forKey: field)
    store.noteMoves(of: self)
  }

  /// False when it was in front of all.
  @discardableResult
  public func raise(_ element: String) throws(DocumentError) -> Bool {
    try change { document throws(DocumentError) in try document.raise(element) }
  }

  /// False when it was behind all.
  @discardableResult
  public func lower(_ element: String) throws(DocumentError) -> Bool {
    try change { document throws(DocumentError) in try document.lower(element) }
  }

  public func removeElement(_ element: String) throws(DocumentError) {
    try change { document throws(DocumentError) in try document.removeElement(element) }
    state.waiting[element] = nil
  }

  /// A new document in the store with the same content, moves that wait for a save included.
  public func duplicate() throws(DocumentError) -> StoredDocument {
    try mustBeThere()
    return try store.add(try state.content.duplicate(id: store.newID()), from: self)
  }

  /// Writes what waits for it. A document from outside is put into the store, in the newest version, with its images;
  /// it gets a new id when the store has one of its id already.
  public func save() throws(DocumentError) {
    try mustBeThere()
    guard isInStore else { return try store.takeIn(self) }
    guard hasUnsavedChanges else { return }
    let before = state
    store.willChange(self)
    state.waiting = [:]
    try saveOrTakeBack(before)
  }

  /// Removes the file, its thumbnail, and the images that no other document shows.
  public func remove() throws(DocumentError) {
    try mustBeThere()
    try store.remove(self)
  }

  // MARK: - The rules of saving

  private func mustBeThere() throws(DocumentError) {
    if state.isRemoved { throw .removed(id) }
  }

  /// The way of every change: `body` checks and applies it (it throws before it changes anything), then it is written,
  /// or waits for a save.
  private func change<Result>(
    waits: Bool = false, bringing images: [ContentHash: [UInt8]] = [:],
    _ body: (inout CardDocument) throws(DocumentError) -> Result
  ) throws(DocumentError) -> Result {
    try mustBeThere()
    store.willChange(self)
    guard isInStore, !waits else {
      let result = try body(&state.content)
      state.images.merge(images) { old, _ in old }
      state.isChangedOutside = !isInStore
      return result
    }
    let before = state
    let result = try body(&state.content)
    state.images.merge(images) { old, _ in old }
    try saveOrTakeBack(before)
    return result
  }

  private func saveOrTakeBack(_ before: State) throws(DocumentError) {
    do { try store.save(self) } catch {
      // With this error the change is saved, as a document of its own.
      if case .changedElsewhere = error { throw error }
      state = before
      throw error
    }
  }
}
