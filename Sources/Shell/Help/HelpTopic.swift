// The topics of `help`: what is not a command but users need to know. Invariant: every example is a line that can be
// typed, and every query is valid (a test runs each); rules, functions and events are those that the program uses.

import Bindings
import Commands
import PluginHost
import Problems
import Text
import WordGames

struct HelpTopic {
  let name: String
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
    helpTable(rows, width: width, widest: max(10, width - 34))
  }

  static let all: [HelpTopic] = [
    tour, queries, patterns, keys, modes, plugins, documents, formats, prompt, scripts, json,
  ]

  /// At a terminal this topic starts the interactive tour: see `Tour`.
  static let tourName = "tour"

  private static let tour = HelpTopic(
    name: tourName, summary: "A short tour. Type the lines yourself.",
    rows: [
      ("deck create Spanish", "creates a deck"), ("card add Spanish \"el perro\" \"the dog\"", "adds a card"),
      ("study Spanish --sprint", "a race against the clock"),
      ("play --language spanish", "a game: make words from the letters of a word"),
      ("deck import Spanish words.tsv", "imports many cards from a file"),
      ("#decks.open(\"Spanish\")", "any line that is not a command is Lua"),
      ("words.lexicon(\"english\"):match(\"c?t*\")", "lists the words that match a pattern"),
    ],
    paragraphs: [
      "Tab completes commands, names and Lua. `help NAME` explains a command, a function or a setting; `help -k WORD` "
        + "searches the help; `help keys` lists the keys. Ctrl-C interrupts, Ctrl-D or `exit` leaves."
    ], example: "deck create Spanish")

  private static let queries = HelpTopic(
    name: "queries", summary: "How to search for cards in `card list`, `study --query`, deck:find and others.",
    rows: QueryHelp.examples.map { ($0.query, $0.finds) },
    paragraphs: [
      "FIELD:text searches a field of the card or of its note; a name with spaces needs quotes, as in "
        + "\"back extra\":sun or \"deck:Class 1\". Terms side by side, also with `and`, must all match; with `or` one "
        + "is enough. At the prompt, quotes are part of the query when the whole query is in quotes of the other kind: "
        + "card list '\"el perro\" -tag:easy'. For clients of `serve`, as in Anki, a field's text must be all of it."
    ], example: "card list tag:animal -is:suspended")

  private static let patterns = HelpTopic(
    name: "patterns", summary: "The patterns of `word match` and lexicon:match; a pattern must match the whole word.",
    rows: [
      ("?", "one letter"), ("*", "any number of letters, or none"), ("[abc]", "one of these letters"),
      ("c?t", "cat, cot, cut"), ("*ing", "words that end in ing"), ("[bc]at", "bat, cat"),
    ],
    paragraphs: [
      "`word anagrams` and `word formable` take letters in any order; in `word formable` ? stands for any letter. In "
        + "card queries * matches anything within a word (`help queries`). Quote patterns in your system's shell."
    ], example: "word match 'c?t*'")

  private static let keys = HelpTopic(
    name: "keys", summary: "What keys do at the prompt; ~/.inputrc can change them, and vi mode works.",
    rows: [
      ("Tab", "completes, or lists the possible completions"),
      ("Right, Ctrl-E", "at the end of the line: accepts the grey suggestion"),
      ("Up, Down", "history lines that begin like this one"), ("Ctrl-R", "searches the whole history"),
      ("Ctrl-X Ctrl-E", "opens the line in $EDITOR"), ("Alt-H", "help for the word at the cursor"),
      ("Ctrl-A, Home", "to the beginning of the line; Ctrl-E, End: to the end"),
      ("Ctrl-W", "cuts the word before the cursor"),
      ("Ctrl-U, Ctrl-K", "cut the line before or after the cursor; Ctrl-Y pastes it"),
      ("Ctrl-_", "undoes the last change"), ("Ctrl-L", "clears the screen"),
      ("Ctrl-C", "discards the line, or stops what is running"), ("Ctrl-D", "on an empty line: leaves"),
      ("Ctrl-Z", "suspends the shell; `fg` in your system's shell resumes it"),
    ],
    paragraphs: [
      "While studying: Enter shows the answer, 1 to 4 say how well you knew it, ? shows the other keys. In a game a "
        + "line is a guess, and /help lists the commands.",
      "Colours and suggestions are off with `set prompt.hints off`, NO_COLOR, TERM=dumb or a screen reader.",
    ], example: "set prompt.hints off")

  private static let documents = HelpTopic(
    name: "documents", summary: "Card documents: pictures composed of texts and images, which a card can show.",
    rows: [
      ("doc create", "creates a document and shows its id"), ("doc add-text DOC TEXT", "adds a text in front"),
      ("doc add-image DOC FILE", "adds a picture in front"),
      ("doc set DOC ELEMENT x=100", "moves, resizes or rotates an element"),
      ("doc edit DOC", "moves, resizes and rotates with keys, next to the picture"),
      ("doc set DOC 1 wraps=true", "breaks a text's lines at its box instead of shrinking it"),
      ("doc set DOC 2 cropped=true", "lets a picture fill its box"),
      ("doc render DOC FILE", "draws to .svg, .png or .pdf"),
      ("doc sheet DOC FILE --deck DECK", "draws one for each card, with {prompt} and {answer} filled in"),
      ("card attach CARD DOC", "makes the card show it with its answer"),
    ],
    paragraphs: [
      "A card is 1300 by 2000 units. x and y are the distance of an element's centre from the card's centre in "
        + "units, y downwards; width and height are in units too, rotation is in degrees clockwise. A colour is R,G,B "
        + "from 0 to 1, or #rrggbb."
    ], example: "doc create --background 1,1,0.7")

  private static let formats = HelpTopic(
    name: "formats",
    summary: "The files that `deck import` and `deck export` read and write; the file extension selects the format.",
    rows: [
      (".json", "an array of {\"prompt\":, \"answer\":}, with tags, guid and more"), (".jsonl", "one object per line"),
      (".csv", "comma-separated values; the first line may name them"), (".tsv", "the same, separated by tabs"),
      (".txt", "lines such as gato - cat, or Anki's text file with # headers"),
      (".md", "Markdown: a heading and its text, Q: and A: lines, gaps, or a table"),
      (".apkg, .colpkg", "Anki's packages, of decks or of a whole collection"),
      ("FOLDER", "a folder of CrowdAnki; for importing also a profile of Anki with its collection.anki2"),
      (".rwcard", "a card document: `doc` commands read and write it"),
    ],
    paragraphs: [
      "Use --format when the extension does not show the format. A row that cannot become a card is refused and "
        + "reported; a broken file imports nothing. `help deck import` and `help deck export` list the options."
    ], example: "deck export Spanish spanish.csv")

  private static let prompt = HelpTopic(
    name: "prompt", summary: "How a line at the prompt is read.",
    rows: [
      ("deck list", "a command: its first word names one"), ("1 + 1", "any other line is Lua; a value is shown"),
      ("=deck, lua deck", "is always Lua"), ("deck list | sort", "sends a command's output to a program"),
      ("deck list > FILE", "writes it to a file; >> appends to the file"),
    ],
    paragraphs: [
      "The prompt shows who is signed in, and the deck that was used last. shell.prompt is the Lua function that makes "
        + "it: shell.prompt = function(state) return (state.user or \"\") .. \"> \" end replaces it, permanently when "
        + "it is in init.lua. state has the fields user, deck, game and is_signed_in.",
      "After an unfinished chunk of Lua the prompt asks for more, and shows what is still open.",
    ], example: "lua 1 + 1")

  private static let scripts = HelpTopic(
    name: "scripts", summary: "Unattended work: Lua scripts, and files of commands.",
    rows: [
      ("deckhand run make.lua", "a Lua script: one unit of work, stored or undone as a whole"),
      ("deckhand run weekly.dh", "one command per line, # begins a comment; it stops at the first failure"),
      ("deckhand -e CODE", "Lua code from the command line"),
      ("history --lua FILE", "the lines of this session as a script"),
    ], paragraphs: ["--dry-run shows what a script would change, --seed N makes its random choices repeatable."],
    example: "history --lua session.lua")

  private static let json = HelpTopic(
    name: "json", summary: "--json makes a command answer in JSON, one value a line.",
    rows: [
      ("deck list --json", "an object for each deck, with the names of its Lua fields"),
      ("deckhand --json ...", "the same, for every command of the run"),
    ],
    paragraphs: [
      "`help COMMAND` describes its answer. Numbers are plain, times are seconds since 1970. An error is an object "
        + "with code, title and message on standard error; `help CODE` explains a code."
    ], example: "deck list --json")

  static let modes = HelpTopic(
    name: "modes", summary: "The modes of word games; `play --list` lists them, including those of plugins.",
    rows: [
      ("classic", "words from the letters of a base word, without a time limit"),
      ("timed", "three minutes for one base word"), ("daily", "the same base word for everybody until midnight"),
      ("blitz", "two minutes, a new base word after every third word"), ("duel", "two players take turns"),
    ],
    paragraphs: [
      "In a game a line is a guess; /new /hint /shuffle /list /give-up /help /quit are its commands. A game is saved "
        + "while you play: `play --resume` resumes it, `play --scores` lists finished ones.",
      "games.mode{name=, title=, summary=, rules={...}, ...} adds a mode in Lua. Its rules are checked in order, and "
        + "the first one that a guess fails gives the answer; without rules it has those of classic: "
        + Mode.classicRules.map(\.description).joined(separator: ", ") + ". game.data is a table of the mode's own.",
      "In a rule, " + Rule.valuesInWords,
    ],
    sections: [
      ("Rules", Rule.samples.map { ($0.form, $0.rule.report.titleAndMessage) }),
      ("Functions, all optional", ModeFunction.allCases.map { ($0.call, $0.meaning) }),
    ], example: "play timed --language spanish")

  static let plugins = HelpTopic(
    name: "plugins",
    summary:
      "Somebody else's Lua that adds commands, modes, exercises and importers, with only the permissions it was "
      + "granted.",
    rows: [
      ("plugin list", "lists the plugins and their states"), ("plugin info NAME", "shows what it adds and may do"),
      ("plugin enable NAME", "turns it on; asks first when it needs permissions"),
      ("plugin disable NAME", "turns it off"), ("plugin new NAME", "creates a folder for one of your own"),
      ("plugin test NAME", "runs its test.lua"), ("plugin limit NAME", "shows or sets its time and memory limits"),
      ("plugin pack FOLDER FILE", "packs it into one file"), ("plugin install FILE", "installs a package or a folder"),
      ("plugin update NAME", "installs it again from there, after showing what changed; plugin remove"),
    ],
    paragraphs: [
      "A plugin is a folder with plugin.json, init.lua and test.lua. Each runs in its own Lua state, and one that did "
        + "not come with Deckhand also in a process that cannot open files or use the network; what was not granted "
        + "does not exist there, and code that runs too long or uses too much memory is stopped. An error names the "
        + "plugin, the line and the call.",
      "plugin.json has name, version, api (1), summary, author, permissions, commands, modes, exercises, events and "
        + "load, for example {\"name\": \"quiz\", \"version\": \"1.0.0\", \"api\": 1, \"permissions\": [\"shell\"], "
        + "\"commands\": [\"quiz\"]}.",
      "shell.command adds a command: arguments in the notation FILE, [DECK], WORD..., --count N, --quick, or tables "
        + "{name=, kind=, help=}; run(args) returns what is shown, complete(word, before) what Tab offers. "
        + "settings.value, .choice and .switches add settings; files reads and writes only granted paths, and paths "
        + "that the user typed for an argument of kind \"file\" with its access.",
      "In test.lua: test(NAME, function), expect(x):equals(y) and :differs, :is_nil, :is_truthy, :is_falsy, :matches, "
        + ":fails; run(LINE) runs a command of the plugin, ask(EXERCISE, CARDS, GIVEN) asks a card, folder is a "
        + "folder for files. `help modes` describes modes, `help study.exercise` exercises.",
    ],
    sections: [
      ("Permissions", permissions), ("Events, for shell.on", ShellEvent.allCases.map { ($0.signature, $0.meaning) }),
    ], example: "plugin info hangman")

  private static let permissions: [(String, String)] =
    Grants.Module.allCases.map { ($0.rawValue, Permission.module($0.rawValue).inWords) } + [
      ("settings.write:NAME", "change the setting NAME and those in it"),
      ("files.read:PATH", "read files in PATH, absolute or with ~/"), ("files.write:PATH", "write files in PATH"),
    ]
}

enum QueryHelp {
  static let examples: [(query: String, finds: String)] = [
    ("perro", "the word, or part of a word, in prompt or answer; case and accents are ignored"),
    ("\"el perro\"", "the words next to each other"), ("p*o", "p, anything, then o"),
    ("perro gato", "both"), ("perro or gato", "one of them"), ("-perro", "cards without it"),
    ("(perro or gato) -tag:easy", "parentheses group terms"), ("prompt:p*", "prompts that begin with p"),
    ("answer:dog", "answers with dog in them"), ("tag:animal", "the tag, and those below it: animal::pet"),
    ("tag:anim*", "tags that begin with anim"),
    ("tag:none", "cards without tags"), ("deck:Spanish", "the deck and those within it"),
    ("deck:a::*", "the decks within a"), ("deck:current", "the deck that you studied last, and those within it"),
    ("note:basic", "cards of a note type"), ("front:dog", "cards whose field Front has dog in it"),
    ("is:due", "due now; also new, learning, review, relearning"), ("is:learn", "learning or relearning"),
    ("is:suspended", "also buried, leech"), ("flag:red", "by flag: a colour, or 0 to 7"),
    ("card:1", "the first cards of their notes"), ("nid:1700000000000", "by the id of the note; also cid, mid, did"),
    ("prop:ivl>30", "interval in days; also s, d, r, reps, lapses, due with <, <=, =, !=, >=, >"),
    ("prop:r<0.8", "probability of remembering now"), ("prop:due=-1", "due yesterday"),
    ("added:7", "added in the last 7 days, including today"), ("edited:3", "changed in the last 3 days"),
    ("rated:7", "answered in the last 7 days"), ("rated:7:1", "answered `again` in the last 7 days"),
    ("introduced:3", "first answered in the last 3 days"), ("dupe:perro", "with exactly that prompt"),
    ("dupe:", "cards that share their prompt"), ("nc:nandu", "ignoring accents, as plain words always do"),
    ("re:^el\\b", "a regular expression; one with spaces needs quotes: \"re:a b\""),
  ]
}

extension ShellEvent {
  /// The event with its parameters: `word_found(game, word)`.
  fileprivate var signature: String {
    parameters.isEmpty ? rawValue : "\(rawValue)(\(parameters.map(\.name).joined(separator: ", ")))"
  }
}
