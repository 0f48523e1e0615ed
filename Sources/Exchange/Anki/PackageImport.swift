// Imports the notes, cards, log, presets and media of a package, Anki's own folder or a CrowdAnki folder into a deck.
// Invariant: a package that is damaged anywhere changes nothing; importing it again changes nothing; memory grows
// by at most 48 bytes for each note.

public import Decks
public import Files
import Problems
public import Storage
import Templates
import Text
import Values

public struct PackageSettings {
  public var folder: String
  public var moment: StudyMoment
  /// Whether schedules are imported. Otherwise every card is imported as a new one.
  public var keepsSchedule = true
  /// What to do with a note that is already here; nil: it changes if the package's is newer.
  public var onDuplicate: OnDuplicate?
  public var isStrict = false
  /// The names, in lowercase, of fields of existing notes that stay as they are.
  public var keptFields: Set<String> = []
  public var isInterrupted: @Sendable () -> Bool
  public var receiveMedia: MediaReceiver

  public init(
    folder: String, moment: StudyMoment, isInterrupted: @escaping @Sendable () -> Bool,
    receiveMedia: @escaping MediaReceiver
  ) {
    (self.folder, self.moment) = (folder, moment)
    (self.isInterrupted, self.receiveMedia) = (isInterrupted, receiveMedia)
  }
}

/// One import: created, run and discarded within one operation.
///
///     let work = try PackageImport(db, into: deck, settings)
///     let report = try work.run("spanish.apkg")
public final class PackageImport {
  private let db: Database
  private let deck: DeckRecord?
  private let isFromServer: Bool
  private var settings: PackageSettings
  public private(set) var report = AddReport()
  /// The outermost decks that got cards, by name.
  public private(set) var decks: [String] = []
  private var lost: [String: Int] = [:]
  /// What became of each note; a note counts as a line.
  public private(set) var lines = LineReport()
  /// The media files of a folder that notes name, and that are neither there nor in the account.
  public private(set) var missingMedia: Set<String> = []

  /// - Parameter deck: nil if its decks keep their names.
  /// - Parameter isFromServer: whether it is the whole collection of a server, with rows that keep their ids.
  public init(_ db: Database, into deck: DeckID?, _ settings: PackageSettings, isFromServer: Bool = false) throws {
    (self.db, self.settings, self.isFromServer) = (db, settings, isFromServer)
    self.deck = try deck.map { try DeckTable.record(db, $0) }
  }

  /// Imports the whole package.
  /// - Parameters:
  ///   - format: the file's; the decks of Anki's own folder keep their names, within the deck that is imported into.
  ///   - kinds: which kinds of file are read: other than plain files only when the user typed the path.
  ///   - progress: called with the notes and answers done and their total; an error from it ends the import.
  /// - Throws: `PackageError` for a package that cannot be used, `FileError` for the file.
  public func run(
    _ path: String, as format: CardFormat = .apkg, _ kinds: FileKinds = .plain,
    progress: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> AddReport {
    let scratch = try Scratch(.package, in: settings.folder)
    return try withExtendedLifetime(scratch) {
      let package = try PackageFile(
        path, as: format, kinds, scratch: scratch, isInterrupted: settings.isInterrupted)
      let file = try package.collection(now: settings.moment.now)
      lines = package.lines
      // Its notes count as newer, unless they are the same.
      if format == .crowdanki, settings.onDuplicate == nil { settings.onDuplicate = .update }
      return try file.use { try run($0, PackageMedia(package, settings.receiveMedia), path, progress) }
    }
  }

  func run(
    _ foreign: Database, _ media: PackageMedia?, _ path: String, _ progress: (Int, Int) throws -> Void
  ) throws -> AddReport {
    let contents = try PackageFile.reading(path) { try ContentsReader(db: foreign, path: path).contents() }
    let targets = try PackageFile.reading(path) {
      try PackageTargets(
        db, foreign, into: deck, isFromServer: isFromServer, contents, settings.moment,
        isInterrupted: settings.isInterrupted)
    }
    let receiver = try NoteReceiver(
      db, now: settings.moment.now, isAlone: true, isInterrupted: settings.isInterrupted,
      field: media?.renaming(in:) ?? { $0 })
    (receiver.onDuplicate, receiver.keptFields) = (settings.onDuplicate, settings.keptFields)
    defer { media?.flush = {} }
    targets.flush = receiver.flush
    if let media { targets.template = media.renaming(inTemplate:) }
    media?.flush = receiver.flush
    let rows = try PackageFile.reading(path) { try PackageRows(foreign, keepsMarks: settings.keepsSchedule) }
    let log = "SELECT count(*) FROM revlog"
    let answers = try settings.keepsSchedule ? PackageFile.reading(path) { try foreign.count(log) } : 0
    func step(_ done: Int) throws {
      if settings.isInterrupted() { throw PackageError.interrupted(path: path) }
      try progress(done, rows.count + answers)
    }
    var done = 0
    while let note = try PackageFile.reading(path, { try rows.next() }) {
      done += 1
      if done % 256 == 0 { try step(done) }
      try receive(note, done, path, targets, receiver)
    }
    try receiver.finish()
    if rows.hasStrayCards {
      throw PackageError.damaged(
        path: path, place: "a card", reason: "belongs to no note; Check Database in Anki removes it")
    }
    try receiveLog(foreign, path, receiver, contents) { try step(done + $0) }
    if isFromServer { try targets.importUnused() }
    try targets.givePresets()
    if let media { try receiveRest(of: media) }
    decks = try targets.outermost()
    let repeated = receiver.repeatedCount
    if repeated > 0 { lost["notes with the guid of another note of the package"] = repeated }
    report.lost += lost.sorted { $0.key < $1.key }.map { "\($0.key) (\(counted($0.value, "note")))" }
    report.lose(rows.refusedTags, "tag", " of more than \(Tags.limit) characters, or beyond 1,000 of a note")
    return report
  }

  private func receiveRest(of media: PackageMedia) throws {
    try media.receiveHidden()
    missingMedia = Set(try media.missing.filter { try MediaTable.named(db, $0) == nil })
    report.lose(media.unusedCount, "media file", " that no note names")
  }

  // MARK: Notes

  private func receive(
    _ note: PackagedNote, _ number: Int, _ path: String, _ targets: PackageTargets, _ receiver: NoteReceiver
  ) throws {
    if note.hasMoreCards { lost["cards with the same number as another card of their note", default: 0] += 1 }
    if note.cards.isEmpty {
      lines.leave(LeftLines(line: number, to: number, reason: .noCards), count: 1)
      return lost["notes without cards", default: 0] += 1
    }
    lines.rows += 1
    if try isOwn(note.note, receiver) { return report.skipped += note.cards.count }
    do {
      guard let type = try targets.type(note.note.type.rawValue) else {
        return try refuse(
          number, path, .failure(.badType), "note \(note.note.id.rawValue) has a note type that the package lacks")
      }
      let cards = note.cards.map { (id: $0.id, ordinal: $0.ordinal) }
      let outcome = try receiver.receive(note.note, of: type, cards: cards) { index in
        try targets.card(note.cards[index], keepsSchedule: settings.keepsSchedule)
      }
      switch outcome {
      case .added(let count): report.added += count
      case .updated(let count): report.updated += count
      case .skipped: report.skipped += note.cards.count
      case .conflicting:
        report.skipped += note.cards.count
        lost["notes that already exist with other fields, which were left unchanged", default: 0] += 1
      }
    } catch let error as NoteError where error != .interrupted {
      try refuse(number, path, error.report.code, error.message)
    } catch let error as DeckError {
      if case .duplicate = error {
        let name = NoteTable.firstFieldKey(note.note.fields.first ?? "")
        throw ExchangeError.alreadyThere(
          path: path, reason: name.isEmpty ? error.message : "the note \(quoted(name)) already exists")
      }
      try refuse(number, path, error.report.code, error.message)
    }
  }

  /// Whether it is a note of this account to which an export gave another guid, because a note of another deck has its
  /// own one.
  private func isOwn(_ note: NoteRecord, _ receiver: NoteReceiver) throws -> Bool {
    guard note.guid.hasSuffix("/\(note.id.rawValue)") else { return false }
    try receiver.flush()
    guard try NoteTable.exists(db, note.id) else { return false }
    return try CollectionWriter.distinctGuid(NoteTable.record(db, note.id).guid, of: note.id.rawValue) == note.guid
  }

  private func refuse(_ number: Int, _ path: String, _ code: ProblemCode, _ message: String) throws {
    if settings.isStrict { throw PackageError.damaged(path: path, place: "note \(number):", reason: message) }
    report.reject(Rejection(index: number, code: code, message: message))
  }

  // MARK: The log

  /// Imports the review log, also for cards that are not new and do not record their last review.
  private func receiveLog(
    _ foreign: Database, _ path: String, _ receiver: NoteReceiver, _ contents: PackageContents,
    step: (Int) throws -> Void
  ) throws {
    guard settings.keepsSchedule else { return }
    let reviews = try ReviewReceiver(db, of: isFromServer ? nil : receiver.cards, isWhole: isFromServer)
    // Anki's first scheduler had no "hard" for cards in learning and relearning: 2 was good, 3 easy. No server has it.
    let isShifted = contents.usesFirstScheduler && !isFromServer ? "type IN (0, 2) AND ease IN (2, 3)" : "0"
    let sql = "SELECT id, cid, ease + (\(isShifted)), ivl, lastIvl, factor, time, type FROM revlog ORDER BY id"
    let walk = try PackageFile.reading(path) { try Statement(foreign, sql) }
    var done = 0
    while let row = try PackageFile.reading(path, { try walk.next() }) {
      done += 1
      if done % 1024 == 0 { try step(done) }
      let answer = ForeignAnswer((2...7).map { row.integer($0) })
      try reviews.receive(ReceivedReview(id: row.integer(0), card: row.integer(1), answer: answer))
    }
    let without = try PackageFile.reading(path) {
      try foreign.rows("SELECT id FROM cards WHERE type <> 0 AND instr(data, '\"lrt\"') = 0") { $0.integer(0) }
    }
    try reviews.finish(withoutLastReview: without)
    report.lose(reviews.impossible, "answer", " with an impossible rating or time")
    report.lose(reviews.dropped, "answer", AddReport.wereThere)
  }
}
