// The objects that Lua and the commands hold; each row has at most one handle at a time.
// Invariant: a handle refers to the workspace that created it.

import CardDocuments
public import Decks
public import Lexicon
import Templates
public import WordGames

/// An object that Lua may hold. It belongs to the workspace that created it and becomes unusable when that is closed.
///
///     final class NoteHandle: WorkspaceHandle { let workspace: Workspace }
public protocol WorkspaceHandle: AnyObject {
  var workspace: Workspace { get }
}

/// The handles that are currently held, at most one for each id.
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

/// Weakly held objects by id. An object removes its own entry when it is deinitialised; those of lexicons and settings
/// stay, because there are few.
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

  /// Called when an object is deinitialised. A new object may already have replaced it.
  mutating func forget(_ id: ID) {
    if entries[id]?.handle == nil { entries[id] = nil }
  }
}

extension Workspace {
  func handle(of deck: DeckID) -> DeckHandle { handles.decks[deck] { DeckHandle(deck, in: self) } }

  func handle(of card: CardID) -> CardHandle { handles.cards[card] { CardHandle(card, in: self) } }

  public func handle(of lexicon: Lexicon) -> LexiconHandle {
    handles.lexicons[ObjectIdentifier(lexicon)] { LexiconHandle(lexicon, in: self) }
  }

  /// The handle of a game, for a mode's functions, which are given the game itself.
  public func handle(of game: Game) -> GameHandle {
    handles.games[ObjectIdentifier(game)] { GameHandle(game, in: self) }
  }

  func handle(of note: NoteID) -> NoteHandle { handles.notes[note] { NoteHandle(note, in: self) } }

  func handle(of type: NoteTypeID) -> NoteTypeHandle { handles.noteTypes[type] { NoteTypeHandle(type, in: self) } }

  /// Returns the handle of a preset, for Lua.
  public func handle(of preset: PresetRecord) -> PresetHandle {
    handles.presets[preset.id] { PresetHandle(preset.id, in: self) }
  }

  func handle(of stored: StoredDocument) -> DocumentHandle {
    handles.documents[ObjectIdentifier(stored)] { DocumentHandle(stored, in: self) }
  }
}
