// A finished game in the history.
// Invariant: encoding and decoding gives the same value.

import Lexicon
import Values

/// The result of a game.
///
///     let results = try GameTable.results(db)
///     GameResult.best(of: results).first?.score
public struct GameResult: Equatable, Sendable {
  public var mode: String
  public var language: String
  public var baseWord: String
  public var count: Int
  public var score: Int
  /// The mean length of the words in letters.
  public var average: Double
  /// The longest word; of equally long words, the first found. Empty if none was found.
  public var longest: String
  public var scores: [Int]
  /// Seconds played.
  public var elapsed: Double
  /// When it was finished, in seconds since 1970.
  public var finishedAt: Double

  public var encoded: String {
    JSONWriter.text(
      of: .record([
        "mode": mode, "language": language, "base_word": baseWord, "count": count, "score": score,
        "average": Value.measure(average), "longest": longest, "scores": scores, "elapsed": Value.measure(elapsed),
        "finished_at": Value.measure(finishedAt),
      ]))
  }
}

extension GameResult {
  /// Reads what `encoded` wrote.
  public init(decoding text: String) throws(GameError) {
    self = try GameRecord.read(text) { json throws(ShapeFailure) in
      GameResult(
        mode: try json["mode"].text(), language: try json["language"].text(), baseWord: try json["base_word"].text(),
        count: try json["count"].count(), score: try json["score"].total(), average: try json["average"].number(),
        longest: try json["longest"].text(),
        scores: try json["scores"].elements().map { score throws(ShapeFailure) in try score.total() },
        elapsed: try json["elapsed"].number(), finishedAt: try json["finished_at"].number())
    }
  }

  /// The best result of each mode and language, by score; of equal scores the earlier. In the order of `results`.
  public static func best(of results: [GameResult]) -> [GameResult] {
    var best: [GameResult] = []
    for result in results {
      guard let index = best.firstIndex(where: { $0.mode == result.mode && $0.language == result.language }) else {
        best.append(result)
        continue
      }
      let held = best[index]
      if (result.score, held.finishedAt) > (held.score, result.finishedAt) { best[index] = result }
    }
    return best
  }
}

extension Game {
  /// The result of the game so far. In a mode that does not count words, the average and the longest word are left
  /// empty. A hidden base word is given as the word that it hides.
  public var result: GameResult {
    let words = foundWords.words
    let longest = countsWords ? words.reduce("") { $1.count > $0.count ? $1 : $0 } : ""
    let solution: Solution?
    // A mode that fails here also fails where its solution is shown, where it is reported. The result is stored.
    do { solution = try self.solution } catch { solution = nil }
    return GameResult(
      mode: mode.name, language: language.name, baseWord: solution?.words.first ?? baseWord, count: count, score: score,
      average: countsWords ? average : 0, longest: longest, scores: scores, elapsed: clock.elapsed,
      finishedAt: clock.now)
  }
}
