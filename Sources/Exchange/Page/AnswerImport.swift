// Imports the answers of a page, each as if it had been given here at its time.
// Invariant: runs within one operation; answers that are in the log already are skipped, so importing the same file
// again changes nothing.

public import Decks
public import Files
public import Storage
public import Values

/// The report of an import of answers.
///
///     report.entered   // answers that changed a schedule
public struct AnswerReport: Equatable, Sendable {
  public internal(set) var entered = 0
  /// Answers older than the card's last answer here: added to the log without changing the schedule.
  public internal(set) var older = 0
  /// Answers that were in the log already.
  public internal(set) var known = 0
  /// Answers to cards that are not in the deck.
  public internal(set) var unknown = 0

  /// The report as `--json` prints it.
  public var value: Value {
    .record([
      ("entered", .integer(entered)), ("older", .integer(older)), ("known", .integer(known)),
      ("unknown", .integer(unknown)),
    ])
  }
}

/// Imports files of answers of a deck's page.
///
///     let work = try AnswerImport(db, into: deck, at: moment)
///     let report = try work.run(["spanish.answers"], isInterrupted: isInterrupted)
public struct AnswerImport {
  private let db: Database
  private let deck: DeckRecord
  private let decks: [DeckRecord]
  private let moment: StudyMoment

  /// - Parameter moment: the present.
  public init(_ db: Database, into deck: DeckID, at moment: StudyMoment) throws {
    self.db = db
    self.deck = try DeckTable.record(db, deck)
    decks = [self.deck] + (try DeckTable.within(db, deck))
    self.moment = moment
  }

  /// - Parameters:
  ///   - paths: `-` is standard input if `kinds` allows any kind of file. The answers are applied in the order of
  ///     their times, whichever file they come from.
  ///   - progress: called with the answers done and their total; an error from it ends the import.
  /// - Throws: `ExchangeError.badFile` with the line, `FileError`; nothing has been changed then.
  public func run(
    _ paths: [String], _ kinds: FileKinds = .plain, isInterrupted: @escaping () -> Bool,
    progress: ImportProgress = { _, _ in }
  ) throws -> AnswerReport {
    let answers = try paths.flatMap { path in
      let file = try ByteFile.given(path, kinds, isInterrupted: isInterrupted)
      let bytes = try file.rest(limit: AnswerFile.limit)
      return try AnswerFile(path: path, deck: deck.pageID, now: moment.now).answers(of: bytes)
    }
    var report = AnswerReport()
    var replay = try AnswerReplay(db, at: moment)
    for (index, answer) in answers.sorted(by: { $0.at < $1.at }).enumerated() {
      if index % 256 == 0 { try progress(index, answers.count) }
      guard let card = try card(of: answer) else {
        report.unknown += 1
        continue
      }
      switch try replay.enter(card, answer.rating, at: moment.at(answer.at), seconds: answer.seconds) {
      case .entered: report.entered += 1
      case .older: report.older += 1
      case .known: report.known += 1
      }
    }
    return report
  }

  /// Returns the card in the deck that the answer names, or else in the first deck that has it, because decks may be
  /// renamed.
  private func card(of answer: PageAnswer) throws -> CardID? {
    let named = decks.first { $0.name(within: deck) == answer.subdeck }
    for deck in [named].compactMap({ $0 }) + decks {
      if let card = try CardTable.id(db, guid: answer.guid, in: deck.id) { return card }
    }
    return nil
  }
}
