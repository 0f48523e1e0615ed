// Games and sessions through the workspace: what is stored, scored and notified, whoever guesses or answers.

import Decks
import Memory
import Problems
import TestWorkspace
import Text
import WordGames

@testable import Workspace

/// Records its notifications.
private final class Witness: WorkspaceObserver {
  var observesWords = true { didSet { observesWordsDidChange?() } }
  var observesWordsDidChange: (() -> Void)?
  var seen: [String] = []
  var onEvent: (WorkspaceEvent) throws -> Void = { _ in }

  func notify(_ event: WorkspaceEvent) throws {
    switch event {
    case .wordFound(let game, let word): seen.append("word \(word) \(game.game.count)")
    case .gameFinished(let game): seen.append("game \(game.game.score)")
    case .cardAnswered(let card, let answer): seen.append("card \(try card.record().prompt) \(answer)")
    case .sessionFinished(let right, let wrong): seen.append("session \(right) \(wrong)")
    }
    try onEvent(event)
  }
}

private struct Stop: Error {}

private final class TestData: ModeData {
  var text: String?
  init(_ text: String?) { self.text = text }
}

@Suite struct GameHandleTests {
  private let person = Person()
  private let workspace: Workspace
  private let witness = Witness()

  init() throws {
    workspace = try person.workspace()
    workspace.observer = witness
  }

  /// Adds a mode for any letters that ends after two words or two refusals.
  private func addShortMode() throws {
    var (mode, refusals) = (Mode(name: "short", title: "Short", summary: "", rules: [.minLength(2)]), 0)
    mode.hooks.accept = { _, word in
      if word != "no" { return nil }
      refusals += 1
      return PlainProblem(code: "no", title: "No", message: "No")
    }
    mode.hooks.finished = { $0.count > 1 || refusals > 1 }
    mode.hooks.makeData = { TestData($0 ?? "fresh") }
    try workspace.modes.add(mode, owner: .user)
  }

  private func start(_ mode: String = "classic") throws -> GameHandle {
    var wanted = GameOptions()
    (wanted.mode, wanted.base, wanted.language) = (mode, "cambering", "english")
    return try workspace.games.start(wanted)
  }

  private func code(_ word: String, _ game: GameHandle) throws -> String? {
    try game.game.code(of: game.guess(word).outcome)
  }

  /// Guesses as Lua does.
  private func guessLater(_ word: String, _ game: GameHandle) throws -> GuessOutcome {
    var word = word
    return try word.withUTF8 { try game.guess(game.game.read($0)) }
  }

  @Test func `a typed guess is stored when it is answered, and notified once`() throws {
    let game = try start()
    #expect(try game.guess("  GRACE ").word == "grace")
    #expect(try code("grace", game) == "already_used" && code("zzz", game) == "not_possible")
    #expect(witness.seen == ["word grace 1"])
    witness.observesWords = false
    #expect(try code("cambering", try start()) == nil && witness.seen.count == 1)
    witness.observesWords = true
    #expect(try code("cambering", try start()) == nil && witness.seen.count == 2)
    _ = try game.hint()
    try workspace.games.store()
    #expect(try workspace.read { try GameTable.saved($0) }?.state.found.map(\.word) == ["grace"])
    try workspace.close()
    let resumed = try #require(try person.workspace().games.resume())
    #expect(resumed.game.found == ["grace"])
    #expect(try code("cambering", resumed) == nil)
    #expect(try resumed.workspace.read { try GameTable.saved($0) }?.state.found.count == 2)
    try resumed.workspace.close()
  }

  @Test func `a program's guess is stored at the end of the operation, and of two games the last one`() throws {
    let (first, second) = (try start(), try start())
    for game in [first, second, first] { _ = try guessLater(game.game.count == 0 ? "grace" : "cambering", game) }
    #expect(try workspace.read { try GameTable.saved($0) } == nil)
    try workspace.games.store()
    #expect(try workspace.read { try GameTable.saved($0) }?.state.found.map(\.word) == ["grace", "cambering"])
    _ = try guessLater("cambering", second)
    try workspace.close()
    let again = try person.workspace()
    #expect(try again.games.resume()?.game.found == ["cambering", "grace"])
    try again.close()
  }

  @Test func `a unit that is rolled back removes its guesses, and the game is stored whole after it`() throws {
    let game = try start()
    #expect(try code("grace", game) == nil)
    try workspace.beginUnit()
    _ = try guessLater("cambering", game)
    #expect(workspace.unitSummary == "saving a game")
    try workspace.rollbackUnit()
    try workspace.games.store()
    #expect(try workspace.read { try GameTable.saved($0) }?.state.found.count == 1)
    try workspace.beginUnit()
    try game.guess("cab").word == "cab" ? workspace.games.store() : ()
    try workspace.rollbackUnit()
    try workspace.games.store()
    _ = try game.leave(since: game.game.state)
    #expect(try workspace.read { try GameTable.saved($0) }?.state.found.count == game.game.count)
    try workspace.close()
  }

  @Test(arguments: ["word", "refusal", "give up"])
  func `the end of a game is stored and notified once, whatever caused it`(cause: String) throws {
    try addShortMode()
    let game = try start("short")
    #expect(try code("aa", game) == nil)
    switch cause {
    case "word": #expect(try code("bb", game) == nil)
    case "refusal": #expect(try (code("no", game), code("no", game)) == ("no", "no"))
    default: try game.giveUp()
    }
    #expect(try code("cc", game) == "over" && code("dd", game) == "over")
    _ = try game.leave(since: game.game.state)
    #expect(witness.seen.filter { $0.hasPrefix("game") }.count == 1 && witness.seen.last?.hasPrefix("game") == true)
    #expect(try workspace.games.results().map(\.mode) == ["short"])
    #expect(try workspace.games.resume() == nil)
    try workspace.close()
  }

  @Test func `a game that ends does not remove another game's saved state`() throws {
    try addShortMode()
    let kept = try start()
    #expect(try code("grace", kept) == nil)
    let other = try start("short")
    try other.giveUp()
    #expect(try workspace.games.resume()?.game.found == ["grace"])
    try workspace.close()
  }

  @Test func `an interruption in an observer loses no word, and an observer may guess`() throws {
    let (game, other) = (try start(), try start())
    witness.onEvent = { event in
      if case .wordFound(let found, _) = event, found === game { _ = try guessLater("cambering", other) }
    }
    #expect(try code("grace", game) == nil)
    #expect(witness.seen == ["word grace 1", "word cambering 1"])
    witness.onEvent = { _ in throw Stop() }
    #expect(throws: Stop.self) { try game.guess("cambering") }
    #expect(try workspace.read { try GameTable.saved($0) }?.state.found.map(\.word) == ["grace", "cambering"])
    try workspace.close()
  }

  @Test func `a mode creates its data from what was stored`() throws {
    try addShortMode()
    let game = try start("short")
    #expect(try game.game.dataText == nil)
    let data = try #require(try game.game.data() as? TestData)
    #expect(data.text == "fresh")
    data.text = "used"
    #expect(try code("aa", game) == nil)
    let resumed = try #require(try workspace.games.resume())
    #expect(try resumed.game.dataText == "used")
    #expect(try resumed.game.data()?.text == "used")
    try workspace.close()
  }
}

@Suite struct SessionHandleTests {
  @Test func `each answer and the end of a session are notified once`() throws {
    let person = Person()
    let (workspace, witness) = (try person.workspace(), Witness())
    workspace.observer = witness
    let deck = try workspace.decks.create("d")
    for prompt in ["b", "a"] { _ = try deck.add(NewCard(prompt: prompt, answer: "x")) }
    var wanted = SessionHandle.Options(try workspace.preferences())
    wanted.mode = .sprint
    let sprint = try deck.study(wanted)
    try sprint.answer(.good)
    try sprint.answer(.good)
    #expect(throws: DeckError.over) { try sprint.answer(.good) }
    try sprint.finishIfOver()
    #expect(witness.seen == ["card a right", "card b right", "session 2 0"])
    witness.seen = []
    try sprint.restart()
    try sprint.finishIfOver()
    try sprint.answer(.again)
    #expect(witness.seen == ["card a wrong"])
    wanted.mode = .review
    let review = try deck.study(wanted)
    witness.seen = []
    while !(try review.progress().isOver) { try review.answer(.easy) }
    try review.finishIfOver()
    #expect(witness.seen == ["card a easy", "card b easy", "session 2 0"])
    try workspace.close()
  }
}

@Suite struct LongGameTests {
  /// One word for each combination of three letters of a short alphabet.
  private static let words: [String] = {
    let letters = Array("abcdefghijk")
    return letters.flatMap { a in letters.flatMap { b in letters.map { "\(a)\(b)\($0)" } } }
  }()

  @Test func `a game of more than a thousand found words is judged, stored and resumed whole`() throws {
    let person = Person()
    try person.folder.write(Self.words.joined(separator: "\n") + "\n", to: "words/american-english")
    let workspace = try person.workspace()
    try workspace.modes.add(
      Mode(name: "all", title: "All", summary: "", rules: [.inDictionary, .unused]), owner: .user)
    var options = GameOptions()
    (options.mode, options.base, options.language) = ("all", "aaa", "english")
    let game = try workspace.games.start(options)
    for word in Self.words { #expect(try game.game.code(of: game.guess(word).outcome) == nil, "\(word)") }
    for word in Self.words { #expect(try game.game.code(of: game.guess(word).outcome) == "already_used", "\(word)") }
    #expect(game.game.count == Self.words.count && game.game.found == Self.words.reversed())
    try workspace.close()
    let again = try person.workspace()
    try again.modes.add(Mode(name: "all", title: "All", summary: "", rules: [.inDictionary, .unused]), owner: .user)
    let resumed = try #require(try again.games.resume())
    #expect(resumed.game.found == Self.words.reversed())
    #expect(try resumed.game.code(of: resumed.guess("aab").outcome) == "already_used")
    try again.close()
  }
}
