// The objects that Lua and the commands hold; each row has at most one handle at a time.
// Invariant: a handle refers to the workspace that created it.

import CardDocuments
public import Decks
public import Lexicon
import Templates
public import WordGames

/// An object that Lua may hold. It belongs to the workspace that created it and becomes unusable when that is closed.
public protocol WorkspaceHandle: AnyObject {
  var workspace: Workspace { get }
}

/// A row by its id; what reads the row throws `DeckError.gone` when it was removed.
public class RowHandle<ID: Hashable>: WorkspaceHandle {
  public let workspace: Workspace
  public let id: ID
  /// An object with its options or fields, as long as somebody uses it.
  public weak var part: AnyObject?

  init(_ id: ID, in workspace: Workspace) { (self.id, self.workspace) = (id, workspace) }
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

/// Weakly held objects by id.
struct HandleTable<ID: Hashable, Handle: AnyObject> {
  private struct Entry { weak var handle: Handle? }
  private var entries: [ID: Entry] = [:]
  /// The number of entries at which those of objects that are gone are removed.
  private var limit = 64

  subscript(id: ID, make: () -> Handle) -> Handle {
    mutating get {
      if let known = entries[id]?.handle { return known }
      if entries.count >= limit {
        entries = entries.filter { $0.value.handle != nil }
        limit = max(64, 2 * entries.count)
      }
      let made = make()
      entries[id] = Entry(handle: made)
      return made
    }
  }
}

extension Workspace {
  func handle(of deck: DeckID) -> DeckHandle { handles.decks[deck] { DeckHandle(deck, in: self) } }

  func handle(of card: CardID) -> CardHandle { handles.cards[card] { CardHandle(card, in: self) } }

  func handle(of note: NoteID) -> NoteHandle { handles.notes[note] { NoteHandle(note, in: self) } }

  func handle(of type: NoteTypeID) -> NoteTypeHandle { handles.noteTypes[type] { NoteTypeHandle(type, in: self) } }

  public func handle(of preset: PresetRecord) -> PresetHandle {
    handles.presets[preset.id] { PresetHandle(preset.id, in: self) }
  }

  public func handle(of lexicon: Lexicon) -> LexiconHandle {
    handles.lexicons[ObjectIdentifier(lexicon)] { LexiconHandle(lexicon, in: self) }
  }

  /// The handle of a game, for a mode's functions, which are given the game itself.
  public func handle(of game: Game) -> GameHandle {
    handles.games[ObjectIdentifier(game)] { GameHandle(game, in: self) }
  }

  func handle(of stored: StoredDocument) -> DocumentHandle {
    handles.documents[ObjectIdentifier(stored)] { DocumentHandle(stored, in: self) }
  }
}

/// The operations, by noun.
extension Workspace {
  public var cards: CardOperations { CardOperations(workspace: self) }
  public var care: CareOperations { CareOperations(workspace: self) }
  public var comparing: Comparing { Comparing(workspace: self) }
  public var dailyBackups: DailyBackups { DailyBackups(workspace: self) }
  public var decks: DeckOperations { DeckOperations(workspace: self) }
  public var documents: DocumentOperations { DocumentOperations(workspace: self) }
  public var exchange: ExchangeOperations { ExchangeOperations(workspace: self) }
  public var games: GameOperations { GameOperations(workspace: self) }
  public var leeches: LeechOperations { LeechOperations(workspace: self) }
  public var media: MediaOperations { MediaOperations(workspace: self) }
  public var noteTypes: NoteTypeOperations { NoteTypeOperations(workspace: self) }
  public var notes: NoteOperations { NoteOperations(workspace: self) }
  public var presets: PresetOperations { PresetOperations(workspace: self) }
  public var refitting: Refitting { Refitting(workspace: self) }
  public var settings: SettingOperations { SettingOperations(workspace: self) }
  public var speech: SpeechOperations { SpeechOperations(workspace: self) }
  public var sync: SyncOperations { SyncOperations(workspace: self) }
  public var words: WordOperations { WordOperations(workspace: self) }
}
