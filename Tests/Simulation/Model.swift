// A second, plain implementation of the commands used in small worlds: lists and copies, no database. Invariant: it
// knows nothing of the program except its contract.

struct Model: Equatable {
  struct Card: Equatable {
    var prompt: String
    var answer: String
    var tags: [String] = []
    var isSuspended = false
  }

  struct Decks: Equatable {
    /// Cards by deck name, the top card first.
    var cards: [String: [Card]] = [:]
  }

  private(set) var now = Decks()
  private var done: [Decks] = []
  private var undone: [Decks] = []

  /// Applies a command; returns whether it is refused.
  mutating func refuses(_ words: [String]) -> Bool {
    switch words[0] {
    case "undo":
      guard let last = done.popLast() else { return true }
      undone.append(now)
      now = last
      return false
    case "redo":
      guard let next = undone.popLast() else { return true }
      done.append(now)
      now = next
      return false
    default:
      guard let after = changed(words) else { return true }
      if after != now {
        done.append(now)
        undone = []
        now = after
      }
      return false
    }
  }

  /// Returns nil if the command is refused.
  private func changed(_ words: [String]) -> Decks? {
    var decks = now
    switch words[0] + " " + words[1] {
    case "deck create":
      guard decks.cards[words[2]] == nil else { return nil }
      decks.cards[words[2]] = []
    case "deck rename":
      guard let cards = decks.cards.removeValue(forKey: words[2]), decks.cards[words[3]] == nil else { return nil }
      decks.cards[words[3]] = cards
    case "deck remove":
      guard decks.cards.removeValue(forKey: words[2]) != nil else { return nil }
    case "card add":
      let card = Card(prompt: words[3], answer: words[4])
      // The deck is made if it is missing.
      let there = decks.cards[words[2]] ?? []
      if there.contains(where: { $0.prompt == card.prompt && $0.answer == card.answer }) { return nil }
      decks.cards[words[2]] = there + [card]
    default: return changedCard(words)
    }
    return decks
  }

  /// `card VERB DECK:POSITION ...`
  private func changedCard(_ words: [String]) -> Decks? {
    let place = words[2].split(separator: ":").map(String.init)
    guard place.count == 2, let position = Int(place[1]), var cards = now.cards[place[0]], cards.count >= position
    else { return nil }
    var card = cards.remove(at: position - 1)
    var target = position - 1
    switch words[1] {
    case "remove":
      var decks = now
      decks.cards[place[0]] = cards
      return decks
    case "edit": card.prompt = words[4]
    case "tag": if !card.tags.contains(words[4]) { card.tags.append(words[4]) }
    case "suspend": card.isSuspended = true
    case "move": target = min(cards.count, (Int(words[3]) ?? 1) - 1)
    default: return nil
    }
    cards.insert(card, at: target)
    var decks = now
    decks.cards[place[0]] = cards
    return decks
  }
}

extension Model.Decks {
  /// Reads the decks from the rows of a collection.
  /// - Parameter path: the path of the collection; a missing collection has no decks.
  init(rowsOf path: String) throws {
    let rows = try Rows(path)
    for row in try rows.all("SELECT name FROM decks") { cards[row[0]] = [] }
    let sql = """
      SELECT decks.name, notes.fields, notes.tags, cards.suspended FROM cards
      JOIN notes ON notes.id = cards.note JOIN decks ON decks.id = cards.deck ORDER BY cards.rank
      """
    for row in try rows.all(sql) {
      let fields = row[1].split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
      cards[row[0]]?.append(
        Model.Card(
          prompt: fields[0], answer: fields.count > 1 ? fields[1] : "",
          tags: row[2].split(separator: " ").map(String.init),
          isSuspended: row[3] != "0"))
    }
  }
}
