// The rows of one source, with the facts that they are matched by.
// Invariant: a source is read once per build; its size is bounded.

import Decks
import Files
import Problems
import Templates
import Text

/// A row of a source.
struct BuildRow {
  var row: CardRow
  var facts: RowFacts
  /// The text that the row's id is derived from when the source gives none.
  let front: String
}

/// The contents of a source.
struct BuildRows {
  /// The limit on the number of rows in a source.
  private static let limit = 1_000_000

  var rows: [BuildRow] = []
  var refused: [CardRow] = []
  /// Pictures and sounds that the rows name.
  var media: [(name: String, path: String, line: Int)] = []
  /// For Markdown: the first line of an answer that contains a cloze, which has no effect there.
  var answeredCloze: Int?
  /// What became of the lines.
  private(set) var left = LineReport()
  /// The files that a generator read.
  var inputs: [String] = []
  /// Further cards of earlier notes, which are not rows of their own.
  private(set) var links: [CardRow] = []
  /// The error at which reading of an unsaved text ended.
  private(set) var failure: (any Error)?
  /// For tables: the columns and the separator.
  private(set) var table: (shape: TableShape, separator: UInt8)?

  init(_ source: BuildSource, in folder: String, _ generator: any CardGenerator, isInterrupted: @escaping () -> Bool)
    throws
  {
    let path = folder + "/" + source.path
    switch source.kind {
    case .cards(let format):
      var options = SourceOptions(isInterrupted: isInterrupted)
      options.findsEncoding = true
      try read(ByteSource(path: path, options), format, source, path)
    case .generator:
      var made: [CardRow] = []
      inputs = try generator.run(path, in: folder) { row in
        if isInterrupted() { throw FileError(path, .read, .interrupted) }
        var row = row
        // The number of the generator's card takes the place of a line.
        row.start = RowStart(line: made.count + 1)
        made.append(row)
        if made.count > Self.limit { throw BuildError.tooMany(path: path, what: "\(grouped(Self.limit)) cards") }
      }
      for row in made { try add(row, source, path) }
    }
  }

  /// Reads the rows of a text that may not be saved yet, up to the first error.
  init(_ text: [UInt8], of source: BuildSource, in folder: String, isInterrupted: @escaping () -> Bool) {
    guard case .cards(let format) = source.kind else { return }
    let path = folder + "/" + source.path
    do {
      var options = SourceOptions(isInterrupted: isInterrupted)
      options.findsEncoding = true
      try read(ByteSource(text, path: path, options), format, source, path)
    } catch {
      failure = error
    }
  }

  private mutating func read(
    _ bytes: ByteSource, _ format: CardFormat, _ source: BuildSource, _ path: String
  ) throws {
    let cards = try format.actual(bytes).rows(bytes, into: "", TableOptions())
    defer { if let cards = cards as? TableCards, let shape = cards.shape { table = (shape, cards.separator) } }
    var row = CardRow()
    while try cards.next(into: &row) { try add(row, source, path) }
    answeredCloze = cards.found.answeredCloze
    left = cards.account.report
  }

  /// What the user should check: lines that are part of no card, a cloze in an answer.
  func hints(in path: String) -> [BuildFinding] {
    let lines = left.parts.filter { $0.reason != .comment }.map { part in
      BuildFinding(kind: .left, path: path, line: part.line, prompt: part.inWords)
    }
    let cloze = answeredCloze.map { BuildFinding(kind: .answeredCloze, path: path, line: $0, prompt: "") }
    return lines + (cloze.map { [$0] } ?? [])
  }

  private mutating func add(_ row: CardRow, _ source: BuildSource, _ path: String) throws {
    if row.start.invalidReason != nil { return refused.append(row) }
    switch row.content {
    // Note types and options are not cards; the options of a build are in its deck.json.
    case .type, .options: return
    case .card: return links.append(row)
    case .texts, .formatted, .note: break
    }
    media += row.media.map { ($0.name, $0.path, row.start.line) }
    rows.append(BuildRow(row, in: source))
    if rows.count > Self.limit { throw BuildError.tooMany(path: path, what: "\(grouped(Self.limit)) cards") }
  }
}

extension BuildRow {
  /// Places a row in the deck that the source's folder is built into.
  init(_ given: CardRow, in source: BuildSource) {
    row = given
    if !source.subdeck.isEmpty {
      row.subdeck = row.subdeck.isEmpty ? source.subdeck : source.subdeck + "::" + row.subdeck
    }
    var texts: [String]
    var parts = [row.subdeck, row.tags.joined(separator: " "), row.document ?? ""]
    if case .note(let type, let fields, _) = row.content {
      parts.append(type)
      for field in fields { parts += [field.name ?? "", field.html] }
      front = fields.first?.html ?? ""
      texts = fields.map(\.html)
    } else {
      front = String(decoding: row.prompt, as: UTF8.self).trimmed
      let answer = String(decoding: row.answer, as: UTF8.self).trimmed
      parts += [front, answer]
      texts = row.sides
      for field in row.fields { parts += [field.name, field.value.written] }
    }
    facts = RowFacts(
      id: String(decoding: row.guid, as: UTF8.self).trimmed, whole: BuildIDs.hash(parts), front: BuildIDs.hash([front]),
      texts: texts)
  }
}
