// Joins the words of a command into the text of a query. Invariant: a query without names that contain spaces means the
// same as that text in Lua.

import Commands
import Decks
import Templates
import Workspace

/// A query word that begins with a field whose names may contain spaces: `deck:Class 1`, `-note:Basic`.
struct NamedTerm {
  /// The part before the name: `-deck:`.
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

  var containsSpace: Bool { name.contains(" ") && !name.contains("\"") }

  /// All names that the term can refer to.
  func names(_ session: Session) throws -> [String] {
    let workspace = try session.workspace()
    return try isOfDeck ? workspace.decks.records().map(\.name) : workspace.noteTypes.all().map { try $0.record().name }
  }
}

extension Session {
  /// The words joined by spaces. A word like `deck:Class 1` becomes `deck:"Class 1"` if a deck has that name, because
  /// the user's shell removes the quotes.
  func query(_ words: [String]) throws -> String {
    try words.map { word in
      guard let term = NamedTerm(word), term.containsSpace, case let wanted = term.name.lowercased(),
        try term.names(self).contains(where: { $0.lowercased() == wanted })
      else { return word }
      return "\(term.start)\"\(term.name)\""
    }.joined(separator: " ")
  }

  /// The query text of an argument or option; nil when it was left out.
  func query(_ name: String, of invocation: Invocation) throws -> String? {
    let words = invocation.list(name)
    return words.isEmpty ? nil : try query(words)
  }
}
