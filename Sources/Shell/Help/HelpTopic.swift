// The topics of `help`: what is not a command but users need to know. Invariant: every example is a line that can be
// typed; a test runs each.

import Text

/// A topic that `help NAME` explains.
struct HelpTopic {
  let name: String
  /// One sentence.
  let summary: String
  /// Names with their meanings; `paragraphs` come after them.
  let rows: [(String, String)]
  let paragraphs: [String]
  /// More names with their meanings, under their own headings.
  var sections: [(title: String, rows: [(String, String)])] = []
  /// A line that the user can type.
  let example: String

  func lines(width: Int) -> [String] {
    wrapped(summary, width: width) + (rows.isEmpty ? [] : [""] + table(rows, width: width))
      + paragraphs.flatMap { [""] + wrapped($0, width: width) }
      + sections.flatMap { ["", $0.title] + table($0.rows, width: width) }
  }

  private func table(_ rows: [(String, String)], width: Int) -> [String] {
    let names = min(rows.map(\.0.displayWidth).max() ?? 0, max(10, width - 34))
    let blank = String(repeating: " ", count: names + 4)
    return rows.flatMap { name, text in
      let lines = wrapped(text, width: max(20, width - names - 4))
      // A name that is too long for its column gets its own line.
      if name.displayWidth > names { return ["  " + name] + lines.map { blank + $0 } }
      return lines.enumerated().map { number, line in
        number == 0 ? "  " + name.filled(to: names) + "  " + line : blank + line
      }
    }
  }

  static let all: [HelpTopic] = [
    tour, queries, patterns, keys, modes, plugins, documents, formats, prompt, scripts, json,
  ]

  /// At a terminal this topic starts the interactive tour: see `Tour`.
  static let tourName = "tour"

  private static let tour = HelpTopic(
    name: tourName, summary: "A short tour. Type the lines yourself.",
    rows: [
      ("deck create Spanish", "a deck"), ("card add Spanish \"el perro\" \"the dog\"", "a card"),
      ("study Spanish --sprint", "a race against the clock"),
      ("play --language spanish", "make words from a word"),
      ("deck import Spanish words.tsv", "many cards from a file"),
      ("#decks.open(\"Spanish\")", "any line that is no command is Lua"),
      ("words.lexicon(\"english\"):match(\"c?t*\")", "words of a pattern"),
    ],
    paragraphs: [
      "Tab completes commands, names and Lua. `help NAME` explains a command, a function, a setting; `help -k WORD` "
        + "searches; `help keys` tells what keys do. Ctrl-C stops, Ctrl-D or `exit` leaves."
    ], example: "deck create Spanish")

  private static let queries = HelpTopic(
    name: "queries", summary: "What `card list`, `study --query`, deck:find and others look for:",
    rows: QueryHelp.examples.map { ($0.query, $0.finds) },
    paragraphs: [
      "FIELD:text looks in a field of the card or of its note. Side by side means both, `or` means one of them. "
        + "At the prompt quotes belong to the query when the whole of it stands in other quotes: "
        + "card list '\"el perro\" -tag:easy'."
    ], example: "card list tag:animal -is:suspended")

  private static let patterns = HelpTopic(
    name: "patterns", summary: "The patterns of `word match` and lexicon:match; a pattern stands for the whole word.",
    rows: [
      ("?", "one letter"), ("*", "any number of letters, none too"), ("[abc]", "one of these letters"),
      ("c?t", "cat, cot, cut"), ("*ing", "words that end in ing"), ("[bc]at", "bat, cat"),
    ],
    paragraphs: [
      "`word anagrams` takes letters in any order, `word formable` too, where ? stands for any letter. In queries of "
        + "cards * stands for anything within a word (`help queries`). In your system's shell a pattern needs quotes."
    ], example: "word match 'c?t*'")

  private static let keys = HelpTopic(
    name: "keys", summary: "What keys do at the prompt; ~/.inputrc changes them, and vi mode holds.",
    rows: [
      ("Tab", "completes, or lists what could stand here"),
      ("Right, Ctrl-E", "at the end of the line: takes the grey suggestion"),
      ("Up, Down", "lines of the history that begin as this one"), ("Ctrl-R", "searches all lines of the history"),
      ("Ctrl-X Ctrl-E", "opens the line in $EDITOR"), ("Alt-H", "help for the word at the cursor"),
      ("Ctrl-A, Home", "to the beginning; Ctrl-E, End to the end"), ("Ctrl-W", "cuts the word before the cursor"),
      ("Ctrl-U, Ctrl-K", "cut the line before and behind the cursor; Ctrl-Y puts it back"),
      ("Ctrl-_", "takes the last change back"), ("Ctrl-L", "clears the screen"),
      ("Ctrl-C", "drops the line, or stops what runs"), ("Ctrl-D", "on an empty line: leaves"),
      ("Ctrl-Z", "stops the shell; `fg` of your system's shell goes on"),
    ],
    paragraphs: [
      "While studying: Enter shows the answer, 1 to 4 say how well it was known, ? shows the other keys. In a game a "
        + "line is a guess, /help lists the commands.",
      "Colours and suggestions are off with `set prompt.hints off`, NO_COLOR, TERM=dumb and for a screen reader.",
    ], example: "set prompt.hints off")

  private static let documents = HelpTopic(
    name: "documents", summary: "Card documents: pictures composed of texts and images, which a card can show.",
    rows: [
      ("doc create", "a document; it tells its id"), ("doc add-text DOC TEXT", "a text in front"),
      ("doc add-image DOC FILE", "a picture in front"), ("doc set DOC ELEMENT x=100", "moves, sizes, turns an element"),
      ("doc edit DOC", "moves, sizes and turns with keys, the picture beside"),
      ("doc set DOC 1 wraps=true", "breaks a text's lines at its box, in place of making it small"),
      ("doc set DOC 2 cropped=true", "lets a picture fill its box"),
      ("doc panel DOC GROUP COLOR", "a panel behind the elements of a group"),
      ("doc render DOC FILE", "draws to .svg, .png or .pdf"),
      ("doc create --template DOC --deck DECK", "one for each card, {prompt} and {answer} filled in"),
      ("card attach CARD DOC", "the card shows it with its answer"),
    ],
    paragraphs: [
      "A card is 1300 by 2000 units. x and y are the distance of an element's centre from the card's centre in "
        + "units, y "
        + "downwards; width and height are units too, rotation is in degrees clockwise. A colour is R,G,B from 0 to "
        + "1, or "
        + "#rrggbb."
    ], example: "doc create --background 1,1,0.7")

  private static let formats = HelpTopic(
    name: "formats", summary: "The files that `deck import` and `deck export` read and write; the ending says which.",
    rows: [
      (".json", "an array of {\"prompt\":, \"answer\":}, with tags, guid and more"), (".jsonl", "an object a line"),
      (".csv", "comma-separated values with a heading"), (".tsv", "the same, separated by tabs"),
      (".txt", "Anki's text file, with # headers"), (".md", "Markdown: a heading and its text, Q: and A: lines, gaps"),
      (".apkg, .colpkg", "Anki's packages: of decks, of a collection"),
      (".rwcard", "a card document: `doc` commands read and write it"),
    ],
    paragraphs: [
      "--format says it where the ending does not. A row that cannot be a card is refused and told; a broken file "
        + "imports "
        + "nothing. `help deck import` and `help deck export` list the options."
    ], example: "deck export Spanish spanish.csv")

  private static let prompt = HelpTopic(
    name: "prompt", summary: "How a line at the prompt is read.",
    rows: [
      ("deck list", "a command: its first word names one"), ("1 + 1", "any other line is Lua; a value is shown"),
      ("=deck, lua deck", "is Lua, whatever it looks like"), ("deck list | sort", "a command's output into a program"),
      ("deck list > FILE", "into a file; >> adds to it"),
    ],
    paragraphs: [
      "The prompt shows who is signed in, and the deck that was used last. shell.prompt is the function of Lua that "
        + "makes "
        + "it: shell.prompt = function(state) return state.user .. \"> \" end replaces it, in init.lua for good. "
        + "state has "
        + "the fields user, deck, game and is_signed_in.",
      "An unfinished chunk of Lua asks for more, and the prompt says what is open.",
    ], example: "lua 1 + 1")

  private static let scripts = HelpTopic(
    name: "scripts", summary: "Work without a user: scripts of Lua, and files of commands.",
    rows: [
      ("deckhand run make.lua", "a Lua script: one unit of work, kept or taken back as a whole"),
      ("deckhand run weekly.dh", "a command a line, # begins a comment; it stops at the first failure"),
      ("deckhand -e CODE", "Lua from the command line"),
      ("history --lua FILE", "the lines of this session as a script"),
    ],
    paragraphs: ["--dry-run shows what a script would change, --seed N makes its random choices repeat."],
    example: "history --lua session.lua")

  private static let json = HelpTopic(
    name: "json", summary: "--json makes a command answer in JSON, one value a line.",
    rows: [
      ("deck list --json", "an object for each deck, with the names of its Lua fields"),
      ("deckhand --json ...", "the same, for every command of the run"),
    ],
    paragraphs: [
      "`help COMMAND` says what its answer is. Numbers are plain, times are seconds since 1970. An error is an "
        + "object with "
        + "code, title and message on standard error; `help CODE` explains a code."
    ], example: "deck list --json")
}
