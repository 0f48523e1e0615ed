// AnkiConnect actions on decks and on presets, which clients know as the configurations of decks.
// Invariant: a deck is identified by its full name, and its number is its id; `Default` is always listed, as in Anki,
// but is created only when it is first used. The number of a configuration is the preset's id; 1 is `Default`, which
// decks without a preset have, and which is created when it is first changed. Unknown keys of a configuration are
// ignored.

import Decks
import Exchange
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
      let name = try call.params["deck"].text()
      try call.changingDeck(named: name, by: cards.isEmpty ? .createDeck : .moveCard, count: cards.count) {
        if !cards.isEmpty { try call.workspace.cards.move(cards, into: $0) }
      }
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
            "deck_id": number, "name": DeckName.split(name).last ?? name, "new_count": counts?.new ?? 0,
            "learn_count": counts?.learning ?? 0, "review_count": counts?.review ?? 0, "total_in_deck": total,
          ])
        ))
    }
    for deck in try call.workspace.decks.all() {
      let record = try deck.record()
      if wanted.contains(record.name.lowercased()) {
        add(record.name, Int(record.id.rawValue), counts[record.id], total: try deck.count())
      }
    }
    if wanted.contains(DeckRecord.firstName.lowercased()), try call.workspace.decks.named(DeckRecord.firstName) == nil {
      add(DeckRecord.firstName, DeckRecord.firstNumber, nil, total: 0)
    }
    return .record(found)
  }

  /// AnkiConnect removes decks only together with their cards, and requires an explicit confirmation.
  private static func remove(_ call: ActionCall) throws -> Value {
    guard call.params["cardsToo"].value?.boolean == true else {
      throw ActionFailure("deleteDecks removes the cards too: cardsToo must be true")
    }
    for name in try call.texts("decks") { _ = try call.workspace.decks.named(name)?.remove() }
    return .null
  }
}

extension DeckRecord {
  static func isFirst(_ name: String) -> Bool { name.lowercased() == firstName.lowercased() }
}

extension ActionCall {
  /// Returns the deck with that name; nil only for `Default` before it is used.
  func deck(named name: String) throws -> DeckHandle? {
    if let known = try workspace.decks.named(name) { return known }
    if DeckRecord.isFirst(name) { return nil }
    throw ActionFailure.noDeck(name)
  }

  func ensureDeck(named given: String) throws -> DeckHandle { try changingDeck(named: given, by: .createDeck) { $0 } }

  /// Runs a change of the deck with that name, which is created with it if it does not exist.
  func changingDeck<T>(
    named given: String, by operation: Operation, count: Int = 1, _ change: (DeckHandle) throws -> T
  ) throws -> T {
    let isNew = try workspace.decks.named(given) == nil
    return try workspace.decks.openOrCreate(given, for: operation, count: count) { deck in
      // Decks without a preset use the one that clients know as the first.
      if isNew, let first = try PresetActions.first(self), try deck.scheduling.preset() == nil {
        try deck.scheduling.setPreset(first.name)
      }
      return try change(deck)
    }
  }

  /// - Throws: `ActionFailure` for an id that no deck has.
  func deck(numbered number: Int) throws -> DeckHandle {
    for deck in try workspace.decks.all() where deck.id.rawValue == Int64(number) { return deck }
    if number == DeckRecord.firstNumber { return try ensureDeck(named: DeckRecord.firstName) }
    throw ActionFailure.noDeck("\(number)")
  }
}

enum PresetActions {
  static let all: [Action] = [
    .reading("getDeckConfig") { call in
      let name = try call.params["deck"].text()
      guard let deck = try call.workspace.decks.named(name) else {
        return DeckRecord.isFirst(name) ? described(try first(call)) : .boolean(false)
      }
      return described(try deck.scheduling.preset() ?? first(call))
    },
    .changing("saveDeckConfig", save),
    .changing("setDeckConfigId", assign),
    .changing("cloneDeckConfigId", copy),
    .changing("removeDeckConfigId") { call in
      // `Default` cannot be removed.
      let number = try call.params["configId"].id()
      guard number != DeckRecord.firstNumber, let preset = try find(number, call) else { return .boolean(false) }
      try call.workspace.presets.remove(preset.id)
      return .boolean(true)
    },
  ]

  /// The preset of decks without one, if it was ever changed.
  static func first(_ call: ActionCall) throws -> PresetRecord? { try find(DeckRecord.firstNumber, call) }

  private static func find(_ number: Int, _ call: ActionCall) throws -> PresetRecord? {
    try call.workspace.presets.all().first { Int($0.id.rawValue) == number }
  }

  private static func described(_ preset: PresetRecord?) -> Value {
    let number = preset.map { Int($0.id.rawValue) } ?? DeckRecord.firstNumber
    let options = preset?.options ?? DeckOptions()
    return .record(SentHead.preset(Int64(number), name: preset?.name ?? DeckRecord.firstName, options))
  }

  /// Changes only what differs from what the client received.
  private static func save(_ call: ActionCall) throws -> Value {
    let given = try call.params["config"].asRecord()
    let number = try given["id"].id()
    let known = try find(number, call)
    guard known != nil || number == DeckRecord.firstNumber, let config = given.value?.record else {
      return .boolean(false)
    }
    let old = known?.options ?? DeckOptions()
    let name = known?.name ?? DeckRecord.firstName
    let before = ServerRows.preset(SentHead.preset(Int64(number), name: name, old))
    let after = ServerRows.preset(config)
    var new = old
    for option in DeckOptions.Name.allCases where after.options[option] != before.options[option] {
      try new.set(option, after.options[option])
    }
    if new != old {
      let preset = try known ?? made(call)
      for option in DeckOptions.Name.allCases where new[option] != old[option] {
        try call.workspace.presets.setOption(of: preset.id, option, new[option])
      }
    }
    if let known, number != DeckRecord.firstNumber, after.name != before.name, !after.name.isEmpty {
      try call.workspace.presets.rename(known.id, to: after.name)
    }
    return .boolean(true)
  }

  /// Creates the preset `Default` and assigns it to the decks without a preset.
  private static func made(_ call: ActionCall) throws -> PresetRecord {
    let preset = try call.workspace.presets.create(DeckRecord.firstName)
    for deck in try call.workspace.decks.outermost() where try deck.scheduling.preset() == nil {
      try deck.scheduling.setPreset(preset.name)
    }
    return preset
  }

  /// Returns false, without changing anything, if a deck or the preset does not exist.
  private static func assign(_ call: ActionCall) throws -> Value {
    let names = try call.texts("decks")
    let number = try call.params["configId"].id()
    let preset = try find(number, call)
    guard preset != nil || number == DeckRecord.firstNumber,
      try names.allSatisfy({ try DeckRecord.isFirst($0) || call.workspace.decks.named($0) != nil })
    else { return .boolean(false) }
    for name in names {
      // `Default` has the first preset until it is used.
      if preset == nil, try call.workspace.decks.named(name) == nil { continue }
      let deck = try call.ensureDeck(named: name)
      let isWithin = try DeckName.split(deck.record().name).count > 1
      let first = try preset ?? first(call)
      let target = try first ?? (isWithin ? call.workspace.presets.create(DeckRecord.firstName) : nil)
      try deck.scheduling.setPreset(target?.name)
    }
    return .boolean(true)
  }

  private static func copy(_ call: ActionCall) throws -> Value {
    let number = try call.params["cloneFrom"].isGiven ? call.params["cloneFrom"].id() : DeckRecord.firstNumber
    let preset = try find(number, call)
    guard preset != nil || number == DeckRecord.firstNumber else { return .boolean(false) }
    let name = try call.params["name"].text("a name")
    let made = try call.workspace.presets.create(name, options: preset?.options ?? DeckOptions())
    return .integer(Int(made.id.rawValue))
  }
}
