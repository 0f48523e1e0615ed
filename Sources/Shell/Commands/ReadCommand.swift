// `text read`. Invariant: actions on a word do what `mine` and `text known` do, each as an undo step.

import Commands
import Exchange
import Language
import Workspace

extension TextCommands {
  static var read: BuiltIn {
    BuiltIn(
      "text", "read", access: .atTerminal, effect: .changes,
      summary: "Shows a text in pages, with its unknown words marked to look up or to make cards of.",
      answer: "nothing",
      details: """
        An unknown word is followed by *, one with a card that was never studied by +; the selected word is in brackets. \
        Keys go from one unknown word to the next, show its meaning, make a card of it with its sentence, or list it as \
        known or as not to be learned. The reading position is saved.
        """, arguments: [files],
      options: [
        Option("--deck", "DECK", .deck, help: "the deck for the cards; Mined when left out"), Common.language, encoding,
        knownList,
      ], example: "text read novel.epub --language spanish --deck Novel"
    ) { invocation, session in
      let text = try open(invocation, session)
      if text.text.sentences.isEmpty {
        throw TextFileError.empty(path: invocation.list("FILE").joined(separator: ", "))
      }
      try ReadingScreen(session, text, deck: invocation.optionalText("--deck") ?? "Mined").run()
      return CommandResult()
    }
  }
}
