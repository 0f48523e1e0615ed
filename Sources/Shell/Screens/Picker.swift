// A list to choose from, filtered as the user types: for `deck`, `card`, `doc` without a name. Invariant: only Enter
// chooses; without cursor control nothing is shown.

import CardDocuments
import Commands
import Decks
import Files
import Text
import Workspace

/// An item to choose.
struct PickerItem: Equatable {
  /// The argument passed to the command.
  let value: String
  /// The text that the list shows and searches.
  let title: String
  var help = ""
}

final class Picker {
  private let session: Session
  private let title: String
  private let items: [PickerItem]
  private var filter = ""
  private var place = 0
  private var first = 0

  init(_ session: Session, title: String, _ items: [PickerItem]) {
    (self.session, self.title, self.items) = (session, title, items)
  }

  private var terminal: Terminal { session.console.terminal }

  /// The items whose text contains all typed words.
  static func matching(_ items: [PickerItem], _ filter: String) -> [PickerItem] {
    let words = filter.lowercased().split(separator: " ")
    return items.filter { item in
      let text = (item.title + " " + item.help + " " + item.value).lowercased()
      return words.allSatisfy { text.contains(text: $0) }
    }
  }

  /// Runs the list; returns the chosen value, or nil when the user left.
  func choose() throws -> String? {
    try KeyScreen(session).run(showing: lines) { event in
      switch event {
      case .key(.enter):
        let found = Self.matching(items, filter)
        if found.indices.contains(place) { return .ends(found[place].value) }
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

  /// The number of items shown at once.
  private var room: Int { max(1, min(15, terminal.height - 7)) }

  func lines() -> [String] {
    let found = Self.matching(items, filter)
    first = max(0, min(first, place))
    if place >= first + room { first = place - room + 1 }
    var parts = ScreenParts(
      title: title, facts: ["\(terminal.grouped(found.count)) of \(terminal.grouped(items.count))"])
    let shown = found.dropFirst(first).prefix(room)
    let width = min(40, shown.map(\.title.displayWidth).max() ?? 0)
    parts.body = shown.enumerated().map { index, item in
      let mark = first + index == place ? (terminal.usesUnicode ? "❯ " : "> ") : "  "
      let line = mark + printable(item.title).cut(to: width).filled(to: width) + "  " + printable(item.help)
      return terminal.styled(line, first + index == place ? .bold : [])
    }
    if found.isEmpty { parts.body = ["Nothing contains all of these words."] }
    parts.body = ["> " + printable(filter) + (terminal.usesUnicode ? "▏" : "_")] + parts.body
    parts.keys = "type to filter   up, down choose   Enter selects   Esc cancels"
    return parts.lines(on: terminal)
  }
}

/// The items to choose from when a command lacks an argument.
struct PickerItems {
  let session: Session
  private static let most = 2_000

  init(_ session: Session) { self.session = session }

  /// The title and all items of a kind; nil for a kind that is not chosen from a list.
  func items(of kind: ValueKind) throws -> (title: String, items: [PickerItem])? {
    switch kind {
    case .deck:
      let items = try session.workspace().decks.records().map { deck in
        PickerItem(
          value: deck.name, title: deck.name,
          help: deck.studied.map { "studied \(session.ago($0))" } ?? "never studied")
      }
      return ("Which deck?", items)
    case .document:
      let items = try session.workspace().documents.all().0.map { handle in
        let document = try handle.document()
        return PickerItem(
          value: document.id.description, title: document.content.title, help: String(document.id.description.prefix(8))
        )
      }
      return ("Which document?", items)
    case .card:
      let workspace = try session.workspace()
      let cards = try workspace.cards.list(of: workspace.decks.all(), limit: Self.most).cards
      let items = try cards.map { card, position in
        let record = try card.record()
        let name = try card.deck().record().name
        return PickerItem(
          value: "\(name):\(position)", title: record.prompt, help: "\(record.answer)  (\(name):\(position))")
      }
      return ("Which card?", items)
    default: return nil
    }
  }
}
