// `card ...`. Invariant: a card that is named is exactly one card; a name that could mean several is refused with the
// ways to tell them apart.

import Commands
import Decks
import LuaRuntime
import Text
import Values
import Workspace

enum CardCommands {
  static var all: [BuiltIn] {
    [
      listCards, addCard, showCard, editCards, moveCard, removeCards, suspendCards(true),
      suspendCards(false),
      tagCards,
    ]
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

  static func cardTable(_ cards: [(card: CardHandle, position: Int)], _ session: Session) throws -> TableText {
    var table = TableText(
      [.init("#", .right), .init("Prompt"), .init("Answer"), .init("Tags"), .init("State"), .init("Guid")],
      whenEmpty: "No cards.")
    for (card, position) in cards {
      let record = try card.record()
      table.add([
        session.grouped(position), record.prompt, record.answer, record.tags.joined(separator: " "),
        record.isSuspended ? "suspended" : record.state.name, record.guid,
      ])
    }
    return table
  }

  private static var listCards: BuiltIn {
    BuiltIn(
      "card", "list", theme: Self.theme, access: .signedIn, effect: .reads,
      summary: "Lists cards, those of one deck or all.",
      details: "At a terminal the first `display.rows` are shown.",
      arguments: [Argument("QUERY", .query, isOptional: true, help: "words of the prompt or answer, tag:x, -not, ...")],
      options: [
        Option("--deck", "DECK", .deck, help: "only this deck"),
        Option("--offset", "N", .integer(0...Int.max), help: "pass over the first N"),
        Option("--limit", "N", .positive, help: "at most N"),
      ], example: "card list --deck Spanish tag:animal"
    ) { invocation, session in
      let workspace = try session.workspace()
      let decks = try invocation.optionalText("--deck").map { [try workspace.openDeck($0)] } ?? workspace.decks()
      let wantsJSON = invocation.wantsJSON || session.options.wantsJSON
      // A user sees a page, a program all.
      let page =
        session.console.terminal.hasScreen && !wantsJSON && !session.state.isInScript
        ? session.console.terminal.rowLimit ?? 200 : nil
      let offset = invocation.optionalInteger("--offset") ?? 0
      let listing = try workspace.listCards(
        of: decks, matching: invocation.query("QUERY"), offset: offset,
        limit: invocation.optionalInteger("--limit") ?? page)
      var parts: [Display] = wantsJSON ? [] : [.table(try cardTable(listing.cards, session))]
      let next = offset + listing.cards.count
      if page != nil, next < listing.total, !listing.cards.isEmpty {
        parts.append(.lines(["… \(session.grouped(listing.total - next)) more; --offset \(next) shows the next"]))
      }
      return CommandResult(.objects(listing.cards.map(\.card)), .parts(parts))
    }
  }

  private static var addCard: BuiltIn {
    BuiltIn(
      "card", "add", theme: Self.theme, access: .signedIn, effect: .changes, summary: "Adds a card on top of a deck.",
      arguments: [
        Common.deck, Argument("PROMPT", help: "what is asked"), Argument("ANSWER", help: "what is to be known"),
      ],
      options: [Option("--tag", "T", isRepeating: true, help: "a tag")],
      example: "card add Spanish \"el perro\" \"the dog\" --tag animal"
    ) { invocation, session in
      let deck = try session.workspace().openDeck(invocation.text("DECK"))
      let card = try deck.add(
        NewCard(prompt: invocation.text("PROMPT"), answer: invocation.text("ANSWER"), tags: invocation.list("--tag")))
      return CommandResult(
        .object(card), line: "Added \(quoted(try card.record().prompt)) to \(quoted(try deck.record().name)).")
    }
  }

  private static var showCard: BuiltIn {
    BuiltIn(
      "card", "show", theme: Self.theme, access: .signedIn, effect: .reads, summary: "Shows all there is to a card.",
      arguments: [Self.card],
      example: "card show Spanish:1"
    ) { invocation, session in
      let card = try card(invocation.text("CARD"), session)
      let record = try card.record()
      var rows = [
        ["prompt", record.prompt], ["answer", record.answer], ["tags", record.tags.joined(separator: " ")],
        ["deck", "\(try card.deck().record().name), position \(session.grouped(try card.position()))"],
        ["state", record.isSuspended ? "suspended" : record.state.name], ["guid", record.guid],
      ]
      for field in record.fields { rows.append([field.name, field.value.text]) }
      return CommandResult(.object(card), .fields(rows.map { .init($0[0], $0[1]) }))
    }
  }

  // MARK: Changing

  private static var editCards: BuiltIn {
    BuiltIn(
      "card", "edit", theme: Self.theme, access: .signedIn, effect: .changes, summary: "Changes the texts of cards.",
      details: "Without --prompt and --answer the card opens in $EDITOR.", arguments: [Self.cards],
      options: [
        Option("--prompt", "P", help: "the new prompt"), Option("--answer", "A", help: "the new answer"),
      ], example: "card edit Spanish:1 --answer \"the hound\""
    ) { invocation, session in
      let cards = try invocation.list("CARD").map { try card($0, session) }
      let (prompt, answer) = (invocation.optionalText("--prompt"), invocation.optionalText("--answer"))
      if prompt == nil && answer == nil {
        for card in cards { try session.editInEditor(card) }
      } else {
        try session.workspace().update(cards, prompt: prompt, answer: answer)
      }
      return CommandResult(.objects(cards), line: "Changed \(session.counted(cards.count, "card")).")
    }
  }

  private static var moveCard: BuiltIn {
    BuiltIn(
      "card", "move", theme: Self.theme, access: .signedIn, effect: .changes,
      summary: "Brings a card to a position of its deck.",
      arguments: [Self.card, Argument("POSITION", .positive, help: "1 is the top; beyond the last is the bottom")],
      example: "card move Spanish:7 1"
    ) { invocation, session in
      let card = try card(invocation.text("CARD"), session)
      try card.move(to: invocation.optionalInteger("POSITION") ?? 1)
      return CommandResult(
        .object(card),
        line: "\(quoted(try card.record().prompt)) is at position \(session.grouped(try card.position())).")
    }
  }

  private static var removeCards: BuiltIn {
    BuiltIn(
      "card", "remove", theme: Self.theme, access: .signedIn, effect: .changes, summary: "Removes cards.",
      arguments: [Self.cards],
      example: "card remove Spanish:3 Spanish:5"
    ) { invocation, session in
      let cards = try invocation.list("CARD").map { try card($0, session) }
      let removed = try session.workspace().remove(cards)
      return CommandResult(.integer(removed), line: "Removed \(session.counted(removed, "card")).")
    }
  }

  private static func suspendCards(_ suspends: Bool) -> BuiltIn {
    BuiltIn(
      "card", suspends ? "suspend" : "resume", theme: Self.theme, access: .signedIn, effect: .changes,
      summary: suspends ? "Keeps cards out of reviews." : "Lets cards into reviews again.", arguments: [Self.cards],
      example: suspends ? "card suspend Spanish:3" : "card resume Spanish:3"
    ) { invocation, session in
      let cards = try invocation.list("CARD").map { try card($0, session) }
      try session.workspace().setSuspended(cards, suspends)
      return CommandResult(
        .objects(cards),
        line: "\(suspends ? "Suspended" : "Resumed") \(session.counted(cards.count, "card")).")
    }
  }

  private static var tagCards: BuiltIn {
    BuiltIn(
      "card", "tag", theme: Self.theme, access: .signedIn, effect: .changes,
      summary: "Adds tags to cards and takes tags away.",
      arguments: [Self.cards],
      options: [
        Option("--add", "T", isRepeating: true, help: "a tag to add"),
        Option("--remove", "T", isRepeating: true, help: "a tag to take away"),
      ], example: "card tag Spanish:1 --add animal"
    ) { invocation, session in
      let cards = try invocation.list("CARD").map { try card($0, session) }
      try session.workspace().changeTags(cards, adding: invocation.list("--add"), removing: invocation.list("--remove"))
      return CommandResult(.objects(cards), line: "Tagged \(session.counted(cards.count, "card")).")
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
