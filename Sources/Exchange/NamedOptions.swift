// A deck's options in a file: the preset's by its name, and the limits that are the deck's own.
// Invariant: what is written is read back as the same; a file without names is read as before.

import Decks

struct NamedOptions {
  /// nil where the file does not say it: then the options are a preset of the deck's name.
  var preset: String?
  var options = DeckOptions()
  var limits: DeckLimits?
  /// What is wrong with options that keep their initial values, as they cannot have those of the file.
  let faults: [DeckError]
  private let hasOptions: Bool

  static let presetName = "preset"
  static let limitsName = "limits"

  /// The deck has no preset of its own, only limits.
  var isOfLimitsAlone: Bool { !hasOptions && preset == nil }

  /// - Throws: `badOption` for limits that are no object.
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

  /// What a file has of a preset.
  static func fields(named name: String, _ options: DeckOptions) -> [CardField] {
    [CardField(presetName, .text(name))] + options.fields
  }

  /// What a file has of a deck's options.
  static func fields(preset: PresetRecord?, limits: DeckLimits) -> [CardField] {
    var fields: [CardField] = []
    if let preset { fields = Self.fields(named: preset.name, preset.options) }
    if limits != DeckLimits() { fields.append(CardField(limitsName, .json(limits.json))) }
    return fields
  }
}
