// Exercises: what a session asks, what an answer is worth, and when a card is asked as itself.

import Decks
import Memory
import Problems
import Templates
import TestWorkspace
import ToggleSettings
import Values

@testable import Workspace

@Suite struct ExerciseTests {
  private let person = Person()
  private let workspace: Workspace
  private let deck: DeckHandle

  init() throws {
    workspace = try person.workspace()
    deck = try workspace.decks.create("Spanish")
    for (prompt, answer) in [("gato", "cat"), ("perro", "dog"), ("luna", "moon"), ("sol", "sun"), ("mar", "sea")] {
      _ = try deck.add(NewCard(prompt: prompt, answer: answer), at: .bottom)
    }
  }

  private func session(_ exercise: Exercise, limit: Int? = nil) throws -> SessionHandle {
    var options = SessionHandle.Options(try workspace.preferences())
    (options.exercise, options.limit) = (exercise, limit)
    return try deck.study(options)
  }

  /// Shows the prompts of three other cards and the card's own; the card `perro` is asked as itself.
  private func choice(isRecognition: Bool = false) -> Exercise {
    var exercise = Exercise("choice", .choice) { session, card, seed in
      if try card.record().prompt == "perro" { return (nil, "no sentence") }
      var random = SeededNumbers(seed: seed)
      let others = try session.others(3, than: card, using: &random).map { try $0.record().prompt }
      let choices = (others + [try card.record().prompt]).shuffled(using: &random)
      let shown = Value.record(["prompt": "?", "choices": choices, "expected": try card.record().prompt, "hint": "h"])
      return (shown.record, "")
    }
    exercise.isRecognition = isRecognition
    return exercise
  }

  /// Asks what a function returns.
  private func asking(_ input: Exercise.Input, _ shown: Value) -> Exercise {
    Exercise("fixed", input) { _, _, _ in (shown.record, "") }
  }

  @Test func `the pairs of compare json have the marks and ratings that are listed there`() throws {
    let path = folder(of: #filePath) + "/../TemplatesTests/Fixtures/compare.json"
    let file = try #require(
      try JSONParser.parse(
        Array(text(of: path).utf8),
        limits: JSONLimits(
          bytes: 1 << 20, depth: 16, values: 10_000, string: 1 << 16)
      ).record)
    let known = Set(file["words"]?.list?.compactMap(\.text) ?? [])
    let pairs = file["pairs"]?.list?.compactMap(\.record) ?? []
    #expect(pairs.count == 22)
    for pair in pairs {
      let (given, expected) = (pair["given"]?.text ?? "", pair["expected"]?.text ?? "")
      let words = WordComparison(given: given, expected: expected, isWord: known.contains).words
      let wanted = pair["words"]?.list?.compactMap { $0.list?.compactMap(\.text) }
      #expect(words.map { [$0.mark.rawValue, $0.given, $0.expected] } == wanted, "\(given)")
      #expect(words.rating.name == pair["rating"]?.text, "\(given)")
    }
  }

  @Test func `a question is the same after an undo, and another one for the next answer of the card`() throws {
    let study = try session(choice())
    let first = try #require(try study.question()).shown
    #expect(first["choices"]?.list?.count == 4)
    #expect(try study.question()?.value.record?["expected"] == nil)
    try study.answer(.again)
    _ = try study.question()
    try study.undo()
    #expect(try study.question()?.shown == first)
  }

  @Test func `a card that an exercise does not ask is asked as itself, and the end says why`() throws {
    let study = try session(choice(), limit: 3)
    for _ in 0..<3 {
      if try study.card()?.record().prompt == "perro" {
        #expect(try study.question() == nil && study.give("x").rating == nil)
      }
      _ = try study.question()
      try study.answer(.easy)
    }
    #expect(try study.askedAsUsual() == "1 card asked as usual: 1 no sentence")
    try study.undo()
    try study.undo()
    #expect(try study.askedAsUsual() == "")
  }

  @Test func `recognition changes no schedule, whatever is asked for`() throws {
    let study = try session(choice(isRecognition: true))
    let card = try #require(try study.card())
    try study.answer(.good)
    #expect(try card.record().reps == 0 && card.answers().isEmpty)
  }

  @Test func `a choice is given by number or text, an order by numbers or words`() throws {
    let study = try session(
      asking(.choice, .record(["prompt": "?", "choices": ["Perro", "gato"], "expected": "gato"])))
    #expect(try study.give("2").rating == .good && study.give(" GATO ").rating == .good)
    #expect(try study.give("perro").rating == .again)
    for line in ["3", "0", "1 2", "", "x", "99999999999999999999"] {
      #expect(throws: WorkspaceError.notGiven(line, count: 2, isOrder: false)) { try study.give(line) }
    }
    let order = try session(
      asking(.order, .record(["prompt": "?", "tokens": ["come", "el", "perro"], "expected": "el perro come"])))
    for line in ["2 3 1", "231", "2, 3, 1", "El perro come."] {
      #expect(try order.give(line).rating == .good, "\(line)")
    }
    #expect(try order.give("123").rating == .again && order.give("").rating == .again)
    #expect(throws: WorkspaceError.notGiven("1 1", count: 3, isOrder: true)) { try order.give("1 1") }
    let unspaced = try session(asking(.order, .record(["prompt": "?", "tokens": ["いぬ", "は"], "expected": "いぬは"])))
    #expect(try unspaced.give("12").rating == .good && unspaced.give("21").rating == .again)
  }

  @Test func `the nearest of several expected texts counts, and a typo only where it is no listed word`() throws {
    let study = try session(asking(.text, .record(["prompt": "?", "expected": ["tuviera", "comida"]])))
    let near = try study.give("comidda")
    #expect(near.rating == .hard && near.words.map(\.mark) == [.typo] && near.expected == "tuviera")
    // The Spanish list of the test has "comidas".
    try workspace.preferences().tree.set("text.language", to: .text("spanish"), by: .user)
    #expect(try study.give("comidas").rating == .again)
  }

  @Test(
    arguments: [
      (Exercise.Input.text, ["prompt": "?"], "nothing expected"), (.text, ["expected": "x"], "no prompt and no say"),
      (.choice, ["prompt": "?", "expected": "x", "choices": ["x"]], "2 to 9 choices"),
      (.order, ["prompt": "?", "expected": "x"], "2 to 30 tokens"),
      (.text, ["prompt": 1, "expected": "x"], "no prompt and no say"),
      (.none, ["prompt": "?", "rest": String(repeating: "x", count: 5000)], "more than 4 KB"),
    ] as [(Exercise.Input, [String: any FieldValue & Sendable], String)])
  func `a question that cannot be asked costs only itself`(
    input: Exercise.Input, shown: [String: any FieldValue & Sendable], reason: String
  ) throws {
    let study = try session(asking(input, .record(shown.map { ($0.key, $0.value.fieldValue) })), limit: 1)
    #expect(try study.question() == nil)
    try study.answer(.easy)
    #expect(try study.askedAsUsual().contains(reason))
  }

  @Test func `a typed card is compared by words, and the exercise of a deck is its own`() throws {
    let note = NewNote(fields: ["Front": "the dog", "Back": "el perro"], tags: [], guid: nil)
    let typed = try workspace.decks.create("Typed")
    _ = try typed.addNote(note, typeNamed: "Basic (type in the answer)")
    let study = try typed.study(SessionHandle.Options(try workspace.preferences()))
    #expect(try study.question()?.value.record?["input"]?.text == "text")
    #expect(try study.give("El pérro!").rating == .hard && study.give("el gato").rating == .again)
    try typed.scheduling.set([], exercise: "gap")
    #expect(try typed.scheduling.limits().exercise == "gap" && deck.scheduling.limits().exercise == nil)
    #expect(try typed.scheduling.limits().json == #"{"exercise":"gap"}"#)
    try typed.scheduling.set([], exercise: "")
    #expect(try typed.scheduling.limits() == DeckLimits())
  }
}
