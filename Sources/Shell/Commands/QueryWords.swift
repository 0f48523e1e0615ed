// The words of a command as the text of a query. Invariant: a query without names that hold a blank means what the same
// text means in Lua.

import Decks
import Templates
import Text
import Workspace

extension Session {
  /// The words joined. One like `deck:Class 1` stands for `deck:"Class 1"` where a deck is called so: a shell takes the
  /// quotes of its user away.
  func query(_ words: [String]) throws -> String {
    try words.map { word in
      guard let (start, name) = Self.name(in: word), try isName(name, after: start) else { return word }
      return "\(start)\"\(name)\""
    }.joined(separator: " ")
  }

  /// What stands before a name with blanks, and the name; nil for any other word.
  private static func name(in word: String) -> (start: String, name: String)? {
    guard let colon = word.firstIndex(of: ":") else { return nil }
    let name = word[word.index(after: colon)...]
    guard name.contains(" "), !name.contains("\"") else { return nil }
    return (String(word[...colon]), String(name))
  }

  private func isName(_ name: String, after start: String) throws -> Bool {
    let wanted = name.lowercased()
    switch start.lowercased() {
    case "deck:", "-deck:": return try workspace().decks.records().contains { $0.name.lowercased() == wanted }
    case "note:", "-note:":
      return try workspace().noteTypes.all().contains { try $0.record().name.lowercased() == wanted }
    default: return false
    }
  }
}
