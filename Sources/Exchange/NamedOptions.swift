// A deck's options in a file: its preset by name, and the limits of the deck itself.
// Invariant: what is written is read back unchanged; a file without names is read as before.

import Decks

struct NamedOptions {
  /// Nil when the file has no preset name; the options then become a preset with the deck's name.
  var preset: String?
  var options = DeckOptions()
  var limits: DeckLimits?
  /// Errors for values that the options cannot have; these options keep their defaults.
  let faults: [DeckError]
  private let hasOptions: Bool

  static let presetName = "preset"
  static let limitsName = "limits"

  /// Whether the deck has limits but no preset of its own.
  var isOfLimitsAlone: Bool { !hasOptions && preset == nil }

  /// - Throws: `badOption` for limits that are not an object.
  init(_ fields: [CardField]) throws(DeckError) {
    var rest: [CardField] = []
    for field in fields {
      switch (field.name, field.value) {
      case (Self.presetName, .text(let name)): preset = name
      case (Self.limitsName, .json(let json)): limits = try DeckLimits(checking: json)
      default: rest.append(field)
      }
    }
    hasOptions = !rest.isEmpty || limits == nil
    options = DeckOptions(fields: rest)
    faults = DeckOptions.faults(in: rest)
  }

  /// Returns what a file says of a preset.
  static func fields(named name: String, _ options: DeckOptions) -> [CardField] {
    [CardField(presetName, .text(name))] + options.fields
  }

  /// Returns what a file says of a deck's options.
  static func fields(preset: PresetRecord?, limits: DeckLimits) -> [CardField] {
    var fields: [CardField] = []
    if let preset { fields = Self.fields(named: preset.name, preset.options) }
    if limits != DeckLimits() { fields.append(CardField(limitsName, .json(limits.json))) }
    return fields
  }
}
