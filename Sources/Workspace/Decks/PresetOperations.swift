// Presets: options that decks share.
// Invariant: a change of a preset is one operation, and applies to every deck that uses it.

public import Decks
import Files

/// The presets of a workspace.
///
///     let preset = try workspace.presets.create("Hard")
///     try workspace.presets.rename(preset.id, to: "Harder")
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
    let now = workspace.environment.clocks.now()
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

  /// Sets an option for every deck that uses the preset.
  public func setOption(of preset: PresetID, _ name: DeckOptions.Name, _ value: OptionValue) throws {
    try workspace.perform(.changePresets) { db in
      var options = try PresetTable.record(db, preset).options
      try options.set(name, value)
      try PresetTable.setOptions(db, preset, to: options)
    }
  }
}

extension Workspace {
  public var presets: PresetOperations { PresetOperations(workspace: self) }
}
