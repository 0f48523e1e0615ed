// Many cards put on top of a deck, one after the other, the first of them on top of all.
// Invariant: memory does not grow with the number of cards added (only with those that were there and are updated, 8
// bytes each); a card refused changes nothing; the caller's operation around the batch takes all of it back when
// anything throws. Cards may wait to be written together: call `flush` before reading the deck.

import Files
public import Problems
public import Storage
public import Templates
import Text

/// Cards on their way into a deck. It is made, fed and finished inside one operation.
///
///     let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: now, random: random)
///     try batch.add(NewCard(prompt: "el gato", answer: "the cat"))
///     try batch.finish().added   // 1
public final class CardBatch: WaitingRows {
  private let db: Database
  private let deck: DeckID
  private let onDuplicate: OnDuplicate
  private let now: Double
  private let random: () -> UInt64
  private let writer: CardWriter
  private var ranks: BatchRanks
  private var progress = Progress()
  private var samePrompts: SamePrompts
  /// New cards that are not written yet; nil until the batch has become a long one.
  private var waiting: WaitingCards?
  /// New cards that are written one at a time, for the sake of short batches.
  private static let fewCards = 64

  /// How far the batch has come.
  private struct Progress {
    /// Cards that were handed in, refused ones too.
    var index = 0
    /// Those of them that may be new.
    var newCards = 0
    var report = AddReport()
  }

  /// Which cards may take an answer by their prompt: those that were there before the batch, each once.
  private struct SamePrompts {
    private let firstNew: Int64
    private var taken: Set<CardID> = []

    init(_ db: Database, now: Double) throws { firstNew = try CardTable.freeID(db, now: now) }

    func mayTake(_ id: CardID) -> Bool {
      let wasThere = id.rawValue < firstNew || id.rawValue >= firstNew + CardTable.ahead
      return wasThere && !taken.contains(id)
    }

    mutating func take(_ id: CardID) { taken.insert(id) }
  }

  /// - Parameters:
  ///   - now: seconds since 1970, the time of creation of all.
  ///   - random: 64 random bits a call, for guids.
  public init(_ db: Database, deck: DeckID, onDuplicate: OnDuplicate, now: Double, random: @escaping () -> UInt64)
    throws
  {
    guard try DeckTable.exists(db, deck) else { throw DeckError.gone(what: "the deck") }
    self.db = db
    self.deck = deck
    self.onDuplicate = onDuplicate
    (self.now, self.random) = (now, random)
    writer = try CardWriter(db, deck: deck, random: random)
    samePrompts = try SamePrompts(db, now: now)
    ranks = try BatchRanks(db, deck)
  }

  /// Adds a card. One whose texts break a rule is counted as rejected.
  /// - Throws: `DeckError.duplicate` when duplicates are errors; what SQLite throws.
  @discardableResult
  public func add(_ card: NewCard) throws -> AddOutcome {
    try card.withBytes {
      try add(
        prompt: $0, answer: $1, guid: $2, tags: card.tags, fields: card.fields, document: card.document)
    }
  }

  /// Adds a card of bytes in place, which may be anything: they are checked here.
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

  /// Counts a card that the caller could not even hand over (a wrong type).
  public func reject(code: ProblemCode, message: String) {
    progress.index += 1
    progress.report.reject(Rejection(index: progress.index, code: code, message: message))
  }

  /// Writes what waits, and says what the batch did until now.
  public func finish() throws -> AddReport {
    try flush()
    return progress.report
  }

  private func add(_ card: CheckedCard) throws -> AddOutcome {
    progress.index += 1
    do {
      let outcome = try writeLater(card)
      progress.report.count(outcome)
      return outcome
    } catch let error as NoteError {
      progress.report.reject(Rejection(index: progress.index, code: error.report.code, message: error.message))
      return .rejected
    }
  }

  // MARK: Writing

  /// Writes a card as `write` does; a new one may wait for others, until the next `flush` at the latest.
  public func writeLater(_ card: CheckedCard) throws -> AddOutcome {
    if card.guid != nil || onDuplicate == .update { return try write(card) }
    progress.newCards += 1
    if progress.newCards <= CardBatch.fewCards { return try write(card) }
    let waiting = try self.waiting ?? WaitingCards(db, deck: deck, now: now, random: random)
    self.waiting = waiting
    let content = card.content
    if waiting.isPossible(content) {
      // Nobody looks for a card while others are being written.
      if waiting.isUnderWay || waiting.holds(content) { try flush() }
      if let same = try writer.find(card) { return try resolveDuplicate(card, same) }
    }
    waiting.add(card, content)
    if waiting.isFull { try handOver(waiting) }
    return .added
  }

  /// Cards that wait.
  public var waitingCount: Int { waiting?.count ?? 0 }

  private func handOver(_ waiting: WaitingCards) throws {
    guard waiting.isKnown else { return try flush() }
    do { try waiting.handOver(at: &ranks) } catch let error as StorageError {
      try recover(from: error)
      try flush()
    }
  }

  /// Writes the cards that wait. They go on waiting where that fails.
  public func flush() throws {
    guard let waiting, waiting.count > 0 || waiting.isUnderWay else { return }
    for tried in 1... {
      do { return try waiting.write(at: &ranks) } catch let error as StorageError {
        try recover(from: error)
        if tried > 8 { throw error }
      }
    }
  }

  /// Writes a card without counting it.
  /// - Throws: `DeckError.duplicate` when duplicates are errors, `NoteError` when an update would change what a note
  ///   makes; what SQLite throws.
  public func write(_ card: CheckedCard) throws -> AddOutcome {
    try flush()
    if onDuplicate == .update, card.guid == nil, let outcome = try updateSamePrompt(card) { return outcome }
    switch try insert(card) {
    case .added:
      _ = try ranks.next()
      return .added
    case .found(let id):
      return try resolveDuplicate(card, id)
    case .foundSibling(let id):
      // Its sides are others than these, so that an update has nothing to write.
      if onDuplicate == .error { return try resolveDuplicate(card, id) }
      return .skipped
    }
  }

  /// Writes a note without counting it; its cards come below those that were put before.
  /// - Parameter same: the note that it is; nil: without a guid, in an update, one of the same first prompt in the
  ///   deck.
  /// - Returns: what became of it, and the note unless it was skipped.
  /// - Throws: as `NoteTable.add`; a note that is refused leaves nothing. `duplicate` when duplicates are errors.
  public func write(
    _ note: NewNote, type: NoteType, over same: NoteID?, random: () -> UInt64
  ) throws -> (AddOutcome, NoteID?) {
    try flush()
    let looks = same == nil && onDuplicate == .update && (note.guid ?? "").isEmpty
    if let same = try looks ? NoteTable.same(db, note, type: type, in: deck) : same {
      return try resolveDuplicate(note, type, same)
    }
    var id: NoteID?
    do {
      id = try db.savepoint {
        try NoteTable.add(
          db, note, type: type, to: deck, now: now, random: random, isInterrupted: isNeverInterrupted)
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
        db, id, fields: note.fields, tags: note.tags.isEmpty ? nil : note.tags, now: now,
        isInterrupted: isNeverInterrupted)
      return try NoteTable.record(db, id) == old ? (.skipped, nil) : (.updated, id)
    }
  }

  /// Puts cards of the deck below those that the batch has put before; those of another deck stay where they are.
  public func place(_ cards: [CardID]) throws {
    try flush()
    try SyncedTable.keepPlaces(db, cards)
    for card in cards {
      try db.cachedStatement(sql: "UPDATE cards SET rank = ? WHERE id = ? AND deck = ?")
        .execute(arguments: [try ranks.next(), card.rawValue, deck.rawValue])
    }
  }

  /// A card that is there already.
  private func resolveDuplicate(_ card: CheckedCard, _ id: CardID) throws -> AddOutcome {
    switch onDuplicate {
    case .error:
      throw DeckError.duplicate(
        guid: card.guid.map { String(decoding: $0, as: UTF8.self) },
        prompt: String(decoding: card.prompt, as: UTF8.self))
    case .skip: return .skipped
    case .update:
      // Another card of the batch does not take its place.
      samePrompts.take(id)
      return try CardTable.overwrite(db, id, with: card, now: now) ? .updated : .skipped
    }
  }

  /// Without a guid, a card of the same prompt that was there before the batch, and is none of it, takes the answer.
  private func updateSamePrompt(_ card: CheckedCard) throws -> AddOutcome? {
    if let same = try writer.find(card) { return try resolveDuplicate(card, same) }
    guard let found = try writer.find(prompt: card.prompt, where: samePrompts.mayTake) else { return nil }
    return try resolveDuplicate(card, found)
  }

  /// Puts the card below the one before it. When a callback of the caller has spread or moved the deck's cards
  /// meanwhile, the rank may be taken: then the rest of the batch goes on top.
  private func insert(_ card: CheckedCard) throws -> CardWriter.Outcome {
    do {
      return try writer.write(card, rank: ranks.peek(), now: now)
    } catch let error as StorageError {
      try recover(from: error)
      try ranks.renew(db, deck)
      return try writer.write(card, rank: ranks.peek(), now: now)
    }
  }

  /// Goes on where another guid would do, or another place: then the cards that are not written go on top.
  private func recover(from error: StorageError) throws {
    switch error.constraint {
    case .unique(let what): if what.contains(text: "cards.rank") { try ranks.renew(db, deck) }
    case .foreignKey: throw DeckError.gone(what: "the deck")
    default: throw error
    }
  }
}
