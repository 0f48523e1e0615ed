// What a leech may be confused with: cards whose sides were typed for it, whose prompts are nearly the same letters, or
// whose answers are the same; and a sentence that shows its word. Invariant: nothing is changed; the same cards give
// the same findings.

public import Storage
import Text

public enum Confusions {
  /// Characters of a side that are compared; longer ones are sentences, which nobody mistakes for each other.
  private static let longest = 60
  /// Words that a sentence has at least.
  private static let fewestWords = 4

  /// The cards of some decks that a card is most easily taken for: those that were typed for it, the most often first;
  /// then the nearest. Those that ask and answer the same are no others: it is there several times.
  public static func cards(
    _ db: Database, like card: CardRecord, in decks: [DeckID], limit: Int = 3
  ) throws -> (near: [CardID], same: [CardID]) {
    let (prompt, answer) = (side(card.prompt), side(card.answer))
    if prompt.isEmpty { return ([], []) }
    let typed = Dictionary(
      try MistypeTable.list(db, of: card.id).map { (side($0.text), -$0.times) }, uniquingKeysWith: +)
    var found: [(distance: Int, card: CardID)] = []
    var same: [CardID] = []
    for deck in decks {
      let sql = "SELECT id, prompt, answer FROM card_rows WHERE deck = ? AND id <> ?"
      try db.forEachRow(sql, [deck.rawValue, card.id.rawValue]) { row in
        if utf8Same(row.text(1), card.prompt), utf8Same(row.text(2), card.answer) {
          same.append(CardID(rawValue: row.integer(0)))
          return
        }
        let (other, otherAnswer) = (side(row.text(1)), side(row.text(2)))
        let wasTyped = [typed[other], typed[otherAnswer]].compactMap(\.self).min()
        let isAlike = distance(prompt, other) ?? (answer == otherAnswer && !answer.isEmpty ? 2 : nil)
        guard let distance = wasTyped ?? isAlike else { return }
        found.append((distance, CardID(rawValue: row.integer(0))))
      }
    }
    let nearest = found.sorted { ($0.distance, $0.card.rawValue) < ($1.distance, $1.card.rawValue) }
    return (nearest.prefix(limit).map(\.card), same)
  }

  /// The first line of a side, as people compare it.
  private static func side(_ text: String) -> String {
    let line = text.split(separator: "\n").first.map { String($0) } ?? ""
    return line.utf8.count > longest ? "" : line.trimmed.lowercased()
  }

  /// How far two prompts are from each other; nil where nobody takes one for the other.
  private static func distance(_ one: String, _ other: String) -> Int? {
    let most = max(1, min(one.count, other.count) / 3)
    guard !other.isEmpty, abs(one.utf8.count - other.utf8.count) <= 4 * most else { return nil }
    let distance = editDistance(one, other)
    return distance <= most ? distance : nil
  }

  /// A sentence of the user's own notes that has a word in it: the shortest.
  public static func sentence(_ db: Database, with card: CardRecord) throws -> String? {
    let word = side(card.prompt)
    guard word.count >= 3 else { return nil }
    var best: String?
    let sql = "SELECT prompt, answer FROM card_rows WHERE id <> ? AND (instr(prompt, ?) > 0 OR instr(answer, ?) > 0)"
    try db.forEachRow(sql, [card.id.rawValue, word, word]) { row in
      for text in [row.text(0), row.text(1)] {
        for line in text.split(separator: "\n") where shows(word, String(line)) {
          if line.utf8.count < best?.utf8.count ?? 300 { best = String(line) }
        }
      }
    }
    return best
  }

  /// Whether a line is a sentence that has the word as a whole.
  private static func shows(_ word: String, _ line: String) -> Bool {
    let words = line.lowercased().split { !$0.isLetter && $0 != "'" && $0 != "-" }
    let wanted = word.split { !$0.isLetter && $0 != "'" && $0 != "-" }
    guard words.count >= max(fewestWords, wanted.count + 2), let first = wanted.first else { return false }
    return words.indices.contains { words[$0] == first && words[$0...].starts(with: wanted) }
  }

  /// The outermost deck around a deck, and all decks within that.
  public static func family(_ db: Database, of deck: DeckRecord) throws -> [DeckID] {
    let outermost = try DeckTable.named(db, DeckName.split(deck.name).first ?? deck.name) ?? deck
    return [outermost.id] + (try DeckTable.within(db, outermost.id).map(\.id))
  }
}
