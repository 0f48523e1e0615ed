// `card list`: a page for a user, all for a program. Invariant: a column is the same in a page, a pipe and
// alone, except that a page shows a sound as ♪.

import Commands
import Decks
import Files
import Problems
import Templates
import Text
import Values
import Workspace

enum CardListCommand {
  static let command = BuiltIn(
    "card", "list", summary: "Lists the cards of one deck, or all cards.", answer: "card... or {COLUMN}...",
    details: """
      At a terminal, the first `display.rows` cards are shown. --sort takes \
      \(CardProperty.sorting.map(\.rawValue).joined(separator: ", ")); with a - before it, it sorts from highest to \
      lowest. `help queries` explains how to search.
      """,
    arguments: [Argument("QUERY", .query, isOptional: true, help: "words of the prompt or answer, tag:x, -not, ...")],
    options: [
      Option("--deck", "DECK", .deck, help: "only this deck"),
      Option("--sort", "FIELD", help: "the field to sort by; the order of the decks when left out"),
      Option("--offset", "N", .integer(0...Int.max), help: "skip the first N"),
      Option("--limit", "N", .positive, help: "at most N"),
      Option(
        "--columns", "A,B",
        help: "the columns to show, of \(CardProperty.shown.map(\.rawValue).joined(separator: ", "))"),
    ], example: "card list --deck Spanish tag:animal --sort -due --columns prompt,due,interval"
  ) { invocation, session in
    let request = try CardListRequest(invocation, session)
    return try request.isStreamed ? request.stream() : request.page()
  }

  static func table(
    _ cards: [CardHandle], _ columns: [CardProperty], whenEmpty: String, _ session: Session
  ) throws -> TableText {
    let rows = try cards.enumerated().map { index, card in
      if index % 256 == 0 { try session.stopIfInterrupted() }
      return try columns.map { try $0.text(of: card, session) }
    }
    return TableText(columns.map(\.heading), rows: rows, whenEmpty: whenEmpty)
  }
}

private struct CardListRequest {
  private let session: Session
  private let decks: [DeckHandle]
  private let query: String?
  private let columns: [CardProperty]
  private let areColumnsGiven: Bool
  private let sort: (by: CardProperty, isDescending: Bool)?
  private let offset: Int
  private let limit: Int?
  private let wantsJSON: Bool

  init(_ invocation: Invocation, _ session: Session) throws {
    self.session = session
    let workspace = try session.workspace()
    decks = try invocation.optionalText("--deck").map { [try workspace.decks.open($0)] } ?? workspace.decks.all()
    query = try session.query("QUERY", of: invocation)
    sort = try invocation.optionalText("--sort").map(Self.sort)
    offset = invocation.optionalInteger("--offset") ?? 0
    (limit, wantsJSON) = (invocation.optionalInteger("--limit"), invocation.wantsJSON(in: session))
    let given = try invocation.optionalText("--columns").map { try CardProperty.columns($0) } ?? []
    areColumnsGiven = !given.isEmpty
    let usual: [CardProperty] =
      [.position] + (decks.count > 1 ? [.deck] : []) + [.prompt, .answer, .tags, .state, .guid]
    columns = given.isEmpty ? usual : given
  }

  private static func sort(_ text: String) throws -> (by: CardProperty, isDescending: Bool) {
    let isDescending = text.hasPrefix("-")
    let name = isDescending ? String(text.dropFirst()) : text
    return (try CardProperty.named(name, among: CardProperty.sorting), isDescending)
  }

  /// A terminal shows one page and a call from Lua gets one value; a program gets all cards as a stream.
  var isStreamed: Bool { !session.state.isAnswering && (wantsJSON || !session.console.hasScreen) }

  /// - Parameter total: the number of cards found, including those that the offset skips.
  private func nothing(of total: Int) throws -> String {
    if total > 0 {
      return "Nothing to show: --offset \(offset) is past the last card (\(session.counted(total, "card")))."
    }
    guard let query else { return decks.isEmpty ? "No decks yet; `deck create NAME` creates one." : "No cards." }
    if let name = try session.workspace().decks.named(query.trimmed)?.record().name {
      let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || ":_".contains($0) }
      let list = "card list " + (isPlain ? "deck:\(name)" : "--deck \(ShellWords.quote(name))")
      return "No card was found for \(quoted(query)); `\(list)` lists the deck's cards."
    }
    return "No card was found for \(quoted(query)); `help queries` explains how to search."
  }

  func page() throws -> CommandResult {
    let rows = session.console.hasScreen && !session.state.isAnswering
    let page = rows ? session.console.terminal.rowLimit ?? 200 : nil
    // A table shows no more rows than a page, whatever the limit.
    let listing = try self.listing([limit, page].compactMap(\.self).min())
    var parts: [Display] = [
      .table(try CardListCommand.table(listing.cards, columns, whenEmpty: nothing(of: listing.total), session))
    ]
    let next = offset + listing.cards.count
    if page != nil, next < listing.total, !listing.cards.isEmpty {
      parts.append(.lines(["… \(session.grouped(listing.total - next)) more; --offset \(next) shows the next"]))
    }
    return CommandResult(.objects(listing.cards), .parts(parts))
  }

  private func listing(_ limit: Int?) throws -> (cards: [CardHandle], total: Int) {
    guard sort != nil else {
      let listing = try session.workspace().cards.list(of: decks, matching: query, offset: offset, limit: limit)
      return (listing.cards.map(\.card), listing.total)
    }
    let sequence = try sequence()
    var cards: [CardHandle] = []
    while cards.count < limit ?? .max, let card = try sequence.nextCard() { cards.append(card) }
    return (cards, sequence.count)
  }

  private func sequence() throws -> CardSequence {
    let cards = try session.workspace().cards.find(
      in: decks, matching: query, sortedBy: sort?.by, isDescending: sort?.isDescending ?? false)
    cards.skip(offset)
    return cards
  }

  func stream() throws -> CommandResult {
    let sequence = try sequence()
    let total = sequence.count
    var stream = CardListStream(sequence, limit: limit, session)
    if wantsJSON {
      try stream.writeJSON(areColumnsGiven ? columns : CardProperty.shown)
    } else if try !stream.writeTable(columns) {
      session.console.write(try nothing(of: total) + "\n")
    }
    return CommandResult()
  }
}

extension CardProperty {
  var heading: TableText.Column {
    switch description.kind {
    case .integer where self == .position: .number("#")
    case .integer, .number: .init(title, .right)
    case .moment: .whole(title)
    default: .init(title, isMain: self == .prompt || self == .answer)
    }
  }

  private var title: String {
    let words = rawValue.replacing(text: "_", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// Formats a value of the field for the user; empty for a missing value.
  func text(_ value: Value, _ session: Session) -> String {
    switch value {
    case .null, .boolean(false): ""
    case .boolean(true): "yes"
    case .list(let items): items.map { $0.text ?? $0.json }.joined(separator: " ")
    case .integer(let number) where self == .position: session.grouped(number)
    case .number(let number) where description.kind == .moment: session.date(number.value)
    case .number(let number): Value.measure((number.value * 100).rounded() / 100).json
    case .text(let text): text
    case .integer, .record: value.json
    }
  }

  /// Formats the card's value of the field for the user.
  func text(of card: CardHandle, _ session: Session) throws -> String {
    let own = try self == .state || self == .due ? ownText(of: card.record(), at: session.studyMoment) : nil
    let shown = try own ?? text(card.value(of: self), session)
    return self == .prompt || self == .answer ? FieldHTML.withSigns(shown) : shown
  }

  /// The text of a field that depends on more than its value: "buried" for a card that is buried but not suspended, and
  /// the day on which `study` shows a learnt card, also if it was answered in another time zone. nil for anything else.
  func ownText(of card: some CardColumns, at moment: StudyMoment) -> String? {
    switch self {
    case .state: return !card.isSuspended && card.isBuried(at: moment) ? "buried" : card.stateName
    case .due:
      guard card.state == .review, let due = card.schedule.due else { return nil }
      return StudyMoment.date(ofDay: moment.dueDay(of: due))
    default: return nil
    }
  }

  /// Parses the columns of a list as the user types them: `prompt,answer,due`.
  static func columns(_ text: String) throws -> [CardProperty] {
    try text.split(separator: ",").map { try named(String($0).trimmed, among: shown) }
  }

  static func named(_ name: String, among properties: [CardProperty]) throws -> CardProperty {
    let wanted = name.lowercased()
    for known in properties where [known.rawValue, known.description.figure?.short].contains(wanted) { return known }
    let names = properties.map(\.rawValue)
    throw ShellError.notColumn(name, suggestion: suggestion(for: name, among: names), columns: names)
  }
}
