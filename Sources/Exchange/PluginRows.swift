// The rows that a plugin's reader makes of a file, and the cards that its writer turns into text.
// Invariant: each item of a reader is a row, or says which lines are used or left; a wrong item ends the import,
// whatever the plugin's code does about the error. A row is passed on before the next item is looked at.

import Decks
import Files
import Problems
import Templates
import Text
import Values

final class PluginRows: RowSource {
  private static let separator = UInt8(ascii: "\t")
  private static let places = ["line", "to", "part"]
  private static let keys =
    places + [
      "prompt", "answer", "type", "fields", "tags", "guid", "deck", "reversed", "markup", "suspended", "media",
      "schedule", "reviews", "cards",
    ]

  private let file: ForeignFile
  private let read: FormatHooks.Reader
  private let options: TableOptions
  /// Takes the rows; nil before and after reading, because the reader's code may call `emit` at any time.
  private var body: ((inout CardRow) throws -> Void)?
  /// The rows of a list, of which only the cells are known, as a table with tabs; its columns mean what those of any
  /// table do.
  private var table: [UInt8] = []
  private(set) var list: TableCards?
  /// The first error of an item.
  private var fault: (any Error)?

  /// - Parameter read: runs the reader, which passes its items on.
  init(_ file: ForeignFile, _ options: TableOptions, read: @escaping FormatHooks.Reader) {
    (self.file, self.options, self.read) = (file, options, read)
  }

  var found: ImportFindings {
    var found = list?.found ?? ImportFindings()
    (found.encoding, found.separator) = (file.encoding, nil)
    return found
  }

  var report: LineReport {
    var report = file.account.report
    if let list { report.add(list.account.report, file: nil) }
    return report
  }

  func forEach(_ body: (inout CardRow) throws -> Void) throws {
    try withoutActuallyEscaping(body) { body in
      self.body = body
      defer { self.body = nil }
      do { try read(file) { [weak self] in try self?.take($0) } } catch { throw fault ?? error }
    }
    if let fault { throw fault }
    file.close()
    if table.isEmpty { return }
    let source = try ByteSource(table, path: file.path, SourceOptions(isInterrupted: { false }))
    table = []
    let list = try TableCards(source, separator: Self.separator, options)
    self.list = list
    try list.forEach(body)
  }

  // MARK: Items

  /// Takes an item of the reader.
  /// - Throws: `wrongItem`; the import fails even if the caller catches it.
  private func take(_ item: Value) throws {
    guard let body, fault == nil else { return }
    do {
      let item = try ValueReader(item).asRecord("a row, or {left=} or {used=}")
      if item.value.map(\.size) ?? 0 > rowLimit { throw item.failure("an item of at most \(grouped(rowLimit)) bytes") }
      let kind = ["left", "used", "cells"].first { item.value?.record?[$0] != nil }
      try allow(Self.places + (kind.map { [$0] } ?? Self.keys), in: item)
      let (part, account) = (try part(of: item), file.account)
      let (lines, before) = (try lines(of: item), account.contradictions)
      var row: CardRow?
      switch kind {
      case "left":
        let words = try item["left"].text("a reason")
        let reason = LeftReason(rawValue: words).flatMap { $0 == .notAccounted ? nil : $0 }
        account.leave(lines, reason ?? .other, name: reason == nil ? words : "", part: part)
      case "used": account.use(lines)
      case "cells":
        table += CellText.line(try item.given("cells")?.elements().map { try $0.text() } ?? [""], Self.separator)
        if table.count > ForeignFile.limit { throw item.failure("cells of at most \(ForeignFile.limit >> 20) MiB") }
        // What they are, the list says.
        account.mark(lines)
      default:
        row = try self.row(of: item, lines, part)
        account.row(lines)
      }
      if account.contradictions > before { throw item["line"].failure("lines that are not both left and in a row") }
      if var row { try body(&row) }
    } catch {
      fault = (error as? ShapeFailure).map { wrongItem("\($0.pointer): \($0.inWords)") } ?? error
      // What the import says of a row is no fault of the reader, which goes on in vain.
      if case .wrongItem? = fault as? ExchangeError { throw fault ?? error }
    }
  }

  private func allow(_ known: [String], in item: ValueReader) throws(ShapeFailure) {
    guard let name = item.value?.record?.fields.first(where: { !known.contains($0.name) })?.name else { return }
    throw item[name].failure("one of the keys \(known.joined(separator: ", "))")
  }

  /// Returns the lines of an item; for a file without lines, the number of the element.
  private func lines(of item: ValueReader) throws(ShapeFailure) -> ClosedRange<Int> {
    guard file.kind == .lines else {
      let number = file.account.nextElement()
      return number...number
    }
    let first = try item["line"].integer(in: 1...max(1, file.lines.count))
    return first...(try item.given("to")?.integer(in: first...max(first, file.lines.count)) ?? first)
  }

  /// Where an item of a file without lines is, in words; in XML the line of an element is enough.
  private func part(of item: ValueReader) throws(ShapeFailure) -> String? {
    if file.kind == .lines { return nil }
    if file.kind == .xml, item["part"].value?.text == nil, let line = item["line"].value?.integer {
      return "line \(line)"
    }
    return try item["part"].text("the place, such as \"note 5\",")
  }

  private func row(of item: ValueReader, _ lines: ClosedRange<Int>, _ part: String?) throws -> CardRow {
    var row = CardRow()
    (row.start.line, row.start.lastLine, row.start.part) = (lines.lowerBound, lines.upperBound, part)
    row.guid = Array(try item.given("guid")?.text().utf8 ?? "".utf8)
    row.subdeck = try item.given("deck")?.text() ?? ""
    row.tags = try item.given("tags")?.elements().map { try $0.text() } ?? []
    row.media = try item.given("media")?.fields().map { ($0, try $1.text()) } ?? []
    try setContent(item, &row)
    try setHistories(item, &row)
    if file.kind == .zip { try unpack(&row) }
    return row
  }

  /// Unpacks the media of a row beside each other.
  private func unpack(_ row: inout CardRow) throws {
    for (place, media) in row.media.enumerated() {
      let plain: String
      do throws(NoteError) { plain = try MediaNames.checked(media.name) } catch {
        row.refuse(.badRow, error.message)
        continue
      }
      guard let unpacked = try file.unpack(media.path, as: plain) else { continue }
      (row.media[place].path, row.beside) = (plain, unpacked)
    }
  }

  private func setContent(_ item: ValueReader, _ row: inout CardRow) throws {
    let markup = try item.given("markup")?.text() ?? "plain"
    guard ["plain", "markdown", "html"].contains(markup) else {
      throw item["markup"].failure("plain, markdown or html")
    }
    func html(_ text: String) -> String {
      if markup == "html" { return text }
      if markup == "plain" { return FieldHTML.html(ofPlain: text.trimmed) }
      if let reason = MarkdownHTML.invalidReason(text) { row.refuse(.badText, reason) }
      let read = MarkdownHTML(text)
      for media in read.media where !row.media.contains(where: { $0.name == media.name }) { row.media.append(media) }
      return read.html
    }
    if let type = try item.given("type")?.text() {
      let fields = try item["fields"].fields("the fields of the note")
      return row.content = .note(type: type, try fields.map { (name: $0.name, html: html(try $0.reader.text())) })
    }
    let sides = [try item.given("prompt")?.text() ?? "", try item.given("answer")?.text() ?? ""]
    if sides[0].trimmed.isEmpty { row.refuse(.emptyPrompt, DeckError.emptyPrompt.message) }
    if sides[1].trimmed.isEmpty { row.refuse(.emptyAnswer, DeckError.emptyAnswer.message) }
    if try item.given("reversed")?.boolean() == true {
      row.content = .note(type: StockNoteType.reversed.rawValue, sides.map { (name: nil, html: html($0)) })
    } else if markup == "plain" {
      (row.prompt, row.answer) = (Array(sides[0].utf8), Array(sides[1].utf8))
    } else {
      row.setSides(sides.map(html))
    }
  }

  private func setHistories(_ item: ValueReader, _ row: inout CardRow) throws {
    let cards = try item.given("cards")?.elements()
    for card in cards ?? [] { try allow(["schedule", "reviews"], in: card) }
    let isOne = item.given("schedule") != nil || item.given("reviews") != nil
    row.histories = try (cards ?? (isOne ? [item] : [])).map { try history(of: $0, row) }
    guard try item.given("suspended")?.boolean() == true else { return }
    if row.histories.isEmpty { row.histories = [CardHistory()] }
    for place in row.histories.indices { row.histories[place].isSuspended = true }
  }

  private func history(of card: ValueReader, _ row: CardRow) throws -> CardHistory {
    let schedule = try card.given("schedule")?.asRecord()
    if let schedule { try allow(CardHistory.keys, in: schedule) }
    let reviews = try card.given("reviews")?.elements("a list of answers").compactMap(\.value)
    do throws(DeckError) { return try CardHistory(schedule?.value?.record ?? [:], reviews ?? []) } catch {
      let place = RowPlace(line: row.start.line, part: row.start.part).inWords
      throw wrongItem("\(place): \(error.message)")
    }
  }

  private func wrongItem(_ reason: String) -> ExchangeError { .wrongItem(path: file.path, reason: reason) }
}

extension Value {
  /// The bytes of all texts in it.
  fileprivate var size: Int {
    text?.utf8.count ?? (list ?? record?.fields.map(\.value))?.reduce(0) { $0 + $1.size } ?? 0
  }
}

extension ValueReader {
  /// A part that is not empty; in Lua an empty list and an empty record are the same.
  fileprivate func given(_ name: String) -> ValueReader? {
    guard let part = value?.record?[name], part != .null, !(part.list?.isEmpty ?? part.record?.isEmpty ?? false)
    else { return nil }
    return self[name]
  }
}

/// Writes cards by the function of a plugin, some at a time.
struct PluginCardWriter: CardRowWriter {
  private static let most = 500

  let sink: FileSink
  let holdsOptions: Bool
  let hasSchedule: Bool
  let make: (_ cards: [Value], _ isFirst: Bool, _ isLast: Bool) throws -> [UInt8]
  var waiting: [Value] = []
  var isFirst = true

  mutating func write(_ card: CardRecord, _ source: ExportSource) throws -> Set<CardPart> {
    if waiting.count == Self.most { try flush(isLast: false) }
    waiting.append(Self.value(card, source, hasSchedule: hasSchedule))
    return []
  }

  mutating func end() throws { try flush(isLast: true) }

  private mutating func flush(isLast: Bool) throws {
    try sink.append(try make(waiting, isFirst, isLast))
    (waiting, isFirst) = ([], false)
  }

  private static func value(_ card: CardRecord, _ source: ExportSource, hasSchedule: Bool) -> Value {
    var fields: [(String, Value)] = [
      ("prompt", .text(card.prompt)), ("answer", .text(card.answer)), ("deck", .text(source.subdeck)),
      ("guid", .text(source.note?.record.guid ?? card.guid)), ("suspended", .boolean(card.isSuspended)),
      ("tags", .list((source.note?.record.tags ?? card.tags).map { .text($0) })), ("ordinal", .integer(card.ordinal)),
    ]
    var texts = [("Front", Value.text(card.prompt)), ("Back", .text(card.answer))]
    if let (note, type) = source.note {
      texts = zip(type.fields, note.fields).map { ($0, .text(FieldHTML.plain($1) ?? $1)) }
      fields.append(("type", .text(type.name)))
    }
    fields.append(("fields", .record(texts)))
    if hasSchedule {
      let plan = CardPlan(card)
      if !plan.isPlain { fields.append((JSONName.schedule, plan.value)) }
      if !source.log.isEmpty { fields.append((JSONName.reviews, CardLog.value(source.log))) }
    }
    return .record(fields)
  }
}
