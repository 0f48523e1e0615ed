// Writes decks as a package or a folder of CrowdAnki: notes, media, presets, schedules.
// Invariant: the same cards produce the same bytes, and ids and positions depend on nothing else; the target file is
// either the whole package or what it was before; memory does not grow with the number of cards; a note is written
// once, before the first of its cards.

public import Decks
public import Files
public import Storage
import Templates
import Text
import Values

/// Writes decks to a package.
///
///     let export = try PackageExport(db, decks: [deck], destination)
///     let report = try export.run(to: "spanish.apkg")
public final class PackageExport {
  private let db: Database
  private let decks: [DeckRecord]
  private let destination: ExchangeSettings

  /// - Parameter decks: each is exported with the decks nested in it; a `.colpkg` has all decks.
  public init(_ db: Database, decks: [DeckID], _ destination: ExchangeSettings) throws {
    (self.db, self.destination) = (db, destination)
    let decks = destination.isWhole ? try DeckTable.list(db).map(\.id) : decks
    self.decks = try decks.flatMap { try [DeckTable.record(db, $0)] + DeckTable.within(db, $0) }
      .distinct(by: \.id)
  }

  /// - Parameters:
  ///   - kinds: which kinds of file may be at the path: other than plain files only when the user typed it.
  ///   - progress: called with the cards done and their total; an error from it ends the export and leaves the file
  ///     unchanged.
  /// - Throws: `PackageError.noLibrary`, `.interrupted`, `FileError` for the file.
  public func run(
    to path: String, _ kinds: FileKinds = .plain, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> ExportReport {
    guard destination.format == .crowdanki || canReadPackages else { throw PackageError.noLibrary(path: path) }
    let scratch = try Scratch(.package, in: destination.folder)
    defer { withExtendedLifetime(scratch) {} }
    let collection = scratch.path("collection")
    let file = try ForeignDatabase.create(collection, isInterrupted: destination.isInterrupted)
    let total = try decks.reduce(0) { try $0 + DeckTable.count(db, $1.id) }
    let (cards, lost, media, folder) = try file.use { foreign in
      let writer = try CollectionWriter(foreign, ofSeveralDecks: decks.count > 1)
      let sent = try SentCollection(db, writer, destination)
      for deck in decks {
        try sent.add(deck) {
          if destination.isInterrupted() { throw PackageError.interrupted(path: path) }
          try progress(sent.cardCount, total)
        }
      }
      let media = try sent.finish()
      let isFolder = destination.format == .crowdanki
      let folder = isFolder ? try CrowdAnkiWriter(foreign, root: decks[0], media: media, destination) : nil
      return (sent.cardCount, sent.lost, media, folder)
    }
    try file.close()
    if let (bytes, unused) = try folder?.write(to: path, kinds) {
      return ExportReport(cards: cards, bytes: bytes, lost: lost, unused: unused)
    }
    let builder = PackageBuilder(path: path, scratch: scratch, destination: destination)
    return ExportReport(
      cards: cards, bytes: try builder.build(collection: collection, media: media, kinds), lost: lost)
  }
}

/// Clamps a time, which may be any number, to whole seconds.
func seconds(_ time: Double) -> Int64 { Int64(min(1e11, max(0, time.isNaN ? 0 : time))) }

final class SentCollection {
  private let db: Database
  private let writer: CollectionWriter
  private let destination: ExchangeSettings
  private let reviews: SentReviews
  private var head = CollectionHeadMaker()
  private var notes: SentNotes
  private(set) var cardCount = 0
  private(set) var lost: [CardPart: Int] = [:]

  init(_ db: Database, _ writer: CollectionWriter, _ destination: ExchangeSettings) throws {
    (self.db, self.writer, self.destination) = (db, writer, destination)
    // The tags of CrowdAnki are those that came.
    notes = SentNotes(db, writer, keepsMarks: destination.keepsSchedule || destination.format == .crowdanki)
    reviews = try SentReviews(db)
  }

  /// Writes a deck with its own cards, without those of nested decks.
  /// - Parameter step: called every 1,024 cards; an error from it ends the export.
  func add(_ deck: DeckRecord, step: () throws -> Void) throws {
    let schedule = SentSchedule(destination.moment, try DeckTable.options(db, deck.id))
    try head.add(db, deck)
    var position = 0
    let cards = try SentCards(db, in: deck.id)
    while let (card, row) = try cards.next() {
      try add(card, row, schedule, &position)
      cardCount += 1
      if cardCount % 1024 == 0 { try step() }
    }
  }

  func finish() throws -> [MediaRecord] {
    for type in notes.usedTypes { head.add(type) }
    let head = head.head()
    try writer.finish(head, hasIndices: destination.isWhole)
    let all = try MediaTable.list(db)
    if destination.isWhole { return all }
    let listed = head.decks.flatMap { $0[CrowdAnkiReader.kept]?.record?["media"]?.list ?? [] }
    let texts = notes.usedTypes.map { type in type.css + type.cards.map { $0.front + $0.back }.joined() }
    return all.filter { file in
      notes.mediaNames.contains(file.name) || listed.contains(.text(file.name))
        || file.name.hasPrefix("_") && texts.contains { $0.contains(text: file.name) }
    }
  }

  private func add(_ card: ListedCard, _ row: Row, _ schedule: SentSchedule, _ position: inout Int) throws {
    countLost(card)
    try notes.add(card.note.rawValue, row)
    head.note(max(card.modified, notes.lastModified))
    // Positions ascend in the order of the deck, for answered cards too. An imported position that fits is kept.
    let came = card.raw.flatMap(AnkiCard.stored)?.card
    position = (came?.place).map { max($0, position) } ?? position + 1
    var row = AnkiCard(due: position)
    if destination.keepsSchedule {
      row = schedule.row(of: card, position: position, lastReview: try writeLog(of: card.id))
      // What other programs store with a card stays when it was answered here.
      if let came, row.type != 0, row.data != came.data {
        row.data = ServerRows.merged(row.data, over: came.data, position: nil)
      }
      head.note(card.schedule.lastReview ?? 0)
    }
    row.recordPosition(position)
    (row.id, row.note, row.deck) = (card.id.rawValue, card.note.rawValue, card.deck.rawValue)
    row.ordinal = card.ordinal
    row.modified = Int64(seconds(card.modified))
    // A card that was made new again in Anki still has its numbers there.
    if row.type != 0 { (row.reps, row.lapses) = (card.schedule.reps, card.schedule.lapses) }
    try writer.add(row)
  }

  private func countLost(_ card: ListedCard) {
    if card.hasFields { lost[.fields, default: 0] += 1 }
    if card.hasDocument { lost[.documents, default: 0] += 1 }
    if !destination.keepsSchedule, !CardPlan(card).isPlain { lost[.schedule, default: 0] += 1 }
  }

  /// Writes the log of a card.
  /// - Returns: the time of the last answer in whole seconds, as written to the log.
  private func writeLog(of card: CardID) throws -> Int? {
    var (interval, last): (Int64, Int?) = (0, nil)
    for sent in try reviews.of(card) {
      let answer = ForeignAnswer(sent, last: interval)
      try writer.add(ReceivedReview(id: sent.id, card: card.rawValue, answer: answer))
      if answer.ease > 0 { last = Int(sent.id / 1000) }
      interval = answer.interval
    }
    return last
  }
}

struct SentNotes {
  private let db: Database
  private let writer: CollectionWriter
  private let keepsMarks: Bool
  private var types: [Int64: (type: NoteType, sortField: Int)] = [:]
  private var last: Int64?
  /// When the last written note was modified, in seconds since 1970.
  private(set) var lastModified = 0.0
  private(set) var mediaNames: Set<String> = []

  init(_ db: Database, _ writer: CollectionWriter, keepsMarks: Bool) {
    (self.db, self.writer, self.keepsMarks) = (db, writer, keepsMarks)
  }

  var usedTypes: [NoteType] { types.sorted { $0.key < $1.key }.map(\.value.type) }

  /// - Parameter row: the row of `SentCards` of one of its cards.
  mutating func add(_ id: Int64, _ row: Row) throws {
    if last == id { return }
    last = id
    if row.isNull(SentNoteColumn.guid.index) { throw DeckError.gone(what: "the note") }
    lastModified = row.number(SentNoteColumn.modified.index)
    let type = row.integer(SentNoteColumn.type.index)
    let sortField = try sortField(ofType: type)
    if try writer.hasNote(id) { return }
    let column = row.bytes(SentNoteColumn.fields.index)
    let fields = column.split(separator: 0x1F, omittingEmptySubsequences: false).map(TextBytes.init(rebasing:))
    // Each field by itself: a tag that is not closed ends with its field.
    for field in fields where field.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "[") }) {
      mediaNames.formUnion(MediaNames.inHTML(String(decoding: field, as: UTF8.self)) { _ in true })
    }
    let sorted = fields.indices.contains(sortField) ? fields[sortField] : fields[0]
    try FieldHTML.withSortText(of: fields[0]) { first in
      try FieldHTML.withSortText(of: sorted) { sorted in
        try writer.add(
          CollectionWriter.Note(
            id: id, guid: row.bytes(SentNoteColumn.guid.index), type: type,
            modified: row.integer(SentNoteColumn.modified.index),
            tags: tags(row.text(SentNoteColumn.tags.index)), fields: column, first: first, sorted: sorted,
            data: row.text(SentNoteColumn.data.index)))
      }
    }
  }

  private func tags(_ column: String) -> String {
    keepsMarks || column.isEmpty ? column : Tags.joined(Tags.withoutMarks(Tags.separated(column)))
  }

  private mutating func sortField(ofType id: Int64) throws -> Int {
    if let known = types[id] { return known.sortField }
    let type = try NoteTypeTable.record(db, NoteTypeID(rawValue: id))
    types[id] = (type, type.sortField)
    for side in type.cards.flatMap({ [$0.front, $0.back] }) {
      mediaNames.formUnion(MediaNames.inHTML(side) { _ in true })
    }
    return type.sortField
  }
}
