// A preset as Lua sees it. Invariant: it contains only the preset's id; all values come from the store.

public import Decks

/// A preset of an open workspace.
///
///     let preset = workspace.handle(of: try workspace.presets.find("Hard"))
///     try preset.record().deckCount
public final class PresetHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let id: PresetID
  /// The object with its options, as long as somebody uses it.
  public weak var part: AnyObject?

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
