// A list to choose from, filtered as the user types: for a command at a terminal that lacks its first argument.
// Invariant: only Enter chooses; when nobody can choose, the words stay, and the command reports what is missing.

import Authentication
import CardDocuments
import Commands
import Decks
import Files
import Text
import Workspace

final class Picker {
  private let session: Session
  private let title: String
  private let items: [Offer]
  private var filter = ""
  private var place = 0
  private var first = 0

  init(_ session: Session, title: String, _ items: [Offer]) {
    (self.session, self.title, self.items) = (session, title, items)
  }

  private var terminal: Terminal { session.console.terminal }

  /// The items whose text contains all typed words.
  static func matching(_ items: [Offer], _ filter: String) -> [Offer] {
    let words = filter.lowercased().split(separator: " ")
    return items.filter { item in
      let text = (item.shown + " " + item.help + " " + item.text).lowercased()
      return words.allSatisfy { text.contains(text: $0) }
    }
  }

  /// Runs the list; returns the chosen value, or nil when the user left.
  func choose() throws -> String? {
    try KeyScreen(session: session).run(showing: lines) { event in
      switch event {
      case .key(.enter):
        let found = Self.matching(items, filter)
        if found.indices.contains(place) { return .ends(found[place].text) }
      case .key(let key): handleKey(key)
      case .line(let line): filter = line
      case .pasted(let text): (filter, place) = (filter + text, 0)
      default: break
      }
      return .continues
    }
  }

  func handleKey(_ key: Key) {
    let count = Self.matching(items, filter).count
    switch key {
    case .character(let character): (filter, place) = (filter + String(character), 0)
    case .backspace: (filter, place) = (String(filter.dropLast()), 0)
    case .control("u"): (filter, place) = ("", 0)
    case .up, .control("p"): place -= 1
    case .down, .tab, .control("n"): place += 1
    case .pageUp: place -= room
    case .pageDown: place += room
    case .home: place = 0
    case .end: place = count - 1
    default: break
    }
    let left = key == .up || key == .down ? count : Self.matching(items, filter).count
    place = max(0, min(place, left - 1))
  }

  private var room: Int { max(1, min(15, terminal.height - 7)) }

  func lines() -> [String] {
    let found = Self.matching(items, filter)
    first = max(0, min(first, place))
    if place >= first + room { first = place - room + 1 }
    var parts = ScreenParts(
      title: title, facts: ["\(terminal.grouped(found.count)) of \(terminal.grouped(items.count))"])
    let shown = found.dropFirst(first).prefix(room)
    let width = min(40, shown.map(\.shown.displayWidth).max() ?? 0)
    parts.body = shown.enumerated().map { index, item in
      let mark = first + index == place ? (terminal.usesUnicode ? "❯ " : "> ") : "  "
      let line = mark + printable(item.shown).cut(to: width).filled(to: width) + "  " + printable(item.help)
      return terminal.styled(line, first + index == place ? .bold : [])
    }
    if found.isEmpty { parts.body = ["Nothing contains all of these words."] }
    parts.body = ["> " + printable(filter) + (terminal.usesUnicode ? "▏" : "_")] + parts.body
    parts.keys = "type to filter   up, down choose   Enter selects   Esc cancels"
    return parts.lines(on: terminal)
  }
}

struct Choosing {
  let session: Session
  /// The kind of object that each command group shows.
  private static let groups: [String: ValueKind] = ["deck": .deck, "card": .card, "doc": .document]
  private static let mostItems = 2_000

  /// The words completed with the user's choice; nil when the user left the list.
  func words(for words: [String]) throws -> [String]? {
    guard
      session.canAsk && session.console.terminal.canRedraw && !session.options.wantsJSON && !session.state.isInScript
        && !session.console.isRedirected,
      let (command, kind) = missing(in: words), !session.auth.needsAuthentication,
      let (title, items) = try items(of: kind), !items.isEmpty
    else { return words }
    return try Picker(session, title: title, items).choose().map { command + ($0.hasPrefix("-") ? ["--", $0] : [$0]) }
  }

  /// The title and all items of a kind; nil for a kind that is not chosen from a list.
  private func items(of kind: ValueKind) throws -> (title: String, items: [Offer])? {
    let workspace = try session.workspace()
    switch kind {
    case .deck: return ("Which deck?", try NameOffers(session: session).decks())
    case .document:
      let items = try workspace.documents.all().0.map { handle in
        let document = try handle.document()
        let id = document.id.description
        return Offer(id, shown: document.content.title, help: String(id.prefix(8)))
      }
      return ("Which document?", items)
    case .card:
      let items = try workspace.cards.list(of: workspace.decks.all(), limit: Self.mostItems).cards.map {
        card, position in
        let record = try card.record()
        let place = "\(try card.deck().record().name):\(position)"
        return Offer(place, shown: record.prompt, help: "\(record.answer)  (\(place))")
      }
      return ("Which card?", items)
    default: return nil
    }
  }

  /// The command that the words name, and the kind of the missing argument; nil when none is missing.
  private func missing(in words: [String]) -> ([String], ValueKind)? {
    if words.count == 1, let kind = Self.groups[words[0]], session.registry.group(words[0]) != nil {
      return ([words[0], "show"], kind)
    }
    guard let command = session.registry.command(of: words), command.path == words,
      let first = command.arguments.first, !first.isOptional, [.deck, .card, .document].contains(first.kind),
      command.usageLines.contains(where: { isWhole($0, with: words.count + 1) })
    else { return nil }
    return (words, first.kind)
  }

  /// Whether that many words are all that a usage line requires: a line that lacks more arguments opens no list.
  private func isWhole(_ usage: String, with count: Int) -> Bool {
    var depth = 0
    let needed = usage.filter { letter in
      if letter == "[" { depth += 1 }
      defer { if letter == "]" { depth -= 1 } }
      return depth == 0
    }
    return needed.split(separator: " ").count { $0 != "..." } == count
  }
}
