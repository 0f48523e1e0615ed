// Finds what a leech may be confused with: cards whose sides were typed for it, whose prompts have nearly the same
// letters, or whose answers are the same; and a sentence that contains its word.
// Invariant: nothing is changed; the same cards give the same findings.

public import Storage
import Text

public enum Confusions {
  /// The most characters of a side that is compared; longer ones are sentences, which nobody confuses.
  private static let longest = 60
  /// The least number of words in a sentence.
  private static let fewestWords = 4

  /// What may help with a card.
  public struct Findings {
    /// The cards that it is most easily confused with: first those that were typed for it, the most frequent first;
    /// then the nearest.
    public let near: [CardID]
    /// Its copies: cards with the same prompt and answer.
    public let same: [CardID]
    /// The shortest sentence of the user's own cards that contains its word.
    public let sentence: String?
  }

  /// Finds what may help with each of some cards. All cards are read once, however many are given.
  /// - Parameter decks: for each card, the decks of the cards that it is compared with.
  public static func findings(
    _ db: Database, for cards: [CardRecord], in decks: [Set<DeckID>], limit: Int = 3
  ) throws -> [Findings] {
    if cards.isEmpty { return [] }
    var wanted = try cards.map { Wanted($0, try MistypeTable.list(db, of: $0.id)) }
    var (byAnswer, byMistype): ([String: [Int]], [String: [Int]]) = ([:], [:])
    var bySides: [[String]: [Int]] = [:]
    for (index, one) in wanted.enumerated() where !one.prompt.text.isEmpty {
      bySides[[cards[index].prompt, cards[index].answer], default: []].append(index)
      if !one.answer.isEmpty { byAnswer[one.answer, default: []].append(index) }
      for text in one.typed.keys { byMistype[text, default: []].append(index) }
    }
    let words = WantedWords(wanted.map(\.prompt.text))
    try db.forEachRow("SELECT id, prompt, answer, deck FROM card_rows") { row in
      let (id, sides, deck) = (CardID(rawValue: row.integer(0)), [row.text(1), row.text(2)], row.integer(3))
      for line in words.isEmpty ? [] : sides.flatMap(\.lines) {
        for index in words.shown(in: line) where wanted[index].id != id {
          if line.utf8.count < wanted[index].sentence?.utf8.count ?? 300 { wanted[index].sentence = String(line) }
        }
      }
      let near = wanted.indices.filter { decks[$0].contains(DeckID(rawValue: deck)) }
      if near.isEmpty { return }
      let (prompt, answer) = (Side(sides[0]), side(sides[1]))
      var distances: [Int: Int] = [:]
      for index in byAnswer[answer] ?? [] { distances[index] = 2 }
      for index in near {
        if let distance = wanted[index].prompt.distance(to: prompt) { distances[index] = distance }
      }
      for index in (byMistype[prompt.text] ?? []) + (byMistype[answer] ?? []) {
        let times = [prompt.text, answer].compactMap { wanted[index].typed[$0] }.max() ?? 0
        distances[index] = -times
      }
      for index in bySides[sides] ?? [] where near.contains(index) {
        distances[index] = nil
        if wanted[index].id != id { wanted[index].same.append(id) }
      }
      for index in near where wanted[index].id != id {
        if let distance = distances[index] { wanted[index].add(id, distance, limit) }
      }
    }
    return wanted.map { Findings(near: $0.nearest(limit), same: $0.same, sentence: $0.sentence) }
  }

  /// A card, and the cards found so far that it may be confused with.
  private struct Wanted {
    let id: CardID
    let prompt: Side
    let answer: String
    /// How often each text was typed for the card, without texts that are too long to be compared.
    let typed: [String: Int]
    private var found: [(distance: Int, card: CardID)] = []
    var same: [CardID] = []
    var sentence: String?

    init(_ card: CardRecord, _ mistypes: [Mistype]) {
      (id, prompt, answer) = (card.id, Side(card.prompt), side(card.answer))
      let texts = mistypes.map { (side($0.text), $0.times) }.filter { !$0.0.isEmpty }
      typed = Dictionary(texts, uniquingKeysWith: +)
    }

    mutating func add(_ card: CardID, _ distance: Int, _ limit: Int) {
      found.append((distance, card))
      // Removes the far ones now and then, because very many cards may have the same answer.
      if found.count > 64 + limit { found = sorted(limit) }
    }

    func nearest(_ limit: Int) -> [CardID] { sorted(limit).map(\.card) }

    private func sorted(_ limit: Int) -> [(distance: Int, card: CardID)] {
      Array(found.sorted { ($0.distance, $0.card.rawValue) < ($1.distance, $1.card.rawValue) }.prefix(limit))
    }
  }

  /// A prompt, prepared for comparison with many others.
  private struct Side {
    let text: String
    private let count: Int
    /// A bit set of its characters; several characters share a bit.
    private let letters: UInt64

    init(_ text: String) {
      self.text = side(text)
      count = self.text.count
      letters = self.text.reduce(0) { $0 | 1 << UInt64(($1.unicodeScalars.first?.value ?? 0) % 64) }
    }

    /// The distance between two prompts; nil if they are too different to be confused.
    func distance(to other: Side) -> Int? {
      if count == 0 || other.count == 0 { return nil }
      let most = max(1, min(count, other.count) / 3)
      // An edit adds or removes at most one character, so most prompts need no full comparison.
      guard abs(count - other.count) <= most, (letters & ~other.letters).nonzeroBitCount <= most,
        (other.letters & ~letters).nonzeroBitCount <= most
      else { return nil }
      let distance = editDistance(text, other.text)
      return distance <= most ? distance : nil
    }
  }

  /// The first line of a side, in the form in which it is compared; empty if it is too long.
  private static func side(_ text: String) -> String {
    let line = text.lines.first { !$0.isEmpty }.map { String($0) } ?? ""
    return line.unicodeScalars.prefix(longest + 1).count > longest ? "" : line.trimmed.lowercased()
  }

  /// The words to be found in sentences; each may consist of several words.
  private struct WantedWords {
    private let words: [[Substring]]
    private var byFirst: [Substring: [Int]] = [:]

    init(_ texts: [String]) {
      words = texts.map { Self.words(of: $0) }
      for (index, text) in texts.enumerated() where text.count >= 3 {
        if let first = words[index].first { byFirst[first, default: []].append(index) }
      }
    }

    var isEmpty: Bool { byFirst.isEmpty }

    /// Which of them a line contains; none if the line is not a sentence.
    func shown(in line: Substring) -> [Int] {
      // Skips most sides of cards, which are a word or two.
      guard line.utf8.count(where: { !isLetter($0) }) >= fewestWords - 1 else { return [] }
      let shown = Self.words(of: line.lowercased())
      guard shown.count >= fewestWords else { return [] }
      return shown.indices.flatMap { place in
        (byFirst[shown[place]] ?? []).filter { index in
          shown.count >= words[index].count + 2 && shown[place...].starts(with: words[index])
        }
      }
    }

    private func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }

    private static func words(of text: String) -> [Substring] { text.split { !$0.isLetter && $0 != "'" && $0 != "-" } }
  }

  /// The outermost deck around a deck, and all decks within it.
  public static func family(_ db: Database, of deck: DeckRecord) throws -> [DeckID] {
    let outermost = try DeckTable.named(db, DeckName.split(deck.name).first ?? deck.name) ?? deck
    return [outermost.id] + (try DeckTable.within(db, outermost.id).map(\.id))
  }
}
