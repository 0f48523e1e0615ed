// A preset as it is handed to Lua. Invariant: it holds only the preset's id; every answer comes from the store.

public import Decks

/// A preset of an open workspace.
///
///     let preset = workspace.handle(of: try workspace.presets.find("Hard"))
///     try preset.record().deckCount
public final class PresetHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let id: PresetID

  init(_ id: PresetID, in workspace: Workspace) {
    self.id = id
    self.workspace = workspace
  }

  deinit { workspace.handles.presets.forget(id) }

  /// - Throws: `DeckError.gone` when it was removed.
  public func record() throws -> PresetRecord {
    _ = try workspace.store(for: "preset")
    return try workspace.read { try PresetTable.record($0, id) }
  }
}

/// Whose options are read and set: a deck's, which are its preset's, or those of a preset itself.
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
