// Reads the file of answers that a page exports: JSON Lines, of which the first names the deck and each other one is
// an answer. Invariant: the whole file is read before any answer is applied; an error names its line and changes
// nothing.

import Decks
import Files
import Memory
import Text
import Values

/// An answer that was given on a page.
struct PageAnswer: Equatable {
  let guid: String
  /// The name of the deck within the page's deck; empty for the latter itself.
  let subdeck: String
  /// Seconds since 1970.
  let at: Double
  let rating: Rating
  /// How long the user took.
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
  /// The page id of the deck to which the answers must belong.
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
