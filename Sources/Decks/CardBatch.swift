// Adds many cards to the top of a deck, in order: the first card ends up on top.
// Invariant: memory grows by at most 24 bytes for each card added, and by 8 for each existing card that is updated. A
// refused card changes nothing. If anything throws, the caller's operation around the batch rolls back all of it.
// Cards may be pending, to be written together: call `flush` before you read the deck.

import Files
public import Problems
public import Storage
public import Templates
import Text

/// A batch of cards to be added to a deck. It is made, fed and finished inside one operation.
///
///     let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: now, random: random)
///     try batch.add(NewCard(prompt: "el gato", answer: "the cat"))
///     try batch.finish().added   // 1
public final class CardBatch: WaitingRows {
  /// The names, in lowercase, of fields that an update does not change.
  public var keptFields: Set<String> = []
  private let db: Database
  private let deck: DeckID
  private let deckName: String
  private let onDuplicate: OnDuplicate
  private let now: Double
  private let random: () -> UInt64
  private let writer: CardWriter
  /// The rank of the next card; each is a step below the one before it.
  private var rank: Int64
  /// Cards that were handed in, including refused ones, and those of them that may be new.
  private var (index, newCards) = (0, 0)
  private var report = AddReport()
  private var samePrompts: SamePrompts
  /// New cards that are not yet written; nil until the batch has become long.
  private var waiting: WaitingCards?
  private var sides: [NoteTypeID: PlainSides] = [:]
  /// How many new cards are written one at a time, so that short batches stay cheap.
  static let fewCards = 64

  /// The cards whose answer may be replaced because they have the same prompt: cards from before the batch, each once.
  private struct SamePrompts {
    private let firstNew: Int64
    private var taken: Set<CardID> = []
    /// Prompts of which no card is left to take: many cards may have the same prompt.
    private var exhausted: Set<[UInt8]> = []
    /// The most of them, and the most bytes of each.
    private static let exhaustedLimit = 1000

    init(_ db: Database, now: Double) throws { firstNew = try CardTable.freeID(db, now: now) }

    func mayTake(_ id: CardID) -> Bool {
      let wasThere = id.rawValue < firstNew || id.rawValue >= firstNew + CardTable.ahead
      return wasThere && !taken.contains(id)
    }

    mutating func take(_ id: CardID) { taken.insert(id) }

    func isExhausted(_ prompt: TextBytes) -> Bool { exhausted.contains(Array(prompt)) }

    mutating func exhaust(_ prompt: TextBytes) {
      if prompt.count > Self.exhaustedLimit { return }
      if exhausted.count >= Self.exhaustedLimit { exhausted = [] }
      exhausted.insert(Array(prompt))
    }
  }

  /// - Parameters:
  ///   - now: seconds since 1970; the creation time of all cards.
  ///   - random: returns 64 random bits per call, for guids.
  public init(_ db: Database, deck: DeckID, onDuplicate: OnDuplicate, now: Double, random: @escaping () -> UInt64)
    throws
  {
    deckName = try DeckTable.record(db, deck).name
    (self.db, self.deck, self.onDuplicate) = (db, deck, onDuplicate)
    (self.now, self.random) = (now, random)
    writer = try CardWriter(db, deck: deck, random: random)
    samePrompts = try SamePrompts(db, now: now)
    rank = try CardOrder.above(db, deck, room: CardOrder.batchRoom)
  }

  /// Adds a card. A card whose texts break a rule is counted as rejected.
  /// - Throws: `DeckError.duplicate` if duplicates are errors; what SQLite throws.
  @discardableResult
  public func add(_ card: NewCard) throws -> AddOutcome {
    try card.withBytes {
      try add(prompt: $0, answer: $1, guid: $2, tags: card.tags, fields: card.fields, document: card.document)
    }
  }

  /// Adds a card from borrowed bytes. They may hold anything: they are checked here.
  @discardableResult
  public func add(
    prompt: UnsafeBufferPointer<UInt8>, answer: UnsafeBufferPointer<UInt8>, guid: UnsafeBufferPointer<UInt8>? = nil,
    tags: [String] = [], fields: [CardField] = [], document: String? = nil
  ) throws -> AddOutcome {
    let checked: CheckedCard
    do throws(DeckError) {
      checked = try CheckedCard(
        prompt: prompt, answer: answer, guid: guid, tags: tags, fields: fields, document: document)
    } catch {
      let report = error.report
      reject(code: report.code, message: report.message)
      return .rejected
    }
    return try add(checked)
  }

  /// Counts a card as refused that the caller could not pass on (a wrong type).
  public func reject(code: ProblemCode, message: String) {
    index += 1
    report.reject(Rejection(index: index, code: code, message: message))
  }

  /// Writes the pending cards and returns the result of the batch so far.
  public func finish() throws -> AddReport {
    try flush()
    // After an undo in the same transaction, a foreign key is only checked at its end.
    guard try DeckTable.exists(db, deck) else { throw DeckError.gone(what: "the deck") }
    return report
  }

  private func add(_ card: CheckedCard) throws -> AddOutcome {
    index += 1
    do {
      let outcome = try writeLater(card)
      report.count(outcome)
      return outcome
    } catch let error as NoteError {
      report.reject(Rejection(index: index, code: error.report.code, message: error.message))
      return .rejected
    }
  }

  // MARK: Writing

  /// Writes a card as `write` does, but a new card may stay pending, until the next `flush` at the latest.
  public func writeLater(_ card: CheckedCard) throws -> AddOutcome {
    if card.guid != nil || onDuplicate == .update { return try write(card) }
    newCards += 1
    if newCards <= CardBatch.fewCards { return try write(card) }
    let waiting = try self.waiting ?? WaitingCards(db, deck: deck, now: now, random: random)
    self.waiting = waiting
    let content = card.content
    if let same = try waiting.same(as: card, content, writer, flush: flush) { return try resolveDuplicate(card, same) }
    _ = try waiting.add(card, content, rank: rank)
    rank += CardOrder.step
    if waiting.isFull { try submit(waiting) }
    return .added
  }

  /// Writes a note without a guid as `writeLater` writes a card.
  /// - Returns: nil for a note that has to be written by itself, because it may update another or has several cards.
  /// - Throws: as `write`.
  public func writeLater(_ note: NewNote, type: NoteType) throws -> AddOutcome? {
    if onDuplicate == .update || note.guid != nil { return nil }
    let sides = sides.kept(type.id) { PlainSides(NoteCardMaker(type, isInterrupted: isNeverInterrupted)) }
    guard let (fields, texts) = try note.onlyCard(sides, deckName: deckName) else { return nil }
    return try NewCard(prompt: texts.prompt, answer: texts.answer, tags: note.tags).checked { card in
      var card = card
      card.note = (type.id, fields)
      return try writeLater(card)
    }
  }

  public var waitingCount: Int { waiting?.count ?? 0 }

  private func submit(_ waiting: WaitingCards) throws {
    guard waiting.isKnown else { return try flush() }
    do { try waiting.submit() } catch let error as StorageError {
      try recover(from: error)
      try flush()
    }
  }

  /// Writes the pending cards. If that fails, they stay pending.
  public func flush() throws {
    guard let waiting, waiting.count > 0 || waiting.isUnderWay else { return }
    for tried in 1... {
      do { return try waiting.write() } catch let error as StorageError {
        try recover(from: error)
        if tried > 8 { throw error }
        try waiting.renumber(at: &rank)
      }
    }
  }

  /// Writes a card without counting it.
  /// - Throws: `DeckError.duplicate` if duplicates are errors; `NoteError` if an update would change which cards the
  ///   note makes; what SQLite throws.
  public func write(_ card: CheckedCard) throws -> AddOutcome {
    try flush()
    if onDuplicate == .update, card.guid == nil, let outcome = try updateSamePrompt(card) { return outcome }
    switch try insert(card) {
    case .added:
      rank += CardOrder.step
      return .added
    case .found(let id): return try resolveDuplicate(card, id)
    case .foundSibling(let id):
      if try !NoteOrdinals.makes(db, 0, sibling: id) {
        throw NoteError.noSuchCard(guid: card.guid.map { String(decoding: $0, as: UTF8.self) } ?? "", number: 1)
      }
      // Its prompt and answer differ from those of the card, so an update has nothing to write.
      if onDuplicate == .error { return try resolveDuplicate(card, id) }
      return .skipped
    }
  }

  /// Writes a note without counting it; its cards come below those that the batch added before.
  /// - Parameter same: the existing note to update. If it is nil, an update without a guid looks for a note with the
  ///   same first prompt that was in the deck before the batch.
  /// - Returns: the outcome, and the note unless it was skipped.
  /// - Throws: as `NoteTable.add`; a refused note leaves nothing behind. `duplicate` if duplicates are errors.
  public func write(
    _ note: NewNote, type: NoteType, over same: NoteID?, random: () -> UInt64
  ) throws -> (AddOutcome, NoteID?) {
    try flush()
    if let same { return try resolveDuplicate(note, type, same) }
    let looks = onDuplicate == .update && (note.guid ?? "").isEmpty
    if looks, let found = try NoteTable.same(db, note, type: type, in: deck, where: samePrompts.mayTake) {
      let outcome = try resolveDuplicate(note, type, found.id)
      // No later note of the batch may update the same note.
      samePrompts.take(found.card)
      return outcome
    }
    var id: NoteID?
    do {
      id = try db.savepoint {
        try NoteTable.add(db, note, type: type, to: deck, now: now, random: random, isInterrupted: isNeverInterrupted)
      }
    } catch let error as DeckError {
      guard case .duplicate = error, onDuplicate != .error else { throw error }
      return (.skipped, nil)
    }
    if let id { try place(NoteTable.cards(db, of: id)) }
    return (.added, id)
  }

  private func resolveDuplicate(_ note: NewNote, _ type: NoteType, _ id: NoteID) throws -> (AddOutcome, NoteID?) {
    switch onDuplicate {
    case .error: throw DeckError.duplicate(guid: note.guid, prompt: note.fields[type.fields[0]] ?? "")
    case .skip: return (.skipped, nil)
    case .update:
      let old = try NoteTable.record(db, id)
      guard old.type == type.id else { throw NoteError.otherType(type: try NoteTypeTable.record(db, old.type).name) }
      try NoteTable.update(
        db, id, fields: note.fields.filter { !keptFields.contains($0.key.lowercased()) },
        tags: note.tags.isEmpty ? nil : note.tags, now: now, isInterrupted: isNeverInterrupted)
      return try NoteTable.record(db, id) == old ? (.skipped, nil) : (.updated, id)
    }
  }

  /// Puts cards of the deck below those that the batch added before. Cards of other decks stay where they are.
  public func place(_ cards: [CardID]) throws {
    try flush()
    try SyncedTable.savePlaces(db, cards)
    for card in cards {
      try db.cachedStatement(sql: "UPDATE cards SET rank = ? WHERE id = ? AND deck = ?")
        .execute(arguments: [rank, card.rawValue, deck.rawValue])
      rank += CardOrder.step
    }
  }

  /// Handles a card that is already in the deck.
  private func resolveDuplicate(_ card: CheckedCard, _ id: CardID) throws -> AddOutcome {
    switch onDuplicate {
    case .error:
      throw DeckError.duplicate(
        guid: card.guid.map { String(decoding: $0, as: UTF8.self) },
        prompt: String(decoding: card.prompt, as: UTF8.self))
    case .skip: return .skipped
    case .update:
      // No later card of the batch may update the same card.
      samePrompts.take(id)
      return try CardTable.overwrite(db, id, with: card, keeping: keptFields, now: now) ? .updated : .skipped
    }
  }

  /// For a card without a guid, updates a card with the same prompt that was there before the batch; nil if there is
  /// none.
  private func updateSamePrompt(_ card: CheckedCard) throws -> AddOutcome? {
    if let same = try writer.find(card) { return try resolveDuplicate(card, same) }
    if samePrompts.isExhausted(card.prompt) { return nil }
    guard let found = try writer.find(prompt: card.prompt, where: samePrompts.mayTake) else {
      samePrompts.exhaust(card.prompt)
      return nil
    }
    return try resolveDuplicate(card, found)
  }

  /// Inserts the card below the one before it. If a callback of the caller has spread or moved the cards of the deck
  /// meanwhile, the rank may be taken: then the rest of the batch goes on top.
  private func insert(_ card: CheckedCard) throws -> CardWriter.Outcome {
    do { return try writer.write(card, rank: rank, now: now) } catch let error as StorageError {
      try recover(from: error)
      return try writer.write(card, rank: rank, now: now)
    }
  }

  /// Returns if a retry can succeed: with another guid, or with another rank, in which case the unwritten cards go on
  /// top. Rethrows other errors.
  private func recover(from error: StorageError) throws {
    switch error.constraint {
    case .unique(let what):
      if what.contains(text: "cards.rank") { rank = try CardOrder.above(db, deck, room: CardOrder.batchRoom) }
    case .foreignKey: throw DeckError.gone(what: "the deck")
    default: throw error
    }
  }
}
