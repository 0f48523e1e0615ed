// The card documents of an account, and the place of a new element when none is given. Invariant: a change of a
// document is one operation; writing a page of documents changes nothing but its file. A new element hides no other
// while there is room for it, if necessary in a smaller size.

public import CardDocuments
import Decks
public import Exchange
public import Files
import Problems
import Storage
import Text

/// The documents of a workspace.
///
///     let document = try workspace.documents.create(background: nil)
///     try workspace.documents.change("6D92") { try $0.addText("hola", at: place) }
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
    let (documents, unopened) = try store().all()
    return (documents.map { workspace.handle(of: $0) }, unopened.map(\.problem))
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
  /// - Parameter progress: called with the number of documents drawn.
  /// - Throws: `DocumentError`, `FileError`; then the file is unchanged.
  public func writePage(
    _ documents: [DocumentHandle], to path: String, _ kinds: FileKinds = .plain,
    progress: (Int) throws -> Void = { _ in }
  ) throws -> GalleryReport {
    let gallery = GalleryPage(title: "Cards", count: documents.count) { place in
      try documents[place].document().picture(width: 650)
    }
    return try gallery.write(to: path, kinds, isInterrupted: workspace.isInterrupted) { done in
      try workspace.poll()
      try progress(done)
    }
  }

  /// Returns the picture of a document for the page of a deck; nil if it is gone or cannot be drawn.
  func picture(ofDocument id: String) throws -> GalleryPicture? {
    do {
      return try open(id).document().picture(width: 500)
    } catch let problem as any Problem where problem.report.code != .interrupted {
      return nil
    }
  }
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
    guard workspace.database.isInOperation else { return try workspace.perform(.changeDocuments, body) }
    if workspace.isReadingPastStep { throw WorkspaceError.lookingBack(Operation.changeDocuments.rawValue) }
    try workspace.checkPendingLimit()
    return try workspace.database.operation(Operation.changeDocuments.rawValue, body)
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

/// The requested placement of a new element; nil values are chosen automatically.
public struct PlacementOptions: Equatable, Sendable {
  public var x: Double?
  public var y: Double?
  public var width: Double?
  public var height: Double?
  public var rotation: Double?

  public init() {}
}

/// A new element, and whether it covers others because the card is full.
public typealias PlacedElement = (element: ElementHandle, hidesOthers: Bool)

extension DocumentHandle {
  /// The default width of a text, and the font sizes tried for a text without a size.
  private static let textWidth = 1100.0
  private static let textSizes = [200.0, 160, 130, 105, 85, 70, 55, 45]
  /// The most height of a text without a size, to leave room for more elements; the smallest font size may exceed it.
  private static let usualHeight = 700.0
  /// The scales tried for pictures, and for texts in a box of a fixed height.
  private static let shares = [1.0, 0.8, 0.65, 0.5, 0.4, 0.3]

  /// Adds a text in front, where it hides no other element. If the text wraps or has a size, its box is as high as
  /// the text needs, unless a height is given.
  public func addText(_ text: String, style: TextStyle, _ options: PlacementOptions) throws -> PlacedElement {
    var style = style
    if style.size != nil { style.wraps = true }
    style.grows = style.wraps && options.height == nil
    let room =
      try style.wraps
      ? textRoom(text, &style, options)
      : openRoom(options, width: 1000, height: min(1600, 220 * Double(text.lines.count)))
    return (try addText(text, style: style, at: room.place), room.hidesOthers)
  }

  /// Adds a picture in front, where it hides no other element.
  public func addImage(
    _ picture: Picture, frame: Frame?, isCropped: Bool, _ options: PlacementOptions
  ) throws -> PlacedElement {
    let room = try openRoom(options, width: 800, height: 800)
    return (try addImage(picture, frame: frame, isCropped: isCropped, at: room.place), room.hidesOthers)
  }

  private typealias Room = (place: ElementPlacement, hidesOthers: Bool)

  /// Finds a place for the text at the largest possible font size, at most the one that was asked for, and sets that
  /// size in the style.
  private func textRoom(_ text: String, _ style: inout TextStyle, _ options: PlacementOptions) throws -> Room {
    let store = try document().store
    let (width, asked) = (options.width ?? Self.textWidth, style.size)
    for size in (asked.map { [$0] } ?? []) + Self.textSizes where size <= asked ?? size {
      style.size = size
      let height = try options.height ?? store.height(of: text, style: style, width: width)
      if size != asked, height > Self.usualHeight, size != Self.textSizes.last { continue }
      let room = try place(options, width, height)
      if !room.hidesOthers { return room }
    }
    style.size = asked ?? style.size
    return try place(options, width, options.height ?? store.height(of: text, style: style, width: width))
  }

  /// Finds a place for the largest possible box with a ratio; a side that was requested is not scaled.
  private func openRoom(_ options: PlacementOptions, width: Double, height: Double) throws -> Room {
    for share in Self.shares {
      let room = try place(options, options.width ?? width * share, options.height ?? height * share)
      if !room.hidesOthers { return room }
    }
    return try place(options, options.width ?? width, options.height ?? height)
  }

  /// Returns the requested place, or else one that hides nothing, if there is one.
  private func place(_ options: PlacementOptions, _ width: Double, _ height: Double) throws -> Room {
    let content = try document().content
    let asked = ElementPlacement(x: options.x ?? 0, y: options.y ?? 0, width: width, height: height)
    let open = options.x == nil && options.y == nil ? content.openPlace(width: width, height: height) : asked
    var place = open ?? content.fullPlace(width: width, height: height)
    place.rotation = options.rotation ?? 0
    return (place, open == nil)
  }
}
