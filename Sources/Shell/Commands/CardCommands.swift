// `card ...`. Invariant: a card that is named is exactly one card; a name that could mean several is refused with the
// ways to tell them apart.

import CardDocuments
import Commands
import Decks
import LuaRuntime
import Templates
import Text
import Values
import Workspace

enum CardCommands {
  static var all: [BuiltIn] {
    [CardListCommand.command, AddCard.command, showCard, CardHistoryCommand.command, removeCards, attachDocument]
      + CardBulkCommands.all
  }

  private static let theme = "Decks and cards"
  private static let card = Argument("CARD", .card, help: "a guid, its beginning, or DECK:POSITION")
  private static let cards = Argument(
    "CARD", .card, isRepeating: true, help: "guids, their beginnings, or DECK:POSITION")

  // MARK: Finding

  /// The one card that a text names.
  static func card(_ text: String, _ session: Session) throws -> CardHandle {
    let workspace = try session.workspace()
    if let colon = text.lastIndex(of: ":"), let position = Int(text[text.index(after: colon)...]) {
      let deck = try workspace.openDeck(String(text[..<colon]))
      if position >= 1, let card = try deck.card(at: position) { return card }
      throw LookupError.noCardAt(position: position, deck: try deck.record().name, count: try deck.count())
    }
    let found = try workspace.cards(guidBeginning: text)
    if found.count == 1 { return found[0] }
    if let exact = try only(found.filter { try $0.record().guid == text }) { return exact }
    if found.isEmpty {
      throw LookupError.noCard(guid: text)
    }
    let places = try found.prefix(4).map { "\(try $0.deck().record().name):\(try $0.position())" }
    throw LookupError.severalCards(guid: text, places: places)
  }

  private static func only(_ cards: [CardHandle]) throws -> CardHandle? { cards.count == 1 ? cards[0] : nil }

  private static var showCard: BuiltIn {
    BuiltIn(
      "card", "show", theme: Self.theme, access: .signedIn, effect: .reads, summary: "Shows all there is to a card.",
      answer: "card",
      arguments: [Self.card],
      example: "card show Spanish:1"
    ) { invocation, session in
      let card = try card(invocation.text("CARD"), session)
      let record = try card.record()
      let deck = "\(try card.deck().record().name), position \(session.grouped(try card.position()))"
      var rows = [
        ["prompt", record.prompt], ["answer", record.answer], ["tags", record.tags.joined(separator: " ")],
        ["deck", deck], ["state", record.isSuspended ? "suspended" : record.state.name],
      ]
      for column in [CardColumn.due, .interval, .stability, .difficulty, .reps, .lapses, .created, .modified] {
        let text = try column.text(card, 0, session)
        if !text.isEmpty { rows.append([column.rawValue, text]) }
      }
      if record.flag > 0, record.flag < cardFlags.count { rows.append(["flag", cardFlags[record.flag]]) }
      rows.append(["guid", record.guid])
      if let document = try card.document()?.document() {
        rows.append(["document", "\(document.id.description.prefix(8))  \(document.content.summary)"])
      }
      rows.append(["note", try card.note().type().record().name])
      for field in record.fields { rows.append([field.name, field.value.text]) }
      return CommandResult(.object(card), .fields(rows.map { .init($0[0], $0[1]) }))
    }
  }

  // MARK: Changing

  private static var attachDocument: BuiltIn {
    BuiltIn(
      "card", "attach", theme: Self.theme, access: .signedIn, effect: .changes,
      summary: "Lets a card show a document with its answer.", answer: "card",
      details: "`none` in place of a document takes it away.",
      arguments: [Self.card, Argument("DOC", .document, help: "a document's id, or its beginning")],
      example: "card attach Spanish:1 6D92"
    ) { invocation, session in
      let card = try card(invocation.text("CARD"), session)
      let name = invocation.text("DOC")
      let document = name == "none" ? nil : try session.workspace().openDocument(name)
      try card.setDocument(document?.document().id.description)
      let prompt = quoted(try card.record().prompt)
      let title = try document?.document().content.title
      return CommandResult(
        .object(card), line: title.map { "\(prompt) shows \(quoted($0))." } ?? "\(prompt) shows no document.")
    }
  }

  private static var removeCards: BuiltIn {
    BuiltIn(
      "card", "remove", theme: Self.theme, access: .signedIn, effect: .changes, summary: "Removes cards.",
      answer: "integer",
      details: "At a terminal it asks first when there are several.", arguments: [Self.cards],
      example: "card remove Spanish:3 Spanish:5"
    ) { invocation, session in
      let cards = try invocation.list("CARD").map { try card($0, session) }
      if cards.count > 1 {
        let first = try cards.prefix(3).map { quoted(try $0.record().prompt) }.joined(separator: ", ")
        let question = "Remove \(session.counted(cards.count, "card")): \(first)\(cards.count > 3 ? ", ..." : "")?"
        guard try session.confirm(question) else { return CommandResult(.integer(0), line: "Nothing was removed.") }
      }
      let removed = try session.workspace().remove(cards)
      return CommandResult(.integer(removed), line: "Removed \(session.counted(removed, "card")).")
    }
  }
}

extension CardFieldValue {
  fileprivate var text: String {
    switch self {
    case .text(let text): text
    case .json(let json): json
    }
  }
}
