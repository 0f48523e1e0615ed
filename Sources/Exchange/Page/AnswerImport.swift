// Imports the answers of a page, each as if it had been given here at its time. The file is JSON Lines, of which the
// first names the deck and each other one is an answer.
// Invariant: the whole file is read before any answer is applied; an error names its line and changes nothing; answers
// that are in the log already are skipped, so importing the same file again changes nothing.

public import Decks
public import Files
import Memory
public import Storage
import Text
public import Values

/// The report of an import of answers.
///
///     report.entered   // answers that changed a schedule
public struct AnswerReport: Equatable, Sendable {
  public internal(set) var entered = 0
  /// Answers older than the card's last answer here: added to the log without changing the schedule.
  public internal(set) var older = 0
  public internal(set) var known = 0
  public internal(set) var unknown = 0

  public var value: Value { .record(["entered": entered, "older": older, "known": known, "unknown": unknown]) }
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

struct PageAnswer: Equatable {
  let guid: String
  let subdeck: String
  /// Seconds since 1970.
  let at: Double
  let rating: Rating
  let seconds: Double
}

/// Parses a file of answers.
///
///     let file = AnswerFile(path: path, deck: deck.pageID, now: now)
///     let answers = try file.answers(of: bytes)
struct AnswerFile {
  /// The limit on a file's size in bytes, which is enough for about 600,000 answers.
  static let limit = 64 << 20
  /// How many seconds the clock of the other machine may be ahead.
  private static let clockSlack = 300.0
  private static let limits = JSONLimits(bytes: 4096, depth: 2, values: 50, string: 2048)

  let path: String
  let deck: String
  let now: Double

  func answers(of bytes: [UInt8]) throws(ExchangeError) -> [PageAnswer] {
    var answers: [PageAnswer] = []
    var isFirst = true
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
      let reader = ValueReader(try value(line.withoutMark, index + 1))
      if isFirst { try checkHead(reader, index + 1) } else { answers.append(try answer(reader, index + 1)) }
      isFirst = false
    }
    if isFirst { throw failure(1, "an answer file expected, this file is empty") }
    return answers
  }

  private func value(_ line: ArraySlice<UInt8>, _ number: Int) throws(ExchangeError) -> Value {
    do throws(JSONFailure) { return try JSONParser.parse(Array(line), limits: Self.limits) } catch {
      throw .badFile(path: path, line: number, column: error.column, expected: error.words)
    }
  }

  private func failure(_ line: Int, _ expected: String) -> ExchangeError {
    .badFile(path: path, line: line, column: 1, expected: expected)
  }

  private func checkHead(_ reader: ValueReader, _ line: Int) throws(ExchangeError) {
    guard let given = reader["deck"].value?.text, let version = reader["version"].value?.integer else {
      throw failure(line, "the first line of an answer file expected, {\"deck\": ..., \"version\": 1}")
    }
    guard version == 1 else { throw failure(line, "version 1 of an answer file expected, version \(version) found") }
    guard given == deck else {
      throw failure(line, "answers for this deck expected, these are from a page of another deck")
    }
  }

  private func answer(_ reader: ValueReader, _ line: Int) throws(ExchangeError) -> PageAnswer {
    do throws(ShapeFailure) {
      let rating = try reader["rating"].integer(in: 1...4)
      let at = try reader["at"].number()
      if !(at > 0 && at <= now + Self.clockSlack) {
        throw reader["at"].failure("a time in the past (is the clock of one of the two machines wrong?)")
      }
      let seconds = reader["seconds"].value == nil ? 0 : try reader["seconds"].number()
      return PageAnswer(
        guid: try reader["guid"].text(), subdeck: reader["subdeck"].value == nil ? "" : try reader["subdeck"].text(),
        at: at, rating: Rating(rawValue: Int64(rating)) ?? .again, seconds: max(0, seconds))
    } catch {
      let found = error.found.map { ", \($0) found" } ?? ""
      throw failure(line, "\(error.name.map { "\"\($0)\": " } ?? "")\(error.expected) expected\(found)")
    }
  }
}
