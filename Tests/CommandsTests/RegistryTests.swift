// Tests of the registry: adding, groups, aliases, help, completion, JSON.

import Commands
import Problems
import Testing
import Text
import Values

@Suite struct RegistryTests {
  private func plugin(_ name: String) throws -> Owner { .plugin(try #require(PluginName(name))) }

  private func plain(_ path: String..., owner: Owner = .program, arguments: [Argument] = [], options: [Option] = [])
    -> Command
  {
    path.count == 2
      ? Command(
        path[0], path[1], theme: "T", access: .open, effect: .reads, summary: "S.", arguments: arguments,
        options: options,
        owner: owner,
        run: { _ in CommandResult() })
      : Command(
        path.joined(separator: "?"), theme: "T", access: .open, effect: .reads, summary: "S.", arguments: arguments,
        options: options,
        owner: owner,
        run: { _ in CommandResult() })
  }

  @Test func `a taken name is refused and both owners are named`() throws {
    let registry = CommandRegistry()
    try registry.add(plain("quiz", owner: plugin("quizbowl")))
    try registry.add(plain("deck", "list"))
    let error = #expect(throws: CommandError.self) { try registry.add(plain("quiz", owner: plugin("other"))) }
    #expect(
      error?.message
        == #"the plugin "other" cannot add the command "quiz": the plugin "quizbowl" has one of that name"#)
    let builtIn = #expect(throws: CommandError.self) { try registry.add(plain("deck", owner: plugin("other"))) }
    #expect(builtIn?.message == #"the plugin "other" cannot add the command "deck": Deckhand has one of that name"#)
    #expect(throws: CommandError.self) { try registry.add(plain("quiz", "start")) }
    try registry.add(plain("deck", "count", owner: plugin("other")))
    try registry.removeAll(owner: plugin("other"))
    try registry.removeAll(owner: plugin("quizbowl"))
    #expect(registry.commands.map(\.name) == ["deck list"])
    #expect(!registry.isKnown("quiz"))
  }

  @Test func `the program's own commands are loaded when one is looked up, announced ones after them`() throws {
    var (asked, failures) = (0, [String]())
    let own = [plain("deck", "list"), plain("help")]
    let registry = CommandRegistry {
      asked += 1
      return own
    }
    func announce(_ name: String, by plugin: String) throws {
      let owner = try self.plugin(plugin)
      try registry.announce([plain(name, owner: owner), plain(name + "-more", owner: owner)]) {
        failures.append($0.message)
      }
    }
    try announce("quiz", by: "quizbowl")
    try announce("help", by: "other")
    try announce("gone", by: "unloaded")
    try registry.removeAll(owner: plugin("unloaded"))
    #expect(asked == 0 && failures.isEmpty)
    #expect(registry.isKnown("deck"))
    #expect(registry.commands.map(\.name) == ["deck list", "help", "quiz", "quiz-more"])
    #expect(failures == [#"the plugin "other" cannot add the command "help": Deckhand has one of that name"#])
    #expect(throws: CommandError.self) { try announce("quiz", by: "third") }
    #expect(failures.count == 1)
    #expect(asked == 1)
  }

  @Test func `a plugin called "you" is not the user`() throws {
    let registry = CommandRegistry()
    try registry.add(plain("mine", owner: .user))
    try registry.setAlias("short", words: ["mine"])
    let error = #expect(throws: CommandError.self) { try registry.add(plain("mine", owner: plugin("you"))) }
    #expect(error?.message == #"the plugin "you" cannot add the command "mine": you have one of that name"#)
    #expect(throws: CommandError.self) { try registry.add(plain("short", owner: plugin("you"))) }
    try registry.remove(["mine"], owner: plugin("you"))
    try registry.removeAll(owner: plugin("you"))
    #expect(registry.commands.map(\.name) == ["mine"])
    #expect(registry.aliases.map(\.name) == ["short"])
  }

  @Test func `a user may redefine their command, which stays as it was when the new one is refused`() throws {
    let registry = CommandRegistry()
    try registry.add(plain("mine", owner: .user))
    try registry.add(plain("mine", owner: .user, arguments: [Argument("A")]))
    #expect(throws: CommandError.self) { try registry.add(plain("mine", owner: .user, arguments: [Argument("")])) }
    #expect(throws: CommandError.self) { try registry.add(plain("mine", "more", owner: .user)) }
    #expect(registry.commands.map(\.name) == ["mine"])
    #expect(registry.command(named: "mine")?.arguments.map(\.name) == ["A"])
  }

  @Test(arguments: [
    "", "Deck", "1x", "for", "return", "a b", "é", "a.b", "-x", "a\u{1B}", String(repeating: "a", count: 41),
  ])
  func `an invalid name, or one that a line of Lua could begin with, is refused`(name: String) {
    #expect(throws: CommandError.badName(name)) { try CommandRegistry().add(plain(name)) }
  }

  @Test func `a description that could not be parsed is refused`() {
    let optional = Argument("A", isOptional: true)
    let many = Argument("B", isRepeating: true)
    let hostile: [([Argument], [Option])] = [
      ([optional, Argument("C")], []), ([many, Argument("C", isRepeating: true)], []), ([many, optional], []),
      ([Argument("A"), Argument("A")], []), ([Argument("")], []), ([Argument("-x")], []),
      ([Argument("Q", .query), Argument("A")], []), ([], [Option("--json")]), ([], [Option("x")]), ([], [Option("--")]),
      ([], [Option("--a"), Option("--a")]), ([], [Option("--a=b")]),
      ([], [Option("--a", short: "=")]), ([], [Option("--a", short: "q"), Option("--b", short: "q")]),
      ([], [Option("--a", "A", .choice([]))]), ([Argument("A", .choice([""]))], []),
    ]
    for (arguments, options) in hostile {
      let error = #expect(throws: CommandError.self) {
        try CommandRegistry().add(plain("x", arguments: arguments, options: options))
      }
      #expect(error?.code == "bad_command")
    }
  }

  @Test func `an alias stands for the beginning of a line`() throws {
    let registry = try sampleRegistry()
    try registry.setAlias("es", words: ["study", "Spanish"])
    try registry.setAlias("sprint", words: ["es", "--sprint"])
    #expect(outcome("sprint --limit 3", registry) == "study DECK=Spanish --limit=3 --sprint")
    #expect(registry.isKnown("es"))
    try registry.setAlias("a", words: ["b"])
    try registry.setAlias("b", words: ["a"])
    #expect(outcome("a", registry) == #"alias_loop: the alias "a" leads back to itself"#)
    #expect(throws: CommandError.self) { try registry.setAlias("deck", words: ["x"]) }
    // A line that begins with it is Lua: the alias would never run.
    #expect(throws: CommandError.self) { try registry.setAlias("lua", words: ["study"]) }
    #expect(registry.removeAlias("es"))
    #expect(outcome("es", registry).hasPrefix("unknown_command"))
  }

  @Test func `a refused alias of a plugin names its target`() throws {
    let registry = try sampleRegistry()
    for (text, named) in [("deck import", "deck import"), ("deck", "deck"), ("deck import x", "deck import")] {
      let owner = try plugin("sly")
      let error = #expect(throws: CommandError.self) {
        try registry.addPluginAlias("d", text.split(separator: " ").map(String.init), owner: owner) {
          $0.owner == owner
        }
      }
      #expect(error == .aliasRefused("d", owner: owner, command: named))
    }
  }

  @Test func `help of a command is generated from its description`() throws {
    let text = try sampleRegistry().helpText(for: ["deck", "import"], width: 60).joined(separator: "\n")
    #expect(
      text == """
        deck import DECK FILE [--format F] [--on-duplicate
            skip|update|error] [--strict]

        Adds the cards of a file.

        Arguments
          DECK  the deck's name
          FILE

        Options
          --format F                    how to read the file
          --on-duplicate skip|update|error
                                        what to do with a card that
                                        is there
          -s, --strict                  one bad row refuses all
          --json                        answer in JSON, one value a
                                        line

        Example
          deck import Spanish words.tsv
        """)
  }

  @Test func `help of a command without a summary has no gap`() {
    let command = Command(
      "own", theme: "T", access: .open, effect: .reads, summary: "", arguments: [], options: [], owner: .user,
      run: { _ in CommandResult() })
    #expect(command.helpText().prefix(3) == ["own", "", "Options"])
  }

  @Test func `help in a narrow terminal has each text below its name, and no line is wider`() throws {
    let lines = try sampleRegistry().helpText(for: ["deck", "import"], width: 40)
    #expect(lines.contains("  --format F") && lines.contains("      how to read the file"))
    #expect(lines.allSatisfy { $0.count <= 40 }, "\(lines)")
  }

  @Test func `a subcommand without its group is meant in the first theme that has one`() throws {
    let registry = try sampleRegistry()
    try registry.add(
      Command(
        "account", "list", theme: "Words", access: .open, effect: .reads, summary: "Lists the accounts.",
        run: { _ in CommandResult() }))
    #expect(registry.nearCommand(to: "list") == "card list")
    // Anki's word, which is nearer to its opposite.
    try registry.add(plain("card", "suspend"))
    try registry.add(plain("card", "resume"))
    let error = #expect(throws: CommandError.self) { try registry.parse(words: ["card", "unsuspend"]) }
    #expect(error?.message.contains("did you mean \"resume\"?") == true)
  }

  @Test func `help without a name lists all commands by theme, a group lists its own`() throws {
    let registry = try sampleRegistry()
    #expect(
      try registry.helpText(width: 60).joined(separator: "\n") == """
        Decks and cards
          card   list, tag
          deck   Piles of cards. Subcommands: create, import, list
          doc    sheet
          study  Studies a deck.

        Words
          run   Runs a script.
          word  shift

        Help
          help  Explains.
        """)
    #expect(
      try registry.helpText(for: ["card"], width: 80) == [
        "card list [QUERY] [--deck DECK]", "    Lists cards.", "card tag CARD... [--add T]...", "    Sets tags.",
      ])
    #expect(throws: CommandError.self) { try registry.helpText(for: ["dekc"]) }
    #expect(throws: CommandError.extraArgument(command: "help", "x", usage: "help study")) {
      try registry.helpText(for: ["study", "x"])
    }
  }

  @Test func `every command of a registry has help that describes its arguments`() throws {
    let registry = try sampleRegistry()
    for command in registry.commands {
      let text = command.helpText(width: 72)
      #expect(text.allSatisfy { $0.count <= 76 })
      for option in command.options { #expect(text.contains { $0.contains(option.name) }) }
    }
  }
}

@Suite struct CompletionTests {
  private static var sources: CompletionSources {
    CompletionSources(
      names: { kind, _ in
        kind == .deck ? ["Spanish", "Spanish::Verbs", "Span words", "it's"].map { Offer($0, help: "a deck") } : []
      },
      paths: { word, folders in (folders ? ["~/notes/"] : ["~/notes/", "~/a b.csv"]).filter { $0.hasPrefix(word) } })
  }

  @Test(arguments: [
    ("d", 0, ["deck ", "doc "]), ("deck ", 5, ["create ", "import ", "list "]), ("deck c", 5, ["create "]),
    ("deck create It", 12, [#"it\'s "#]), ("deck create Spanish:", 12, ["Spanish::Verbs "]),
    ("deck create Span", 12, [#"Span\ words "#, "Spanish ", "Spanish::Verbs "]),
    ("deck create \"Span w", 12, ["\"Span words\" "]), ("deck create 'it", 12, ["'it'\\''s' "]),
    ("deck import X ~/", 14, [#"~/a\ b.csv "#, "~/notes/"].reversed()),
    ("deck import X f --on-duplicate ", 31, ["error ", "skip ", "update "]),
    ("deck import X f --on-duplicate=u", 16, ["--on-duplicate=update "]), ("deck import X f --s", 16, ["--strict "]),
    ("deck import X f --strict --s", 25, []), ("deck list ", 10, ["--json "]), ("study -- --", 9, []),
    ("card list --deck Spanish:", 17, ["Spanish::Verbs "]), ("nonsense x", 9, []), ("deck nonsense x", 14, []),
    ("study --limit x ", 16, ["Span\\ words ", "Spanish ", "Spanish::Verbs ", "it\\'s "]), ("help de", 5, ["deck "]),
    ("doc sheet a ~/n", 12, ["~/notes/"]), ("", 0, ["card ", "deck ", "doc ", "help ", "run ", "study ", "word "]),
  ])
  func `Tab offers what the parser accepts`(line: String, start: Int, expected: [String]) throws {
    let completion = try sampleRegistry().completions(line: line, sources: Self.sources)
    #expect(completion.wordStart == start)
    #expect(completion.candidates.map { $0.replacement + $0.suffix } == expected)
  }

  @Test func `text inserted by Tab is parsed as the name it shows`() throws {
    let registry = try sampleRegistry()
    for typed in ["Span", "'Span", "\"Span", "it", "\"it"] {
      let line = "deck create " + typed
      for candidate in registry.completions(line: line, sources: Self.sources).candidates {
        let words = try ShellWords.split("deck create " + candidate.replacement + candidate.suffix)
        #expect(words == ["deck", "create", candidate.shown])
      }
    }
  }

  @Test func `a part of a syllable is completed like any other prefix`() throws {
    let sources = CompletionSources(names: { _, _ in [Offer("किताब"), Offer("cafe\u{301}")] })
    for (typed, found) in [("क", "किताब"), ("cafe", "cafe\u{301}"), ("CAFE", "cafe\u{301}")] {
      let completion = try sampleRegistry().completions(line: "deck create " + typed, sources: sources)
      #expect(completion.candidates.map(\.replacement) == [found])
    }
  }

  @Test func `a command's own completion comes first`() throws {
    let registry = CommandRegistry()
    try registry.add(
      Command(
        "quiz", theme: "T", access: .open, effect: .reads, summary: "S.",
        arguments: [Argument("TOPIC"), Argument("LEVEL")],
        complete: { _, before in before.isEmpty ? ["art", "music"] : ["easy"] }, run: { _ in CommandResult() }))
    #expect(registry.completions(line: "quiz a", sources: Self.sources).candidates.map(\.replacement) == ["art"])
    #expect(registry.completions(line: "quiz art ", sources: Self.sources).candidates.map(\.replacement) == ["easy"])
  }
}

@Suite struct CommandAnswerTests {
  private final class Card {}

  @Test func `a value is written as JSON, an object as its record`() {
    let value = Value.record([
      ("a", .integer(Int.min)), ("b", .number(0.1)), ("c", .number(.nan)), ("d", .list([.text("x\"\u{1B}é"), .null])),
      ("f", .boolean(true)),
    ])
    #expect(
      CommandAnswer.value(value).jsonLines { _ in .null }
        == [#"{"a": -9223372036854775808, "b": 0.1, "c": null, "d": ["x\"\u001bé", null], "f": true}"#])
    #expect(
      CommandAnswer.objects([Card(), Card()]).jsonLines { _ in .record([("guid", .text("g"))]) }
        == [#"{"guid": "g"}"#, #"{"guid": "g"}"#])
  }

  @Test func `a list is one value per line, and values nested too deeply are null`() {
    #expect(CommandAnswer.value(.list([.integer(1), .text("x")])).jsonLines { _ in .null } == ["1", "\"x\""])
    #expect(CommandAnswer.value(.null).jsonLines { _ in .null }.isEmpty)
    #expect(CommandAnswer.value(.list([])).jsonLines { _ in .null }.isEmpty)
    let deep = (0..<40).reduce(Value.integer(1)) { inner, _ in .record([("self", inner)]) }
    let json = CommandAnswer.value(deep).jsonLines { _ in .null }[0]
    #expect(json.hasSuffix("null" + String(repeating: "}", count: json.count { $0 == "}" })))
  }
}
