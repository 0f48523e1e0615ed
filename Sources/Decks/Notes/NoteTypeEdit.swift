// Changes a note type that has notes: fields and cards keep their texts and schedules under new names and in a new
// order. Invariant: a change that removes cards or texts is made only if the caller has agreed to it; the loss is
// counted first.

public import Storage
public import Templates
import Text
package import Values

/// The new form of a note type, and which of its parts existed before.
public struct NoteTypeEdit: Equatable, Sendable {
  /// A field's name, or the template of a card.
  public struct Part<Value: Equatable & Sendable>: Equatable, Sendable {
    public var value: Value
    /// Its former index, from 0; nil for a new part.
    public var was: Int?
    /// Other members that the JSON of a field is to have, replacing those it has: a font, a description.
    package var other = Values.Value.Record()
    public init(_ value: Value, was: Int?) { (self.value, self.was) = (value, was) }
  }

  public var name: String
  public var fields: [Part<String>]
  public var cards: [Part<CardTemplate>]
  public var css: String

  /// Creates an edit that changes nothing.
  public init(_ type: NoteType) {
    name = type.name
    css = type.css
    fields = type.fields.enumerated().map { Part($1, was: $0) }
    cards = type.cards.enumerated().map { Part($1, was: $0) }
  }

  /// Creates the edit that leads to a draft. Parts with the same name are the same part; if the number of parts is
  /// unchanged, the others are matched by index, as renamed parts.
  public init(_ type: NoteType, to draft: NoteTypeDraft) {
    name = draft.name
    css = draft.css
    fields = zip(draft.fields, NoteTypeEdit.matched(draft.fields, type.fields)).map { Part($0, was: $1) }
    let old = NoteTypeEdit.matched(draft.cards.map(\.name), type.cards.map(\.name))
    cards = zip(draft.cards, old).map { card, was in
      var card = card
      if let was { card.other = type.cards[was].other }
      return Part(card, was: was)
    }
  }

  private static func matched(_ new: [String], _ old: [String]) -> [Int?] {
    var places = new.map { name in old.firstIndex { $0.trimmed == name.trimmed } }
    guard new.count == old.count else { return places }
    for index in new.indices where places[index] == nil && !new.contains(old[index]) { places[index] = index }
    return places
  }
}

extension NoteTypeTable {
  public static func loss(
    _ db: Database, _ id: NoteTypeID, _ edit: NoteTypeEdit, isInterrupted: @escaping () -> Bool
  ) throws -> NoteTypeLoss {
    let change = try TypeChange(record(db, id), edit, now: 0, isInterrupted: isInterrupted)
    return try change.loss(db)
  }

  /// Changes a type, its notes and their cards.
  /// - Parameter agreed: whether cards and texts may be removed.
  /// - Throws: `NoteError.losesCards` with the counts; the errors of `create`.
  @discardableResult
  public static func edit(
    _ db: Database, _ id: NoteTypeID, _ edit: NoteTypeEdit, agreed: Bool, now: Double,
    isInterrupted: @escaping () -> Bool
  ) throws -> NoteTypeLoss {
    let old = try record(db, id)
    let change = try TypeChange(old, edit, now: now, isInterrupted: isInterrupted)
    if change.isNothing { return NoteTypeLoss() }
    let loss = try change.loss(db)
    if !agreed, !loss.isNothing { throw NoteError.losesCards(type: old.name, cards: loss.cards, notes: loss.notes) }
    try write(db, change.new)
    try change.apply(db)
    return loss
  }

  /// Gives a note another type. The note keeps its fields and its cards by their order.
  public static func assign(
    _ db: Database, _ type: NoteType, to id: NoteID, now: Double, isInterrupted: @escaping () -> Bool
  ) throws {
    var note = try NoteTable.record(db, id)
    (note.type, note.modified, note.fields) = (type.id, seconds(now), NoteTable.padded(note.fields, type))
    try NoteTable.write(db, note, type)
    try db.execute(sql: "UPDATE notes SET type = ? WHERE id = ?", arguments: [type.id.rawValue, id.rawValue])
    var writer = NoteCardWriter(db, type, now: now, isInterrupted: isInterrupted)
    try writer.renew(note)
  }
}

private struct TypeChange {
  let old: NoteType
  let new: NoteType
  let edit: NoteTypeEdit
  let now: Double
  let isInterrupted: () -> Bool

  init(_ old: NoteType, _ edit: NoteTypeEdit, now: Double, isInterrupted: @escaping () -> Bool) throws(NoteError) {
    (self.old, self.edit, self.now, self.isInterrupted) = (old, edit, now, isInterrupted)
    try TypeChange.checkPlaces(edit.fields.compactMap(\.was), old.fields.count)
    try TypeChange.checkPlaces(edit.cards.compactMap(\.was), old.cards.count)
    var draft = NoteTypeDraft(
      name: edit.name, fields: edit.fields.map(\.value), cards: edit.cards.map(\.value), css: edit.css,
      isCloze: old.isCloze)
    let renamed = TypeChange.renamed(old, edit)
    if !renamed.isEmpty {
      for index in draft.cards.indices {
        draft.cards[index].front = Template.renaming(renamed, in: draft.cards[index].front)
        draft.cards[index].back = Template.renaming(renamed, in: draft.cards[index].back)
      }
    }
    draft = try draft.checked()
    var new = old
    (new.name, new.css, new.modified, new.cards) = (draft.name, draft.css, seconds(now), draft.cards)
    new.fieldList = zip(draft.fields, edit.fields).map { name, field in
      var other = field.was.map { old.fieldList[$0].other } ?? NoteTypeField.fresh
      for change in field.other.fields { other[change.name] = change.value }
      return NoteTypeField(name: name, other: other)
    }
    self.new = new
  }

  private static func checkPlaces(_ places: [Int], _ count: Int) throws(NoteError) {
    let isGood = Set(places).count == places.count && places.allSatisfy { (0..<count).contains($0) }
    if !isGood { throw .badType(reason: "cannot use one of its parts twice") }
  }

  /// The old names of renamed fields that templates still use, with the new names.
  private static func renamed(_ old: NoteType, _ edit: NoteTypeEdit) -> [String: String] {
    let names = Set(edit.fields.map(\.value))
    var renamed: [String: String] = [:]
    for field in edit.fields {
      guard let was = field.was, old.fields[was] != field.value, !names.contains(old.fields[was]) else { continue }
      renamed[old.fields[was]] = field.value
    }
    return renamed
  }

  /// Whether the type stays the same, byte for byte.
  var isNothing: Bool {
    var undated = new
    undated.modified = old.modified
    let keepsAllCards = edit.cards.map(\.was) == old.cards.indices.map(Optional.init)
    return keepsFields && keepsAllCards && undated.json.utf8.elementsEqual(old.json.utf8)
  }

  private var keepsFields: Bool { edit.fields.map(\.was) == Array(old.fields.indices).map(Optional.init) }
  private var keepsCards: Bool {
    old.isCloze || edit.cards.prefix(old.cards.count).map(\.was) == old.cards.indices.map(Optional.init)
  }

  private func values(_ note: NoteRecord) -> [String] {
    let values = NoteTable.padded(note.fields, old)
    return edit.fields.map { $0.was.map { values[$0] } ?? "" }
  }

  /// The index of a card after the change; nil if its template is removed.
  private func place(_ ordinal: Int) -> Int? { old.isCloze ? ordinal : edit.cards.firstIndex { $0.was == ordinal } }

  func loss(_ db: Database) throws -> NoteTypeLoss {
    var loss = NoteTypeLoss()
    if isNothing { return loss }
    let maker = NoteCardMaker(new, isInterrupted: isInterrupted)
    let removed = Set(old.fields.indices).subtracting(edit.fields.compactMap(\.was))
    for id in try NoteTable.ids(db, of: old.id) {
      if isInterrupted() { throw NoteError.interrupted }
      let note = try NoteTable.record(db, id)
      let values = NoteTable.padded(note.fields, old)
      if removed.contains(where: { isFilled(Bytes(values[$0].utf8)) }) { loss.notes += 1 }
      let wanted = Set(NoteOrdinals.made(note, maker, values: self.values(note)))
      let sql = "SELECT ord, \(CardStatus.neverStudied) FROM cards WHERE note = ?"
      loss.cards += try db.rows(sql, [id.rawValue]) { (ordinal: $0.count(0), isDropped: $0.integer(1) != 0) }
        .count { card in place(card.ordinal).map { card.isDropped && !wanted.contains($0) } ?? !keepsCards }
    }
    return loss
  }

  func apply(_ db: Database) throws {
    var writer = NoteCardWriter(db, new, now: now, isInterrupted: isInterrupted)
    for id in try NoteTable.ids(db, of: old.id) {
      let note = try NoteTable.record(db, id)
      let changed = NoteRecord(
        id: id, guid: note.guid, type: note.type, modified: keepsFields ? note.modified : seconds(now), tags: note.tags,
        fields: values(note))
      if !keepsFields { try NoteTable.write(db, changed, new) }
      if !keepsCards { try moveCards(db, of: id) }
      try writer.renew(changed)
      // Only now, because a note goes with its last card.
      let removed = try db.rows("SELECT id FROM cards WHERE note = ? AND ord < 0", [id.rawValue]) { $0.integer(0) }
      try CardTable.remove(db, removed.map(CardID.init(rawValue:)))
    }
  }

  /// Gives cards the indices of their templates. Cards of removed templates get negative ones.
  private func moveCards(_ db: Database, of note: NoteID) throws {
    let stored = try db.rows("SELECT id, ord FROM cards WHERE note = ?", [note.rawValue]) {
      ($0.integer(0), $0.count(1))
    }
    try SyncedTable.cards.keep(db, stored.map(\.0))
    let statement = try db.cachedStatement(sql: "UPDATE cards SET ord = ? WHERE id = ?")
    for (id, ordinal) in stored { try statement.execute(arguments: [-1 - ordinal, id]) }
    for (id, ordinal) in stored {
      if let place = place(ordinal) { try statement.execute(arguments: [place, id]) }
    }
  }
}
