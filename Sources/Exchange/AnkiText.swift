// Anki's text files: `#key:value` header lines, then a table of notes (the Anki manual, "Text Files").
// Invariant: a line that begins with # is never a card; fields are HTML if the file says so, otherwise plain text. A
// column is the field that its name says, if any column has the name of a field, otherwise fields follow their order;
// the column after the last field is tags. A note is written as one line, however many cards it has.

import Decks
import Files
import Problems
import Templates
import Text

struct AnkiHeads {
  var separator: UInt8?
  var isHTML = false
  var tags: [String] = []
  var names: [String] = []
  var noteType = ""
  /// The deck of the file; names in a deck column are nested in it.
  var deck = ""
  /// The indices, from 0, of the columns that are not fields.
  var columns: [AnkiColumn: Int] = [:]
  var onDuplicate: OnDuplicate?

  /// The keys of header lines that only Anki's texts have.
  private static let keys: Set<String> = [
    "separator", "html", "tags", "columns", "notetype", "deck", "guid", "if matches",
  ]

  /// Returns the key and the value of a header line, which a spreadsheet may have quoted and filled with separators.
  static func parts(of line: String) -> (key: String, value: String)? {
    var text = line[...]
    if text.hasPrefix("\"#"), let end = text.dropFirst().lastIndex(of: "\"") {
      text = Substring(text.dropFirst().prefix(upTo: end).replacing(text: "\"\"", with: "\""))
    }
    guard text.hasPrefix("#"), let colon = text.firstIndex(of: ":") else { return nil }
    let key = String(text[text.index(after: text.startIndex)..<colon]).trimmed.lowercased()
    guard keys.contains(key) || AnkiColumn(rawValue: key) != nil else { return nil }
    let value = String(text[text.index(after: colon)...])
    // A tab can be the separator itself, so it must not be trimmed.
    if key == "columns" || value.trimmed.isEmpty { return (key, value) }
    let filled =
      value.lastIndex { !",;\t ".contains($0) }.map { String(value[...$0]) } ?? String(value.trimmed.prefix(1))
    return (key, filled.trimmed)
  }

  static func begin(_ start: ArraySlice<UInt8>) -> Bool {
    guard start.starts(with: "#".utf8) || start.starts(with: "\"#".utf8) else { return false }
    return parts(of: String(decoding: start.prefix(1_000).prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)) != nil
  }

  /// Reads one header line.
  /// - Throws: `badFile` for a value that the key cannot have.
  mutating func read(_ key: String, _ value: String, _ failure: (String) -> ExchangeError) throws(ExchangeError) {
    switch key {
    case "separator":
      do throws(ExchangeError) { separator = try Separator.byte(named: value) } catch {
        throw failure("a name of a separator (comma, semicolon, tab, space, pipe, colon) or a character")
      }
    case "html":
      guard ["true", "false"].contains(value.lowercased()) else { throw failure("true or false") }
      isHTML = value.lowercased() == "true"
    case "tags": tags = Tags.separated(value)
    case "columns": names = [value]
    case "notetype": noteType = value
    case "deck": deck = value
    case "if matches":
      switch value.lowercased() {
      case "update current": onDuplicate = .update
      case "keep current", "keep both": onDuplicate = .skip
      default: throw failure("update current, keep current or keep both")
      }
    default:
      guard let column = AnkiColumn(rawValue: key) else { return }
      guard let number = Int(value), (1...10_000).contains(number) else {
        throw failure("the number of a column, from 1")
      }
      columns[column] = number - 1
    }
  }
}

enum AnkiColumn: String, CaseIterable {
  case noteType = "notetype column", deck = "deck column", tags = "tags column", guid = "guid column"
}

final class AnkiTextCards: CardRows {
  private let source: ByteSource
  private var rows: TableRows?
  private let options: TableOptions
  private let target: String
  private(set) var heads = AnkiHeads()
  private(set) var found = ImportFindings()
  var holdsFormatting: Bool { heads.isHTML }
  var account: LineAccount { source.account }

  init(_ source: ByteSource, into target: String, _ options: TableOptions) {
    (self.source, self.target, self.options) = (source, target, options)
    found.encoding = source.encoding
  }

  func open() throws {
    while try source.peek() == UInt8(ascii: "#") || AnkiHeads.begin(source.buffered) {
      let (line, path) = (source.line, source.path)
      guard let (key, value) = AnkiHeads.parts(of: try headLine()) else {
        account.leave(line...line, .comment)
        continue
      }
      account.use(line...line)
      try heads.read(key, value) { expected in
        .badFile(path: path, line: line, column: 1, expected: "#\(key): \(expected) expected, \(quoted(value)) found")
      }
    }
    let separator =
      options.separator ?? heads.separator ?? Separator.found(in: source.buffered, first: UInt8(ascii: "\t"))
    if let names = heads.names.first {
      heads.names = names.split(separator: Character(Unicode.Scalar(separator)), omittingEmptySubsequences: false)
        .map { String($0).trimmed }
      while heads.names.last == "" { heads.names.removeLast() }
    }
    rows = TableRows(source, separator: separator, hasComments: true)
    found.separator = separator
    found.columns = heads.names
  }

  private func headLine() throws -> String {
    var bytes: [UInt8] = []
    while let byte = try source.peek(), byte != 0x0A, byte != 0x0D {
      source.take(into: &bytes) { $0 == 0x0A || $0 == 0x0D }
      if bytes.count > rowLimit { throw source.tooLong() }
    }
    while let byte = try source.peek(), byte == 0x0A || byte == 0x0D { source.skip() }
    return String(decoding: bytes, as: UTF8.self)
  }

  func next(into row: inout CardRow) throws -> Bool {
    guard let rows, let line = try rows.next() else {
      source.endAccount()
      return false
    }
    account.row(line...rows.lastLine)
    row.clear(line: line)
    if let invalidReason = rows.invalidReason { row.refuse(.badRow, invalidReason) }
    if let invalidText = rows.invalidText() { row.refuse(.badText, invalidText) }
    row.tags = heads.tags
    var noteType = heads.noteType.isEmpty ? options.note?.name ?? "" : heads.noteType
    var fields: [(name: String?, text: String)] = []
    for index in 0..<rows.count {
      switch heads.columns.first(where: { $0.value == index })?.key {
      case .noteType: noteType = rows.text(index).trimmed
      case .deck: row.subdeck = subdeck(rows.text(index).trimmed)
      case .tags: row.tags += Tags.separated(rows.text(index))
      case .guid: row.guid.append(contentsOf: rows[index])
      case nil:
        let name = index < heads.names.count ? heads.names[index] : ""
        fields.append((name.isEmpty ? nil : name, rows.text(index)))
      }
    }
    // A spreadsheet fills every row to the width of the widest one.
    while fields.count > 2, fields.last?.name == nil, fields.last?.text == "" { fields.removeLast() }
    fill(&row, noteType, fields)
    return true
  }

  private func subdeck(_ name: String) -> String {
    for outer in [heads.deck, target] where !outer.isEmpty {
      if name.lowercased() == outer.lowercased() { return "" }
      if name.lowercased().hasPrefix(outer.lowercased() + "::") { return String(name.dropFirst(outer.count + 2)) }
    }
    return name
  }

  /// Two fields of plain text make a card; a row with more than that makes a note.
  private func fill(_ row: inout CardRow, _ noteType: String, _ given: [(name: String?, text: String)]) {
    let isBasic = noteType.isEmpty || noteType.lowercased() == StockNoteType.basic.rawValue.lowercased()
    var fields = given
    // Rows that name their note type have fields in the order of the type.
    if heads.columns[.noteType] == nil {
      row.hasTagsColumn = heads.columns[.tags] != nil
      if isBasic { fields = row.settle(given, in: ["Front", "Back"], as: { $0 }) }
    }
    let plain = isBasic ? fields.map { heads.isHTML ? FieldHTML.plain($0.text) : $0.text } : []
    // A card needs two sides; a note whose type is named may have an empty back.
    let isHalf = !noteType.isEmpty && plain.count > 1 && plain[1] == ""
    // The texts of a card are trimmed, the fields of a note are not.
    func areTrimmed() -> Bool {
      zip(plain, fields).prefix(2).allSatisfy { $0.map { FieldHTML.html(ofPlain: $0.trimmed) } == $1.text }
    }
    guard isBasic, !isHalf, plain.count == fields.count, !plain.prefix(2).contains(nil),
      noteType.isEmpty || !heads.isHTML || areTrimmed()
    else {
      // If rows have different note types, the columns serve all of them, so fields are assigned by order.
      let isNamed = !isBasic && heads.columns[.noteType] == nil
      let html = fields.map { name, text in
        (name: isNamed ? name : nil, html: heads.isHTML ? text : FieldHTML.html(ofPlain: text))
      }
      row.isOfColumns = isNamed
      row.content = .note(type: noteType.isEmpty ? StockNoteType.basic.rawValue : noteType, html)
      return
    }
    if let prompt = plain.first ?? nil { row.prompt.append(contentsOf: prompt.utf8) }
    if plain.count > 1, let answer = plain[1] { row.answer.append(contentsOf: answer.utf8) }
    for index in fields.indices.dropFirst(2) where !fields[index].text.isEmpty {
      let name = fields[index].name ?? "column\(index + 1)"
      row.addField(CardField.reservedNames.contains(name) ? "column\(index + 1)" : name, .text(fields[index].text))
    }
  }
}

struct AnkiTextWriter: CardRowWriter {
  let sink: FileSink
  let deck: String
  /// Whether the deck has nested decks, in which case each line names its deck.
  let hasDecks: Bool
  /// The note types other than Basic.
  let types: [NoteType]

  /// The number of columns before the fields: guid, note type, deck.
  private var before: Int { hasDecks ? 3 : 2 }

  /// The number of fields of the widest note type; the tags follow them.
  private var fieldCount: Int { types.map(\.fields.count).reduce(2, max) }

  func begin() throws {
    try sink.append("#separator:tab\n#html:true\n#deck:\(deck)\n#guid column:1\n#notetype column:2\n")
    if hasDecks { try sink.append("#deck column:3\n") }
    try sink.append("#tags column:\(before + fieldCount + 1)\n")
  }

  func write(_ card: CardRecord, _ source: ExportSource) throws -> Set<CardPart> {
    var cells = [source.note?.record.guid ?? card.guid, source.note?.type.name ?? StockNoteType.basic.rawValue]
    if hasDecks { cells.append(source.subdeck.isEmpty ? deck : "\(deck)::\(source.subdeck)") }
    let fields =
      source.note?.record.fields
      ?? [FieldHTML.html(ofPlain: card.prompt), FieldHTML.html(ofPlain: card.answer)]
    if source.isFirst {
      cells += fields + Array(repeating: "", count: max(0, fieldCount - fields.count))
      cells.append((source.note?.record.tags ?? card.tags).joined(separator: " "))
      let line = CellText.line(cells, UInt8(ascii: "\t"))
      if line.count > rowLimit { return [.largeCards] }
      try sink.append(line)
    }
    return []
  }
}
