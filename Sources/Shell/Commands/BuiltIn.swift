// The built-in commands, put into the registry by theme. Invariant: each is described once; its help, completion and parsing
// come from that description.

import Commands

extension Shell {
  func addBuiltInCommands() throws {
    registry.themeOrder = [
      "Decks and cards", "Studying", "Card documents", "Words and games", "Settings", "Plugins", Self.accountTheme,
      "The shell",
    ]
    registry.describeGroup("deck", "Make, list, rename, remove, import and export decks.")
    registry.describeGroup("card", "Add, find, edit, move, tag and remove cards.")
    registry.describeGroup("doc", "Compose picture cards from texts and images, check and draw them.")
    registry.describeGroup("word", "Look words up: check, anagrams, patterns.")
    registry.describeGroup("account", "Add, list and remove accounts.")
    registry.describeGroup("plugin", "List, enable, disable and reload plugins.")
    let commands =
      deckCommands() + cardCommands() + [studyCommand()] + documentCommands() + wordCommands() + [playCommand()]
      + pluginCommands() + settingCommands() + accountCommands() + shellCommands()
    for command in commands { try registry.add(command) }
  }
}

/// Arguments and options that several commands take.
enum Common {
  static let deck = Argument("DECK", .deck, help: "a deck's name; A::B is a deck within A")
  static let language = Option("--language", "L", .language, help: "english, spanish, ...; `word languages` lists them")

  static let foldAccents = Option("--fold-accents", help: "à matches a; ñ stays a letter of its own")
}
