// The state of a game in the form in which it is saved and resumed, and a finished game in the history: one line of
// JSON. Invariant: encoding and decoding gives the same value; what is decoded is bounded and checked before it is
// used.

public import Files
public import Lexicon
import Values

/// Everything that `play --resume` needs of a game.
///
///     let text = try game.state.encoded
///     let state = try GameState(decoding: text)
///     let game = try Game.resume(state, mode: mode, lexicon: lexicon, random: random, clocks: clocks)
public struct GameState: Equatable, Sendable {
  /// A found word, with its points and its player (from 0).
  public struct Found: Equatable, Sendable {
    public var word: String
    public var points: Int
    public var player: Int
  }

  public var mode: String
  public var language: String
  /// The name of the lexicon: that of the language, unless it was loaded from a file.
  public var lexicon: String
  public var foldsAccents: Bool
  public var baseWord: String
  public var rules: [String]
  /// Oldest first. They are not part of the JSON.
  public var found: [Found]
  /// Without what follows from the mode and the found words.
  var tally: GameTally
  /// The requested length of base words, or nil.
  public var length: Int?
  /// Seconds played.
  public var elapsed: Double
  /// The mode's own data as text; the game itself does not read it.
  public var data: String?

  public var encoded: String {
    JSONWriter.text(
      of: .record([
        "version": 1, "mode": mode, "language": language, "lexicon": lexicon, "folds_accents": foldsAccents,
        "base_word": baseWord, "rules": rules, "bonus": tally.bonus, "hint_costs": tally.hintCosts,
        "current_player": tally.currentPlayer, "passes": tally.passes, "accepted_on_base": tally.acceptedOnBase,
        "has_given_up": tally.hasGivenUp, "elapsed": Value.measure(elapsed), "length": length, "data": data,
      ]))
  }
}

extension GameState {
  /// Reads what `encoded` wrote.
  public init(decoding text: String) throws(GameError) {
    self = try GameRecord.read(text) { json throws(ShapeFailure) in try GameState(json) }
  }

  private init(_ json: ValueReader) throws(ShapeFailure) {
    _ = try json["version"].integer(in: 1...1)
    mode = try json["mode"].text()
    language = try json["language"].text()
    lexicon = try json["lexicon"].text()
    foldsAccents = try json["folds_accents"].boolean()
    baseWord = try json["base_word"].text()
    rules = try json["rules"].elements().map { rule throws(ShapeFailure) in try rule.text() }
    found = []
    tally = GameTally(nextReward: 0, players: 0)
    tally.bonus = try json["bonus"].total()
    tally.hintCosts = try json["hint_costs"].elements().map { cost throws(ShapeFailure) in try cost.count() }
    tally.currentPlayer = try json["current_player"].count()
    tally.passes = try json["passes"].count()
    tally.acceptedOnBase = try json["accepted_on_base"].count()
    tally.hasGivenUp = try json["has_given_up"].boolean()
    length = json["length"].value?.integer
    elapsed = try json["elapsed"].number()
    data = json["data"].value?.text
  }

  /// - Throws: `GameError.badState` if the state names a player that its mode does not have.
  public func checkPlayers(of mode: Mode) throws(GameError) {
    let players = 0..<mode.players
    guard players.contains(tally.currentPlayer), found.allSatisfy({ players.contains($0.player) }) else {
      throw .badState(reason: "it names a player that does not exist")
    }
  }
}

extension Game {
  public var state: GameState { get throws { try state(foundFrom: 0) } }

  /// The current state of the game, with only the found words from index `first` on.
  public func state(foundFrom first: Int) throws -> GameState {
    var tally = tally
    (tally.nextReward, tally.declined) = (0, nil)
    return GameState(
      mode: mode.name, language: language.name, lexicon: lexicon.name, foldsAccents: lexicon.foldsAccents,
      baseWord: baseWord, rules: rules.map(\.description), found: foundWords.state(from: first), tally: tally,
      length: choice.wantedLength, elapsed: clock.elapsed, data: try dataText)
  }

  /// Resumes a game. `mode` and `lexicon` are those that the state names; the mode's `setup` is not called.
  public static func resume(
    _ state: GameState, mode: Mode, lexicon: Lexicon, common: CommonWords? = nil, random: any RandomNumberGenerator,
    clocks: Clocks
  ) throws(GameError) -> Game {
    guard state.mode == mode.name else { throw .badState(reason: "it belongs to another mode") }
    try state.checkPlayers(of: mode)
    let choice: BaseChoice = (random, state.length)
    let game = Game(mode: mode, lexicon: lexicon, common: common, choice: choice, clocks: clocks)
    let rules = try state.rules.map { (text) throws(GameError) in try Rule(parsing: text) }
    game.play(try game.words.checked(base: state.baseWord), rules: rules)
    game.foundWords.add(state.found)
    game.ownData.stored = state.data
    game.tally = state.tally
    game.tally.nextReward = mode.scoring.firstReward(after: game.count)
    game.tally.hintCosts = (0..<mode.players).map { $0 < state.tally.hintCosts.count ? state.tally.hintCosts[$0] : 0 }
    game.clock.set(elapsed: max(0, state.elapsed))
    return game
  }
}

extension FoundWords {
  /// The words from `first` on, oldest first.
  func state(from first: Int) -> [GameState.Found] {
    entries.dropFirst(first).map { GameState.Found(word: word($0), points: $0.points, player: $0.player) }
  }

  func add(_ found: [GameState.Found]) {
    for found in found { add(found.word, letters: found.word.count, points: found.points, player: found.player) }
  }
}

/// Reads the JSON in which games are stored; a value that is missing, of another type or out of bounds is an error.
enum GameRecord {
  /// The bounds of counts and points in a game; sums of numbers within them never overflow.
  static let bounds = -1_000_000_000...1_000_000_000
  /// The bounds of sums of points: those of a million words.
  static let totals = -1_000_000_000_000_000...1_000_000_000_000_000

  static func read<Content>(
    _ text: String, _ body: (ValueReader) throws(ShapeFailure) -> Content
  ) throws(GameError) -> Content {
    let limits = JSONLimits(bytes: 16 << 20, depth: 16, values: 1_000_000, string: 4 << 20)
    let value: Value
    do { value = try JSONParser.parse(Array(text.utf8), limits: limits) } catch {
      throw .badState(reason: error.placedWords)
    }
    do throws(ShapeFailure) { return try body(ValueReader(value).asRecord()) } catch {
      let place = error.name.map { "\"\($0)\": " } ?? ""
      throw .badState(reason: "\(place)\(error.expected) expected, \(error.found ?? "nothing") found")
    }
  }
}

extension ValueReader {
  func count() throws(ShapeFailure) -> Int { try integer(in: GameRecord.bounds) }
  func total() throws(ShapeFailure) -> Int { try integer(in: GameRecord.totals) }
}

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
