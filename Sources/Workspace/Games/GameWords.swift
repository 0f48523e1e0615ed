// The words of games: those of a deck as the list of a game; and those that were not found, with explanations, shown to
// a user who gave up, and added as cards.
// Invariant: a word of a deck's list is a prompt of one word, without its article, and has the answer of the first card
// that has it. A missed word becomes one card however often it is missed, and none without a meaning or a sentence.

public import Decks
import Language
import Lexicon
import Templates
import Text
public import Values
import WordGames

/// A word, and its meaning on a single line; nil if no dictionary has it.
public typealias ExplainedWord = (word: String, meaning: String?)

public struct MissedReport: Equatable, Sendable {
  public fileprivate(set) var cards = AddReport()
  /// How many words were skipped because there is neither a meaning nor a sentence for them.
  public fileprivate(set) var unexplained = 0
  /// How many words exceeded the limit of one game.
  public fileprivate(set) var left = 0

  public var value: Value {
    let fields = cards.value.record?.fields.map { ($0.name, $0.value) } ?? []
    return .record(fields + [("unexplained", .integer(unexplained)), ("left", .integer(left))])
  }
}

extension GameHandle {
  /// The most cards added from one game.
  public static let mostCards = 20
  /// The most words looked up for each word that is wanted.
  private static let triesPerWord = 5

  /// Returns words that were not found, to show to a user who gave up: the most frequent first, and only those with a
  /// meaning if any word has one.
  public func missedWords(_ limit: Int) throws -> [ExplainedWord] {
    var (explained, plain): ([ExplainedWord], [ExplainedWord]) = ([], [])
    var meanings = WordMeanings(self)
    try game.forEachMissed { word in
      guard meanings.isNew(word) else { return true }
      let missed = (word: word, meaning: try meanings.meaning(of: word))
      if missed.meaning == nil { plain.append(missed) } else { explained.append(missed) }
      return explained.count < limit && explained.count + plain.count < limit * Self.triesPerWord
    }
    return explained.isEmpty ? Array(plain.prefix(limit)) : explained
  }

  /// Returns the meanings of words, such as those that a mode names as the solution.
  public func meanings(of words: [String]) throws -> [ExplainedWord] {
    var meanings = WordMeanings(self)
    return try words.map { ($0, try meanings.meaning(of: $0)) }
  }

  /// Adds cards for words that were not found, at most `mostCards`. The prompt is the meaning, or a sentence from the
  /// user's cards with a gap for the word; the answer is the word.
  public func addMissed(to deck: DeckHandle) throws -> MissedReport {
    var (cards, report) = try missedCards()
    try add(cards, to: deck, &report)
    return report
  }

  /// Adds the cards to the deck with a name, which is created if there is a card for it, as one operation.
  public func addMissed(toDeckNamed name: String) throws -> MissedReport {
    var (cards, report) = try missedCards()
    if cards.isEmpty { return report }
    return try workspace.decks.openOrCreate(name, for: .addCards, count: cards.count) { deck in
      try add(cards, to: deck, &report)
      return report
    }
  }

  private func missedCards() throws -> ([NewCard], MissedReport) {
    var (meanings, cards, report) = (WordMeanings(self), [NewCard](), MissedReport())
    try forEachUnfound { word in
      guard meanings.isNew(word) else { return true }
      guard let prompt = try meanings.meaning(of: word) ?? meanings.sentence(with: word) else {
        report.unexplained += 1
        return cards.count + report.unexplained < Self.mostCards * Self.triesPerWord
      }
      cards.append(
        NewCard(prompt: prompt, answer: word, tags: ["missed"], guid: "missed:\(game.language.name):\(word)"))
      return cards.count < Self.mostCards
    }
    report.left = game.listsMissed ? max(0, game.missed().count - cards.count - report.unexplained) : 0
    return (cards, report)
  }

  /// Calls `body` with each missed word, or with the words of the mode's own solution that were found neither whole nor
  /// by their letters.
  private func forEachUnfound(_ body: (String) throws -> Bool) throws {
    if game.listsMissed { return try game.forEachMissed(body) }
    guard try game.ending() == .givenUp || hasEnded && !game.countsWords else { return }
    let found = Set(game.found)
    for word in try game.solution?.words ?? []
    where !found.contains(word) && !word.allSatisfy({ found.contains(String($0)) }) {
      if try !body(word) { return }
    }
  }

  private func add(_ cards: [NewCard], to deck: DeckHandle, _ report: inout MissedReport) throws {
    report.cards = try deck.addAll(onDuplicate: .skip) { batch in
      for card in cards { try batch.add(card) }
    }
  }
}

/// Explanations of the words of a language: the user's own deck of meanings, dictionaries, the user's cards.
private struct WordMeanings {
  private let workspace: Workspace
  private let language: Language
  private let lemmatizer: Lemmatizer
  /// The lemmas of the words so far.
  private var lemmas: Set<String> = []
  /// The meanings in the deck `Dictionary::<Language>`, or else `Dictionary`; read at the first use.
  private var own: [String: String]?
  private let answers: [String: String]

  init(_ game: GameHandle) {
    (workspace, language, answers) = (game.workspace, game.game.language, game.game.own.answers)
    lemmatizer = workspace.languages.lemmatizer(of: language)
  }

  /// Whether a word is not another form of an earlier word.
  mutating func isNew(_ word: String) -> Bool { lemmas.insert(lemmatizer.lemma(of: word)).inserted }

  mutating func meaning(of word: String) throws -> String? {
    let known = try own ?? ownMeanings()
    own = known
    return try answers[word] ?? known[word] ?? workspace.words.gloss(of: word, in: language)
  }

  /// Reads words and meanings from the user's deck: the prompt is the word, the answer its meaning.
  private func ownMeanings() throws -> [String: String] {
    let names = ["Dictionary::\(language.title)", "Dictionary"]
    let known = try workspace.decks.all()
    guard let deck = try names.lazy.compactMap({ name in try known.first { try $0.record().name == name } }).first
    else { return [:] }
    let cards = try deck.cards()
    var meanings: [String: String] = [:]
    while let card = try cards.nextCard() {
      let record = try card.record()
      meanings[normalize(record.prompt, language: language)] = record.answer
    }
    return meanings
  }

  /// Returns a sentence with the word from one of the user's cards, with a gap in the word's place.
  func sentence(with word: String) throws -> String? {
    let found = try workspace.cards.list(of: workspace.decks.all(), matching: "\"\(word)\" -tag:missed", limit: 5)
    for (card, _) in found.cards {
      let record = try card.record()
      for text in [record.prompt, record.answer] {
        if let gap = Self.withGap(text, for: word, language) { return gap }
      }
    }
    return nil
  }

  /// Returns the text with `___` for the word if it is a sentence: at least four words and at most 200 characters.
  private static func withGap(_ text: String, for word: String, _ language: Language) -> String? {
    guard text.count <= 200 else { return nil }
    var (result, rest, words, hasGap) = ("", text[...], 0, false)
    while let first = rest.first {
      let isWord = first.isLetter
      let piece = rest.prefix { $0.isLetter == isWord }
      rest = rest[piece.endIndex...]
      let isGap = isWord && normalize(String(piece), language: language) == word
      result += isGap ? "___" : piece
      words += isWord ? 1 : 0
      hasGap = hasGap || isGap
    }
    return hasGap && words >= 4 ? result : nil
  }
}

extension DeckHandle {
  /// The fewest words that are worth a game.
  static let fewestWords = 3

  /// The language that the first 500 prompts show, by their script or their articles; nil if that cannot be told.
  func shownLanguage(matching query: String?) throws -> Language? {
    let cards = try cards(matching: query)
    var prompts: [String] = []
    while prompts.count < 500, let card = try cards.nextCard() { prompts.append(try card.record().prompt) }
    return LanguageGuess(prompts).code.flatMap { Language.named($0) }
  }

  /// Returns the prompts that are one word, of the deck and the decks within it.
  /// - Throws: `WorkspaceError.tooFewWords`.
  func lexicon(
    matching query: String?, in language: Language, foldAccents: Bool, _ own: inout OwnWords
  ) throws -> Lexicon {
    let lemmatizer = workspace.languages.lemmatizer(of: language)
    var found: [(word: String, answer: String)] = []
    for deck in try [self] + within() {
      let cards = try deck.cards(matching: query)
      while let card = try cards.nextCard() {
        try workspace.poll()
        let record = try card.record()
        guard let word = NoteWords.word(ofField: record.prompt).flatMap(lemmatizer.word(ofPhrase:)) else { continue }
        found.append((word, FieldHTML.spoken(record.answer)))
      }
    }
    guard found.count >= Self.fewestWords else { throw try tooFewWords(found.count, found: found.count) }
    let list = try Lexicon.of(
      found.map(\.word), language: language, name: try record().name, foldAccents: foldAccents)
    own.answers = Dictionary(firstOf: found.map { (list.normalized($0.word), $0.answer) }).filter {
      list.contains($0.key)
    }
    return list
  }

  func tooFewWords(_ words: Int, found: Int) throws -> WorkspaceError {
    .tooFewWords(deck: try record().name, words: words, found: found, needed: Self.fewestWords)
  }
}
