// One row of a file during its import, whatever the format, and the rules that it must follow before it becomes a card.
// Invariant: a row is either valid or has a reason for being refused; a broken file is an error instead.

package import Decks
import Problems
package import Templates
import Text

/// A row. Its bytes are those of the file, unescaped but not validated.
package struct CardRow {
  package var prompt: [UInt8] = []
  package var answer: [UInt8] = []
  package var guid: [UInt8] = []
  package var tags: [String] = []
  var fields: [CardField] = []
  var document: String?
  /// The name of the row's deck within the one that is imported into; empty for the latter itself.
  package var subdeck = ""
  package var content = RowContent.texts
  /// Whether the row, or the type, is of a list with more than two columns.
  var isOfList = false
  /// Pictures and sounds that the texts name, with their paths relative to the file.
  var media: [(name: String, path: String)] = []
  /// A file in the folder of the media; nil: the one that the row is from.
  var beside: String?
  /// Whether the fields of the note are columns of an Anki text, whose meanings depend on the note type; and whether
  /// another column is tags.
  var (isOfColumns, hasTagsColumn) = (false, false)
  /// The ordinals of the note's cards; nil for all cards that its type makes.
  var ordinals: [Int]?
  var schedule: CardPlan?
  var log: [LoggedReview] = []
  /// What another program knows of the note's cards, by ordinal.
  var histories: [CardHistory] = []
  var start = RowStart()

  package init() {}

  mutating func clear(line: Int, column: Int? = nil) {
    var row = CardRow()
    swap(&row.prompt, &prompt)
    swap(&row.answer, &answer)
    swap(&row.guid, &guid)
    row.prompt.removeAll(keepingCapacity: true)
    row.answer.removeAll(keepingCapacity: true)
    row.guid.removeAll(keepingCapacity: true)
    row.start = RowStart(line: line, column: column)
    self = row
  }

  mutating func addField(_ name: String, _ value: CardFieldValue) {
    if fields.count < CardField.limit {
      fields.append(CardField(name, value))
    } else {
      refuse(.badText, "there are more than \(grouped(CardField.limit)) fields")
    }
  }

  mutating func refuse(_ code: ProblemCode.Failure, _ message: String) {
    if start.invalidReason == nil { start.invalidReason = (.failure(code), message) }
  }

  /// Gives the columns of an Anki text their meanings in a note type: fields by name if any column has the name of a
  /// field, otherwise by order; a column called Tags, or the first one after the last field, is tags. Other columns
  /// become fields of the card.
  /// - Returns: the note's fields, in the order of the type.
  mutating func settle(
    _ columns: [(name: String?, text: String)], in fields: [String], as plain: (String) -> String?
  ) -> [(name: String?, text: String)] {
    let indices = columns.map { column in column.name.flatMap { name in fields.firstIndex(ofName: name) } }
    let isNamed = indices.contains { $0 != nil }
    let tagged = columns.firstIndex { $0.name?.lowercased() == "tags" && fields.firstIndex(ofName: "tags") == nil }
    var (values, last) = ([String?](repeating: nil, count: fields.count), -1)
    for (place, index) in indices.enumerated() {
      guard let index = isNamed ? index : place < fields.count ? place : nil, values[index] == nil else { continue }
      (values[index], last) = (columns[place].text, place)
    }
    for (place, column) in columns.enumerated() {
      let isField = isNamed ? indices[place] != nil : place < fields.count
      if isField || column.text.isEmpty && column.name == nil { continue }
      if !hasTagsColumn, place == tagged ?? last + 1 {
        tags += Tags.separated(plain(column.text) ?? column.text)
      } else if !column.text.isEmpty {
        let name = column.name ?? "column\(place + 1)"
        addField(CardField.reservedNames.contains(name) ? "column\(place + 1)" : name, .text(column.text))
      }
    }
    let end = (values.lastIndex { $0 != nil } ?? -1) + 1
    return values.prefix(end).enumerated().map { (fields[$0.offset], $0.element ?? "") }
  }

  mutating func rename(_ old: String, to new: String) {
    func renamed(_ html: String) -> String { MediaNames.renaming(old, to: new, in: html) }
    switch content {
    case .note(let type, let fields, let ordinal):
      content = .note(type: type, fields.map { ($0.name, renamed($0.html)) }, ordinal: ordinal)
    case .texts, .formatted:
      // A sound tag is plain text, so plain texts are renamed, too.
      prompt = Array(renamed(String(decoding: prompt, as: UTF8.self)).utf8)
      answer = Array(renamed(String(decoding: answer, as: UTF8.self)).utf8)
    case .card, .type, .options: break
    }
  }

  /// Replaces the fields of a row of a list that name a file by what shows or plays the media of a name, if it can be.
  mutating func show(_ path: String, as name: String) {
    guard isOfList, case .note(let type, let fields, _) = content, let shown = MarkdownMedia(name) else { return }
    content = .note(type: type, fields.map { ($0.name, $0.html == path ? shown.html : $0.html) })
  }

  /// The fields of the note that the row makes.
  var noteFields: [(name: String?, html: String)] {
    if case .note(_, let fields, _) = content { fields } else { sides.map { (nil, $0) } }
  }

  /// The text that the id of a row of a build is derived from when its source gives none.
  var front: String {
    if case .note(_, let fields, _) = content { return fields.first?.html ?? "" }
    return String(decoding: prompt, as: UTF8.self).trimmed
  }

  var sides: [String] {
    [prompt, answer].map { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if case .formatted = content { return text }
      return FieldHTML.html(ofPlain: text.trimmed)
    }
  }

  /// Sets the two sides from HTML: as texts if it is equivalent to plain text as that is stored.
  /// - Parameter isHalf: whether the row is of a note, which may have an empty back.
  mutating func setSides(_ html: [String], isHalf: Bool = false) {
    let texts = html.compactMap { html in
      FieldHTML.plain(html).flatMap { FieldHTML.html(ofPlain: $0.trimmed) == html ? $0 : nil }
    }
    let isPlain = !isHalf && texts.count == html.count
    let sides = (isPlain ? texts : html).map { Array($0.utf8) }
    (prompt, answer) = (sides[0], sides[1])
    if !isPlain { content = .formatted }
  }
}

struct RowStart {
  var line = 1
  /// The column at which the element of a list begins; nil in formats without such elements.
  var column: Int?
  /// For Markdown: the last line that is a part of the card, or of one of its comments.
  var lastLine = 0
  /// The place in a format without lines: `note 5`.
  var part: String?
  var invalidReason: (code: ProblemCode, message: String)?
}

package enum RowContent {
  case texts, formatted
  /// A note. Its fields are HTML; fields without names are in the order of the type. The row's schedule and document
  /// belong to the card of this ordinal.
  case note(type: String, [(name: String?, html: String)], ordinal: Int? = nil)
  /// Another card of an earlier note, which has the row's guid.
  case card(ordinal: Int)
  case type(NoteTypeDraft)
  case options([CardField])
}

protocol RowSource {
  /// What became of each line, complete at the end.
  var report: LineReport { get }
  /// What was detected in the file; complete after the first row has been read.
  var found: ImportFindings { get }
  /// Whether the file can express formatting, so that a plain text in it means that the card has none.
  var holdsFormatting: Bool { get }
  func forEach(_ body: (inout CardRow) throws -> Void) throws
}

extension RowSource { var holdsFormatting: Bool { false } }

/// Rows that are read when they are asked for.
protocol CardRows: RowSource {
  var account: LineAccount { get }
  /// - Returns: false at the end of the file.
  func next(into row: inout CardRow) throws -> Bool
}

extension CardRows {
  var report: LineReport { account.report }

  func forEach(_ body: (inout CardRow) throws -> Void) throws {
    var row = CardRow()
    while try next(into: &row) { try body(&row) }
  }
}

/// The limit on the size of a row in bytes: a file of others cannot fill the memory with one row.
let rowLimit = 1_000_000

extension [String] {
  /// Returns the index of a name; an exact match comes before a case-insensitive one.
  func firstIndex(ofName name: String) -> Int? {
    firstIndex(of: name) ?? firstIndex { $0.lowercased() == name.lowercased() }
  }
}

extension NoteTypeDraft {
  func makesSameCards(as other: NoteTypeDraft) -> Bool {
    isCloze == other.isCloze && fields == other.fields && css == other.css
      && cards.map { [$0.name, $0.front, $0.back] } == other.cards.map { [$0.name, $0.front, $0.back] }
  }
}

extension CardRow {
  /// Empties the fields of the type that a note's row does not name.
  mutating func emptyOthers(of names: [String]) {
    guard case .note(let type, let fields, let ordinal) = content else { return }
    let given = Set(fields.enumerated().map { $1.name ?? ($0 < names.count ? names[$0] : "") })
    content = .note(type: type, fields + names.filter { !given.contains($0) }.map { ($0, "") }, ordinal: ordinal)
  }

  /// Returns why the row's prompt and answer cannot be imported into any deck; nil when no reason is known.
  func refusal() throws -> RowRefusal? {
    if let reason = start.invalidReason { return RowRefusal(code: reason.code, message: reason.message) }
    do {
      switch content {
      case .texts: try checked { _ in }
      case .formatted: try checkSides(sides)
      case .note, .card, .type, .options: break
      }
      return nil
    } catch let refusal as RowRefusal {
      return refusal
    }
  }

  /// Checks two sides of HTML: as with any card, neither may be blank. An exception is the back of a row with a guid,
  /// which may be empty, because such a row was written from a note.
  func checkSides(_ sides: [String]) throws(RowRefusal) {
    if sides[0].trimmed.isEmpty { throw RowRefusal(DeckError.emptyPrompt) }
    let isOfNote = sides[1].isEmpty && !guid.isEmpty
    if sides[1].trimmed.isEmpty, !isOfNote { throw RowRefusal(DeckError.emptyAnswer) }
  }

  /// Checks the fields and the document of a note by the rules for those of a card.
  func checkBeside() throws {
    if fields.isEmpty, document == nil { return }
    var card = CardRow()
    (card.prompt, card.answer) = (Array("p".utf8), Array("a".utf8))
    (card.fields, card.document) = (fields, document)
    try card.checked { _ in }
  }

  /// Validates the row as a card and passes it to `body`.
  /// - Throws: `RowRefusal` for the first rule that the row breaks.
  func checked<T>(_ body: (CheckedCard) throws -> T) throws -> T {
    try prompt.withUnsafeBufferPointer { prompt in
      try answer.withUnsafeBufferPointer { answer in
        try guid.withUnsafeBufferPointer { guid in
          let card: CheckedCard
          do throws(DeckError) {
            card = try CheckedCard(
              prompt: prompt, answer: answer, guid: guid, tags: tags, fields: fields, document: document)
          } catch {
            throw RowRefusal(error)
          }
          return try body(card)
        }
      }
    }
  }
}
