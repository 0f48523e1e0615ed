// What each cell of a list is: by the names of its columns, by the user's choices, or by their order. Every reader of
// lists gives rows of cells, and this decides for all of them.
// Invariant: a column without a known meaning is kept, as a field named after it; no two columns have the same meaning.

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
  /// The conflicts that a merge of tables left. Only its cells tell it from a column that has the name by chance.
  case conflicts
  case field(String)

  static let named: [String: TableColumn] = [
    "prompt": .prompt, "answer": .answer, "tags": .tags, "guid": .guid, "document": .document, "subdeck": .subdeck,
    FormulaGuard.column: .guarded,
  ]

  init(_ name: String) { self = Self.named[name.lowercased()] ?? .field(name) }

  var name: String {
    if case .field(let name) = self { name } else { Self.named.first { $0.value == self }?.key ?? MergeConflict.name }
  }
}

/// What the columns of a list mean, for all its rows.
struct ListShape {
  private(set) var columns: [TableColumn] = []
  private(set) var hasHeader = false
  /// The names of the columns; blank without a header.
  private(set) var names: [String] = []
  /// The columns that a note type made from the list shows, if there are more than the two sides.
  private(set) var listed: ListedFields?
  /// The column whose tags are a category: one tag each, whatever words it has.
  private(set) var category: Int?
  /// Whether the columns have their meanings by the rules for lists; otherwise by those of Deckhand's own tables.
  private(set) var isList = false
  /// Whether the last column was taken as tags because its cells look so.
  private(set) var hasFoundTags = false
  private let note: NoteType?

  /// - Parameters:
  ///   - sample: the cells of the first rows, at least one row; without `names` the first may be a header.
  ///   - names: the names of the columns, from a source where they are always names.
  /// - Throws: `noColumn`, `badColumns`, `badHeader`.
  init(
    _ sample: [[String]], names given: [String]?, _ options: TableOptions, path: String, line: Int
  ) throws(ExchangeError) {
    note = options.note
    // What is too long for a name has a mark that no name has.
    var names = (given ?? sample[0]).map { name in
      name.utf8.count > ListNames.longest ? "!" : Tags.separated(name).joined(separator: " ")
    }
    if names.contains(FormulaGuard.column) { names = names.map(FormulaGuard.unguarded) }
    let named = options.columns.first { $0.number == nil }
    if options.hasNoHeader, let named {
      throw .badColumns(reason: "without a header columns have numbers, not names: \(quoted(named.column))")
    }
    hasHeader = named != nil || given != nil || !options.hasNoHeader && isHeader(names, sample.dropFirst())
    if !options.hasNoHeader, let reason = badHeader(names, options) {
      throw .badHeader(path: path, line: line, reason: reason)
    }
    var chosen: [Int: TableColumn] = [:]
    for choice in options.columns {
      let index = try Self.index(of: choice, in: names, path)
      guard chosen.updateValue(column(choice.meaning), forKey: index) == nil else {
        throw .badColumns(reason: "the column \(quoted(choice.column)) is chosen for two meanings")
      }
    }
    self.names = hasHeader ? names : names.map { _ in "" }
    let isOwn = hasHeader && Set(names.map { $0.lowercased() }).isSuperset(of: ["prompt", "answer"])
    isList = note == nil && chosen.isEmpty && !isOwn
    if let last = MergeConflict.column(of: names, areNames: hasHeader), chosen[last] == nil,
      note?.field(MergeConflict.name) == nil
    {
      let filled = sample.dropFirst(hasHeader && given == nil ? 1 : 0).filter { last < $0.count && !$0[last].isEmpty }
      let areOurs = filled.allSatisfy { MergeConflict.list(of: $0[last]) != nil }
      if areOurs, hasHeader || !filled.isEmpty { chosen[last] = .conflicts }
    }
    if hasHeader { name(names, chosen, isOwn: isOwn) } else { number(sample, chosen, options) }
    if isList, options.takesLists, !options.hasTwoColumns { listed = ListedFields(columns, names: self.names) }
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

  // MARK: Headers

  /// Whether a first row is a header: it names two fields of the note type, or both sides of a card, and each other
  /// cell has a role or is a short name that is no value of its own column.
  private func isHeader(_ names: [String], _ below: ArraySlice<[String]>) -> Bool {
    if let note {
      return Set(names.map { $0.lowercased() }).filter { note.field($0) != nil }.count >= min(2, note.fields.count)
    }
    let others = names.indices.filter { !names[$0].isEmpty && !Self.isKnown(names[$0]) }
    if others.isEmpty { return ListNames.sides(of: names, isLoose: true) != nil }
    return ListNames.sides(of: names) != nil
      && others.allSatisfy { index in
        Self.isShort(names[index]) && !below.contains { index < $0.count && $0[index].trimmed == names[index] }
      }
  }

  private static func isKnown(_ name: String) -> Bool {
    ListNames.role(of: name) != nil || TableColumn.named[name.lowercased()] != nil
  }

  /// Returns why a first row can neither be a header nor a card: it names one column twice, or only names that mean
  /// no side of a card, as a log of numbers does.
  private func badHeader(_ names: [String], _ options: TableOptions) -> String? {
    let lowered = names.map { $0.lowercased() }
    let isNamed = Set(lowered.filter(Self.isKnown)).count > 1
    if hasHeader || isNamed && names.count > 2 {
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

  private static func isIdentifier(_ name: String) -> Bool {
    name.utf8.first.map { (0x61...0x7A).contains($0) } ?? false
      && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
  }

  /// Whether a first row might be a header: each cell is a different short name. If columns were chosen by their
  /// numbers, each cell must begin with a capital.
  static func mayName(_ cells: [String], areNumbered: Bool) -> Bool {
    let names = cells.map(\.trimmed)
    return names.allSatisfy { $0.utf8.count <= ListNames.longest } && Set(names).count == names.count
      && names.allSatisfy { name in
        // Several words without a capital or a usual name, such as `el niño`, are words of the list.
        let words = name.split(separator: " ")
        let isUsual = words.contains { $0.first?.isUppercase == true || ListNames.role(of: String($0)) != nil }
        return isShort(name) && (words.count == 1 || isUsual) && (!areNumbered || name.first?.isUppercase == true)
      }
  }

  /// Whether a cell might be a name. It is not if it is blank, longer than 40 characters, a number, or has punctuation
  /// of a sentence.
  private static func isShort(_ name: String) -> Bool {
    !name.isEmpty && name.count <= 40 && Double(name) == nil && !name.contains { ".!?¿¡<>{}\n".contains($0) }
  }

  // MARK: Meanings

  /// Returns the meaning of a name. For notes, a field name comes first, and there are no sides.
  private func column(_ name: String) -> TableColumn {
    guard let note else { return TableColumn(name) }
    if let field = note.field(name) { return .field(field) }
    let known = TableColumn(name)
    return [.tags, .guid, .subdeck].contains(known) ? known : .field(name)
  }

  /// The names of the columns that are fields, which `--two-columns` leaves out.
  var others: [String] {
    columns.compactMap { if case .field(let name) = $0 { name } else { nil } }
  }

  private mutating func name(_ header: [String], _ chosen: [Int: TableColumn], isOwn: Bool) {
    // A chosen column may be beyond the header.
    let names = header + Array(repeating: "", count: max(0, (chosen.keys.max() ?? -1) + 1 - header.count))
    var meanings = chosen
    if note == nil, !isOwn, !chosen.values.contains(.prompt), !chosen.values.contains(.answer),
      let sides = ListNames.sides(of: names) ?? ListNames.sides(of: names, isLoose: true) ?? (isList ? order : nil),
      meanings[sides.prompt] == nil, meanings[sides.answer] == nil
    {
      (meanings[sides.prompt], meanings[sides.answer]) = (.prompt, .answer)
    }
    if isList { addRoles(names, &meanings) }
    var seen = Set(meanings.values)
    columns = names.enumerated().map { index, name in
      if let known = meanings[index] { return known }
      let column = column(name)
      if !name.isEmpty, seen.insert(column).inserted { return column }
      return Self.free(name, index, &seen)
    }
  }

  /// The first two columns, for names that mean neither side.
  private var order: (prompt: Int, answer: Int)? {
    let sides = names.indices.filter { [nil, .example, .extra].contains(ListNames.role(of: names[$0])) }
    return sides.count > 1 ? (sides[0], sides[1]) : nil
  }

  /// Gives columns with the names of tags, decks and guids these meanings, each to the first of them.
  private mutating func addRoles(_ names: [String], _ meanings: inout [Int: TableColumn]) {
    let roles = names.map(ListNames.role(of:))
    for (role, column) in [(ListRole.guid, TableColumn.guid), (.deck, .subdeck), (.tags, .tags), (.category, .tags)] {
      guard let index = roles.firstIndex(of: role), meanings[index] == nil, !meanings.values.contains(column)
      else { continue }
      meanings[index] = column
      if role == .category { category = index }
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

  /// Assigns meanings to columns without names: the note's fields in this order, or prompt and answer, with the others
  /// kept and the last one taken as tags if it looks so. If columns were chosen, the others are fields.
  private mutating func number(_ sample: [[String]], _ chosen: [Int: TableColumn], _ options: TableOptions) {
    let width = sample.reduce(0) { max($0, $1.count) }
    let first = note != nil || !options.columns.isEmpty ? sample[0].count : min(width, 1_000)
    columns = (0..<max(first, (chosen.keys.max() ?? -1) + 1)).map { chosen[$0] ?? .field("column\($0 + 1)") }
    if let note, options.columns.isEmpty {
      for (index, field) in zip(columns.indices, note.fields) where chosen[index] == nil {
        columns[index] = .field(field)
      }
    }
    guard isList else { return }
    var rest = columns.indices.filter { chosen[$0] == nil }
    // A column that only counts is not a side, if there are others.
    if rest.count > 2, let counting = rest.first(where: { Self.counts($0, sample) }) { rest.remove(at: counting) }
    for column in [TableColumn.prompt, .answer] where !rest.isEmpty { columns[rest.removeFirst()] = column }
    hasFoundTags = rest.last.map { Self.looksLikeTags($0, sample, needsRepeats: options.takesLists) } ?? false
    if hasFoundTags, let last = rest.last { columns[last] = .tags }
    var count = 0
    for (index, column) in columns.enumerated() {
      guard case .field = column else { continue }
      count += 1
      columns[index] = .field("Extra \(count)")
    }
  }

  private static func counts(_ index: Int, _ rows: [[String]]) -> Bool {
    let numbers = rows.map { index < $0.count ? Int($0[index].trimmed) : nil }
    return rows.count > 1 && zip(numbers, numbers.dropFirst()).allSatisfy { $0 != nil && $0.map { $0 + 1 } == $1 }
  }

  /// Whether no cell has the marks of a sentence or more than five words, and some word stands in two rows or more.
  private static func looksLikeTags(_ index: Int, _ rows: [[String]], needsRepeats: Bool) -> Bool {
    var (seen, repeats) = (Set<String>(), !needsRepeats)
    for row in rows where index < row.count {
      if row[index].utf8.count > ListNames.longest { return false }
      let words = Tags.separated(row[index])
      if words.count > 5 || row[index].contains(where: { ".,;:!?".contains($0) }) { return false }
      for word in Set(words) where !seen.insert(word).inserted { repeats = true }
    }
    return repeats && !seen.isEmpty
  }

  /// The meaning of the cell at an index. Without a header, a row may have more cells than those before it.
  subscript(index: Int) -> TableColumn { index < columns.count ? columns[index] : Self.column(beyond: index) }

  static func column(beyond index: Int) -> TableColumn { .field("column\(index + 1)") }
}

/// The fields of the notes that a list with more than two columns makes, and their type.
struct ListedFields {
  /// The columns of the fields: the prompt, the answer, and the others in their order.
  let places: [Int]
  let type: NoteTypeDraft
  /// What stands before each field after the first two: `pos: `, or nothing for a sentence.
  let labels: [String]

  /// - Returns: nil when there are only the two sides.
  init?(_ columns: [TableColumn], names: [String]) {
    let extras = columns.indices.filter { if case .field = columns[$0] { true } else { false } }
    guard let prompt = columns.firstIndex(of: .prompt), let answer = columns.firstIndex(of: .answer),
      (1...100).contains(extras.count)
    else { return nil }
    places = [prompt, answer] + extras
    var fields: [String] = []
    for (place, index) in places.enumerated() {
      var name = index < names.count ? names[index] : ""
      if name.isEmpty { name = place < 2 ? ["Front", "Back"][place] : columns[index].name }
      fields.append(Self.usable(name, among: fields, else: "Extra \(max(1, place - 1))"))
    }
    let isSentence = { (name: String) in name.hasPrefix("Extra ") || ListNames.role(of: name) == .example }
    labels = fields.dropFirst(2).map { isSentence($0) ? "" : $0 + ": " }
    var back = "{{FrontSide}}\n\n<hr id=answer>\n\n{{\(fields[1])}}"
    for (name, label) in zip(fields.dropFirst(2), labels) {
      back += "\n{{#\(name)}}<div class=extra>\(FieldHTML.html(ofPlain: label)){{\(name)}}</div>{{/\(name)}}"
    }
    type = NoteTypeDraft(
      name: String("List: \(fields.joined(separator: ", "))".prefix(150)).trimmed, fields: fields,
      cards: [CardTemplate("Card 1", front: "{{\(fields[0])}}", back: back)],
      css: NoteTypeDraft.plainCSS + ".extra {\n    font-size: 75%;\n}\n")
  }

  /// Returns a name that a field of a note type may have, different from the others.
  private static func usable(_ given: String, among others: [String], else other: String) -> String {
    let kept = given.unicodeScalars.filter {
      !":{}\"".unicodeScalars.contains($0) && $0.properties.generalCategory != .control
    }
    let name = String(String.UnicodeScalarView(kept.drop { "#^/ ".unicodeScalars.contains($0) }).prefix(60)).trimmed
    if !name.isEmpty, others.firstIndex(ofName: name) == nil { return name }
    var number = others.count - 1
    var found = other
    while others.firstIndex(ofName: found) != nil {
      number += 1
      found = "Extra \(number)"
    }
    return found
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
