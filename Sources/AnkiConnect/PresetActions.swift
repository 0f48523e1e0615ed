// AnkiConnect actions on presets, which clients know as the configurations of decks.
// Invariant: the number of a configuration is the preset's id; 1 is `Default`, which decks without a preset have, and
// which is created when it is first changed. Keys of a configuration that Deckhand does not know are ignored.

import Decks
import Exchange
import Values
import Workspace

enum PresetActions {
  static let all: [Action] = [
    .reading("getDeckConfig", configuration),
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

  private static func configuration(_ call: ActionCall) throws -> Value {
    let name = try call.params["deck"].text()
    guard let deck = try call.knownDeck(named: name) else {
      return DeckRecord.isFirst(name) ? described(try first(call)) : .boolean(false)
    }
    return described(try deck.scheduling.preset() ?? first(call))
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
      try names.allSatisfy({ try DeckRecord.isFirst($0) || call.knownDeck(named: $0) != nil })
    else { return .boolean(false) }
    for name in names {
      // `Default` has the first preset until it is used.
      if preset == nil, try call.knownDeck(named: name) == nil { continue }
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
