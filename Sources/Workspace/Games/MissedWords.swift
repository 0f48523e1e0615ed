// The words that a game leaves unfound, with what explains them: for whoever gave up, and as cards. Invariant: a missed
// word makes one card however often it is missed, and none without a meaning or a sentence.

public import Decks
import Language
import Lexicon
import Text
public import Values
import WordGames

/// A word that was not found.
public struct MissedWord: Equatable, Sendable {
  public let word: String
  /// In one line; nil where no dictionary has it.
  public let meaning: String?
}

/// What became of missed words.
///
///     let report = try game.addMissed(to: deck)
///     report.unexplained   // words that nothing here explains
public struct MissedReport: Equatable, Sendable {
  public fileprivate(set) var cards = AddReport()
  /// Words that were passed over since there is no meaning and no sentence of them.
  public fileprivate(set) var unexplained = 0
  /// Words beyond those that one game gives.
  public fileprivate(set) var left = 0

  public var value: Value {
    let fields = cards.value.record?.fields.map { ($0.name, $0.value) } ?? []
    return .record(fields + [("unexplained", .integer(unexplained)), ("left", .integer(left))])
  }
}

extension GameHandle {
  /// So many cards come of one game at most.
  public static let mostCards = 20
  /// So many words are looked up at most for each that is wanted.
  private static let triesPerWord = 5

  /// Words that were not found, for whoever gave up: those that are used most first, those with a meaning alone where
  /// any of them has one.
  public func missedWords(_ limit: Int) throws -> [MissedWord] {
    var (explained, plain): ([MissedWord], [MissedWord]) = ([], [])
    var meanings = WordMeanings(self)
    try MissedWords(of: game).forEach { word in
      guard meanings.isNew(word) else { return true }
      let missed = MissedWord(word: word, meaning: try meanings.meaning(of: word))
      if missed.meaning == nil { plain.append(missed) } else { explained.append(missed) }
      return explained.count < limit && explained.count + plain.count < limit * Self.triesPerWord
    }
    return explained.isEmpty ? Array(plain.prefix(limit)) : explained
  }

  /// What words mean, those that a mode names as the solution for instance.
  public func meanings(of words: [String]) throws -> [MissedWord] {
    var meanings = WordMeanings(self)
    return try words.map { MissedWord(word: $0, meaning: try meanings.meaning(of: $0)) }
  }

  /// Adds cards of words that were not found, `mostCards` at most: prompt, what it means, or a sentence of the user's
  /// cards with a gap in its place; answer, the word.
  public func addMissed(to deck: DeckHandle) throws -> MissedReport {
    var (cards, report) = try missedCards()
    try add(cards, to: deck, &report)
    return report
  }

  /// Adds them to the deck of a name, which is made when there is a card for it: one operation in all.
  public func addMissed(toDeckNamed name: String) throws -> MissedReport {
    var (cards, report) = try missedCards()
    if cards.isEmpty { return report }
    return try workspace.perform(.addCards, on: name, count: { $0.cards.added }) { _ in
      try add(cards, to: workspace.decks.openOrCreate(name), &report)
      return report
    }
  }

  private func missedCards() throws -> ([NewCard], MissedReport) {
    var (meanings, cards, report) = (WordMeanings(self), [NewCard](), MissedReport())
    try MissedWords(of: game).forEach { word in
      guard meanings.isNew(word) else { return true }
      guard let prompt = try meanings.meaning(of: word) ?? meanings.sentence(with: word) else {
        report.unexplained += 1
        return cards.count + report.unexplained < Self.mostCards * Self.triesPerWord
      }
      cards.append(
        NewCard(prompt: prompt, answer: word, tags: ["missed"], guid: "missed:\(game.language.name):\(word)"))
      return cards.count < Self.mostCards
    }
    report.left = max(0, game.missed().count - cards.count - report.unexplained)
    return (cards, report)
  }

  private func add(_ cards: [NewCard], to deck: DeckHandle, _ report: inout MissedReport) throws {
    report.cards = try deck.addAll(onDuplicate: .skip) { batch in
      for card in cards { try batch.add(card) }
    }
  }
}

/// What explains words of a language: the user's own deck of meanings, dictionaries, the user's cards.
private struct WordMeanings {
  private let workspace: Workspace
  private let language: Language
  private let lemmatizer: Lemmatizer
  /// The dictionary forms of the words so far.
  private var lemmas: Set<String> = []
  /// Of the deck `Dictionary::<Language>`, else `Dictionary`; read at the first use.
  private var own: [String: String]?

  init(_ game: GameHandle) {
    (workspace, language) = (game.workspace, game.game.language)
    lemmatizer = workspace.languages.lemmatizer(of: language)
  }

  /// Whether a word is no other form of one before it.
  mutating func isNew(_ word: String) -> Bool { lemmas.insert(lemmatizer.lemmas(of: word).primary).inserted }

  mutating func meaning(of word: String) throws -> String? {
    let known = try own ?? ownMeanings()
    own = known
    return try known[word] ?? workspace.words.gloss(of: word, in: language)
  }

  /// Words and their meanings from the user's deck: prompt, the word; answer, the meaning.
  private func ownMeanings() throws -> [String: String] {
    let names = ["Dictionary::\(language.title)", "Dictionary"]
    let known = try workspace.decks.all()
    guard let deck = try names.lazy.compactMap({ name in try known.first { try $0.record().name == name } }).first
    else {
      return [:]
    }
    let cards = try deck.cards()
    var meanings: [String: String] = [:]
    while let card = try cards.nextCard() {
      let record = try card.record()
      meanings[normalize(record.prompt, language: language)] = record.answer
    }
    return meanings
  }

  /// A sentence on one of the user's cards that has the word, with a gap in its place.
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

  /// The text with `___` for the word, when it is a sentence: four words or more, and no longer than two lines.
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
