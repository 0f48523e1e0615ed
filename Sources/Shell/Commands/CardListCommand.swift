// `card list`: a page for a person, all of it for a program. Invariant: a column shows the same in either.

import Commands
import Decks
import Files
import Problems
import Text
import Values
import Workspace

/// What a list of cards can show of each.
enum CardColumn: String, CaseIterable {
  case position, deck, prompt, answer, tags, state, due, interval, stability, difficulty, reps, lapses, flag, created
  case modified, guid

  var heading: TableText.Column {
    switch self {
    case .position: .init("#", .right)
    case .interval, .stability, .difficulty, .reps, .lapses, .flag: .init(title, .right)
    default: .init(title)
    }
  }

  private var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  func text(_ card: CardHandle, _ position: Int, _ session: Session) throws -> String {
    let record = try card.record()
    switch self {
    case .position: return session.grouped(position)
    case .deck: return try card.deck().record().name
    case .prompt: return record.prompt
    case .answer: return record.answer
    case .tags: return record.tags.joined(separator: " ")
    case .state: return Self.stateName(record, session)
    case .guid: return record.guid
    default: return value(record, position, session).map(Self.words) ?? ""
    }
  }

  /// A value as a program reads it; nil for what a card does not have.
  func value(_ record: CardRecord, _ position: Int, _ session: Session) -> Value? {
    switch self {
    case .position: return .integer(position)
    case .due: return record.due.map { .text(session.date($0)) }
    case .created: return .text(session.date(record.created))
    case .modified: return .text(session.date(record.modified))
    case .interval:
      return record.state == .review ? .integer(session.studyMoment.interval(of: record.schedule)) : nil
    case .stability: return record.stability.map { .measure(($0 * 100).rounded() / 100) }
    case .difficulty: return record.difficulty.map { .measure(($0 * 100).rounded() / 100) }
    case .reps: return .integer(record.reps)
    case .lapses: return .integer(record.lapses)
    case .flag: return .integer(record.flag)
    case .prompt: return .text(record.prompt)
    case .answer: return .text(record.answer)
    case .tags: return .list(record.tags.map { .text($0) })
    case .state: return .text(Self.stateName(record, session))
    case .guid: return .text(record.guid)
    case .deck: return nil
    }
  }

  /// What keeps it from being studied, else where it is in its schedule.
  static func stateName(_ record: CardRecord, _ session: Session) -> String {
    stateName(record.state, isSuspended: record.isSuspended, isBuried: record.isBuried(at: session.studyMoment))
  }

  static func stateName(_ state: CardState, isSuspended: Bool, isBuried: Bool) -> String {
    isSuspended ? "suspended" : isBuried ? "buried" : state.name
  }

  static func words(_ value: Value) -> String { value.text ?? value.json }

  /// The columns of a list as they are typed: `prompt,answer,due`.
  static func columns(_ text: String) throws -> [CardColumn] {
    try text.split(separator: ",").map { word in
      let name = String(word).trimmed
      guard let column = CardColumn(rawValue: name.lowercased()) else {
        let names = allCases.map(\.rawValue)
        throw ShellError.notColumn(name, suggestion: suggestion(for: name, among: names), columns: names)
      }
      return column
    }
  }
}

enum CardListCommand {
  static var command: BuiltIn {
    BuiltIn(
      "card", "list", theme: "Decks and cards", access: .signedIn, effect: .reads,
      summary: "Lists cards, those of one deck or all.", answer: "card... or {COLUMN}...",
      details: """
        At a terminal the first `display.rows` are shown. --sort takes \(CardSort.allCases.map(\.rawValue).joined(separator: ", ")), with a \
        - before it from the highest down. `help queries` explains what can be looked for.
        """,
      arguments: [Argument("QUERY", .query, isOptional: true, help: "words of the prompt or answer, tag:x, -not, ...")],
      options: [
        Option("--deck", "DECK", .deck, help: "only this deck"),
        Option("--sort", "FIELD", help: "what to sort by; in the order of the decks when left out"),
        Option("--offset", "N", .integer(0...Int.max), help: "pass over the first N"),
        Option("--limit", "N", .positive, help: "at most N"),
        Option("--columns", "A,B", help: "what to show: \(CardColumn.allCases.map(\.rawValue).joined(separator: ","))"),
      ], example: "card list --deck Spanish tag:animal --sort -due --columns prompt,due,interval"
    ) { invocation, session in
      let request = try CardListRequest(invocation, session)
      return try request.isStreamed ? request.stream() : request.page()
    }
  }

  static func table(
    _ cards: [(card: CardHandle, position: Int)], _ columns: [CardColumn], whenEmpty: String, _ session: Session
  ) throws -> TableText {
    var table = TableText(columns.map(\.heading), whenEmpty: whenEmpty)
    for (index, (card, position)) in cards.enumerated() {
      if index % 256 == 0, session.environment.isInterrupted() { throw WorkspaceError.interrupted }
      table.add(try columns.map { try $0.text(card, position, session) })
    }
    return table
  }
}

/// One list of cards as it was asked for.
private struct CardListRequest {
  private let session: Session
  private let decks: [DeckHandle]
  private let query: String?
  private let columns: [CardColumn]
  private let areColumnsGiven: Bool
  private let sort: (by: CardSort, isDescending: Bool)?
  private let offset: Int
  private let limit: Int?
  private let wantsJSON: Bool

  init(_ invocation: Invocation, _ session: Session) throws {
    self.session = session
    let workspace = try session.workspace()
    decks = try invocation.optionalText("--deck").map { [try workspace.openDeck($0)] } ?? workspace.decks()
    query = invocation.query("QUERY")
    sort = try invocation.optionalText("--sort").map(Self.sort)
    offset = invocation.optionalInteger("--offset") ?? 0
    limit = invocation.optionalInteger("--limit")
    wantsJSON = invocation.wantsJSON || session.options.wantsJSON
    let given = try invocation.optionalText("--columns").map { try CardColumn.columns($0) } ?? []
    areColumnsGiven = !given.isEmpty
    let usual: [CardColumn] = [.position] + (decks.count > 1 ? [.deck] : []) + [.prompt, .answer, .tags, .state, .guid]
    columns = given.isEmpty ? usual : given
  }

  private static func sort(_ text: String) throws -> (by: CardSort, isDescending: Bool) {
    let isDescending = text.hasPrefix("-")
    let name = isDescending ? String(text.dropFirst()) : text
    guard let sort = CardSort(rawValue: name.lowercased()) else {
      let names = CardSort.allCases.map(\.rawValue)
      throw ShellError.notColumn(name, suggestion: suggestion(for: name, among: names), columns: names)
    }
    return (sort, isDescending)
  }

  /// A person sees a page, and what Lua asks for is one value; a program reads all as it comes.
  var isStreamed: Bool { !session.state.isAnswering && (wantsJSON || !session.console.terminal.hasScreen) }

  private var nothing: String {
    guard let query else { return decks.isEmpty ? "No decks yet; `deck create NAME` makes one." : "No cards." }
    if let name = deckName(query) {
      let list = "card list --deck \(ShellWords.quote(name))"
      return "No card was found for \(quoted(query)); `\(list)` lists the deck's cards."
    }
    return "No card was found for \(quoted(query)); `help queries` explains what can be looked for."
  }

  /// The name of the deck that a query would be; nil where none is called that.
  private func deckName(_ query: String) -> String? {
    do {
      let names = try session.workspace().decks().map { try $0.record().name }
      return names.first { $0.lowercased() == query.trimmed.lowercased() }
    } catch {
      // It is only for a hint.
      return nil
    }
  }

  // MARK: A page

  func page() throws -> CommandResult {
    let rows = session.console.terminal.hasScreen && !session.state.isAnswering
    let page = rows ? session.console.terminal.rowLimit ?? 200 : nil
    let listing = try self.listing(limit ?? page)
    var parts: [Display] = [
      .table(try CardListCommand.table(listing.cards, columns, whenEmpty: nothing, session))
    ]
    let next = offset + listing.cards.count
    if page != nil, next < listing.total, !listing.cards.isEmpty {
      parts.append(.lines(["… \(session.grouped(listing.total - next)) more; --offset \(next) shows the next"]))
    }
    return CommandResult(.objects(listing.cards.map(\.card)), .parts(parts))
  }

  private func listing(_ limit: Int?) throws -> (cards: [(card: CardHandle, position: Int)], total: Int) {
    guard sort != nil else {
      let listing = try session.workspace().listCards(of: decks, matching: query, offset: offset, limit: limit)
      return (listing.cards, listing.total)
    }
    let sequence = try sequence()
    var cards: [(card: CardHandle, position: Int)] = []
    while cards.count < limit ?? .max, let card = try sequence.nextCard() { cards.append((card, try card.position())) }
    return (cards, sequence.count)
  }

  private func sequence() throws -> CardSequence {
    let cards = try session.workspace().cards(
      of: decks, matching: query, sortedBy: sort?.by, isDescending: sort?.isDescending ?? false)
    cards.skip(offset)
    return cards
  }

  // MARK: A stream

  func stream() throws -> CommandResult {
    var stream = CardListStream(try sequence(), limit: limit, session)
    if wantsJSON {
      try stream.writeJSON(areColumnsGiven ? columns : nil)
    } else if try !stream.writeTable(columns) {
      session.console.write(nothing + "\n")
    }
    return CommandResult()
  }
}
