// `text read`. Invariant: actions on a word do what `mine` and `text known` do, each as an undo step.

import Commands
import Exchange
import Language
import Workspace

extension TextCommands {
  static var read: BuiltIn {
    BuiltIn(
      "text", "read", theme: theme, access: .atTerminal, effect: .changes,
      summary: "Shows a text in pages with its unknown words marked, to look up and to make cards of.",
      answer: "nothing",
      details: """
        An unknown word has a * behind it, one with a card that was never studied a +; the marked one stands in brackets. \
        Keys go from one unknown word to the next, show what it means, make a card of it with its sentence, or list it as \
        known or not to be learned. Where you stop is kept.
        """, arguments: [files],
      options: [
        Option("--deck", "DECK", .deck, help: "where cards go; Mined when left out"), Common.language, encoding,
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
