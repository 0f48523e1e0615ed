// The objects that Lua and commands keep, one for each thing while it is held.
// Invariant: a handle refers to the workspace that made it.

import CardDocuments
public import Decks
public import Lexicon
import Templates
public import WordGames

/// Something that Lua may keep: it belongs to the workspace that made it and ends with it.
///
///     final class NoteHandle: WorkspaceHandle { let workspace: Workspace }
public protocol WorkspaceHandle: AnyObject {
  var workspace: Workspace { get }
}

/// The objects that were handed out, one for each thing while it is held.
struct WorkspaceHandles {
  var decks = HandleTable<DeckID, DeckHandle>()
  var cards = HandleTable<CardID, CardHandle>()
  var notes = HandleTable<NoteID, NoteHandle>()
  var noteTypes = HandleTable<NoteTypeID, NoteTypeHandle>()
  var presets = HandleTable<PresetID, PresetHandle>()
  var lexicons = HandleTable<ObjectIdentifier, LexiconHandle>()
  var games = HandleTable<ObjectIdentifier, GameHandle>()
  var documents = HandleTable<ObjectIdentifier, DocumentHandle>()
  var settings = HandleTable<String, SettingHandle>()
}

/// Weakly held objects by their id. An object takes its entry out when it goes.
struct HandleTable<ID: Hashable, Handle: AnyObject> {
  private struct Entry { weak var handle: Handle? }
  private var entries: [ID: Entry] = [:]

  subscript(id: ID, make: () -> Handle) -> Handle {
    mutating get {
      if let known = entries[id]?.handle { return known }
      let made = make()
      entries[id] = Entry(handle: made)
      return made
    }
  }

  /// Called by an object that goes. A new one may have taken its place by then.
  mutating func forget(_ id: ID) {
    if entries[id]?.handle == nil { entries[id] = nil }
  }
}

extension Workspace {
  func handle(of deck: DeckID) -> DeckHandle {
    handles.decks[deck] { DeckHandle(deck, in: self) }
  }

  func handle(of card: CardID) -> CardHandle {
    handles.cards[card] { CardHandle(card, in: self) }
  }

  public func handle(of lexicon: Lexicon) -> LexiconHandle {
    handles.lexicons[ObjectIdentifier(lexicon)] { LexiconHandle(lexicon, in: self) }
  }

  /// The handle of a game, for a mode's functions, which are given the game itself.
  public func handle(of game: Game) -> GameHandle {
    handles.games[ObjectIdentifier(game)] {
      GameHandle(game, in: self)
    }
  }

  func handle(of note: NoteID) -> NoteHandle { handles.notes[note] { NoteHandle(note, in: self) } }

  func handle(of type: NoteTypeID) -> NoteTypeHandle { handles.noteTypes[type] { NoteTypeHandle(type, in: self) } }

  /// What Lua holds of a preset.
  public func handle(of preset: PresetRecord) -> PresetHandle {
    handles.presets[preset.id] { PresetHandle(preset.id, in: self) }
  }

  func handle(of stored: StoredDocument) -> DocumentHandle {
    handles.documents[ObjectIdentifier(stored)] { DocumentHandle(stored, in: self) }
  }
}
