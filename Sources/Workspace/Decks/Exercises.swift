// Exercises: other ways to ask a card, which Lua adds; what a session asks, and what a given answer is worth.
// Invariant: a card that an exercise cannot ask is asked as itself; a card's question is the same until the card is
// answered, also after an undo; an exercise of recognition changes no schedule.

import Decks
public import Memory
import Problems
public import Templates
public import Text
public import Values

/// A way to ask a card, added by a plugin or the user.
public struct Exercise {
  public enum Input: String, Sendable {
    case text, choice, order
    /// Nothing is given: the user says how well it was known.
    case none = "self"
  }

  /// Makes the question of a card, or nil and in a few words why there is none. After an undo the seed is the same.
  public typealias Preparation = (SessionHandle, CardHandle, _ seed: UInt64) throws -> (Value.Record?, reason: String)
  /// What was given; the numbers of what was chosen are from 1.
  public typealias Given = (text: String, numbers: [Int])

  public let name: String
  public let input: Input
  /// Whether the answer is only recognised: a guess among four is right one time in four.
  public var isRecognition = false
  public let prepare: Preparation
  /// Judges an answer. Without it, or where it returns nil, the comparison with what is expected does.
  public var grade: ((Value.Record, Given) throws -> (rating: Rating, feedback: String)?)?

  public init(_ name: String, _ input: Input, prepare: @escaping Preparation) {
    (self.name, self.input, self.prepare) = (name, input, prepare)
  }
}

public typealias ExerciseTable = NamedTable<Exercise>

extension NamedTable<Exercise> {
  public convenience init() { self.init("exercise", .unknownExercise) }
}

/// What a given answer is worth. The rating is a proposal; nil where only the user can say.
public struct GivenResult {
  public let rating: Rating?
  public let feedback: String
  public let expected: String
  public let words: [WordComparison.Word]

  public var value: Value {
    .record(["rating": rating?.name, "feedback": feedback, "expected": expected, "words": words.map(\.value)])
  }
}

extension WordComparison.Word {
  public var value: Value { .record(["mark": mark.rawValue, "given": given, "expected": expected]) }
}

extension [WordComparison.Word] {
  /// Good if all is right, hard if only accents or letters slipped, else again; never easy.
  public var rating: Rating {
    allSatisfy { $0.mark == .right }
      ? .good : allSatisfy { [.right, .accent, .typo].contains($0.mark) } ? .hard : .again
  }
}

/// What a card asks instead of only being recalled.
public struct CardQuestion {
  public let input: Exercise.Input
  /// What the exercise returned.
  public let shown: Value.Record
  /// Nil for a card that asks for a typed answer by itself.
  public let exercise: Exercise?
  fileprivate var ignoresAccents = false

  public static let names = ["prompt", "say", "choices", "tokens", "expected", "hint", "reveal", "rest"]

  public func text(_ name: String) -> String? { shown[name]?.text }
  private func texts(_ name: String) -> [String] { shown[name]?.list?.compactMap(\.text) ?? [] }
  /// The name of the sound that is heard; `say` is a text that is spoken.
  public var sound: String? { shown["say"]?.record?["sound"]?.text }
  /// What to choose from, or the words to put in order.
  public var options: [String] { input == .choice ? texts("choices") : input == .order ? texts("tokens") : [] }
  public var expected: [String] { text("expected").map { [$0] } ?? texts("expected") }

  /// Why the question cannot be asked; nil if it can.
  fileprivate var fault: String? {
    if text("prompt") == nil, text("say") == nil, sound == nil { return "its question has no prompt and no say" }
    if input == .choice, !(2...9).contains(options.count) { return "its question needs 2 to 9 choices" }
    if input == .order, !(2...30).contains(options.count) { return "its question needs 2 to 30 tokens" }
    if expected.isEmpty, exercise?.grade == nil, input != .none { return "its question has nothing expected" }
    return shown["rest"]?.json.utf8.count ?? 0 > 4096 ? "rest has more than 4 KB" : nil
  }

  /// The question without its answer.
  public var value: Value {
    let open = ["prompt", "say", "choices", "tokens", "hint"].compactMap { name in shown[name].map { (name, $0) } }
    return .record([("input", .text(input.rawValue))] + open)
  }

  /// What a typed line gives: for a choice its number or its text, for an order the numbers or the words themselves;
  /// numbers below 10 need no blanks between them.
  /// - Throws: `WorkspaceError.notGiven`.
  fileprivate func given(_ line: String) throws(WorkspaceError) -> Exercise.Given {
    let options = options
    if options.isEmpty { return (line, []) }
    var words = line.split { $0.isWhitespace || $0 == "," }.map(String.init)
    if input == .order, words.count == 1, options.count < 10 { words = words[0].map { String($0) } }
    var numbers = words.compactMap { Int($0) }
    if numbers.count < words.count || words.isEmpty {
      if input == .order { return (line, []) }
      numbers = options.firstIndex { $0.lowercased() == line.trimmed.lowercased() }.map { [$0 + 1] } ?? []
    }
    guard numbers.count == (input == .order ? options.count : 1), Set(numbers).count == numbers.count,
      numbers.allSatisfy((1...options.count).contains)
    else { throw .notGiven(line, count: options.count, isOrder: input == .order) }
    return (numbers.map { options[$0 - 1] }.joined(separator: " "), numbers)
  }

  /// The comparison of what was given with the expected answer that is nearest to it.
  fileprivate func words(_ text: String, isWord: (String) -> Bool) -> [WordComparison.Word] {
    func squeezed(_ text: String) -> String { text.filter { !$0.isWhitespace } }
    if input != .text, let same = expected.first(where: { squeezed($0) == squeezed(text) }) {
      return [.init(.right, given: text, expected: same)]
    }
    if input == .choice { return expected.prefix(1).map { .init(.wrong, given: text, expected: $0) } }
    return expected.map {
      WordComparison(given: text, expected: $0, ignoresAccents: ignoresAccents) { input != .text || isWord($0) }
    }.min { $0.cost < $1.cost }?.words ?? []
  }
}

/// What a session remembers of its questions.
struct SessionQuestions {
  let seed: UInt64
  /// The cards of the decks that are studied.
  var family: [CardID] = []
  /// The question of the card that is shown; `number` counts the answers before it.
  var asked: (card: CardID, number: Int, question: CardQuestion?)?
  /// Why cards were asked as usual, by the number of answers before them.
  var reasons: [Int: (card: CardID, text: String)] = [:]
}

extension SessionHandle {
  /// Returns what the card asks; nil if it is only recalled, and in a sprint.
  public func question() throws -> CardQuestion? {
    guard options.mode == .review, let card = try card() else { return nil }
    let number = try answered()
    if let asked = questions.asked, asked.card == card.id, asked.number == number { return asked.question }
    var question = try prepared(card, number)
    if question == nil, let typed = try card.typedQuestion() {
      question = CardQuestion(input: .text, shown: ["expected": .text(typed.expected)], exercise: nil)
      question?.ignoresAccents = typed.ignoresAccents
    }
    if try workspace.preferences().study.forgivesAccents { question?.ignoresAccents = true }
    questions.asked = (card.id, number, question)
    return question
  }

  private func prepared(_ card: CardHandle, _ number: Int) throws -> CardQuestion? {
    guard let exercise = options.exercise else { return nil }
    let guid = try card.record().guid
    let seed = guid.utf8.reduce(questions.seed &+ UInt64(number)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let (shown, reason) = try exercise.prepare(self, card, seed)
    let question = shown.map { CardQuestion(input: exercise.input, shown: $0, exercise: exercise) }
    let fault = question.map(\.fault) ?? reason
    questions.reasons[number] = fault.map { (card.id, $0) }
    return fault == nil ? question : nil
  }

  /// Judges an answer to the card that is shown, without answering it.
  /// - Throws: `DeckError.over`, `WorkspaceError.notGiven`.
  public func give(_ line: String) throws -> GivenResult {
    guard let answer = try card()?.record().answer else { throw DeckError.over }
    guard let question = try question() else {
      return GivenResult(rating: nil, feedback: "", expected: answer, words: [])
    }
    let given = try question.given(line)
    let words = question.words(given.text, isWord: workspace.words.isListed)
    let judged = try question.exercise?.grade?(question.shown, given)
    return GivenResult(
      rating: judged?.rating ?? (question.input == .none || words.isEmpty ? nil : words.rating),
      feedback: judged?.feedback ?? "",
      expected: question.expected.first ?? answer, words: words)
  }

  /// Plays what the exercise says before its answer is shown, else the sounds of the side that was just shown, again
  /// those of both.
  /// - Returns: whether there is anything to play.
  /// - Throws: what playing and speaking throw.
  public func play(isAnswerShown: Bool, isAgain: Bool) throws -> Bool {
    guard let card = try card() else { return false }
    var sounds: [String] = []
    if !isAnswerShown, let question = try question(), question.exercise != nil {
      if let text = question.text("say") {
        try workspace.speech.say(text, in: workspace.words.textLanguage())
        return true
      }
      sounds = question.sound.map { [$0] } ?? []
    } else {
      let media = try card.media()
      if isAgain || !isAnswerShown { sounds = media.promptSounds }
      if isAnswerShown { sounds += media.answerSounds }
    }
    if !sounds.isEmpty { try workspace.media.play(sounds) }
    return !sounds.isEmpty
  }

  /// Returns other cards of the decks that are studied, in a random order, none of the card's own note; fewer than
  /// asked for if there are too few.
  public func others(
    _ count: Int, than card: CardHandle, using random: inout some RandomNumberGenerator
  ) throws -> [CardHandle] {
    if questions.family.isEmpty {
      questions.family = try workspace.read { db in
        try DeckFamilies.all(db, of: ([deck] + options.moreDecks).map(\.id)).flatMap {
          try CardTable.ids(db, in: $0.id)
        }
      }
    }
    var (family, found, own) = (questions.family, [CardHandle](), try card.record().note)
    while found.count < count, let place = family.indices.randomElement(using: &random) {
      family.swapAt(place, family.count - 1)
      let id = family.removeLast()
      let record = try workspace.read { try CardTable.card($0, id) }
      if let record, record.note != own { found.append(workspace.handle(of: record.id)) }
    }
    return found
  }

  /// Why the card that is shown is asked as usual; nil if an exercise asks it, or none was chosen.
  public func reasonAsUsual() throws -> String? { questions.reasons[try answered()]?.text }

  private func answered() throws -> Int { try progress().right + progress().wrong }

  /// How many answered cards were asked as usual, and why: `3 cards asked as usual: 2 no sound, 1 no sentence`; empty
  /// if none was.
  public func askedAsUsual() throws -> String {
    let answered = try answered()
    let reasons = Dictionary(grouping: questions.reasons.filter { $0.key < answered }.values, by: \.text)
    let counts = reasons.mapValues { Set($0.map(\.card)).count }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if counts.isEmpty { return "" }
    let words = counts.map { "\(grouped($0.value)) \($0.key)" }.joined(separator: ", ")
    return "\(counted(counts.reduce(0) { $0 + $1.value }, "card")) asked as usual: \(words)"
  }
}

extension CardHandle {
  /// The card as plain data for an exercise: texts without formatting, pictures and sounds. `words` are what it is
  /// about: the first line of its prompt and of its first field, and what is bold. `sentences` are its lines of three
  /// words or more. Neither has clozes.
  public func plain() throws -> Value {
    let (record, media, own) = (try record(), try media(), try fields())
    let names = media.promptSounds + media.answerSounds + media.promptPictures + media.answerPictures
    let (prompt, answer) = (
      CardMedia.text(record.prompt, without: names), CardMedia.text(record.answer, without: names)
    )
    let fields = own.map { field in
      if case .text(let html) = field.value { return (field.name, Value.text(FieldHTML.spoken(html))) }
      return (field.name, field.value.plain)
    }
    let texts = own.map { CardMedia.text(FieldHTML.text($0.value.written), without: names) }
    let bold = own.flatMap { $0.value.written.split(at: "<b>").dropFirst().map { $0.split(at: "</b>")[0] } }
    func lines(_ texts: [String], _ isWanted: (Substring) -> Bool) -> [String] {
      texts.flatMap(\.lines).filter { isWanted($0) && !$0.contains(text: "{{") && !$0.contains(text: "[...]") }
        .distinct { $0 }.map(String.init)
    }
    let firstLines = [prompt, texts.first ?? ""].map { String($0.lines[0]) }
    return .record([
      "guid": record.guid, "prompt": prompt, "answer": answer, "type": try value(of: .noteType),
      "fields": Value.record(fields), "tags": record.tags, "deck": try value(of: .deck),
      "words": lines(firstLines + bold.map { FieldHTML.spoken(String($0)) }) { !$0.isEmpty },
      "sentences": lines(texts + [prompt, answer]) { $0.split(separator: " ").count > 2 },
      "sounds": Value.record(["prompt": media.promptSounds, "answer": media.answerSounds]),
      "state": record.schedule.state.name, "reps": record.reps, "lapses": record.lapses,
    ])
  }
}
