// Exercises that Lua defines: the module `study`, and what `prepare` and `grade` get. Invariant: an error in an
// exercise costs only the question that it was about.

import Decks
import Files
import Language
import Lexicon
public import LuaRuntime
import Memory
import Problems
import Templates
import Text
import Values
import Workspace

/// The seconds that `prepare` may take.
private let preparationTime = 0.1

func studyModule(_ context: BindingContext) -> BoundModule {
  context.module("study", "Exercises: other ways to ask a card; what an answer is worth.", grant: .any(.study)) {
    module in
    module.function(
      "exercise", ["description": .table], returns: .table.orProblem,
      example: "{name = \"write\", input = \"text\", prepare = function(card) return {prompt = card.answer, "
        + "expected = card.prompt} end}",
      "Adds an exercise: {name=, title=, summary=, input=\"text\"|\"choice\"|\"order\"|\"self\", "
        + "kind=\"recall\"|\"recognition\", prepare=, grade=}. prepare(card, ask) returns {prompt=, say=, choices=, "
        + "tokens=, expected=, hint=, reveal=, rest=}, or nil and why the card is asked as usual; grade(shown, given) "
        + "returns {rating=, feedback=}. Codes: exists, bad_exercise."
    ) { stack in
      let table = try stack.table(1, "a table that describes an exercise")
      let (exercise, summary) = (try readExercise(table, context), try table.optionalText("summary") ?? "")
      try context.storing("exercise", exercise.name, stack) {
        try context.workspace().exercises.add(exercise, exercise.name, summary: summary, owner: context.owner)
      }
      let kind = exercise.isRecognition ? "recognition" : "recall"
      return LuaValue.record(["name": exercise.name, "input": exercise.input.rawValue, "kind": kind])
    }
    module.function(
      "compare", ["given": .string, "expected": .string], returns: .table,
      example: "(\"el pero come\", \"El perro come.\")",
      "The answer compared word by word, as for typed answers: {rating=, words={{mark=, given=, expected=}...}}; a "
        + "mark is right, accent, typo, wrong, missing or extra. A typo is no word of the language of texts."
    ) { stack in
      let (given, expected, words) = (try stack.text(1), try stack.text(2), try context.workspace().words)
      let compared = WordComparison(given: given, expected: expected, isWord: words.isListed).words
      return LuaValue(.record(["rating": compared.rating.name, "words": compared.map(\.value)]))
    }
  }
}

private func readExercise(_ table: borrowing LuaTable, _ context: BindingContext) throws -> Exercise {
  // `plugin.json` has what is shown of a plugin's exercise.
  try table.allowOnly(["name", "title", "summary", "input", "kind", "prepare", "grade"])
  let (name, kind) = (try table.text("name"), try table.optionalText("kind") ?? "recall")
  guard let input = Exercise.Input(rawValue: try table.text("input")), ["recall", "recognition"].contains(kind),
    let prepare = try table.optionalFunction("prepare"), PluginName(name) != nil
  else {
    throw WorkspaceError.badExercise(
      name: name,
      reason: "a name of lowercase letters, digits, _ and -, input \"text\", \"choice\", \"order\" or \"self\", kind "
        + "\"recall\" or \"recognition\", and a function prepare expected")
  }
  var exercise = Exercise(name, input) { session, card, seed in
    try context.preparing(name, prepare, Asking(session: session, card: card, random: RandomChoices(seed: seed)))
  }
  exercise.isRecognition = kind == "recognition"
  if let grade = try table.optionalFunction("grade") {
    exercise.grade = { shown, given in try context.grading(name, grade, shown, given, input) }
  }
  return exercise
}

extension BindingContext {
  /// Asks an exercise for the question of a card. What goes wrong in it is the reason to ask the card as itself.
  fileprivate func preparing(
    _ name: String, _ function: LuaReference, _ asking: Asking
  ) throws -> (Value.Record?, reason: String) {
    if function.state.isClosed { return (nil, "the plugin of \(name) is off") }
    do {
      return try calling(.part("exercise", name, function: "prepare")) { try prepared(function, asking) }
    } catch {
      if let error = error as? LuaError, error.isRequestedStop { throw error }
      return (nil, printable(String("\(error)".lines[0]), limit: 200))
    }
  }

  private func prepared(_ function: LuaReference, _ asking: Asking) throws -> (Value.Record?, reason: String) {
    var budget = CallBudget(seconds: preparationTime)
    do {
      return try function.state.withBudget(&budget) {
        try function.call([LuaValue(asking.card.plain()), asking], results: 2) { stack in
          if stack.isNoneOrNil(-2) { return (nil, printable(try stack.optionalText(-1) ?? "no question", limit: 100)) }
          try stack.table(-2).allowOnly(CardQuestion.names)
          return (try stack.value(-2).plain?.record ?? [:], "")
        }
      }
    } catch let error as LuaError where error.stopReason == .deadline {
      throw LuaFailure.message("prepare took more than \(Int(preparationTime * 1000)) ms")
    }
  }

  /// Lets an exercise judge an answer; nil, after a report, if it fails.
  fileprivate func grading(
    _ name: String, _ function: LuaReference, _ shown: Value.Record, _ given: Exercise.Given, _ input: Exercise.Input
  ) throws -> (rating: Rating, feedback: String)? {
    let numbers = LuaValue.list(given.numbers.map { .integer($0) })
    let answer = input == .choice ? given.numbers[0].luaValue : given.numbers.isEmpty ? given.text.luaValue : numbers
    do {
      return try calling(.part("exercise", name, function: "grade")) {
        try function.call([LuaValue(.record(shown)), answer]) { stack in
          let table = try stack.table(-1, "a table with rating and feedback")
          return (try Rating(named: table.text("rating")), try table.optionalText("feedback") ?? "")
        }
      }
    } catch {
      if let error = error as? LuaError, error.isRequestedStop { throw error }
      events.report(owner, "exercise \(quoted(name))", error)
      return nil
    }
  }
}

/// What `prepare` gets as `ask`.
private struct Asking: LuaRepresentable {
  let session: SessionHandle
  let card: CardHandle
  let random: RandomChoices
  var luaValue: LuaValue { .none }

  func push(on stack: borrowing LuaStack) throws -> Int32 {
    try stack.reserve(16)
    stack.pushTable(array: 0, fields: 5)
    try stack.top.setField("language", session.workspace.words.textLanguage().name)
    try stack.top.setField("can_speak", session.options.canSpeak)
    try stack.top.setField(
      "others",
      LuaFunction("others") { [session, card, random] stack in
        var random = random
        let count = try stack.integer(1, in: 0...50)
        return LuaValue.list(try session.others(count, than: card, using: &random).map { LuaValue(try $0.plain()) })
      })
    try stack.top.setField(
      "shuffle",
      LuaFunction("shuffle") { [random] stack in
        var random = random
        return LuaValue.list(try stack.table(1).elements { try $0.value(-1) }.shuffled(using: &random))
      })
    try stack.top.setField(
      "forms",
      LuaFunction("forms") { [words = session.workspace.words] stack in
        let word = try stack.text(1, limit: longestWords)
        do {
          // The time to read data at its first use does not count against a plugin's limit.
          return LuaValue.list(
            try CallPause.pausingLimits { try words.forms(ofPhrase: word) }.map { LuaValue($0.value) })
        } catch is LanguageError {
          // The language has no data here.
          return LuaValue.none
        }
      })
    return 1
  }
}

extension BindingContext {
  /// Makes the function `ask(NAME, CARDS [, GIVEN])` of a plugin's tests: asks the first of some cards by an exercise,
  /// on data that is discarded. It returns the whole question, or nil and why not; with an answer, what that is worth.
  public func exerciseTester() -> LuaFunction {
    LuaFunction("ask", fails: true) { [self] stack in
      let workspace = try workspace()
      let exercise = try workspace.exercises.named(stack.text(1))
      let cards = try stack.table(2).elements { try readCard($0.table(-1)) }
      let deck = try workspace.decks.create("ask \(try workspace.decks.records().count)")
      _ = try deck.addAll(onDuplicate: .error) { batch in for card in cards { try batch.add(card) } }
      var options = SessionHandle.Options(try workspace.preferences())
      (options.exercise, options.isCram, options.reschedules) = (exercise, true, false)
      let session = try deck.study(options)
      guard let question = try session.question() else {
        try session.answer(.good)
        return LuaResults(LuaValue.none, try session.askedAsUsual())
      }
      guard !stack.isNoneOrNil(3) else { return LuaResults(LuaValue(.record(question.shown))) }
      return LuaResults(try judged(session, 3, on: stack))
    }
  }
}

/// Judges an answer, read as the line that a user would type: a text, a number, or a list of numbers.
func judged(_ session: SessionHandle, _ index: Int, on stack: borrowing LuaStack) throws -> LuaValue {
  let line =
    stack.kind(index) == .table
    ? try stack.table(index).elements { String(try $0.integer(-1)) }.joined(separator: " ") : try stack.text(index)
  // The time to compile a word list at its first use does not count against a plugin's limit.
  return LuaValue(try CallPause.pausingLimits { try session.give(line) }.value)
}
