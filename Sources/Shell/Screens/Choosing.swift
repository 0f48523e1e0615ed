// Lets the user choose from a list when a command at a terminal lacks its first argument. Invariant: when nobody can
// choose, the words stay as they are, and the command reports what is missing.

import Authentication
import Commands
import Problems
import Text

struct Choosing {
  let session: Session
  /// The kind of object that each command group shows.
  private static let groups: [String: ValueKind] = ["deck": .deck, "card": .card, "doc": .document]

  init(_ session: Session) { self.session = session }

  /// The words completed with the user's choice; nil when the user left the list.
  func words(for words: [String]) throws -> [String]? {
    guard canChoose, let (command, kind) = missing(in: words) else { return words }
    guard !session.auth.needsAuthentication, let (title, items) = try PickerItems(session).items(of: kind),
      !items.isEmpty
    else { return words }
    return try Picker(session, title: title, items).choose().map {
      command + ($0.hasPrefix("-") ? ["--", $0] : [$0])
    }
  }

  private var canChoose: Bool {
    session.canAsk && session.console.terminal.canRedraw && !session.options.wantsJSON && !session.state.isInScript
      && !session.console.isRedirected
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
