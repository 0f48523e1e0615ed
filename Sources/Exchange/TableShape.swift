// The meanings of a table's columns: from the header, from the user's choices, or from their order.
// Invariant: a column without a known meaning is kept as a field named after it; no two columns have the same meaning.

import Decks
import Templates
import Text

/// The meaning of one column as chosen by the user.
///
///     try ColumnChoice.list(of: "prompt=Spanish,answer=2")
public struct ColumnChoice: Equatable, Sendable {
  /// `prompt`, `answer`, `tags`, `guid`, `document`, `subdeck`, or the name of a field.
  public let meaning: String
  /// The column's name in the header, or its number from 1.
  public let column: String

  public init(_ meaning: String, _ column: String) { (self.meaning, self.column) = (meaning, column) }

  /// Parses the choices of an option: `prompt=Spanish,answer=English`.
  /// - Throws: `badColumns`.
  public static func list(of text: String) throws(ExchangeError) -> [ColumnChoice] {
    guard text.utf8.count <= 100_000 else { throw .badColumns(reason: "at most 100,000 bytes expected") }
    var choices: [ColumnChoice] = []
    for part in text.split(at: ",") {
      let sides = part.split(at: "=", maxSplits: 1).map { String($0).trimmed }
      guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else {
        throw .badColumns(reason: "MEANING=COLUMN expected, got \(quoted(String(part)))")
      }
      choices.append(ColumnChoice(sides[0], sides[1]))
    }
    return try checked(choices)
  }

  public static func checked(_ choices: [ColumnChoice]) throws(ExchangeError) -> [ColumnChoice] {
    var seen: Set<TableColumn> = []
    for choice in choices where !seen.insert(TableColumn(choice.meaning)).inserted {
      throw .badColumns(reason: "\(quoted(choice.meaning)) is chosen twice")
    }
    return choices
  }

  var number: Int? { Int(column).flatMap { $0 >= 1 ? $0 : nil } }
}

enum TableColumn: Hashable {
  case prompt, answer, tags, guid, document, subdeck
  /// Lists the cells of the row that were escaped against formulas.
  case guarded
  case field(String)

  static let named: [String: TableColumn] = [
    "prompt": .prompt, "answer": .answer, "tags": .tags, "guid": .guid, "document": .document, "subdeck": .subdeck,
    FormulaGuard.column: .guarded,
  ]

  init(_ name: String) { self = Self.named[name.lowercased()] ?? .field(name) }

  var name: String {
    if case .field(let name) = self { name } else { Self.named.first { $0.value == self }?.key ?? "" }
  }
}

/// The names by which all readers of lists know what a column or a member means.
enum ColumnNames {
  /// The two sides of a card, as other programs name them.
  static let sides = [("front", "back"), ("question", "answer"), ("term", "definition")]
  /// Names that are not words of a list, so that two of them are a header.
  static let firstSides: Set<String> = ["prompt", "answer", "front", "back"]
  static let usual: Set<String> = [
    "word", "term", "front", "back", "question", "answer", "prompt", "definition", "meaning", "translation", "sentence",
    "example", "tag", "tags", "note", "notes", "english", "spanish", "german", "french", "italian", "portuguese",
  ]
  /// The parts of a list of words, by plain names.
  static let ofWords = [
    "word": [
      "word", "term", "lemma", "expression", "vocabulary", "form", "spelling", "headword", "morphlemma", "baseform",
      "dictionaryform", "targetword", "morph", "morphinflection",
    ],
    "status": ["status", "state", "level", "learningstatus", "knownstatus"], "language": ["language", "lang"],
  ]

  /// Returns a name without case, blanks and signs.
  static func plain(_ name: String) -> String { String(name.lowercased().filter { !" -_".contains($0) }) }
}

struct TableShape {
  private(set) var columns: [TableColumn] = []
  private(set) var hasHeader = false
  /// Whether the columns have their meanings by their order.
  private var isInOrder = false

  private let note: NoteType?

  /// - Parameter first: the cells of the first row.
  /// - Throws: `noColumn`, `badColumns`, `badHeader`.
  init(first: [String], _ options: TableOptions, path: String, line: Int) throws(ExchangeError) {
    note = options.note
    var names = first.map { Tags.separated($0).joined(separator: " ") }
    if names.contains(FormulaGuard.column) { names = names.map(FormulaGuard.unguarded) }
    let byName = options.columns.filter { $0.number == nil }
    if !byName.isEmpty {
      if options.hasNoHeader {
        throw .badColumns(reason: "without a header columns have numbers, not names: \(quoted(byName[0].column))")
      }
      hasHeader = true
    } else {
      hasHeader = !options.hasNoHeader && isHeader(names)
    }
    if !options.hasNoHeader, let reason = badHeader(names, options) {
      throw .badHeader(path: path, line: line, reason: reason)
    }
    var meanings: [Int: TableColumn] = [:]
    for choice in options.columns {
      let index = try Self.index(of: choice, in: names, path)
      guard meanings.updateValue(column(choice.meaning), forKey: index) == nil else {
        throw .badColumns(reason: "the column \(quoted(choice.column)) is chosen for two meanings")
      }
    }
    if hasHeader { name(names, meanings) } else { number(names.count, meanings) }
  }

  private static func index(of choice: ColumnChoice, in names: [String], _ path: String) throws(ExchangeError) -> Int {
    if let number = choice.number {
      if number > 10_000 { throw .badColumns(reason: "a table has at most 10,000 columns, not \(choice.column)") }
      return number - 1
    }
    guard let index = names.firstIndex(ofName: choice.column) else {
      throw .noColumn(path: path, name: choice.column, names: names)
    }
    return index
  }

  /// Whether a row names both sides of a card, or two fields of the note type.
  private func isHeader(_ names: [String]) -> Bool {
    guard let note else { return Self.namesSides(names) }
    return Set(names.map { $0.lowercased() }).filter { note.field($0) != nil }.count >= min(2, note.fields.count)
  }

  /// Returns why a first row can neither be a header nor a card: it names one column twice, or only names that mean
  /// no side of a card, as a log of numbers does.
  private func badHeader(_ names: [String], _ options: TableOptions) -> String? {
    let lowered = names.map { $0.lowercased() }
    let isNamed = names.count > 2 && Set(lowered.filter(Self.isColumnWord)).count > 1
    if hasHeader || isNamed || ColumnNames.firstSides.isSuperset(of: lowered) {
      var seen: Set<String> = []
      // A field may have the name of one of our columns; in a table of ours its column comes after theirs.
      let isTwice = { !$0.isEmpty && !seen.insert($0).inserted && TableColumn.named[$0] == nil }
      if let place = lowered.firstIndex(where: isTwice) {
        return "\(quoted(names[place])) names two columns; rename one"
      }
    }
    guard !hasHeader, options.columns.isEmpty, note == nil, names.count > 2,
      lowered.contains(where: { $0.contains("_") }),
      lowered.allSatisfy(Self.isIdentifier)
    else { return nil }
    return "no name means a prompt or an answer: \(printable(names.joined(separator: ", "), limit: 120)); choose with "
      + "--columns prompt=NAME,answer=NAME, or --no-header if the first row is a card"
  }

  private static func isColumnWord(_ name: String) -> Bool {
    ColumnNames.usual.contains(name) || ["guid", "subdeck", "document"].contains(name)
  }

  private static func isIdentifier(_ name: String) -> Bool {
    name.utf8.first.map { (0x61...0x7A).contains($0) } ?? false
      && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
  }

  static func namesSides(_ names: [String]) -> Bool {
    let lowered = Set(names.map { $0.lowercased() })
    return lowered.isSuperset(of: ["prompt", "answer"])
      || ColumnNames.sides.contains { lowered.contains($0.0) && lowered.contains($0.1) }
  }

  /// Returns the meaning of a name. For notes, a field name comes first, and there are no sides.
  private func column(_ name: String) -> TableColumn {
    guard let note else { return TableColumn(name) }
    if let field = note.field(name) { return .field(field) }
    let known = TableColumn(name)
    return [.tags, .guid, .subdeck].contains(known) ? known : .field(name)
  }

  var dropped: [String] {
    guard let note else { return [] }
    return columns.compactMap { column in
      guard case .field(let name) = column, !note.fields.contains(name) else { return nil }
      return name
    }
  }

  private mutating func name(_ header: [String], _ chosen: [Int: TableColumn]) {
    // A chosen column may be beyond the header.
    let names = header + Array(repeating: "", count: max(0, (chosen.keys.max() ?? -1) + 1 - header.count))
    let lowered = names.map { $0.lowercased() }
    var seen = Set(chosen.values)
    var meanings = chosen
    if note == nil, !seen.contains(.prompt), !seen.contains(.answer), !lowered.contains("prompt"),
      let (front, back) = ColumnNames.sides.first(where: { lowered.contains($0.0) && lowered.contains($0.1) }),
      let first = lowered.firstIndex(of: front), let second = lowered.firstIndex(of: back)
    {
      if meanings[first] == nil { meanings[first] = .prompt }
      if meanings[second] == nil { meanings[second] = .answer }
      seen = Set(meanings.values)
    }
    columns = names.enumerated().map { index, name in
      if let known = meanings[index] { return known }
      let column = column(name)
      if !name.isEmpty, seen.insert(column).inserted { return column }
      return Self.free(name, index, &seen)
    }
  }

  /// Returns a field for a column whose name is blank or taken.
  private static func free(_ name: String, _ index: Int, _ seen: inout Set<TableColumn>) -> TableColumn {
    let column = TableColumn.field(name)
    if !name.isEmpty, !CardField.reservedNames.contains(name), seen.insert(column).inserted { return column }
    let numbered = TableColumn.field("column\(index + 1)")
    seen.insert(numbered)
    return numbered
  }

  private static let inOrder: [TableColumn] = [.prompt, .answer, .tags]

  /// Assigns meanings to columns without names: prompt, answer, tags or the note's fields in this order, unless some
  /// columns were chosen.
  private mutating func number(_ count: Int, _ chosen: [Int: TableColumn]) {
    let most = max(count, (chosen.keys.max() ?? -1) + 1)
    let usual = note.map { $0.fields.map { TableColumn.field($0) } } ?? Self.inOrder
    isInOrder = note == nil && chosen.isEmpty
    var rest = chosen.isEmpty ? usual : []
    columns = (0..<most).map { index in
      if let known = chosen[index] { return known }
      return rest.isEmpty ? .field("column\(index + 1)") : rest.removeFirst()
    }
  }

  /// Whether a first row might be a header. It is not if a cell is blank, longer than 40 characters, repeated, a
  /// number, has punctuation of a sentence, or has several words of which none is capitalized or usual in headers,
  /// such as `el niño`. If columns were chosen by their numbers, each cell must begin with a capital.
  static func mayName(_ cells: [String], areNumbered: Bool) -> Bool {
    let names = cells.map(\.trimmed)
    guard Set(names).count == names.count else { return false }
    return names.allSatisfy { name in
      guard !name.isEmpty, name.count <= 40, Double(name) == nil else { return false }
      if name.contains(where: { ".!?¿¡<>{}\n".contains($0) }) { return false }
      if areNumbered, name.first?.isUppercase != true { return false }
      let words = name.split(separator: " ")
      return words.count == 1
        || words.contains { $0.first?.isUppercase == true || ColumnNames.usual.contains($0.lowercased()) }
    }
  }

  /// The meaning of the cell at an index. Without a header, a row may have more cells than the first one.
  subscript(index: Int) -> TableColumn {
    if index < columns.count { return columns[index] }
    return isInOrder && index == Self.inOrder.count - 1 ? .tags : .field("column\(index + 1)")
  }
}

/// Keeps spreadsheets from running cells as formulas: a cell that begins like a formula gets an apostrophe in front.
/// A column records which cells got one, so that exactly those lose it on import.
enum FormulaGuard {
  static let column = "guarded"

  /// Whether a spreadsheet might run the cell as a formula (OWASP, "CSV Injection").
  static func isNeeded(_ cell: some Sequence<UInt8>) -> Bool {
    var cell = cell.makeIterator()
    guard let first = cell.next() else { return false }
    return "=+-@\t\r".utf8.contains(first)
  }

  static let mark = UInt8(ascii: "'")

  /// Escapes a cell of the header or of the column `guarded`, for which nothing records whether it was escaped. Hence
  /// a cell that begins with apostrophes before a formula gets another one.
  static func guarded(_ cell: String) -> String { mayBeGuarded(cell) ? "'" + cell : cell }

  static func unguarded(_ cell: String) -> String {
    cell.utf8.first == mark && mayBeGuarded(cell) ? String(cell.dropFirst()) : cell
  }

  private static func mayBeGuarded(_ cell: String) -> Bool { isNeeded(cell.utf8.drop { $0 == mark }) }

  /// Returns how the column `guarded` names a cell: by its column's name. Names are separated by bars.
  static func key(_ name: String) -> String { String(name.map { $0 == "|" ? " " : $0 }) }
}
