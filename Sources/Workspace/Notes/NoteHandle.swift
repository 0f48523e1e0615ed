// A note as Lua and the commands see it. Invariant: it contains only the note's id; all values come from the store,
// and every change is one operation that updates the note's cards.

public import Decks
import Files
import Storage
public import Templates

/// A note of an open workspace.
///
///     let note = try deck.addNote(.plain(["Front": "el gato", "Back": "the cat"]), type: .reversed)
///     try note.cards().count        // 2
public final class NoteHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let id: NoteID
  /// The object with its fields, as long as somebody uses it.
  public weak var part: AnyObject?

  init(_ id: NoteID, in workspace: Workspace) { (self.id, self.workspace) = (id, workspace) }

  deinit { workspace.handles.notes.forget(id) }

  /// - Throws: `DeckError.gone` if it was removed, either itself or with its last card.
  public func record() throws -> NoteRecord {
    _ = try workspace.store(for: "note")
    return try workspace.read { try NoteTable.record($0, id) }
  }

  public func type() throws -> NoteTypeHandle { workspace.handle(of: try record().type) }

  /// Returns the note's fields by name, as HTML, in the order of its type.
  public func fields() throws -> [(name: String, value: String)] {
    let record = try record()
    let names = try type().record().fields
    let values = record.fields + Array(repeating: "", count: max(0, names.count - record.fields.count))
    return Array(zip(names, values)).map { (name: $0, value: $1) }
  }

  /// - Throws: `NoteError.noField` with the nearest name.
  public func field(_ name: String) throws -> String {
    let fields = try fields()
    if let found = fields.first(where: { $0.name == name }) { return found.value }
    throw try type().record().unknownField(name)
  }

  public func cards() throws -> [CardHandle] {
    _ = try record()
    return try workspace.read { try NoteTable.cards($0, of: id) }.map { workspace.handle(of: $0) }
  }

  /// Changes fields (HTML, by name) and tags; nil leaves the tags unchanged.
  /// - Returns: how many cards the note lost.
  @discardableResult
  public func update(fields: [String: String] = [:], tags: [String]? = nil) throws -> Int {
    try workspace.perform(.editNote) { db in
      try NoteTable.update(
        db, id, fields: fields, tags: tags, now: workspace.environment.clocks.now(),
        isInterrupted: workspace.environment.isInterrupted)
    }
  }

  /// Returns how many cards the note would lose with these fields.
  public func lostCards(fields: [String: String]) throws -> Int {
    try workspace.read { try NoteTable.lostCards($0, id, fields: fields) }
  }

  /// Removes the note with its cards; returns how many cards were removed.
  @discardableResult
  public func remove() throws -> Int {
    try workspace.perform(.removeNotes) { try NoteTable.remove($0, [id]) }
  }
}

extension DeckHandle {
  /// Adds a note of a stock type, which is created if it does not exist.
  @discardableResult
  public func addNote(_ note: NewNote, type: StockNoteType) throws -> NoteHandle {
    try add { db, now in
      let known = try NoteTypeTable.stock(db, type, now: now)
      // The fields of the type may have been renamed.
      let names = Dictionary(uniqueKeysWithValues: zip(type.draft.fields, known.fields))
      var renamed = note
      renamed.fields = [:]
      for (name, text) in note.fields { renamed.fields[names[name] ?? name] = text }
      return (renamed, known)
    }
  }

  /// Adds a note of the type with a name; a stock type is created if it does not exist.
  @discardableResult
  public func addNote(_ note: NewNote, typeNamed name: String) throws -> NoteHandle {
    try add { db, now in (note, try NoteTypeTable.findOrMake(db, named: name, now: now)) }
  }

  @discardableResult
  public func addNote(_ note: NewNote, type: NoteTypeHandle) throws -> NoteHandle {
    try add { db, _ in (note, try NoteTypeTable.record(db, type.id)) }
  }

  private func add(_ make: (Database, Double) throws -> (note: NewNote, type: NoteType)) throws -> NoteHandle {
    let environment = workspace.environment
    let now = environment.clocks.now()
    let id = try workspace.perform(.addNote, on: workspace.decks.name(of: self.id)) { db in
      let (note, type) = try make(db, now)
      return try NoteTable.add(
        db, note, type: type, to: self.id, now: now, random: environment.random.entropy,
        isInterrupted: environment.isInterrupted)
    }
    return workspace.handle(of: id)
  }
}

extension CardHandle {
  /// Returns the note that the card is made from.
  public func note() throws -> NoteHandle { workspace.handle(of: try record().note) }

  /// Returns the answer that the card asks to be typed; nil if it asks for none.
  public func typedQuestion() throws -> TypedQuestion? { try workspace.read { try NoteTable.typedQuestion($0, id) } }
}
