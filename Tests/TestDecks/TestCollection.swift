// A collection in memory with a reproducible source of random bits, for the tests of Decks and of the rooms above it;
// they have Decks, Storage and TestSupport by importing it.

@_exported public import Decks
import Problems
@_exported public import Storage
public import Templates
@_exported public import TestSupport

public final class TestCollection {
  public let store: Store
  public var now = 1_700_000_000.0
  public var moment: StudyMoment { StudyMoment(now: now) }
  private var generator = TestGenerator(1)

  /// - Parameter hasUndo: whether each operation is an undo step.
  public init(path: String? = nil, hasUndo: Bool = false) {
    store = Store(
      path: path, schema: hasUndo ? DecksSchema.schema + UndoLog.schema : DecksSchema.schema,
      isInterrupted: { false }, undoClock: hasUndo ? { 1_700_000_000 } : nil)
  }

  /// Returns to the state before the session's last answer, suspension or burial, which must be the last operation.
  public func undo(_ session: ReviewSession) throws {
    try session.stepBack()
    try store.undo()
  }

  public func random() -> UInt64 { generator.next() }

  public func deck(_ name: String) throws -> DeckID {
    try store.operation("create") { try DeckTable.create($0, name: name, now: now).id }
  }

  @discardableResult
  public func add(_ deck: DeckID, _ card: NewCard) throws -> CardID {
    try store.operation("add") { try CardTable.add($0, card, to: deck, now: now, random: random) }
  }

  @discardableResult
  public func add(_ deck: DeckID, _ prompt: String, _ answer: String, guid: String? = nil) throws -> CardID {
    try add(deck, NewCard(prompt: prompt, answer: answer, guid: guid))
  }

  @discardableResult
  public func addNote(_ deck: DeckID, _ fields: [String: String], _ stock: StockNoteType = .basic, tags: [String] = [])
    throws
    -> NoteID
  {
    try addNote(deck, NewNote(fields: fields, tags: tags)) { try NoteTypeTable.stock($0, stock, now: now) }
  }

  @discardableResult
  public func addNote(_ deck: DeckID, _ note: NewNote, _ type: (Database) throws -> NoteType) throws -> NoteID {
    try store.operation("add") {
      try NoteTable.add($0, note, type: type($0), to: deck, now: now, random: random, isInterrupted: { false })
    }
  }

  public func addAll(_ deck: DeckID, _ cards: [NewCard], _ onDuplicate: OnDuplicate = .skip) throws -> AddReport {
    try store.operation("add_all") { db in
      let batch = try CardBatch(db, deck: deck, onDuplicate: onDuplicate, now: now, random: random)
      for card in cards { try batch.add(card) }
      return try batch.finish()
    }
  }

  /// Adds a card for each prompt.
  public func fill(_ deck: DeckID, _ prompts: [String]) throws {
    _ = try addAll(deck, prompts.map { NewCard(prompt: $0, answer: "x") })
  }

  /// Sets an option of a deck's preset.
  public func set(_ deck: DeckID, _ name: DeckOptions.Name, _ text: String) throws {
    try store.operation("x") { db in
      var options = try DeckTable.presetOptions(db, deck)
      try options.set(name, toText: text)
      try DeckTable.setOptions(db, deck, to: options)
    }
  }

  public func cards(_ deck: DeckID) throws -> [CardRecord] {
    try store.read { try CardTable.cards($0, ids: CardTable.ids($0, in: deck)) }
  }

  public func card(_ id: CardID) throws -> CardRecord { try #require(try store.read { try CardTable.card($0, id) }) }

  public func session(_ deck: DeckID, limit: Int? = nil) throws -> ReviewSession {
    try store.read { try ReviewSession($0, deck: deck, limit: limit, at: moment) }
  }

  public func prompts(_ deck: DeckID) throws -> [String] { try cards(deck).map(\.prompt) }

  public func names() throws -> [String] { try store.read { try DeckTable.list($0).map(\.name) } }
}

extension StudySelection {
  /// Every card of a deck, due or not.
  public static func everything(_ deck: DeckID) -> StudySelection {
    var selection = StudySelection([deck])
    selection.isCram = true
    return selection
  }
}

/// The code of the problem that the body throws; nil if it throws none.
public func problemCode(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch { return (error as? any Problem)?.code ?? "\(error)" }
}

/// Queries for tests, which nobody can interrupt. Invariant: the program's own code has none of these; there each
/// caller passes what can interrupt it.
extension CardQuery {
  public init(_ text: String) throws(DeckError) { try self.init(text, isInterrupted: { false }) }
}

extension CardTable {
  /// Adds one card.
  @discardableResult public static func add(
    _ db: Database, _ card: NewCard, to deck: DeckID, at place: CardPlace = .top, now: Double,
    random: @escaping () -> UInt64
  ) throws -> CardID {
    let adder = try CardAdder(db, deck: deck, random: random)
    return try card.checked { try adder.add($0, at: place, now: now) }
  }
}

extension ReviewSession {
  public convenience init(
    _ db: Database, deck: DeckID, limit: Int? = nil, query: CardQuery? = nil, at moment: StudyMoment
  ) throws { try self.init(db, StudySelection([deck], query: query, limit: limit), at: moment) }
}
