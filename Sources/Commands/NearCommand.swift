// Finds the command that an unknown word was meant as: by a near name, by the same word within a group, or by the name
// that other programs use. Invariant: only existing commands are suggested.

import Text

extension CommandRegistry {
  /// The names that other programs use for our commands.
  private static let otherNames = [
    "new": ["create", "add"], "make": ["create", "add"], "add": ["create"],
    "delete": ["remove"], "rm": ["remove"], "del": ["remove"], "ls": ["list"], "dir": ["list"],
    "mv": ["rename", "move"], "view": ["show"], "open": ["show"], "change": ["edit"],
    "modify": ["edit"], "learn": ["study"], "review": ["study"], "bye": ["exit"], "logoff": ["logout"],
    "man": ["help"], "config": ["set"], "settings": ["set"], "game": ["play"], "stats": ["deck stats"],
  ]

  /// The command that a first word was meant as: `studdy` is `study`, `import` is `deck import`; nil if none is near.
  ///
  ///     registry.nearCommand(to: "import")   // "deck import"
  public func nearCommand(to word: String, among more: [String] = []) -> String? {
    let firstWords = firstWords
    if let near = suggestion(for: word, among: firstWords + more) { return near }
    let others = Self.otherNames[word.lowercased()] ?? []
    if let other = others.first(where: { firstWords.contains($0) || knows($0) }) { return other }
    // In the order of the help: `list` is `card list`, not `account list`.
    for group in wordsByTheme.flatMap(\.words).compactMap({ group($0) }) {
      if group.commands.contains(where: { $0.path[1] == word }) { return "\(group.name) \(word)" }
    }
    return nil
  }

  /// The same for a word after the name of a group.
  func nearCommand(to word: String, in group: CommandGroup) -> String? {
    let names = group.commands.map { $0.path[1] }
    return suggestion(for: word, among: names) ?? Self.otherNames[word.lowercased()]?.first { names.contains($0) }
  }

  private func knows(_ name: String) -> Bool { commands.contains { $0.name == name } }
}
