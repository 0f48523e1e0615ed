// The notes and note types of an account. Invariant: a handle has only the id; all values come from the store, and
// every change is one operation that updates the notes' cards. A change of a type that would remove cards or texts
// reports their number first, and is made only if the caller agrees.

public import Decks
public import Exchange
import Files
public import Problems
import Storage
public import Templates
import Text

public struct NoteOperations {
  let workspace: Workspace

  /// Returns the notes whose guid begins with a text, at most 10.
  public func find(guidBeginning start: String) throws -> [NoteHandle] {
    try workspace.read { try NoteTable.ids($0, guidBeginning: start) }.map { workspace.handle(of: $0) }
  }

  public func numbered(_ number: Int64) throws -> NoteHandle? {
    let id = NoteID(rawValue: number)
    return try workspace.read({ try NoteTable.exists($0, id) }) ? workspace.handle(of: id) : nil
  }

  /// Returns the notes whose cards match a query in Anki's language, each once.
  /// - Throws: `DeckError.badQuery`.
  public func numbers(anki query: String) throws -> [Int64] {
    let cards = try workspace.cards.found(anki: query)
    return try workspace.read { try NoteTable.notes($0, ofCards: cards) }.map(\.rawValue)
  }

  /// Returns those keys that are the first field of a note.
  public func takenFirstFields(_ keys: Set<String>, in scope: FirstFieldScope) throws -> Set<String> {
    try workspace.read { try NoteTable.taken($0, keys, in: scope) }
  }

  /// Returns the hashes of the keys of all first fields; a key whose hash is missing is not used by any note.
  public func firstFieldHashes(in scope: FirstFieldScope) throws -> Set<Int> {
    var hashes: Set<Int> = []
    try workspace.read { try NoteTable.forEachFirstField($0, in: scope) { hashes.insert($0.hashValue) } }
    return hashes
  }

  public func tags() throws -> [String] { try workspace.read { try NoteTable.tags($0) } }

  public func changeTags(of numbers: [Int64], adding: [String] = [], removing: [String] = []) throws {
    let notes = try numbers.compactMap { try numbered($0) }
    let now = workspace.now
    try workspace.perform(.editNote, count: { _ in notes.count }) { db in
      for note in notes {
        try workspace.poll()
        try NoteTable.update(
          db, note.id, tags: Tags.changed(NoteTable.record(db, note.id).tags, adding: adding, removing: removing),
          now: now, isInterrupted: workspace.isInterrupted)
      }
    }
  }

  /// Changes fields (HTML, by name) and tags of several notes, where nil leaves them unchanged: of all of them, or of
  /// none if one is refused.
  /// - Parameter refused: returns the error to throw for the note at a place in the list.
  public func update(
    _ edits: [(note: NoteHandle, fields: [String: String], tags: [String]?)], progress: CardProgress = { _ in },
    refused: (_ place: Int, _ problem: any Problem) throws -> any Error
  ) throws {
    try workspace.perform(.editNote, count: { _ in edits.count }) { db in
      for (place, edit) in edits.enumerated() {
        if place % 256 == 0 { try progress(place) }
        do {
          try NoteTable.update(
            db, edit.note.id, fields: edit.fields, tags: edit.tags, now: workspace.now,
            isInterrupted: workspace.isInterrupted)
        } catch let problem as any Problem where problem.report.code != .interrupted {
          throw try refused(place, problem)
        }
      }
    }
  }

  /// Returns what replacing a text changes in the notes of cards; changes nothing.
  /// - Parameter field: the only field to change, or a side of cards whose sides are fields; nil for every field.
  /// - Throws: `NoteError.noField` if none of the notes has the field; what `TextReplacement` throws.
  public func replacements(
    of text: TextReplacement, in cards: some Collection<CardHandle>, field: String?
  ) throws -> [(note: NoteHandle, fields: [String: String], change: ComparedChange)] {
    try workspace.read { db in
      var (types, found): ([NoteTypeID: NoteType], [(NoteHandle, [String: String], ComparedChange)]) = ([:], [])
      var hasField = field == nil
      for (place, id) in try NoteTable.notes(db, ofCards: cards.map(\.id)).enumerated() {
        if place % 256 == 0 { try workspace.poll() }
        let note = try NoteTable.record(db, id)
        let type = try types.kept(note.type) { try NoteTypeTable.record(db, note.type) }
        let wanted = field.map { type.field(meantBy: $0) }
        hasField = hasField || type.fields.contains { $0 == wanted }
        let new = try zip(type.fields, note.fields).map { name, old in
          try wanted == nil || name == wanted ? text.applied(toHTML: old) ?? old : old
        }
        if let change = ComparedChange(ofNote: note.guid, fields: type.fields, from: note.fields, to: new) {
          found.append((workspace.handle(of: id), Dictionary(firstOf: change.fields.map { ($0.name, $0.new) }), change))
        }
      }
      if !hasField, let field, let type = types.values.min(by: { $0.name < $1.name }) { throw type.unknownField(field) }
      return found
    }
  }

  /// Removes notes with their cards.
  /// - Returns: how many cards were removed.
  @discardableResult
  public func remove(_ numbers: [Int64]) throws -> Int {
    let notes = try numbers.compactMap { try numbered($0) }
    return try workspace.perform(.removeNotes, count: { _ in notes.count }) { db in
      var cards: [CardID] = []
      for note in notes {
        try workspace.poll()
        cards += try NoteTable.cards(db, of: note.id)
      }
      return try CardTable.remove(db, cards)
    }
  }
}

public final class NoteHandle: RowHandle<NoteID> {
  /// - Throws: `DeckError.gone` if it was removed, either itself or with its last card.
  public func record() throws -> NoteRecord { try workspace.read(for: "note") { try NoteTable.record($0, id) } }

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
        db, id, fields: fields, tags: tags, now: workspace.now, isInterrupted: workspace.isInterrupted)
    }
  }

  /// Returns how many cards the note would lose with these fields.
  public func lostCards(fields: [String: String]) throws -> Int {
    try workspace.read { try NoteTable.lostCards($0, id, fields: fields) }
  }

  @discardableResult
  public func remove() throws -> Int {
    try workspace.perform(.removeNotes) { try NoteTable.remove($0, [id]) }
  }
}

extension NoteType {
  /// Returns the field that the user means; `prompt` and `answer` are those of a basic type.
  func field(meantBy name: String) -> String {
    guard isBasic, let side = ["prompt", "answer"].firstIndex(of: name) else { return name }
    return fields[side]
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

  /// Returns the note of the deck whose first card is that of a note to be added, or else asks the same; nil if there
  /// is none.
  public func note(like note: NewNote, type: NoteTypeHandle) throws -> NoteHandle? {
    try workspace.read { db in
      try NoteTable.same(db, note, type: NoteTypeTable.record(db, type.id), in: id) { _ in true }
    }.map { workspace.handle(of: $0.id) }
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

public struct NoteTypeOperations {
  let workspace: Workspace

  public func all() throws -> [NoteTypeHandle] {
    try workspace.read { try NoteTypeTable.list($0) }.map { workspace.handle(of: $0.id) }
  }

  /// Returns the number of notes of each type that has any. They are counted in one scan, because a list asks for the
  /// count of each type.
  public func noteCounts() throws -> [NoteTypeID: Int] {
    try workspace.read { db in
      if let known = workspace.opened.noteCounts, known.changeCount == workspace.changeCount { return known.counts }
      let counts = try NoteTypeTable.noteCounts(db)
      workspace.opened.noteCounts = (counts, workspace.changeCount)
      return counts
    }
  }

  /// Returns the type with a name, case-insensitively.
  /// - Throws: `NoteError.typeNotFound` with the nearest name.
  public func open(_ name: String) throws -> NoteTypeHandle {
    workspace.handle(of: try workspace.read { try NoteTypeTable.find($0, named: name) }.id)
  }

  /// Returns the type with a name, or the stock type of that name as it would be created.
  /// - Throws: `NoteError.typeNotFound` with the nearest name.
  public func described(_ name: String) throws -> NoteType {
    let stock = StockNoteType.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
    return try workspace.read { db in
      guard let stock, try NoteTypeTable.named(db, name) == nil else { return try NoteTypeTable.find(db, named: name) }
      return NoteType(stock.draft, id: NoteTypeID(rawValue: 0), modified: 0)
    }
  }

  /// - Throws: `NoteError.typeExists`, `.badType`, `.badTemplate`.
  public func create(_ draft: NoteTypeDraft) throws -> NoteTypeHandle {
    let now = workspace.now
    return workspace.handle(
      of: try workspace.perform(.createNoteType, on: draft.name) { try NoteTypeTable.create($0, draft, now: now) }.id)
  }
}

/// A note type of an open workspace.
public final class NoteTypeHandle: RowHandle<NoteTypeID> {
  /// - Throws: `DeckError.gone` if it was removed.
  public func record() throws -> NoteType { try workspace.read(for: "note type") { try NoteTypeTable.record($0, id) } }

  public func noteCount() throws -> Int { try workspace.noteTypes.noteCounts()[id] ?? 0 }

  public func loss(of edit: NoteTypeEdit) throws -> NoteTypeLoss {
    try workspace.read { try NoteTypeTable.loss($0, id, edit, isInterrupted: workspace.isInterrupted) }
  }

  /// Changes the type, its notes and their cards.
  /// - Parameter agreed: whether cards and texts may be removed.
  /// - Throws: `NoteError.losesCards` with the counts.
  @discardableResult
  public func edit(_ edit: NoteTypeEdit, agreed: Bool = false) throws -> NoteTypeLoss {
    let name = try record().name
    return try workspace.perform(.editNoteType, on: name) { db in
      try NoteTypeTable.edit(db, id, edit, agreed: agreed, now: workspace.now, isInterrupted: workspace.isInterrupted)
    }
  }

  /// - Throws: `NoteError.typeInUse` if it has notes.
  public func remove() throws {
    let name = try record().name
    try workspace.perform(.removeNoteType, on: name) { try NoteTypeTable.remove($0, id) }
  }
}
