// Objects that the tests create in Swift.

import Decks
import Workspace

enum NewCardSample {
  static let card = NewCard(prompt: "p", answer: "a")
}

enum GameSample {
  static var options: GameOptions {
    var options = GameOptions()
    options.base = "cambering"
    return options
  }
}
