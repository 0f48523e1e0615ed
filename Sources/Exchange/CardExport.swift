// Writing a deck's cards to a file, so that importing it gives the same cards in the same order.
// Invariant: the file holds all of them or keeps its old content; memory does not grow with the deck but for 8 bytes a
// card.

public import Decks
public import Files
public import GRDB
public import Values

/// What an export did.
///
///     print("\(report.cards) cards, \(report.bytes) bytes")
public struct ExportReport: Equatable, Sendable {
  public let cards: Int
  public let bytes: Int

  /// As `--json` prints it and Lua reads it.
  public var value: Value { .record([("cards", .integer(cards)), ("bytes", .integer(bytes))]) }
}

/// Writes a deck and the decks within it to a file.
///
///     let report = try CardExport(db, deck).run(to: "cards.csv", format: .csv)
public struct CardExport {
  private let db: Database
  private let deck: DeckRecord
  private let decks: [DeckRecord]

  /// The cards of the deck and, after them, of those within it.
  public init(_ db: Database, _ deck: DeckID) throws {
    self.db = db
    self.deck = try DeckTable.record(db, deck)
    decks = [self.deck] + (try DeckTable.within(db, deck))
  }

  /// - Parameters:
  ///   - format: nil: by the file's ending.
  ///   - progress: cards written and all of them, by the page; what it throws ends the export, the file stays as it
  ///     was.
  /// - Throws: `ExchangeError.unknownFormat`, `FileError` for the file.
  public func run(
    to path: String, _ kinds: FileKinds = .plain, format: CardFormat? = nil,
    isInterrupted: @escaping () -> Bool = { false }, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> ExportReport {
    let format = if let format { format } else { try CardFormat(ofPath: path) }
    let ids = try decks.map {
      (subdeck: $0.name(within: deck), ids: try CardTable.ids(db, in: $0.id))
    }
    let total = ids.reduce(0) { $0 + $1.ids.count }
    var report = ExportReport(cards: 0, bytes: 0)
    var options = Replacement(mode: 0o644)
    (options.kinds, options.isInterrupted) = (kinds, isInterrupted)
    try AtomicFile.write(path, options) { sink in
      var writer = try writer(format, sink)
      var done = 0
      try writer.begin()
      for (subdeck, ids) in ids {
        for start in stride(from: 0, to: ids.count, by: 500) {
          for card in try CardTable.cards(db, ids: ids[start..<min(start + 500, ids.count)]) {
            try writer.write(card, subdeck: subdeck)
            done += 1
          }
          try progress(done, total)
        }
      }
      try writer.end()
      report = ExportReport(cards: done, bytes: sink.count)
    }
    return report
  }

  private func writer(_ format: CardFormat, _ sink: FileSink) throws -> any CardRowWriter {
    switch format {
    case .json: JSONCardWriter(sink: sink)
    case .csv: TableCardWriter(sink: sink, separator: ",", columns: try tableColumns())
    case .tsv: TableCardWriter(sink: sink, separator: "\t", columns: try tableColumns())
    case .apkg, .colpkg: throw ExchangeError.notHere(format: format)
    }
  }

  /// The columns that every table has, those that some card here needs, and one for each name of a field.
  private func tableColumns() throws -> [String] {
    var columns = ["prompt", "answer", "tags", "guid"]
    var seen = Set(columns)
    var hasDocument = false
    for deck in decks {
      let kept = try CardTable.keptBeside(db, in: deck.id)
      hasDocument = hasDocument || kept.hasDocuments
      for name in kept.fieldNames where seen.insert(name).inserted { columns.append(name) }
    }
    if hasDocument { columns.insert("document", at: 4) }
    if decks.count > 1 { columns.insert("subdeck", at: 4) }
    return columns
  }
}

/// A format's way of writing cards one after the other.
private protocol CardRowWriter {
  mutating func begin() throws
  mutating func write(_ card: CardRecord, subdeck: String) throws
  mutating func end() throws
}

/// An array with one object a line.
private struct JSONCardWriter: CardRowWriter {
  let sink: FileSink
  private var isFirst = true

  init(sink: FileSink) { self.sink = sink }

  func begin() throws { try sink.append("[") }

  mutating func write(_ card: CardRecord, subdeck: String) throws {
    try sink.append(isFirst ? "\n" : ",\n")
    isFirst = false
    var writer = JSONWriter(.compact)
    writer.beginRecord()
    writer.field("prompt", card.prompt)
    writer.field("answer", card.answer)
    writer.field("guid", card.guid)
    if !card.tags.isEmpty {
      writer.name("tags")
      writer.beginList()
      for tag in card.tags { writer.write(tag) }
      writer.endList()
    }
    if let document = card.document { writer.field("document", document) }
    if !subdeck.isEmpty { writer.field("subdeck", subdeck) }
    for field in card.fields { field.write(to: &writer) }
    writer.endRecord()
    try sink.append(writer.take())
  }

  func end() throws { try sink.append(isFirst ? "]\n" : "\n]\n") }
}

/// A table with a header; lines end with a line feed.
private struct TableCardWriter: CardRowWriter {
  let sink: FileSink
  let separator: String
  let columns: [String]

  func begin() throws { try line(columns) }

  func write(_ card: CardRecord, subdeck: String) throws {
    var rest = card.fields[...]
    try line(
      columns.map { column in
        switch column {
        case "prompt": return card.prompt
        case "answer": return card.answer
        case "tags": return card.tags.joined(separator: " ")
        case "guid": return card.guid
        case "document": return card.document ?? ""
        case "subdeck": return subdeck
        default:
          guard let index = rest.firstIndex(where: { $0.name == column }) else { return "" }
          let field = rest[index]
          if index == rest.startIndex { rest.removeFirst() }
          switch field.value {
          case .text(let text), .json(let text): return text
          }
        }
      })
  }

  func end() throws {}

  private func line(_ cells: [String]) throws {
    for (offset, cell) in cells.enumerated() {
      if offset > 0 { try sink.append(separator) }
      try sink.append(cell.utf8.contains(where: mustQuote) ? quotedCell(cell) : cell)
    }
    try sink.append("\n")
  }

  private func mustQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      || byte == separator.utf8.first
  }

  private func quotedCell(_ cell: String) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in cell.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self) + "\""
  }
}
