// Presets: options that decks share.
// Invariant: a change of a preset is one operation, and applies to every deck that uses it.

public import Decks
import Files

public struct PresetOperations {
  let workspace: Workspace

  public func all() throws -> [PresetRecord] { try workspace.read { try PresetTable.list($0) } }

  /// - Throws: `DeckError.presetNotFound` with the nearest name.
  public func find(_ name: String) throws -> PresetRecord {
    try workspace.read { try PresetTable.find($0, named: name) }
  }

  /// - Throws: `DeckError.presetExists`, `.badPresetName`.
  @discardableResult
  public func create(_ name: String, options: DeckOptions = DeckOptions()) throws -> PresetRecord {
    let now = workspace.now
    return try workspace.perform(.changePresets, on: name) { db in
      try PresetTable.create(db, name: name, options: options, now: now)
    }
  }

  public func rename(_ preset: PresetID, to name: String) throws {
    try workspace.perform(.changePresets, on: name) { try PresetTable.rename($0, preset, to: name) }
  }

  public func remove(_ preset: PresetID) throws {
    try workspace.perform(.changePresets) { try PresetTable.remove($0, preset) }
  }

  public func setOption(of preset: PresetID, _ name: DeckOptions.Name, _ value: OptionValue) throws {
    try workspace.perform(.changePresets) { db in
      var options = try PresetTable.record(db, preset).options
      try options.set(name, value)
      try PresetTable.setOptions(db, preset, to: options)
    }
  }
}

public final class PresetHandle: RowHandle<PresetID> {
  /// The object with its options, as long as somebody uses it.
  public weak var part: AnyObject?

  /// - Throws: `DeckError.gone` when it was removed.
  public func record() throws -> PresetRecord { try workspace.read(for: "preset") { try PresetTable.record($0, id) } }
}

/// The owner of the options that are read and set: a deck, whose options are its preset's, or a preset.
public enum OptionsOwner {
  case deck(DeckHandle)
  case preset(PresetHandle)

  public func options() throws -> DeckOptions {
    switch self {
    case .deck(let deck): try deck.scheduling.options()
    case .preset(let preset): try preset.record().options
    }
  }

  /// - Throws: `DeckError.badOption`.
  public func set(_ name: DeckOptions.Name, _ value: OptionValue) throws {
    switch self {
    case .deck(let deck): try deck.scheduling.set(name, value)
    case .preset(let preset): try preset.workspace.presets.setOption(of: preset.id, name, value)
    }
  }
}
