// Changes the texts of a card, which belong to its note.
// Invariant: before and after, a card shows what its note makes of its fields.

public import Storage
import Templates

extension CardTable {
  /// Changes the texts that are not nil, and sets the time of change. Cards in a deck are told apart by their guids:
  /// two of them may end up with the same texts. The note is changed, with all its cards.
  /// - Returns: whether other cards may have been added or removed.
  /// - Throws: `emptyPrompt`, `emptyAnswer`, `badText`, `badTag`, `gone`; `NoteError.madeFromNote`, `.formatted`.
  @discardableResult
  public static func update(
    _ db: Database, _ id: CardID, prompt: String? = nil, answer: String? = nil, tags: [String]? = nil, now: Double
  ) throws -> Bool {
    guard let old = try CardContent.of(db, id) else { throw gone }
    var new = old
    if let prompt { new.prompt = try checked(prompt, "prompt", .emptyPrompt) }
    if let answer { new.answer = try checked(answer, "answer", .emptyAnswer) }
    if let tags { new.tags = try Tags.column(tags) }
    return try !new.isSame(as: old) && write(db, id, old, new, now: now)
  }

  private static func checked(_ text: String, _ what: StaticString, _ blank: DeckError) throws(DeckError) -> String {
    let cleaned = try CardText.cleaned(text, what)
    if cleaned.isEmpty { throw blank }
    return cleaned
  }

  /// Replaces the texts of a card by those of `card`, and its tags, fields and document if `card` has any.
  /// - Parameter kept: the names, in lowercase, of note fields that do not change.
  /// - Returns: false if nothing had to be changed.
  /// - Throws: `NoteError.formatted` if that would change a formatted field, or if a card without a guid states that
  ///   it has no formatting, while the stored one has some: it is not known which card is meant.
  public static func overwrite(
    _ db: Database, _ id: CardID, with card: CheckedCard, keeping kept: Set<String> = [], now: Double
  ) throws -> Bool {
    guard let old = try CardContent.of(db, id) else { throw gone }
    var new = old
    func keeps(_ place: Int) throws -> Bool {
      try !kept.isEmpty && kept.contains(NoteTable.fieldName(db, old.note, place).lowercased())
    }
    if try !keeps(0) { new.prompt = String(decoding: card.prompt, as: UTF8.self) }
    if try !keeps(1) { new.answer = String(decoding: card.answer, as: UTF8.self) }
    if !card.tags.isEmpty { new.tags = card.tags }
    new.fields = card.fields ?? old.fields
    new.document = card.document ?? old.document
    if card.saysNoFormatting, card.guid == nil, old.isBasic,
      let place = NoteFieldText.list(old.noteFields).firstIndex(where: FieldHTML.isFormatted)
    {
      throw NoteError.formatted(field: try NoteTable.fieldName(db, old.note, place))
    }
    if new.isSame(as: old) { return false }
    try write(db, id, old, new, now: now)
    return true
  }

  @discardableResult
  private static func write(
    _ db: Database, _ id: CardID, _ old: CardContent, _ new: CardContent, now: Double
  ) throws -> Bool {
    if !utf8Same(new.fields ?? "", old.fields ?? "") {
      try NoteData.write(db, old.note, NoteData.column(new.fields))
      try change(db, "UPDATE cards SET mod = ? WHERE id = ?", [now, id.rawValue])
    }
    if !utf8Same(new.document ?? "", old.document ?? "") {
      try change(db, "UPDATE cards SET document = ?, mod = ? WHERE id = ?", [new.document, now, id.rawValue])
    }
    guard old.isBasic else {
      try NoteTable.write(db, old, new, now: now)
      return true
    }
    var fields = NoteFieldText.list(old.noteFields)
    for (place, (text, before)) in [(new.prompt, old.prompt), (new.answer, old.answer)].enumerated()
    where !utf8Same(text, before) {
      guard fields.indices.contains(place), !FieldHTML.isFormatted(fields[place]) else {
        throw NoteError.formatted(field: try NoteTable.fieldName(db, old.note, place))
      }
      fields[place] = FieldHTML.html(ofPlain: text)
    }
    try NoteTable.writeTexts(
      db, old.note, modified: seconds(now), tags: new.tags, fields: fields.joined(separator: "\u{1F}"))
    let content = CardTexts(prompt: new.prompt, answer: new.answer).content
    try change(db, updateContent, [content, now, id.rawValue])
    return false
  }
}

/// The texts of a card and of its note.
struct CardContent {
  var prompt: String
  var answer: String
  /// The values of columns.
  var tags: String
  var fields: String?
  var document: String?
  let note: NoteID
  let noteFields: String
  /// Whether this is the only card of the note, and each of its sides is a field.
  let isBasic: Bool

  static func of(_ db: Database, _ id: CardID) throws -> CardContent? {
    let sql = """
      SELECT card.prompt, card.answer, card.tags, card.fields, card.document, notes.id, notes.fields,
        note_types.basic AND ord = 0 AND NOT EXISTS (SELECT 1 FROM cards c WHERE c.note = notes.id AND c.ord > 0)
      FROM card_rows AS card, notes, note_types
      WHERE card.id = ? AND notes.id = card.note AND note_types.id = notes.type
      """
    return try db.firstRow(sql, [id.rawValue]) { row in
      CardContent(
        prompt: row.text(0), answer: row.text(1), tags: row.text(2), fields: row.optionalText(3),
        document: row.optionalText(4), note: NoteID(rawValue: row.integer(5)), noteFields: row.text(6),
        isBasic: row.integer(7) != 0)
    }
  }

  func isSame(as other: CardContent) -> Bool {
    utf8Same(prompt, other.prompt) && utf8Same(answer, other.answer) && utf8Same(tags, other.tags)
      && utf8Same(fields ?? "", other.fields ?? "") && utf8Same(document ?? "", other.document ?? "")
  }
}

private func utf8Same(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
