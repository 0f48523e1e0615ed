// A card as it is handed to Lua and to commands. Invariant: what it answers is what the store holds now; a row that was
// read is kept only while nothing has changed.

import CardDocuments
public import Decks
import Files
import Storage
import Templates
public import Values

/// A card of an open workspace.
///
///     let card = try deck.card(at: 1)
///     try card?.update(answer: "the cat")
public final class CardHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let id: CardID
  private var kept: (record: CardRecord, changeCount: Int)?
  private var keptPosition: (position: Int, version: Int)?

  init(_ id: CardID, in workspace: Workspace) {
    self.id = id
    self.workspace = workspace
  }

  deinit { workspace.handles.cards.forget(id) }

  /// The row as it is now.
  /// - Throws: `DeckError.gone` when the card was removed.
  public func record() throws -> CardRecord {
    _ = try workspace.store(for: "card")
    if let kept, kept.changeCount == workspace.changeCount { return kept.record }
    let found = try workspace.read { try CardTable.card($0, id) }
    guard let found else {
      kept = nil
      throw DeckError.gone(what: "the card")
    }
    keep(found)
    return found
  }

  /// Takes over a row that was just read, unless it is a long one: who holds many cards does not hold all their texts.
  func keep(_ record: CardRecord) { kept = record.isShort ? (record, workspace.changeCount) : nil }

  /// Takes over a row that was just read, and the card's position.
  func keep(_ record: CardRecord, position: Int) {
    keep(record)
    keptPosition = (position, workspace.cards.orderVersion)
  }

  public func deck() throws -> DeckHandle { workspace.handle(of: try record().deck) }

  /// 1 is the top.
  public func position() throws -> Int {
    let deck = try record().deck
    if let keptPosition, keptPosition.version == workspace.cards.orderVersion { return keptPosition.position }
    return try workspace.cards.position(of: id, in: deck)
  }

  /// `DECK:POSITION`, as commands take it.
  public func place() throws -> String { "\(try deck().record().name):\(try position())" }

  /// A field as plain data, null for what the card is without. The deck, the note and the document are what stands for
  /// them: a name, a guid, an id.
  public func value(of property: CardProperty) throws -> Value {
    let record = try record()
    switch property {
    case .prompt: return .text(record.prompt)
    case .answer: return .text(record.answer)
    case .tags: return .list(record.tags.map { .text($0) })
    case .document: return try document().map { .text(try $0.document().id.description) } ?? .null
    case .note: return .text(try note().record().guid)
    case .noteType: return .text(try note().type().record().name)
    case .guid: return .text(record.guid)
    case .deck: return .text(try deck().record().name)
    case .position: return .integer(try position())
    case .fields: return .record(try fields().map { ($0.name, $0.value.plain) })
    default: return record.value(of: property, at: workspace.moment) ?? .null
    }
  }

  /// The fields of its note by name, as HTML, and those that it keeps beside them.
  public func fields() throws -> [CardField] {
    let record = try record()
    return try workspace.read { try CardFields.all($0, of: record) }
  }

  /// Of these, as plain text, what no template names: nothing else shows it.
  public func unnamedFields() throws -> [(name: String, text: String)] {
    let record = try record()
    return try workspace.read { try CardFields.unnamed($0, of: record) }
  }

  /// Where in the UTF-8 of its answer stands what a cloze hid.
  public func hiddenParts() throws -> [Range<Int>] {
    let record = try record()
    return try workspace.read { try CardFields.hiddenParts($0, of: record) }
  }

  /// Its answers, the earliest first.
  public func answers() throws -> [LoggedReview] {
    _ = try record()
    return try workspace.read { try SentReviews($0).of(id).map(\.review) }
  }

  /// What the name of a step says of it.
  var stepName: String? {
    if workspace.isInUnit, kept == nil { return nil }
    // The change itself says that the card is gone.
    do { return try record().stepName } catch { return nil }
  }

  public func update(prompt: String? = nil, answer: String? = nil, tags: [String]? = nil) throws {
    let changesOthers = try workspace.perform(.editCard, on: stepName) { db in
      try CardTable.update(db, id, prompt: prompt, answer: answer, tags: tags, now: workspace.environment.clocks.now())
    }
    if changesOthers { workspace.opened.orders.forget() }
  }

  public func setDocument(_ document: String?) throws {
    try workspace.perform(.editCard, on: stepName) { db in
      try CardTable.setDocument(db, id, to: document, now: workspace.environment.clocks.now())
    }
  }

  public func setSuspended(_ isSuspended: Bool) throws {
    try workspace.perform(.editCard, on: stepName) { db in
      try CardTable.setSuspended(db, id, isSuspended, now: workspace.environment.clocks.now())
    }
  }

  /// Brings the card to a position; beyond the last is the bottom.
  public func move(to position: Int) throws {
    try workspace.perform(.moveCard, on: stepName) { try CardTable.move($0, id, to: position) }
  }
}

/// Cards in an order that was fixed when the sequence was made. Their fields are live; removed ones are skipped.
///
///     let cards = try deck.cards(matching: "is:due")
///     while let card = try cards.nextCard() { ... }
public final class CardSequence: WorkspaceHandle {
  public let workspace: Workspace
  let ids: [CardID]
  /// The positions of the cards when the sequence was made; nil when they are a whole deck.
  private let positions: [Int]?
  private let orderVersion: Int
  private var next = 0
  private var page = Page(range: 0..<0, records: [:], changeCount: -1)
  /// Rows of the next page: fewer where texts are long.
  private var pageSize = 16
  private static let mostRows = 256
  private static let mostBytes = 256 << 10

  /// Rows read at once: those of `ids[range]` that were there when nothing had changed since `changeCount`.
  private struct Page {
    let range: Range<Int>
    let records: [CardID: CardRecord]
    let changeCount: Int
  }

  init(_ ids: [CardID], positions: [Int]? = nil, in workspace: Workspace) {
    self.ids = ids
    self.positions = positions
    orderVersion = workspace.cards.orderVersion
    self.workspace = workspace
  }

  public var count: Int { ids.count }

  /// The next card, nil at the end.
  public func nextCard() throws -> CardHandle? {
    _ = try workspace.store(for: "iterator")
    while next < ids.count {
      next += 1
      guard let record = try record(at: next - 1) else { continue }
      let handle = workspace.handle(of: record.id)
      if orderVersion == workspace.cards.orderVersion {
        handle.keep(record, position: positions?[next - 1] ?? next)
      } else {
        handle.keep(record)
      }
      return handle
    }
    return nil
  }

  /// Reads the rows of the next cards in place, with their positions; removed ones are passed over.
  /// - Returns: false when there were no more.
  public func readRows(atMost count: Int, _ body: (ListedCard, Int) throws -> Void) throws -> Bool {
    let range = next..<min(ids.count, next + max(1, count))
    if range.isEmpty { return false }
    let isOrdered = orderVersion == workspace.cards.orderVersion
    try workspace.read { db in
      try CardTable.forEachRow(db, ids[range]) { place, row in
        let position =
          try isOrdered ? positions?[place] ?? place + 1 : workspace.cards.position(of: row.id, in: row.deck)
        try body(row, position)
      }
    }
    next = range.upperBound
    return true
  }

  /// The card of a row.
  public func card(_ row: ListedCard) -> CardHandle { workspace.handle(of: row.id) }

  /// Passes over some cards.
  public func skip(_ count: Int) { next = min(ids.count, next + max(0, count)) }

  /// The rest as an array.
  public func rest() throws -> [CardHandle] {
    var found: [CardHandle] = []
    while let card = try nextCard() { found.append(card) }
    return found
  }

  /// Rows are read by the page while nothing changes between two cards, else one by one.
  private func record(at index: Int) throws -> CardRecord? {
    let isFresh = page.changeCount == workspace.changeCount
    if isFresh, page.range.contains(index) { return page.records[ids[index]] }
    guard isFresh || index >= page.range.upperBound else {
      return try workspace.read { try CardTable.card($0, ids[index]) }
    }
    let range = index..<min(ids.count, index + pageSize)
    let read = try workspace.read { try CardTable.cards($0, ids: ids[range]) }
    let records = Dictionary(uniqueKeysWithValues: read.map { ($0.id, $0) })
    page = Page(range: range, records: records, changeCount: workspace.changeCount)
    let bytes = read.reduce(1) { $0 + $1.textBytes }
    pageSize = min(Self.mostRows, pageSize * 2, max(1, pageSize * Self.mostBytes / bytes))
    return records[ids[index]]
  }
}

extension CardRecord {
  /// Bytes of its texts.
  fileprivate var textBytes: Int {
    prompt.utf8.count + answer.utf8.count + tags.reduce(0) { $0 + $1.utf8.count + 16 } + fields.count * 64
  }

  /// Whether it weighs little enough to be kept with each card that is held.
  fileprivate var isShort: Bool { textBytes <= 512 && fields.isEmpty }
}
