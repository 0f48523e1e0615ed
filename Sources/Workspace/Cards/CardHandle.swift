// A card as Lua and the commands see it. Invariant: its values are those in the store now; a row that was read is
// cached only while nothing has changed.

import CardDocuments
public import Decks
public import Memory
import Storage
public import Templates
import Text
public import Values

public final class CardHandle: RowHandle<CardID> {
  private var cached: (record: CardRecord, changeCount: Int)?
  private var cachedPosition: (position: Int, version: Int)?

  /// Returns the current row.
  /// - Throws: `DeckError.gone` when the card was removed.
  public func record() throws -> CardRecord {
    _ = try workspace.store(for: "card")
    if let cached, cached.changeCount == workspace.changeCount { return cached.record }
    let found = try workspace.read { try CardTable.card($0, id) }
    guard let found else {
      cached = nil
      throw DeckError.gone(what: "the card")
    }
    cacheRecord(found)
    return found
  }

  /// Caches a row that was just read, unless it is long, so that a caller with many cards does not hold all their
  /// texts in memory.
  func cacheRecord(_ record: CardRecord) { cached = record.isShort ? (record, workspace.changeCount) : nil }

  func cacheRecord(_ record: CardRecord, position: Int) {
    cacheRecord(record)
    cachedPosition = (position, workspace.cards.orderVersion)
  }

  private func reading<T>(_ body: (Database, CardRecord) throws -> T) throws -> T {
    let record = try record()
    return try workspace.read { try body($0, record) }
  }

  public func isUnmade() throws -> Bool { try reading { try NoteOrdinals.isUnmade($0, id, of: $1.note) } }

  public func media() throws -> CardMedia { try reading { try CardMedia($0, of: $1) } }

  public func deck() throws -> DeckHandle { workspace.handle(of: try record().deck) }

  public func note() throws -> NoteHandle { workspace.handle(of: try record().note) }

  /// Returns the answer that the card asks to be typed; nil if it asks for none.
  public func typedQuestion() throws -> TypedQuestion? { try workspace.read { try NoteTable.typedQuestion($0, id) } }

  /// The position of the card in its deck; 1 is the top.
  public func position() throws -> Int {
    let deck = try record().deck
    if let cachedPosition, cachedPosition.version == workspace.cards.orderVersion { return cachedPosition.position }
    return try workspace.cards.position(of: id, in: deck)
  }

  /// Returns `DECK:POSITION`, as commands accept it.
  public func place() throws -> String { "\(try deck().record().name):\(try position())" }

  /// Returns a property as plain data, or null if the card does not have it. The deck is represented by its name, the
  /// note by its guid and the document by its id.
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

  /// Returns the fields of the card's note by name, as HTML, and the further fields that the card stores.
  public func fields() throws -> [CardField] { try reading { try CardFields.all($0, of: $1) } }

  /// Returns those fields that no template names, as plain text: nothing else shows them.
  public func unnamedFields() throws -> [(name: String, text: String)] {
    try reading { try CardFields.unnamed($0, of: $1) }
  }

  /// Returns the two sides as a terminal draws them.
  public func drawn(_ options: CardDrawing.Options) throws -> DrawnSides {
    try reading { try CardDrawing.sides($0, of: $1, options) }
  }

  /// Returns the probability that the card is remembered now, and the speed of the last answer if it changes that
  /// noticeably; nil before the first answer.
  public func recall() throws -> (share: Double, speed: AnswerSpeed?)? {
    try reading { db, card in
      let options = try DeckTable.options(db, card.deck)
      let entry = try CardMemories([card.deck: options]).entry(
        db, of: id, in: card.deck, stability: card.stability, last: card.schedule.lastReview)
      return entry.map { ($0.recall(at: workspace.moment), options.recallModel.speed($0.timed)) }
    }
  }

  public func answers() throws -> [LoggedReview] {
    try reading { db, _ in try SentReviews(db).of(id).map(\.review) }
  }

  /// What the name of an undo step says about the card.
  var stepName: String? {
    if workspace.isInUnit, cached == nil { return nil }
    // If the card is gone, the change itself reports that.
    do { return try record().stepName } catch { return nil }
  }

  public func update(prompt: String? = nil, answer: String? = nil, tags: [String]? = nil) throws {
    try workspace.cards.update([(self, prompt, answer, tags)]) { $1 }
  }

  public func setDocument(_ document: String?) throws {
    try workspace.perform(.editCard, on: stepName) { db in
      try CardTable.setDocument(db, id, to: document, now: workspace.now)
    }
  }

  public func setSuspended(_ isSuspended: Bool) throws {
    try workspace.cards.setSuspended([self], isSuspended)
  }

  /// Moves the card to a position; a position beyond the last is the bottom.
  public func move(to position: Int) throws {
    try workspace.perform(.moveCard, on: stepName) { try CardTable.move($0, id, to: position) }
  }
}

/// Cards in the order fixed when the sequence was made. Their fields are live; removed cards are skipped.
public final class CardSequence: WorkspaceHandle {
  public let workspace: Workspace
  let ids: [CardID]
  /// The positions of the cards when the sequence was made; nil when the sequence is a whole deck.
  private let positions: [Int]?
  private let orderVersion: Int
  private var next = 0
  private var page = Page(range: 0..<0, records: [:], changeCount: -1)
  /// The number of rows in the next page: fewer if texts are long.
  private var pageSize = 16
  private static let mostRows = 256
  private static let mostBytes = 256 << 10

  /// Rows that were read together: the existing rows of `ids[range]`, valid while nothing has changed since
  /// `changeCount`.
  private struct Page {
    let range: Range<Int>
    let records: [CardID: CardRecord]
    let changeCount: Int
  }

  init(_ ids: [CardID], positions: [Int]? = nil, in workspace: Workspace) {
    (self.ids, self.positions, self.workspace) = (ids, positions, workspace)
    orderVersion = workspace.cards.orderVersion
  }

  public var count: Int { ids.count }

  /// All of them; the handle of each is made when it is asked for, even if the card was removed.
  public var all: AnyRandomAccessCollection<CardHandle> {
    AnyRandomAccessCollection(ids.lazy.map { [workspace] in workspace.handle(of: $0) })
  }

  /// Returns the next card, or nil at the end.
  public func nextCard() throws -> CardHandle? {
    _ = try workspace.store(for: "iterator")
    while next < ids.count {
      next += 1
      guard let record = try record(at: next - 1) else { continue }
      let handle = workspace.handle(of: record.id)
      if orderVersion == workspace.cards.orderVersion {
        handle.cacheRecord(record, position: positions?[next - 1] ?? next)
      } else {
        handle.cacheRecord(record)
      }
      return handle
    }
    return nil
  }

  /// Reads the rows of the next cards without copying them, with their positions; removed cards are skipped.
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

  public func card(_ row: ListedCard) -> CardHandle { workspace.handle(of: row.id) }

  public func skip(_ count: Int) { next = min(ids.count, next + max(0, count)) }

  public func rest() throws -> [CardHandle] {
    var found: [CardHandle] = []
    while let card = try nextCard() { found.append(card) }
    return found
  }

  /// Reads a row from a page of rows while nothing changes between two cards, else the single row.
  private func record(at index: Int) throws -> CardRecord? {
    let isFresh = page.changeCount == workspace.changeCount
    if isFresh, page.range.contains(index) { return page.records[ids[index]] }
    guard isFresh || index >= page.range.upperBound else {
      return try workspace.read { try CardTable.card($0, ids[index]) }
    }
    let range = index..<min(ids.count, index + pageSize)
    let read = try workspace.read { try CardTable.cards($0, ids: ids[range]) }
    let records = Dictionary(firstOf: read.map { ($0.id, $0) })
    page = Page(range: range, records: records, changeCount: workspace.changeCount)
    let bytes = read.reduce(1) { $0 + $1.textBytes }
    pageSize = min(Self.mostRows, pageSize * 2, max(1, pageSize * Self.mostBytes / bytes))
    return records[ids[index]]
  }
}

extension CardRecord {
  /// The size of the texts in bytes.
  fileprivate var textBytes: Int {
    prompt.utf8.count + answer.utf8.count + tags.reduce(0) { $0 + $1.utf8.count + 16 } + fields.count * 64
  }

  /// Whether the record is small enough to be cached in each card handle.
  fileprivate var isShort: Bool { textBytes <= 512 && fields.isEmpty }
}
