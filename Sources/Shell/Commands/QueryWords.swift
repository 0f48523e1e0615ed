// The words of a command as the text of a query. Invariant: a query without names that hold a blank means what the same
// text means in Lua.

import Commands
import Decks
import Templates
import Workspace

/// A word of a query that begins a name which may hold blanks: `deck:Class 1`, `-note:Basic`.
struct NamedTerm {
  /// What stands before the name: `-deck:`.
  let start: Substring
  let name: Substring
  private let isOfDeck: Bool

  /// Nil for any other word.
  init?(_ word: String) {
    guard let colon = word.firstIndex(of: ":") else { return nil }
    let field = word[..<colon].drop { $0 == "-" }.lowercased()
    guard field == "deck" || field == "note" else { return nil }
    isOfDeck = field == "deck"
    (start, name) = (word[...colon], word[word.index(after: colon)...])
  }

  var hasBlank: Bool { name.contains(" ") && !name.contains("\"") }

  /// The names that it may stand for.
  func names(_ session: Session) throws -> [String] {
    let workspace = try session.workspace()
    return try isOfDeck ? workspace.decks.records().map(\.name) : workspace.noteTypes.all().map { try $0.record().name }
  }
}

extension Session {
  /// The words joined. One like `deck:Class 1` stands for `deck:"Class 1"` where a deck is called so: a shell takes the
  /// quotes of its user away.
  func query(_ words: [String]) throws -> String {
    try words.map { word in
      guard let term = NamedTerm(word), term.hasBlank, case let wanted = term.name.lowercased(),
        try term.names(self).contains(where: { $0.lowercased() == wanted })
      else { return word }
      return "\(term.start)\"\(term.name)\""
    }.joined(separator: " ")
  }

  /// The words of an argument or an option; nil where it was left out.
  func query(_ name: String, of invocation: Invocation) throws -> String? {
    let words = invocation.list(name)
    return words.isEmpty ? nil : try query(words)
  }
}
