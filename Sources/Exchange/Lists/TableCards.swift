// Cards from the rows of a list, whatever file they come from, and cards as a table of text; its lines end with a line
// feed. Invariant: columns with unknown names are kept; the detected separator, header and encoding are reported; a
// cell that contains a separator, a quote or a line end is quoted.

import Decks
import Files
import Problems
import Templates
import Text

final class TableCards: CardRows {
  private let rows: ListRows
  private let options: TableOptions
  private let sample: [[String]]
  private(set) var shape: ListShape?
  /// Of the shape, as each cell asks for them.
  private var (columns, listed): ([TableColumn], ListedFields?) = ([], nil)
  private(set) var found = ImportFindings()
  /// Whether the note type of a list is still to come, before its first row.
  private var owesType = false
  /// The row that was read before the note type was given.
  private var first: Int?
  var account: LineAccount { rows.source.account }
  var holdsFormatting: Bool { rows.isHTML }

  convenience init(_ source: ByteSource, separator: UInt8, _ options: TableOptions, hasComments: Bool = false) throws {
    let separator = options.separator ?? Separator.found(in: source.buffered, first: separator)
    try self.init(source, options) { TableRows($0, separator: separator, hasComments: hasComments) }
  }

  /// - Parameter rows: returns the rows of a source; called twice, as the first rows are looked at before reading.
  init(_ source: ByteSource, _ options: TableOptions, rows: (ByteSource) throws -> ListRows) throws {
    (self.rows, self.options) = (try rows(source), options)
    sample = Self.sample(try rows(source.start()))
    found.encoding = source.encoding
    found.separator = (self.rows as? TableRows)?.separator
  }

  private static func sample(_ rows: ListRows) -> [[String]] {
    var sample: [[String]] = []
    do {
      while sample.count < 500, try rows.next() != nil {
        if (rows as? TableRows)?.namesSeparator != true { sample.append((0..<rows.count).map { rows.text($0) }) }
      }
    } catch {
      // The start of a file may end within a row, and an error of the file is reported when it is read.
    }
    return sample
  }

  func next(into row: inout CardRow) throws -> Bool {
    guard var line = try first ?? nextLine() else { return false }
    first = nil
    while shape == nil {
      if (rows as? TableRows)?.namesSeparator != true {
        let shape = try shape(line)
        if !shape.hasHeader || rows.names != nil { break }
      }
      account.use(line...rows.lastLine)
      guard let following = try nextLine() else { return false }
      line = following
    }
    let place = rows.place(of: line)
    row.clear(line: place.line, column: place.column)
    if owesType, let listed {
      (owesType, first) = (false, line)
      (row.content, row.isOfList) = (.type(listed.type), true)
      return true
    }
    account.row(line...rows.lastLine)
    fill(&row)
    return true
  }

  /// Decides what the columns mean, at the first row.
  private func shape(_ line: Int) throws(ExchangeError) -> ListShape {
    let first = cells.map(limitingMarks)
    let shape = try ListShape(
      [first] + sample.dropFirst(), names: rows.names, options, path: rows.source.path, line: line)
    (self.shape, columns, listed) = (shape, shape.columns, shape.listed)
    owesType = listed != nil
    found.hasHeader = shape.hasHeader
    found.columns = shape.columns.map(\.name)
    found.names = shape.isList ? shape.names : nil
    found.hasFoundTags = shape.hasFoundTags
    let isAssumed = !shape.hasHeader && !options.hasNoHeader && rows is TableRows
    if isAssumed, ListShape.mayName(first, areNumbered: !options.columns.isEmpty) { found.assumedCard = first }
    return shape
  }

  /// Reads a row and returns its first line; at the end of the file, ends the account and returns nil.
  private func nextLine() throws -> Int? {
    if let line = try rows.next() { return line }
    rows.source.endAccount()
    return nil
  }

  var separator: UInt8? { found.separator }

  private var cells: [String] { (0..<rows.count).map { rows.text($0) } }

  private func fill(_ row: inout CardRow) {
    if let invalidReason = rows.invalidReason { row.refuse(.badRow, invalidReason) }
    if let invalidText = rows.invalidText() { row.refuse(.badText, invalidText) }
    refuseMore(&row)
    row.media = rows.media
    let guarded = guardedColumns()
    var fields: [(name: String?, html: String)] = []
    for index in 0..<rows.count {
      let column = index < columns.count ? columns[index] : ListShape.column(beyond: index)
      var cell = rows[index]
      if !guarded.isEmpty, guarded.contains(FormulaGuard.key(column.name)), cell.first == FormulaGuard.mark,
        FormulaGuard.isNeeded(cell.dropFirst())
      {
        cell = cell.dropFirst()
      }
      if let note = options.note, case .field(let name) = column {
        let text = String(decoding: cell, as: UTF8.self).trimmed
        if note.fields.contains(name), !text.isEmpty { fields.append((name, FieldHTML.html(ofPlain: text))) }
      } else {
        put(cell, as: column, index, into: &row)
      }
    }
    if let note = options.note { row.content = .note(type: note.name, fields) }
    if let listed {
      fill(&row, listed)
    } else if rows.isHTML {
      row.setSides([row.prompt, row.answer].map { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// The conflict as one of the note that the row becomes: the field has the note's name, and the note's HTML.
  private func ofNote(_ conflict: MergeConflict) -> MergeConflict {
    guard conflict.owner == nil, !conflict.isOrder, !conflict.isRemoval, let shape,
      let index = ComparedTable.names(of: columns.count, given: shape.hasHeader ? shape.names : nil)
        .firstIndex(of: conflict.field)
    else { return conflict }
    let place = listed?.places.firstIndex(of: index)
    let field = place.flatMap { listed?.type.fields[$0] } ?? options.note?.field(columns[index].name)
    let isSide = [.prompt, .answer].contains(columns[index])
    guard let name = field.map(ComparedField.escaped) ?? (isSide ? columns[index].name : nil) else { return conflict }
    let form = { (text: String) in field == nil ? text : FieldHTML.html(ofPlain: text.trimmed) }
    return MergeConflict(
      field: name, base: conflict.base.map(form), ours: conflict.ours.map(form), theirs: conflict.theirs.map(form))
  }

  /// Makes the row a note of the list's type.
  private func fill(_ row: inout CardRow, _ listed: ListedFields) {
    if row.prompt.allSatisfy(isASCIISpace) { row.refuse(.emptyPrompt, DeckError.emptyPrompt.message) }
    if row.answer.allSatisfy(isASCIISpace) { row.refuse(.emptyAnswer, DeckError.emptyAnswer.message) }
    let fields = listed.places.enumerated().map { place, index -> (name: String?, html: String) in
      let cell = index < rows.count ? rows.text(index).trimmed : ""
      if place > 1, !rows.isHTML, cell.utf8.count < 500, cell.utf8.suffix(5).dropLast(3).contains(UInt8(ascii: ".")),
        let file = MarkdownMedia(cell), file.isSound || file.isPicture
      {
        row.media.append((file.name, file.path))
      }
      return (nil, rows.isHTML ? cell : FieldHTML.html(ofPlain: cell))
    }
    (row.isOfList, row.content) = (true, .note(type: listed.type.name, fields))
  }

  /// Refuses a row with values beyond the header, which have no meaning; they may be blank.
  private func refuseMore(_ row: inout CardRow) {
    guard rows.count > columns.count, shape?.hasHeader == true,
      let index = (columns.count..<rows.count).first(where: { !rows[$0].allSatisfy(isASCIISpace) })
    else { return }
    row.refuse(
      .tooManyValues,
      "the header names \(counted(columns.count, "column")), but the row has the value "
        + "\(quoted(rows.text(index))) in column \(grouped(index + 1))")
  }

  private func put(_ cell: ArraySlice<UInt8>, as column: TableColumn, _ index: Int, into row: inout CardRow) {
    switch column {
    case .prompt: row.prompt.append(contentsOf: cell)
    case .answer: row.answer.append(contentsOf: cell)
    case .guid: row.guid.append(contentsOf: cell)
    case .guarded: break
    case _ where cell.isEmpty: break
    case .tags: row.tags += tags(String(decoding: cell, as: UTF8.self), isCategory: index == shape?.category)
    case .document: row.document = String(decoding: cell, as: UTF8.self)
    case .subdeck: row.subdeck = String(decoding: cell, as: UTF8.self)
    case .conflicts:
      let text = String(decoding: cell, as: UTF8.self)
      guard let found = MergeConflict.list(of: text) else { return row.addField(column.name, .text(text)) }
      row.addField(column.name, .json(MergeConflict.json(found.map(ofNote))))
      if !row.tags.contains(MergeConflict.tag) { row.tags.append(MergeConflict.tag) }
    case .field(let name):
      let isLeft = options.hasTwoColumns || listed != nil && index < columns.count
      if !isLeft { row.addField(name, .text(String(decoding: cell, as: UTF8.self))) }
    }
  }

  /// Splits the tags of a list at commas and semicolons too; a category is one tag, whatever words it has.
  private func tags(_ text: String, isCategory: Bool) -> [String] {
    guard shape?.isList == true else { return Tags.separated(text) }
    let parts = text.split { ",;".contains($0) }.map(String.init)
    return isCategory ? parts.map { Tags.separated($0).joined(separator: "_") } : parts.flatMap(Tags.separated)
  }

  /// Returns the columns whose cells were escaped in this row, as the row says.
  private func guardedColumns() -> Set<String> {
    guard let index = columns.firstIndex(of: .guarded), index < rows.count else { return [] }
    return Set(FormulaGuard.unguarded(rows.text(index)).split(separator: "|").map(String.init))
  }
}

struct TableCardWriter: CardRowWriter {
  let sink: FileSink
  let separator: UInt8
  let columns: [TableColumn]
  /// Whether cells that a spreadsheet would run as formulas are escaped; a column records which.
  let isGuarded: Bool

  func begin() throws {
    let names = columns.map(\.name)
    if !isGuarded { return try line(names) }
    // Excel reads UTF-8 only with a byte order mark.
    try sink.append("\u{FEFF}")
    try line(names.map(FormulaGuard.guarded) + (columns.contains(.guarded) ? [] : [FormulaGuard.column]))
  }

  func write(_ card: CardRecord, _ source: ExportSource) throws -> Set<CardPart> {
    var cells = cells(card, source)
    if isGuarded {
      var guarded: [String] = []
      for index in cells.indices where FormulaGuard.isNeeded(cells[index].utf8) {
        cells[index] = "'" + cells[index]
        guarded.append(FormulaGuard.key(columns[index].name))
      }
      let names = FormulaGuard.guarded(guarded.joined(separator: "|"))
      if let place = columns.firstIndex(of: .guarded) { cells[place] = names } else { cells.append(names) }
    }
    let line = CellText.line(cells, separator)
    if line.count > rowLimit { return [.largeCards] }
    try sink.append(line)
    return []
  }

  private func cells(_ card: CardRecord, _ source: ExportSource) -> [String] {
    var rest = card.fields[...]
    return columns.map { column in
      switch column {
      case .prompt: return card.prompt
      case .answer: return card.answer
      case .tags: return card.tags.joined(separator: " ")
      case .guid: return card.guid
      case .document: return card.document ?? ""
      case .subdeck: return source.subdeck
      case .guarded, .conflicts: return ""
      case .field(let name):
        guard let index = rest.firstIndex(where: { $0.name == name }) else { return "" }
        let field = rest[index]
        if index == rest.startIndex { rest.removeFirst() }
        return field.value.written
      }
    }
  }

  private func line(_ cells: [String]) throws { try sink.append(CellText.line(cells, separator)) }
}

enum CellText {
  static func line(_ cells: [String], _ separator: UInt8) -> [UInt8] {
    var line: [UInt8] = []
    for (offset, cell) in cells.enumerated() {
      if offset > 0 { line.append(separator) }
      append(cell, separator, to: &line)
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private static func append(_ cell: String, _ separator: UInt8, to line: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    // A line that begins with # might be read as a comment.
    let needsQuotes =
      cell.utf8.first == UInt8(ascii: "#")
      || cell.utf8.contains { $0 == quote || $0 == 0x0A || $0 == 0x0D || $0 == separator }
    guard needsQuotes else { return line.append(contentsOf: cell.utf8) }
    line.append(quote)
    for byte in cell.utf8 {
      if byte == quote { line.append(byte) }
      line.append(byte)
    }
    line.append(quote)
  }
}
