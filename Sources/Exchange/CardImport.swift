// Imports the cards of files into a deck, row by row.
// Invariant: a broken file throws an error, and the caller's operation is rolled back; an invalid row is refused and
// listed; memory does not grow with the file, except for 8 bytes per note whose cards come in separate rows.

public import Decks
public import Files
import Problems
public import Storage
import Templates
import Text

/// One import: created, run and finished within one operation.
///
///     let work = try CardImport(db, into: deck, options: ImportOptions(), now: now, random: random)
///     try work.run("cards.csv", isInterrupted: isInterrupted)
///     work.finish().cards.added
public final class CardImport {
  private var options: ImportOptions
  private let places: ImportPlaces
  private var report = ImportReport()
  private var rowCount = 0
  /// Whether rejections name their file, because there are several.
  private let namesFiles: Bool
  /// Imports a picture or a sound at a path and returns its name, which is empty when the file does not exist. Nil
  /// when media are not imported.
  public var receiveMedia: ((_ path: String) throws -> String)?
  private var media: [String: String] = [:]
  /// Opens the file again; nil once the note types that may follow its cards are known, and for other formats.
  private var reopen: (() throws -> ByteSource)?
  private var path: String?
  /// The user's days, by which histories are replayed.
  public var moment: StudyMoment
  /// The formats that plugins add.
  public var formats = FormatTable()
  private let db: Database

  /// - Parameters:
  ///   - isNewDeck: whether the deck was made for the import; only then are options from the file applied.
  ///   - fileCount: how many files will be imported.
  ///   - now: seconds since 1970, the creation time of all cards.
  ///   - random: returns 64 random bits per call, for the guids of cards without one.
  public init(
    _ db: Database, into deck: DeckID, options: ImportOptions, isNewDeck: Bool = false, fileCount: Int = 1, now: Double,
    random: @escaping () -> UInt64
  ) throws {
    (self.db, self.options) = (db, options)
    self.options.table.takesLists = true
    namesFiles = fileCount > 1
    places = try ImportPlaces(db, try DeckTable.record(db, deck), isNew: isNewDeck, now: now, random: random)
    moment = StudyMoment(now: now)
    (places.takesEmptyNotes, places.keptFields) = (true, options.keptFields)
    if let name = options.noteType {
      let type = try NoteTypeTable.findOrMake(db, named: name, now: now)
      self.options.table.note = type
      try checkColumns(type)
    }
  }

  /// - Throws: `NoteError.noField` for a choice that is neither a field of the type nor a column that every row may
  ///   have.
  private func checkColumns(_ type: NoteType) throws {
    for choice in options.table.columns where type.field(choice.meaning) == nil {
      if !["tags", "guid", "subdeck"].contains(choice.meaning.lowercased()) { throw type.unknownField(choice.meaning) }
    }
  }

  /// Imports a whole file. The cards are placed on top of the deck, in the order of the files. The `index` of a
  /// rejection counts data rows.
  /// - Parameters:
  ///   - kinds: which kinds of file are read: other than plain files only when the user typed the path; then `-` is
  ///     standard input.
  ///   - found: the format that the caller found for the file; nil: that of the options, or of the ending.
  ///   - isInterrupted: called while waiting for the file; true cancels the import.
  ///   - progress: called every 64 KiB; an error from it ends the import.
  /// - Throws: `ExchangeError` for a broken file, `FileError` for one that cannot be read.
  public func run(
    _ path: String, _ kinds: FileKinds = .plain, as found: CardFormat? = nil,
    isInterrupted: @escaping @Sendable () -> Bool, progress: @escaping ImportProgress = { _, _ in }
  ) throws {
    // Standard input has no extension; its beginning says what it is.
    let isUnnamed = options.format == nil && path == "-"
    var format = try found ?? options.format ?? (isUnnamed ? .txt : CardFormat(ofPath: path))
    var source = SourceOptions(isInterrupted: isInterrupted)
    (source.kinds, source.encoding) = (kinds, options.encoding)
    (source.findsEncoding, source.progress) = (format.findsEncoding, progress)
    reopen = nil
    let rows: any RowSource
    if let read = try formats.rows(of: format, path, source, options.table, isInterrupted: isInterrupted) {
      rows = read
    } else {
      let bytes = try ByteSource(path: path, source)
      if options.format == nil { format = isUnnamed ? CardFormat(of: bytes) : format.actual(bytes) }
      rows = try format.rows(bytes, into: places.deck.name, options.table)
      if format == .json, bytes.isRegularFile { reopen = { [source] in try ByteSource(path: path, source) } }
    }
    places.onDuplicate = options.onDuplicate ?? (rows as? AnkiTextCards)?.heads.onDuplicate ?? .skip
    (places.holdsFormatting, places.drafts) = (rows.holdsFormatting, format.types)
    rowCount = 0
    do {
      try rows.forEach { [self] row in
        if row.content.isCard { rowCount += 1 }
        if !row.media.isEmpty { try importMedia(of: &row, beside: row.beside ?? path) }
        try add(row, path)
      }
      try places.flush()
    } catch let error as DeckError {
      guard case .duplicate = error else { throw error }
      throw ExchangeError.alreadyThere(path: path, reason: error.message)
    }
    let lines = rows.report
    if options.isStrict, let part = lines.parts.first(where: { $0.reason != .comment }) {
      throw ExchangeError.leftLines(path: path, part)
    }
    report.lines.add(lines, file: namesFiles ? fileName(path) : nil)
    self.path = path
    (report.findings, report.findings.format) = (rows.found, format)
    if let list = rows as? TableCards ?? (rows as? PluginRows)?.list, let shape = list.shape { reportDropped(shape) }
  }

  private func reportDropped(_ shape: ListShape) {
    let isCut = options.table.hasTwoColumns
    let dropped = shape.others.filter { isCut || options.table.note?.fields.contains($0) == false }
    if dropped.isEmpty { return }
    let names = dropped.prefix(20).map { printable($0) }.joined(separator: ", ")
    let reason = isCut ? "--two-columns takes the front and the back" : "the note type has no such field"
    report.cards.lost.append("the content of \(names), because \(reason)")
  }

  /// Removes the decks that the import made and that got neither a card nor options, and returns the report.
  /// - Throws: `ExchangeError.nothingRead` when no file has a card.
  public func finish() throws -> ImportReport {
    if let path, report.lines.isUnread {
      let first = report.lines.parts.first { $0.reason != .comment }
      throw ExchangeError.nothingRead(
        file: namesFiles ? "the files" : fileName(path), first: first, format: report.findings.format)
    }
    try places.removeEmptyDecks()
    report.hasOptions = !places.optioned.isEmpty
    report.cards.lost += places.lost
    report.cards.lose(report.history[.dropped], "answer", AddReport.wereThere)
    return report
  }

  // MARK: Rows

  private func add(_ row: CardRow, _ path: String) throws {
    if let reason = row.start.invalidReason { return try refuse(row, reason.code, reason.message, path) }
    do {
      let isPreviewed = report.preview.count < options.previewed
      let needsCard = isPreviewed || row.schedule != nil || !row.log.isEmpty || !row.histories.isEmpty
      let written = try places.write(row, needsCard: needsCard)
      report.cards.added += written.added
      report.cards.count(written.outcome)
      guard let card = written.card else { return try giveAnswers(of: row) }
      try replay(row.histories, of: card)
      if let plan = row.schedule { try places.schedule(card, plan) }
      if !row.log.isEmpty { try CardTable.addLog(db, row.log, to: card) }
      if isPreviewed, let shown = try CardTable.card(db, card) { report.preview.append((shown, row.subdeck)) }
    } catch let refusal as RowRefusal {
      guard refusal.code == .failure(.notFound), let reopen else {
        return try refuse(row, refusal.code, refusal.message, path)
      }
      self.reopen = nil
      // A file with sorted keys defines its note types after its cards.
      try JSONCards(reopen(), isLines: false).forEach { [places] row in
        if case .type(let draft) = row.content, row.start.invalidReason == nil { places.drafts.append(draft) }
      }
      try add(row, path)
    }
  }

  /// Imports the media of a row, and renames them in the row if they got other names.
  private func importMedia(of row: inout CardRow, beside path: String) throws {
    guard let receiveMedia, path != "-" else { return }
    let folder = parentFolder(of: path)
    let found = try row.media.map { media in
      (name: media.name, path: media.path, file: try MarkdownMedia.file(media.path, from: "", in: folder))
    }
    var files: [String: String] = [:]
    for (name, _, file) in found {
      guard let file, let other = files.updateValue(file, forKey: name), other != file else { continue }
      return row.refuse(
        .badRow, "\(quoted(other)) and \(quoted(file)) would have the same name on the card; rename one")
    }
    for (name, relative, file) in found {
      let key = folder + "/" + (file ?? relative)
      let known = try media[key] ?? (file == nil ? "" : receiveMedia(key))
      media[key] = known
      // The cell of a list shows its file only if there is one.
      row.show(relative, as: known)
      if known.isEmpty, try MediaTable.named(db, name) == nil { report.missingMedia.insert(relative) }
      if !row.isOfList, !known.isEmpty, known != name { row.rename(name, to: known) }
    }
  }

  /// Gives the cards of a new note the schedules and answers that another program kept of them.
  /// - Parameter first: the card with the first history; the others are those of its note, by ordinal.
  private func replay(_ histories: [CardHistory], of first: CardID) throws {
    guard !histories.isEmpty, let record = try CardTable.card(db, first) else { return }
    let options = try DeckTable.options(db, record.deck)
    for (place, history) in histories.enumerated() {
      guard let card = try place == 0 ? first : NoteTable.card(db, of: record.note, ordinal: place) else {
        drop(history.answers)
        continue
      }
      let (schedule, log, source) = HistoryReplay.schedule(history, options, at: moment)
      try places.schedule(card, CardPlan(schedule, isSuspended: history.isSuspended))
      try CardTable.addLog(db, log, to: card)
      report.history[source] += 1
      report.history[.answers] += history.answers.count
      if history.known.stability != nil || history.interval != nil { report.history[.schedules] += 1 }
    }
  }

  /// Gives the answers of a row to the card that was here before, as far as they say what they did to it.
  private func giveAnswers(of row: CardRow) throws {
    for history in row.histories { drop(history.answers) }
    if row.log.isEmpty { return }
    guard let card = try places.known(row) else { return drop(row.log) }
    try CardTable.addLog(db, row.log, to: card, isNew: false)
  }

  private func drop(_ answers: [LoggedReview]) { report.history[.dropped] += answers.count }

  private func refuse(_ row: CardRow, _ code: ProblemCode, _ message: String, _ path: String) throws {
    let place = RowPlace(
      line: row.start.line, column: row.start.column, element: row.start.column.map { _ in rowCount },
      part: row.start.part, file: namesFiles ? fileName(path) : nil)
    if options.isStrict { throw ExchangeError.refusedRow(path: path, place: place, code: code, reason: message) }
    report.cards.reject(Rejection(index: rowCount, place: place, code: code, message: message))
  }
}

struct RowRefusal: Error {
  let code: ProblemCode
  let message: String
}

extension RowRefusal {
  init(_ problem: some Problem) { self.init(code: problem.report.code, message: problem.message) }
}

extension CardFormat {
  /// Returns the format of a text without a name by its beginning.
  init(of source: ByteSource) {
    let start = source.buffered
    switch start.first(where: { !isASCIISpace($0) }) {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      let lines = start.split(separator: 0x0A, maxSplits: 2).map { $0.first { !isASCIISpace($0) } }
      self = lines.count > 1 && lines.prefix(2).allSatisfy { $0 == UInt8(ascii: "{") } ? .jsonl : .json
    default:
      let hasTable = !LineRows.heads(in: TableCards.lines(of: start)).isEmpty
      self = hasTable || start.starts(with: "# ".utf8) && !AnkiHeads.begin(start) ? .md : .txt
    }
  }

  /// - Throws: `notHere` for a package.
  func rows(_ source: ByteSource, into target: String, _ table: TableOptions) throws -> any RowSource {
    guard case .text(let read, _) = form else { throw ExchangeError.notHere(format: self) }
    return try read(source, target, table)
  }

  static func objects(_ source: ByteSource, _ table: TableOptions, isLines: Bool) throws -> any RowSource {
    if !table.takesLists || JSONCards.isOwn(source.buffered) { return JSONCards(source, isLines: isLines) }
    return try JSONRows.cards(source, table, isLines: isLines)
  }

  static func texts(_ source: ByteSource, into target: String, _ table: TableOptions) throws -> any RowSource {
    if table.takesLists, table.note == nil, !AnkiHeads.begin(source.buffered) {
      return try TableCards.lines(source, table)
    }
    let cards = AnkiTextCards(source, into: target, table)
    try cards.open()
    return cards
  }

  /// A table that begins with a header line of Anki is an Anki text, whatever its file is called.
  func actual(_ source: ByteSource) -> CardFormat {
    (self == .csv || self == .tsv) && AnkiHeads.begin(source.buffered) ? .txt : self
  }

  /// Whether the encoding of a file that is not UTF-8 is detected. JSON is always UTF-8 (RFC 8259).
  var findsEncoding: Bool { self != .json && self != .jsonl }
}

extension RowContent {
  var isCard: Bool {
    switch self {
    case .texts, .formatted, .note, .card: true
    case .type, .options: false
    }
  }
}
