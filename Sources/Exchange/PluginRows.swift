// The rows that a plugin's reader makes of a file, and the cards that its writer turns into text.
// Invariant: each item of a reader is a row, or says which lines are used or left; a wrong item ends the import,
// whatever the plugin's code does about the error. All items are there before the first card is made.

import Decks
import Files
import Memory
import Problems
import Templates
import Text
import Values

final class PluginRows: CardRows {
  /// The limit on the texts of all rows in bytes, with 500 for each row.
  private static let limit = 512 << 20
  private static let mostReviews = 4_000
  static let separator = UInt8(ascii: "\t")
  private static let places = ["line", "to", "part"]
  private static let keys =
    places + [
      "prompt", "answer", "type", "fields", "tags", "guid", "deck", "reversed", "markup", "suspended", "media",
      "schedule", "reviews", "cards",
    ]

  private let file: ForeignFile
  private var rows: [CardRow] = []
  private var held = 0
  /// The rows of a list, of which only the cells are known, as a table with tabs.
  private(set) var table: [UInt8] = []
  /// The first wrong item.
  private var fault: (any Error)?
  private(set) var found = ImportFindings()
  var account: LineAccount { file.account }

  /// - Parameters:
  ///   - types: the note types that are made if rows name them.
  ///   - read: runs the reader, which passes its items on.
  init(
    _ file: ForeignFile, _ types: [NoteTypeDraft], read: (_ take: @escaping (Value) throws -> Void) throws -> Void
  ) throws {
    self.file = file
    found.encoding = file.encoding
    try read { [weak self] in try self?.take($0) }
    if let fault {
      guard let fault = fault as? ShapeFailure else { throw fault }
      throw ExchangeError.wrongItem(path: file.path, reason: "\(fault.pointer): \(fault.expected) expected")
    }
    file.close()
    let named = Set(rows.compactMap { row in if case .note(let type, _, _) = row.content { type } else { nil } })
    rows.reverse()
    for type in types where named.contains(type.name) {
      var row = CardRow()
      row.content = .type(type)
      rows.append(row)
    }
  }

  func next(into row: inout CardRow) throws -> Bool {
    guard let next = rows.popLast() else { return false }
    row = next
    return true
  }

  /// Returns the cards of a list, whose columns mean what those of any table do; nil if there are no rows of cells.
  func list(_ options: TableOptions) throws -> TableCards? {
    if table.isEmpty { return nil }
    let source = try ByteSource(table, path: file.path, SourceOptions(isInterrupted: { false }))
    table = []
    return try TableCards(source, separator: Self.separator, options)
  }

  /// Unpacks the media of a row, if the file is an archive.
  /// - Returns: a path beside the unpacked files; nil if they are beside the file itself.
  func unpack(_ row: inout CardRow) throws -> String? {
    guard file.kind == .zip else { return nil }
    var path: String?
    for (place, media) in row.media.enumerated() {
      let plain: String
      do throws(NoteError) { plain = try MediaNames.checked(media.name) } catch {
        row.refuse(.badRow, error.message)
        continue
      }
      guard let unpacked = try file.unpack(media.path, as: plain) else { continue }
      row.media[place].path = plain
      path = unpacked
    }
    return path
  }

  // MARK: Items

  /// Takes an item of the reader.
  /// - Throws: `ShapeFailure` and `ExchangeError` for a wrong one; the import fails even if the caller catches it.
  private func take(_ item: Value) throws {
    do {
      let item = try ValueReader(item).asRecord("a row, or {left=} or {used=}")
      let lines = try lines(of: item)
      let part = file.kind == .lines ? nil : item["part"].value?.text
      let before = account.contradictions
      if item["left"].value != nil {
        try allow(Self.places + ["left"], in: item)
        let words = try item["left"].text("a reason")
        let reason = LeftReason(rawValue: words).flatMap { $0 == .notAccounted ? nil : $0 }
        account.leave(lines, reason ?? .other, name: reason == nil ? words : "", part: part)
      } else if item["used"].value != nil {
        try allow(Self.places + ["used"], in: item)
        account.use(lines)
      } else if item["cells"].value != nil {
        try allow(Self.places + ["cells"], in: item)
        let isEmpty = item["cells"].value?.isEmpty == true
        table += CellText.line(try isEmpty ? [""] : item["cells"].elements().map { try $0.text() }, Self.separator)
        account.use(lines)
      } else {
        try allow(Self.keys, in: item)
        try add(item, lines, part)
        account.row(lines)
      }
      if account.contradictions > before { throw item["line"].failure("lines that are not both left and in a row") }
    } catch {
      fault = fault ?? error
      throw error
    }
  }

  private func allow(_ known: [String], in item: ValueReader) throws(ShapeFailure) {
    for (name, reader) in try item.fields() where !known.contains(name) {
      throw reader.failure("one of the keys \(known.joined(separator: ", "))")
    }
  }

  /// Returns the lines of an item; for a file without lines, the number of the element.
  private func lines(of item: ValueReader) throws(ShapeFailure) -> ClosedRange<Int> {
    guard file.kind == .lines else {
      _ = try item["part"].text("the place, such as \"note 5\",")
      let number = account.nextElement()
      return number...number
    }
    let first = try item["line"].integer(in: 1...max(1, file.lines.count))
    if item["to"].value == nil { return first...first }
    return first...(try item["to"].integer(in: first...max(first, file.lines.count)))
  }

  private func add(_ item: ValueReader, _ lines: ClosedRange<Int>, _ part: String?) throws {
    var row = CardRow()
    (row.start.line, row.start.lastLine, row.start.part) = (lines.lowerBound, lines.upperBound, part)
    row.guid = Array(try text(item["guid"]).utf8)
    row.subdeck = try text(item["deck"])
    if item["tags"].value?.isEmpty == false { row.tags = try item["tags"].elements().map { try $0.text() } }
    if item["media"].value?.isEmpty == false { row.media = try item["media"].fields().map { ($0, try $1.text()) } }
    try setContent(item, &row)
    try setHistories(item, &row)
    let size = row.noteFields.reduce(0) { $0 + $1.html.utf8.count }
    if size > rowLimit { throw item.failure("a row of at most \(grouped(rowLimit)) bytes") }
    held += 500 + size
    if held > Self.limit {
      throw ExchangeError.tooLarge(
        path: file.path, line: lines.lowerBound, what: "its rows take more than \(Self.limit >> 20) MiB")
    }
    rows.append(row)
  }

  private func text(_ reader: ValueReader) throws(ShapeFailure) -> String {
    if reader.value == nil { return "" }
    let text = try reader.text()
    if text.utf8.count > rowLimit { throw reader.failure("at most \(grouped(rowLimit)) bytes") }
    return text
  }

  private func setContent(_ item: ValueReader, _ row: inout CardRow) throws(ShapeFailure) {
    let markup = item["markup"].value == nil ? "plain" : try item["markup"].text()
    guard ["plain", "markdown", "html"].contains(markup) else {
      throw item["markup"].failure("plain, markdown or html")
    }
    var media: [(name: String, path: String)] = []
    func html(_ text: String) -> String {
      if markup == "html" { return text }
      if markup == "plain" { return FieldHTML.html(ofPlain: text.trimmed) }
      if let reason = MarkdownHTML.invalidReason(text) { row.refuse(.badText, reason) }
      let read = MarkdownHTML(text)
      media += read.media
      return read.html
    }
    defer { row.media += media.filter { new in !row.media.contains { $0.name == new.name } } }
    if item["type"].value != nil {
      var fields: [(name: String?, html: String)] = []
      for (name, field) in try item["fields"].fields("the fields of the note") {
        fields.append((name, html(try text(field))))
      }
      return row.content = .note(type: try item["type"].text(), fields)
    }
    let sides = [try text(item["prompt"]), try text(item["answer"])]
    if sides[0].trimmed.isEmpty { row.refuse(.emptyPrompt, DeckError.emptyPrompt.message) }
    if sides[1].trimmed.isEmpty { row.refuse(.emptyAnswer, DeckError.emptyAnswer.message) }
    if item["reversed"].value != nil, try item["reversed"].boolean() {
      row.content = .note(type: StockNoteType.reversed.rawValue, sides.map { (name: nil, html: html($0)) })
    } else if markup == "plain" {
      (row.prompt, row.answer) = (Array(sides[0].utf8), Array(sides[1].utf8))
    } else {
      row.setSides(sides.map(html))
    }
  }

  private func setHistories(_ item: ValueReader, _ row: inout CardRow) throws(ShapeFailure) {
    if item["cards"].value?.isEmpty == false {
      for card in try item["cards"].elements() {
        try allow(["schedule", "reviews"], in: card)
        row.histories.append(try history(of: card))
      }
    } else if item["schedule"].value != nil || item["reviews"].value != nil {
      row.histories = [try history(of: item)]
    }
    if item["suspended"].value != nil, try item["suspended"].boolean() {
      if row.histories.isEmpty { row.histories = [CardHistory()] }
      for place in row.histories.indices { row.histories[place].isSuspended = true }
    }
    for history in row.histories where history.answers.count > Self.mostReviews {
      throw item["reviews"].failure("at most \(grouped(Self.mostReviews)) answers a card")
    }
  }
}

extension PluginRows {
  private func history(of card: ValueReader) throws(ShapeFailure) -> CardHistory {
    if card["schedule"].value?.isEmpty == false { try allow(CardHistory.keys, in: card["schedule"]) }
    return try CardHistory(card)
  }
}

extension Value {
  /// Whether it is a list or an object without anything in it; in Lua both are the same table.
  fileprivate var isEmpty: Bool { list?.isEmpty ?? record?.isEmpty ?? false }
}

extension CardHistory {
  static let keys = ["due", "interval", "ease", "stability", "difficulty", "last_review", "reps", "lapses"]
  private static let moments = 0.0...1e11

  /// Reads `schedule` and `reviews` of a card, as another program may have kept them.
  init(_ card: ValueReader) throws(ShapeFailure) {
    self.init()
    let schedule = card["schedule"]
    if let given = schedule.value, given != .null, !given.isEmpty { _ = try schedule.asRecord() }
    isSuspended = schedule["suspended"].value == .boolean(true)
    func number(_ name: String, _ range: ClosedRange<Double>) throws(ShapeFailure) -> Double? {
      try Self.number(schedule[name], range)
    }
    (due, lastReview) = (try number("due", Self.moments), try number("last_review", Self.moments))
    (interval, ease) = (try number("interval", -1e6...1e6), try number("ease", 0...100))
    (stability, difficulty) = (try number("stability", 0...1e9), try number("difficulty", 0...1e3))
    (reps, lapses) = (try number("reps", 0...1e6).map { Int($0) }, try number("lapses", 0...1e6).map { Int($0) })
    guard let reviews = card["reviews"].value, reviews != .null, reviews.record?.isEmpty != true else { return }
    for review in try card["reviews"].elements() {
      guard let at = try Self.number(review["at"], Self.moments) else { throw review["at"].failure("a time") }
      guard let rating = Rating(rawValue: Int64(try review["rating"].integer())) else {
        throw review["rating"].failure("a rating from 1 to 4")
      }
      answers.append(Answer(at: at, rating: rating, seconds: try Self.number(review["seconds"], 0...1e9)))
    }
  }

  private static func number(_ reader: ValueReader, _ range: ClosedRange<Double>) throws(ShapeFailure) -> Double? {
    guard let value = reader.value, value != .null else { return nil }
    let number = try reader.number()
    guard range.contains(number) else {
      throw reader.failure("a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension HistoryReport {
  var fields: [(String, Value)] {
    if cards.isEmpty, dropped == 0 { return [] }
    let counts = Source.allCases.map { ($0.rawValue, Value.integer(cards[$0] ?? 0)) }
    let fields =
      counts + [
        ("answers", .integer(answers)), ("schedules", .integer(schedules)), ("dropped", .integer(dropped)),
      ]
    return [("history", .record(fields))]
  }

  var lost: [String] {
    dropped == 0 ? [] : ["\(counted(dropped, "answer")), because the cards were there already"]
  }
}

/// Writes cards by the function of a plugin, some at a time.
struct PluginCardWriter: CardRowWriter {
  private static let most = 500

  let sink: FileSink
  let holds: Set<CardPart>
  let hasSchedule: Bool
  let make: ([Value]) throws -> [UInt8]
  private var waiting: [Value] = []

  var holdsOptions: Bool { holds.contains(.options) }

  init(sink: FileSink, holds: Set<CardPart>, _ options: ExportOptions, make: @escaping ([Value]) throws -> [UInt8]) {
    (self.sink, self.holds, self.make, hasSchedule) = (sink, holds, make, options.hasSchedule)
  }

  mutating func write(_ card: CardRecord, _ source: ExportSource) throws -> Set<CardPart> {
    waiting.append(Self.value(card, source, hasSchedule: hasSchedule))
    if waiting.count == Self.most { try end() }
    return source.lost(card, hasSchedule: hasSchedule && holds.contains(.schedule)).subtracting(
      hasSchedule ? holds : holds.subtracting([.schedule, .reviews]))
  }

  mutating func end() throws {
    if waiting.isEmpty { return }
    try sink.append(try make(waiting))
    waiting = []
  }

  private static func value(_ card: CardRecord, _ source: ExportSource, hasSchedule: Bool) -> Value {
    var fields: [(String, Value)] = [
      ("prompt", .text(card.prompt)), ("answer", .text(card.answer)), ("deck", .text(source.subdeck)),
      ("guid", .text(source.note?.record.guid ?? card.guid)), ("suspended", .boolean(card.isSuspended)),
      ("tags", .list((source.note?.record.tags ?? card.tags).map { .text($0) })), ("ordinal", .integer(card.ordinal)),
    ]
    if let (note, type) = source.note {
      fields.append(("type", .text(type.name)))
      fields.append(("fields", .record(zip(type.fields, note.fields).map { ($0, .text(FieldHTML.plain($1) ?? $1)) })))
    } else {
      let sides = [("Front", card.prompt), ("Back", card.answer)]
      fields.append(("fields", .record(sides.map { ($0, .text($1)) })))
    }
    if hasSchedule {
      let plan = CardPlan(card)
      if !plan.isPlain { fields.append((JSONName.schedule, plan.value)) }
      if !source.log.isEmpty { fields.append((JSONName.reviews, CardLog.value(source.log))) }
    }
    return .record(fields)
  }
}
