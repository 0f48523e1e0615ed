// `card ...`. Invariant: a named card is exactly one card; an ambiguous name is refused with the ways to tell the
// candidates apart.

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
    [
      CardListCommand.command, CardAddCommand.command, showCard, CardHistoryCommand.command, removeCards,
      attachDocument,
    ]
      + CardBulkCommands.all
  }

  private static let card = Argument("CARD", .card, help: "a guid, its beginning, or DECK:POSITION")
  private static let cards = Argument(
    "CARD", .card, isRepeating: true, help: "guids, their beginnings, or DECK:POSITION")

  // MARK: Finding

  /// The one card that a text names.
  static func card(_ text: String, _ session: Session) throws -> CardHandle {
    // An empty argument, as from an empty variable of a script, names no card, although it is a prefix of every guid.
    if text.isEmpty { throw LookupError.noCard(guid: text) }
    let found = try session.workspace().cards.find(guidBeginning: text)
    if let placed = try placed(text, mayBeGuid: !found.isEmpty, session) { return placed }
    if found.count == 1 { return found[0] }
    if let exact = try only(found.filter { try $0.record().guid == text }) { return exact }
    if found.isEmpty {
      throw LookupError.noCard(guid: text)
    }
    let places = try found.prefix(4).map { try $0.place() }
    throw LookupError.severalCards(guid: text, places: places)
  }

  /// The card at `DECK:POSITION`; nil for text of another form. Other programs' guids may look like one.
  private static func placed(_ text: String, mayBeGuid: Bool, _ session: Session) throws -> CardHandle? {
    guard let colon = text.lastIndex(of: ":"), let position = Int(text[text.index(after: colon)...]) else { return nil }
    let deck: DeckHandle
    do {
      deck = try session.workspace().decks.open(String(text[..<colon]))
    } catch DeckError.deckNotFound where mayBeGuid {
      return nil
    }
    if position >= 1, let card = try deck.card(at: position) { return card }
    throw LookupError.noCardAt(position: position, deck: try deck.record().name, count: try deck.count())
  }

  private static func only(_ cards: [CardHandle]) throws -> CardHandle? { cards.count == 1 ? cards[0] : nil }

  private static var showCard: BuiltIn {
    BuiltIn(
      "card", "show", summary: "Shows all fields of a card.", answer: "card", arguments: [Self.card],
      example: "card show Spanish:1"
    ) { invocation, session in
      let card = try card(invocation.text("CARD"), session)
      return CommandResult(.object(card), .fields(try fields(of: card, session)))
    }
  }

  /// All fields of a card that have a value.
  private static func fields(of card: CardHandle, _ session: Session) throws -> [Display.Field] {
    var fields: [Display.Field] = []
    for property: CardProperty in [
      .prompt, .answer, .tags, .deck, .state, .due, .interval, .stability, .difficulty, .reps, .lapses, .created,
      .modified, .flag, .guid, .document, .noteType,
    ] {
      let text = try property.text(of: card, session)
      switch property {
      case .deck: fields.append(.init("deck", "\(text), position \(session.grouped(try card.position()))"))
      case .flag:
        if let flag = Int(text), flag > 0, flag < CardHiding.flagNames.count {
          fields.append(.init("flag", CardHiding.flagNames[flag]))
        }
      case .document:
        guard let document = try card.document()?.document() else { continue }
        fields.append(.init("document", "\(text.prefix(8))  \(document.content.summary)"))
      case .noteType: fields.append(.init("note", text))
      case .tags: fields.append(.init("tags", text))
      default: if !text.isEmpty { fields.append(.init(property.rawValue, text)) }
      }
    }
    if try card.isUnmade() {
      fields.append(.init("made", "no longer made by its note; `doctor --mend cards` removes such cards"))
    }
    return fields + (try card.unnamedFields().map { .init($0.name, $0.text) })
  }

  // MARK: Changing

  private static var attachDocument: BuiltIn {
    BuiltIn(
      "card", "attach", effect: .changes, summary: "Attaches a document that a card shows with its answer.",
      answer: "card", details: "Use `none` instead of a document to detach it.",
      arguments: [Self.card, Argument("DOC", .document, help: "a document's id, or its beginning")],
      example: "card attach Spanish:1 6D92"
    ) { invocation, session in
      let card = try card(invocation.text("CARD"), session)
      let name = invocation.text("DOC")
      let document = name == "none" ? nil : try session.workspace().documents.open(name)
      try card.setDocument(document?.idForCards())
      let prompt = quoted(try card.record().prompt)
      let title = try document?.document().content.title
      return CommandResult(
        .object(card), line: title.map { "\(prompt) shows \(quoted($0))." } ?? "\(prompt) shows no document.")
    }
  }

  /// The cards that the words name. A query is not accepted, but the error says how many cards it finds.
  private static func named(_ words: [String], _ session: Session) throws -> [CardHandle] {
    do {
      return try words.map { try card($0, session) }.distinct(by: \.id)
    } catch {
      switch error {
      case LookupError.noCard, DeckError.deckNotFound: throw try asQuery(words, session) ?? error
      default: throw error
      }
    }
  }

  /// The error for words that are a query; nil when they are not one.
  private static func asQuery(_ words: [String], _ session: Session) throws -> LookupError? {
    let query = words.joined(separator: " ")
    do {
      return .queryForCards(query: query, count: try CardBulkCommands.cards(words, session).count)
    } catch {
      switch error {
      case LookupError.nothingFound:
        return query.contains(where: { " :\"(-".contains($0) }) ? .queryForCards(query: query, count: 0) : nil
      case DeckError.badQuery, DeckError.deckNotFound: return nil
      default: throw error
      }
    }
  }

  private static var removeCards: BuiltIn {
    BuiltIn(
      "card", "remove", effect: .changes, summary: "Removes cards.", answer: "integer",
      details: "At a terminal it asks first when there are several.", arguments: [Self.cards],
      example: "card remove Spanish:3 Spanish:5"
    ) { invocation, session in
      let cards = try named(invocation.list("CARD"), session)
      if cards.count > 1 {
        let first = try cards.prefix(3).map { quoted(try $0.record().prompt) }.joined(separator: ", ")
        let question = "Remove \(session.counted(cards.count, "card")): \(first)\(cards.count > 3 ? ", ..." : "")?"
        guard try session.confirm(question) else { return CommandResult(.integer(0), line: "Nothing was removed.") }
      }
      let removed = try session.workspace().cards.remove(cards)
      return CommandResult(.integer(removed), line: "Removed \(session.counted(removed, "card")).")
    }
  }
}
