// Writes a deck's cards to a file, so that importing it yields the same cards in the same order.
// Invariant: the file holds all cards that an import can read or keeps its old content; what its format cannot hold is
// counted; memory does not grow with the deck except for 8 bytes per card.

public import Decks
public import Files
public import Storage
import Templates
import Text
public import Values

/// Writes a deck and its nested decks to a file.
///
///     let report = try CardExport(db, deck).run(to: "cards.csv", isInterrupted: isInterrupted)
public struct CardExport {
  private let db: Database
  private let deck: DeckRecord
  private let decks: [DeckRecord]
  /// The formats that plugins add.
  public var formats = FormatTable()

  public init(_ db: Database, _ deck: DeckID) throws {
    self.db = db
    self.deck = try DeckTable.record(db, deck)
    decks = [self.deck] + (try DeckTable.within(db, deck))
  }

  /// - Parameters:
  ///   - path: `-` is standard output if `kinds` allows any kind of file.
  ///   - progress: called after each page with the cards done and their total; an error from it ends the export and
  ///     leaves the file unchanged.
  /// - Throws: `ExchangeError.unknownFormat`, `FileError` for the file.
  public func run(
    to path: String, _ kinds: FileKinds = .plain, _ options: ExportOptions = ExportOptions(),
    isInterrupted: @escaping () -> Bool, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> ExportReport {
    let format = if let format = options.format { format } else { try CardFormat(ofPath: path) }
    let ids = try decks.map { (subdeck: $0.name(within: deck), ids: try CardTable.ids(db, in: $0.id)) }
    let total = ids.reduce(0) { $0 + $1.ids.count }
    var report = ExportReport(cards: 0, bytes: 0)
    // Before each card, because one that is left out does not reach the sink, which polls as well.
    func poll() throws(FileError) { if isInterrupted() { throw FileError(path, .write, .interrupted) } }
    let write = { (sink: FileSink) in
      var writer = try writer(format, options, sink)
      var run = try ExportRun(db, format, decks: Set(decks.map(\.id)), options)
      try writer.begin()
      for (subdeck, ids) in ids {
        for start in stride(from: 0, to: ids.count, by: 500) {
          for card in try CardTable.cards(db, ids: ids[start..<min(start + 500, ids.count)]) {
            try poll()
            let source = try run.source(of: card, subdeck: subdeck)
            try run.count(card, source, lost: source.isMade ? writer.write(card, source) : [.unmadeCards])
          }
          try progress(run.done, total)
        }
      }
      try writer.end()
      if !writer.holdsOptions { run.lost[.options] = try optionsOfDecks().count }
      report = ExportReport(
        cards: run.written, bytes: sink.count, lost: run.lost.filter { $0.value > 0 }, omitted: run.omitted)
    }
    try AtomicFile.writeGiven(path, .exported(kinds, isInterrupted: isInterrupted), write)
    return report
  }

  /// - Throws: `notHere` for a package.
  private func writer(_ format: CardFormat, _ options: ExportOptions, _ sink: FileSink) throws -> any CardRowWriter {
    switch format.form {
    case .text(_, let write): return try write(self, options, sink)
    case .package: throw ExchangeError.notHere(format: format)
    case .added:
      guard let write = try formats.hooks(of: format).write else { throw ExchangeError.readOnly(format: format) }
      return PluginCardWriter(
        sink: sink, holdsOptions: format.holds.contains(.options), hasSchedule: options.hasSchedule
      ) { try write($0, deck.name, $1, $2) }
    }
  }

  func objects(_ sink: FileSink, _ options: ExportOptions, isLines: Bool) throws -> any CardRowWriter {
    let types = try noteTypes()
    let form: JSONCardWriter.Form = isLines ? .lines : types.isEmpty && !options.hasSchedule ? .array : .object
    return JSONCardWriter(
      sink: sink, form: form, deck: deck.name, options: try optionsOfDecks(), types: types.filter { !$0.isStock },
      hasSchedule: options.hasSchedule)
  }

  func table(_ sink: FileSink, _ options: ExportOptions, _ separator: UInt8) throws -> any CardRowWriter {
    TableCardWriter(
      sink: sink, separator: separator, columns: try tableColumns(), isGuarded: options.isForSpreadsheet)
  }

  func ankiText(_ sink: FileSink) throws -> any CardRowWriter {
    AnkiTextWriter(sink: sink, deck: deck.name, hasDecks: decks.count > 1, types: try noteTypes())
  }

  private func noteTypes() throws -> [NoteType] {
    var types: [NoteType] = []
    for deck in decks {
      for type in try NoteTypeTable.used(db, in: deck.id) where !types.contains(where: { $0.id == type.id }) {
        if try !type.isStockBasic || !NoteTable.arePlain(db, of: type.id, in: deck.id) { types.append(type) }
      }
    }
    return types
  }

  /// Returns the options of the deck, which may be inherited, and those that nested decks set themselves.
  private func optionsOfDecks() throws -> [(subdeck: String, options: [CardField])] {
    try decks.compactMap { each in
      let preset = try each.id == deck.id ? DeckTable.nearestPreset(db, each.id) : DeckTable.preset(db, each.id)
      let options = NamedOptions.fields(
        preset: try preset.map { try PresetTable.record(db, $0) }, limits: try DeckTable.limits(db, each.id))
      return options.isEmpty ? nil : (each.name(within: deck), options)
    }
  }

  /// Returns the columns of every table, those that some card needs, and one for each field name.
  private func tableColumns() throws -> [TableColumn] {
    var columns: [TableColumn] = [.prompt, .answer, .tags, .guid]
    var seen = Set(columns)
    var hasDocument = false
    // If a field has the name of a column, that column has to come first, so that the second is read as the field.
    var others: Set<TableColumn> = []
    for deck in decks {
      let kept = try CardTable.extraParts(db, in: deck.id)
      hasDocument = hasDocument || kept.hasDocuments
      for name in kept.fieldNames where seen.insert(.field(name)).inserted {
        columns.append(.field(name))
        others.insert(TableColumn(name))
      }
    }
    if others.contains(.guarded) { columns.insert(.guarded, at: 4) }
    if hasDocument || others.contains(.document) { columns.insert(.document, at: 4) }
    if decks.count > 1 || others.contains(.subdeck) { columns.insert(.subdeck, at: 4) }
    return columns
  }
}

private struct ExportRun {
  private let db: Database
  /// What the file may hold.
  private let holds: Set<CardPart>
  private let decks: Set<DeckID>
  private let isComplete: Bool
  /// The cards that were read, and those of them that are in the file.
  private(set) var (done, written) = (0, 0)
  var lost: [CardPart: Int] = [:]
  private(set) var omitted: [String] = []
  private var notes: Set<NoteID> = []
  /// The numbers of the cards that their note's type does not make.
  private var unmade: [NoteID: [Int]] = [:]
  private var types: [NoteTypeID: NoteType] = [:]
  private let reviews: SentReviews?

  init(_ db: Database, _ format: CardFormat, decks: Set<DeckID>, _ options: ExportOptions) throws {
    (self.db, self.decks, isComplete) = (db, decks, options.isComplete)
    holds = options.hasSchedule ? format.holds : format.holds.subtracting([.schedule, .reviews])
    reviews = holds.contains(.reviews) ? try SentReviews(db) : nil
  }

  mutating func source(of card: CardRecord, subdeck: String) throws -> ExportSource {
    var source = ExportSource(subdeck: subdeck)
    let note = try NoteTable.record(db, card.note)
    let type = try types[note.type] ?? NoteTypeTable.record(db, note.type)
    types[note.type] = type
    if !type.isStockBasic || !note.isPlain {
      source.note = (note, type)
      source.isFirst = notes.insert(card.note).inserted
      if source.isFirst {
        let kept = try NoteOrdinals.kept(db, of: note, type, in: decks)
        source.ordinals = kept.made
        if !kept.others.isEmpty { unmade[card.note] = kept.others }
      }
      let hasTemplate = type.isCloze || card.ordinal < type.cards.count
      source.isMade =
        holds.contains(.unmadeCards) || hasTemplate && unmade[card.note]?.contains(card.ordinal) != true
    }
    if let reviews { source.log = try reviews.of(card.id).map(\.review) }
    return source
  }

  /// - Parameter beside: what the writer could not write of this card.
  mutating func count(_ card: CardRecord, _ source: ExportSource, lost beside: Set<CardPart>) throws {
    done += 1
    if let part = beside.first(where: \.isCard) { return try omit(card, source, part) }
    written += 1
    var parts = beside
    if !card.fields.isEmpty { parts.insert(.fields) }
    if card.fields.contains(where: { if case .json = $0.value { true } else { false } }) { parts.insert(.fieldKinds) }
    if source.note != nil { parts.insert(.notes) }
    if card.reps > 0 { parts.insert(.reviews) }
    if !CardPlan(card).isPlain { parts.insert(.schedule) }
    let hasMedia = { (field: String) in field.contains(text: "[sound:") || field.contains(text: "<img") }
    if source.note?.record.fields.contains(where: hasMedia) == true { parts.insert(.media) }
    if !card.tags.isEmpty { parts.insert(.tags) }
    if !source.subdeck.isEmpty { parts.insert(.deck) }
    if card.isSuspended { parts.insert(.suspended) }
    parts = parts.subtracting(holds).union(source.log.count > CardLog.limit ? beside.union([.reviews]) : beside)
    if parts.contains(.fields) { parts.remove(.fieldKinds) }
    if card.document != nil { parts.insert(.documents) }
    for part in parts { lost[part, default: 0] += 1 }
  }

  private mutating func omit(_ card: CardRecord, _ source: ExportSource, _ part: CardPart) throws {
    let first = source.note.map { NoteTable.firstFieldKey($0.record.fields.first ?? "") } ?? ""
    let name = String((first.isEmpty ? card.prompt : first).unicodeScalars.prefix(100))
    if isComplete, part == .largeCards { throw ExchangeError.noRoom(card: name) }
    lost[part, default: 0] += 1
    if omitted.count < 6, !omitted.contains(name) { omitted.append(name) }
    // The note goes with its next card that is written.
    if source.isFirst { notes.remove(card.note) }
  }
}

struct ExportSource {
  /// The name of its deck within the exported deck; empty for the exported deck itself.
  let subdeck: String
  /// The card's note; nil when the card's texts contain everything.
  var note: (record: NoteRecord, type: NoteType)?
  var isFirst = true
  /// The ordinals of the note's exported cards; nil when they include all cards that the type makes.
  var ordinals: [Int]?
  /// Whether an import makes the card again.
  var isMade = true
  /// The answers to export, the earliest first.
  var log: [LoggedReview] = []
}

protocol CardRowWriter {
  var holdsOptions: Bool { get }
  mutating func begin() throws
  /// - Returns: what could not be written of this card, besides what the format never holds.
  mutating func write(_ card: CardRecord, _ source: ExportSource) throws -> Set<CardPart>
  mutating func end() throws
}

extension CardRowWriter {
  var holdsOptions: Bool { false }
  func begin() throws {}
  func end() throws {}
}

/// The options of a deck export.
///
///     var options = ExportOptions()
///     (options.format, options.hasSchedule) = (.json, true)
public struct ExportOptions: Sendable {
  /// Nil: determined by the file's extension.
  public var format: CardFormat?
  /// Whether the cards' schedules are written, if the format can hold them.
  public var hasSchedule = false
  /// Whether cells that a spreadsheet would run as formulas are escaped.
  public var isForSpreadsheet = false
  /// Whether a card that is too large for a row is an error, which leaves the file unchanged.
  public var isComplete = false

  public init() {}
}

/// The report of an export.
///
///     print("\(report.cards) cards, \(report.bytes) bytes")
public struct ExportReport: Sendable {
  public let cards: Int
  public let bytes: Int
  /// What the file could not hold, with the number of cards affected (for options, of decks).
  public let lost: [(part: CardPart, count: Int)]
  /// The first fields of cards that are not in the file, at most six.
  public let omitted: [String]
  /// The media in the folder that the deck does not use.
  public let unused: [String]

  public init(cards: Int, bytes: Int, lost: [CardPart: Int] = [:], omitted: [String] = [], unused: [String] = []) {
    (self.cards, self.bytes, self.omitted, self.unused) = (cards, bytes, omitted, unused)
    self.lost = CardPart.allCases.compactMap { part in lost[part].map { (part, $0) } }
  }

  public var value: Value {
    let lost = Value.record(lost.map { ($0.part.rawValue, .integer($0.count)) })
    return .record(
      [("cards", .integer(cards)), ("bytes", .integer(bytes)), ("lost", lost)]
        + (unused.isEmpty ? [] : [("unused", .list(unused.map { .text($0) }))]))
  }
}
