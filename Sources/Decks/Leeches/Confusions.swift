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

  /// For each of a few cards, finds the cards of some decks that it is most easily confused with: first those that
  /// were typed for it, the most frequent first; then the nearest. Cards with the same prompt and answer are copies
  /// of the card and are returned separately. The decks are read once, however many cards are given.
  public static func cards(
    _ db: Database, like cards: [CardRecord], in decks: [DeckID], limit: Int = 3
  ) throws -> [(near: [CardID], same: [CardID])] {
    var wanted = try cards.map { Wanted($0, try MistypeTable.list(db, of: $0.id)) }
    var (byAnswer, byMistype): ([String: [Int]], [String: [Int]]) = ([:], [:])
    var bySides: [[String]: [Int]] = [:]
    for (index, one) in wanted.enumerated() where !one.prompt.text.isEmpty {
      bySides[[cards[index].prompt, cards[index].answer], default: []].append(index)
      if !one.answer.isEmpty { byAnswer[one.answer, default: []].append(index) }
      for text in one.typed.keys { byMistype[text, default: []].append(index) }
    }
    for deck in decks {
      try db.forEachRow("SELECT id, prompt, answer FROM card_rows WHERE deck = ?", [deck.rawValue]) { row in
        let (id, sides) = (CardID(rawValue: row.integer(0)), [row.text(1), row.text(2)])
        let (prompt, answer) = (Side(sides[0]), side(sides[1]))
        var distances: [Int: Int] = [:]
        for index in byAnswer[answer] ?? [] { distances[index] = 2 }
        for index in wanted.indices {
          if let distance = wanted[index].prompt.distance(to: prompt) { distances[index] = distance }
        }
        for index in (byMistype[prompt.text] ?? []) + (byMistype[answer] ?? []) {
          let times = [prompt.text, answer].compactMap { wanted[index].typed[$0] }.max() ?? 0
          distances[index] = -times
        }
        for index in bySides[sides] ?? [] {
          distances[index] = nil
          if wanted[index].id != id { wanted[index].same.append(id) }
        }
        for (index, distance) in distances where wanted[index].id != id { wanted[index].add(id, distance, limit) }
      }
    }
    return wanted.map { ($0.nearest(limit), $0.same) }
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

  /// For each card, the shortest sentence of the user's own cards that contains its word. All cards are read once,
  /// however many are given.
  public static func sentences(_ db: Database, with cards: [CardRecord]) throws -> [String?] {
    var best = [String?](repeating: nil, count: cards.count)
    let wanted = WantedWords(cards.map { side($0.prompt) })
    if wanted.isEmpty { return best }
    try db.forEachRow("SELECT id, prompt, answer FROM card_rows") { row in
      let own = row.integer(0)
      for line in [row.text(1), row.text(2)].flatMap(\.lines) {
        for index in wanted.shown(in: line) where cards[index].id.rawValue != own {
          if line.utf8.count < best[index]?.utf8.count ?? 300 { best[index] = String(line) }
        }
      }
    }
    return best
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
