// AnkiConnect actions on decks. Invariant: a deck is identified by its full name, and its number is its id; `Default`
// is always listed, as in Anki, but is created only when it is first used.

import Decks
import Text
import Values
import Workspace

enum DeckActions {
  static let all: [Action] = [
    .reading("deckNames") { call in .list(try listed(call).map { .text($0.name) }) },
    .reading("deckNamesAndIds") { call in .record(try listed(call).map { ($0.name, .integer($0.number)) }) },
    .reading("deckNameFromId") { call in
      let number = try call.params["deckId"].integer()
      guard let deck = try listed(call).first(where: { $0.number == number }) else {
        throw ActionFailure.noDeck("\(number)")
      }
      return .text(deck.name)
    },
    .reading("getDecks", decksOfCards),
    .reading("getDeckStats", statistics),
    .changing("createDeck") { call in
      .integer(Int(try call.ensureDeck(named: call.params["deck"].text()).id.rawValue))
    },
    .changing("changeDeck") { call in
      let cards = try call.cards().compactMap(\.self)
      let deck = try call.ensureDeck(named: call.params["deck"].text())
      if !cards.isEmpty { try call.workspace.cards.move(cards, into: deck) }
      return .null
    },
    .changing("deleteDecks", remove),
  ]

  /// The names and ids of all decks, in order, including `Default`.
  private static func listed(_ call: ActionCall) throws -> [(name: String, number: Int)] {
    var decks = try call.workspace.decks.records().map { (name: $0.name, number: Int($0.id.rawValue)) }
    if !decks.contains(where: { $0.number == DeckRecord.firstNumber }) {
      let place = decks.firstIndex { $0.name.lowercased() > DeckRecord.firstName.lowercased() } ?? decks.count
      decks.insert((DeckRecord.firstName, DeckRecord.firstNumber), at: place)
    }
    return decks
  }

  /// The requested cards, grouped by the names of their decks.
  private static func decksOfCards(_ call: ActionCall) throws -> Value {
    var names: [DeckID: String] = [:]
    for deck in try call.workspace.decks.records() { names[deck.id] = deck.name }
    var (order, cards): ([String], [String: [Value]]) = ([], [:])
    for card in try call.cards().compactMap(\.self) {
      let name = try names[card.record().deck] ?? ""
      if cards[name] == nil { order.append(name) }
      cards[name, default: []].append(.integer(Int(card.id.rawValue)))
    }
    return .record(order.map { ($0, .list(cards[$0] ?? [])) })
  }

  /// The counts of cards to study today, by deck id. A deck that does not exist is left out.
  private static func statistics(_ call: ActionCall) throws -> Value {
    let wanted = Set(try call.texts("decks").map { $0.lowercased() })
    let counts = try call.workspace.decks.studyCountsByKind()
    var found: [(String, Value)] = []
    func add(_ name: String, _ number: Int, _ counts: (new: Int, learning: Int, review: Int)?, total: Int) {
      found.append(
        (
          "\(number)",
          .record([
            ("deck_id", .integer(number)), ("name", .text(DeckName.split(name).last ?? name)),
            ("new_count", .integer(counts?.new ?? 0)), ("learn_count", .integer(counts?.learning ?? 0)),
            ("review_count", .integer(counts?.review ?? 0)), ("total_in_deck", .integer(total)),
          ])
        ))
    }
    for deck in try call.workspace.decks.all() {
      let record = try deck.record()
      if wanted.contains(record.name.lowercased()) {
        add(record.name, Int(record.id.rawValue), counts[record.id], total: try deck.count())
      }
    }
    if wanted.contains(DeckRecord.firstName.lowercased()), try call.knownDeck(named: DeckRecord.firstName) == nil {
      add(DeckRecord.firstName, DeckRecord.firstNumber, nil, total: 0)
    }
    return .record(found)
  }

  /// AnkiConnect removes decks only together with their cards, and requires an explicit confirmation.
  private static func remove(_ call: ActionCall) throws -> Value {
    guard call.params["cardsToo"].value?.boolean == true else {
      throw ActionFailure("deleteDecks removes the cards too: cardsToo must be true")
    }
    for name in try call.texts("decks") { _ = try call.knownDeck(named: name)?.remove() }
    return .null
  }
}

extension DeckRecord {
  /// Whether a name is that of the first deck, case-insensitively.
  static func isFirst(_ name: String) -> Bool { name.lowercased() == firstName.lowercased() }
}

extension ActionCall {
  /// Returns the deck with that name, case-insensitively as in Anki; nil if there is none.
  func knownDeck(named name: String) throws -> DeckHandle? { try workspace.decks.named(name) }

  /// Returns the deck with that name; nil only for `Default` before it is used.
  func deck(named name: String) throws -> DeckHandle? {
    if let known = try knownDeck(named: name) { return known }
    if DeckRecord.isFirst(name) { return nil }
    throw ActionFailure.noDeck(name)
  }

  /// Returns the deck with that name, case-insensitively, or creates it.
  func ensureDeck(named given: String) throws -> DeckHandle {
    if let known = try knownDeck(named: given) { return known }
    let count = try workspace.decks.records().count
    let made = try workspace.decks.openOrCreate(given)
    if try workspace.decks.records().count == count { return made }
    // Decks without a preset use the one that clients know as the first.
    if let first = try PresetActions.first(self), try made.scheduling.preset() == nil {
      try made.scheduling.setPreset(first.name)
    }
    return made
  }

  /// - Throws: `ActionFailure` for an id that no deck has.
  func deck(numbered number: Int) throws -> DeckHandle {
    for deck in try workspace.decks.all() where deck.id.rawValue == Int64(number) { return deck }
    if number == DeckRecord.firstNumber { return try ensureDeck(named: DeckRecord.firstName) }
    throw ActionFailure.noDeck("\(number)")
  }
}
