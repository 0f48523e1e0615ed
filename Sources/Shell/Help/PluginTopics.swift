// The topics `help modes` and `help plugins`: a short form of the guide to plugins. Invariant: rules, functions,
// permissions and events are those that the program itself uses.

import Bindings
import PluginHost
import Problems
import WordGames

extension HelpTopic {
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
    summary: "Somebody else's Lua that adds commands, modes and importers, with only the permissions it was granted.",
    rows: [
      ("plugin list", "lists the plugins and their states"), ("plugin info NAME", "shows what it adds and may do"),
      ("plugin enable NAME", "turns it on; asks first when it needs permissions"),
      ("plugin disable NAME", "turns it off"), ("plugin new NAME", "creates a folder for one of your own"),
      ("plugin test NAME", "runs its test.lua"), ("plugin limit NAME", "shows or sets its time and memory limits"),
      ("plugin pack FOLDER FILE", "packs it into one file"),
      ("plugin install FILE", "installs a package or a folder"),
      ("plugin update NAME", "installs it again from there, after showing what changed; plugin remove"),
    ],
    paragraphs: [
      "A plugin is a folder with plugin.json, init.lua and test.lua. Each runs in its own Lua state, and one that did "
        + "not come with Deckhand also in a process that cannot open files or use the network; what was not granted "
        + "does not exist there, and code that runs too long or uses too much memory is stopped. An error names the "
        + "plugin, the line and the call.",
      "plugin.json has name, version, api (1), summary, author, permissions, commands, modes, events and load, "
        + "for example "
        + "{\"name\": \"quiz\", \"version\": \"1.0.0\", \"api\": 1, \"permissions\": [\"shell\"], \"commands\": [\"quiz\"]}.",
      "shell.command adds a command: arguments in the notation FILE, [DECK], WORD..., --count N, --quick, or tables "
        + "{name=, kind=, help=}; run(args) returns what is shown, complete(word, before) what Tab offers. "
        + "settings.value, .choice and .switches add settings; files reads and writes only granted paths, and paths that "
        + "the user typed for an argument of kind \"file\" with its access.",
      "In test.lua: test(NAME, function), expect(x):equals(y) and :differs, :is_nil, :is_truthy, :is_falsy, :matches, "
        + ":fails; run(LINE) runs a command of the plugin, folder is a folder for files. `help modes` describes modes.",
    ],
    sections: [
      ("Permissions", permissions),
      ("Events, for shell.on", ShellEvent.allCases.map { ($0.signature, $0.meaning) }),
    ], example: "plugin info hangman")

  private static let permissions: [(String, String)] =
    Grants.Module.allCases.map { ($0.rawValue, Permission.meaning(of: $0.rawValue)) } + [
      ("settings.write:NAME", "change the setting NAME and those in it"),
      ("files.read:PATH", "read files in PATH, absolute or with ~/"),
      ("files.write:PATH", "write files in PATH"),
    ]
}

extension ShellEvent {
  /// The event with its parameters: `word_found(game, word)`.
  fileprivate var signature: String {
    parameters.isEmpty ? rawValue : "\(rawValue)(\(parameters.map(\.name).joined(separator: ", ")))"
  }
}
