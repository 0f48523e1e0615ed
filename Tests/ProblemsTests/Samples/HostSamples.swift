// Samples of the problems of the rooms above the domain.

import Bindings
import Commands
import Problems

@testable import Authentication
@testable import PluginHost
@testable import Shell
@testable import Values

extension ProblemTable {
  static let commands = [
    ProblemTable(
      CommandError.self, in: "Commands/CommandError.swift",
      plain: ["noCommand": .noCommand],
      [
        .unknownCommand(hostile, suggestion: "deck"), .unknownCommand(hostile, suggestion: nil),
        .unknownCommand(hostile, suggestion: nil, reason: "the plugin q has it, but is off"),
        .unknownHelp(hostile, suggestion: nil, mentions: 2), .unknownHelp(hostile, suggestion: nil, mentions: 0),
        .unknownHelp(hostile, suggestion: "deck", mentions: 2),
        .unknownSubcommand(group: "deck", hostile, suggestion: "list"),
        .unknownSubcommand(group: "deck", hostile, suggestion: nil),
        .missingSubcommand(group: "deck", ["list", "show"]),
        .unknownOption(command: "deck list", hostile, suggestion: "--sort"),
        .unknownOption(command: "deck list", hostile, suggestion: nil),
        .missingArgument(command: "deck show", "DECK", usage: "deck show DECK"),
        .missingValue(command: "card list", option: "--sort", valueName: "FIELD"),
        .unwantedValue(command: "card list", option: "--all"),
        .idleOption(command: "study", "--seconds", beside: "--sprint"),
        .clash(command: "card add", "--cloze", "--reversed"), .repeatedOption(command: "card list", option: "--sort"),
        .extraArgument(command: "deck show", hostile, usage: "deck show DECK"),
        .badValue(command: "card list", name: "--limit", value: hostile, expected: "a number"),
        .unterminatedQuote("'", column: 4), .aliasLoop(hostile), .duplicate(hostile, owner: .user, other: .program),
        .aliasTaken(hostile, owner: .quiz, other: .user), .reserved(hostile, owner: .script(hostile)),
        .aliasRefused(hostile, owner: .quiz, command: "deck remove"), .badName(hostile),
        .badDescription(command: hostile, "it has no summary"), .notRehearsed(command: "deck remove"),
      ])
  ]

  static let bindings = [
    ProblemTable(
      MapError.self, in: "Bindings/Mapping/MapJob.swift",
      [
        .noFunction(script: hostile, isReduce: true), .noFunction(script: hostile, isReduce: false),
        .longLine(line: 7, limit: 16 << 20), .badRecord(line: 7, reason: "it has no tab"), .unsorted(line: 7),
        .failed(line: 7, message: hostile), .failed(line: 0, message: hostile),
      ]),
    ProblemTable(
      GrantError.self, in: "Bindings/BindingContext.swift",
      [.missing(plugin: "quiz", right: "decks.read")]),
    ProblemTable(
      PluginCallError.self, in: "Bindings/PluginCalls.swift",
      [
        .outOfTime(
          plugin: "quiz", .command(hostile), place: "init.lua:8", limits: PluginLimits(seconds: 0.5, memory: 64)),
        .outOfTime(plugin: "quiz", .loading, place: "", limits: PluginLimits(seconds: 20, memory: 64)),
        .outOfMemory(
          plugin: "quiz", .part("mode", hostile, function: "accept"), place: "init.lua:8", limits: .standard),
        .failed(plugin: "quiz", .test(hostile), reason: "init.lua:3: no"),
        .unsubscribed(reason: "quiz: stopped after 2 s", others: 0),
        .unsubscribed(reason: "quiz: stopped after 2 s", others: 2),
      ]),
  ]

  static let plugins = [
    ProblemTable(
      PluginError.self, in: "PluginHost/PluginError.swift",
      [
        .unknown(name: hostile, suggestion: near("quiz")), .unknown(name: hostile, suggestion: near(nil)),
        .badManifest(plugin: hostile, reason: "\"api\" is missing"), .newerAPI(plugin: "quiz", api: 2),
        .failed(plugin: "quiz", message: "init.lua:3: no"), .missing(plugin: "quiz", what: "the command \"ask\""),
        .asksForMore(plugin: "quiz", rights: ["decks.read", "shell"]), .exists(name: hostile, what: "a plugin"),
        .badName(hostile), .disabled(plugin: "quiz"), .isLoading(plugin: "quiz"), .endedWhileLoading(plugin: "quiz"),
        .changed(plugin: "quiz"),
        .cannotIsolate(plugin: "quiz", reason: "this system cannot restrict what a process may do"),
        .mayNotLeaveProcess(plugin: "quiz"), .mayNotSetLimits(plugin: "quiz"),
      ]),
    ProblemTable(
      PluginFileError.self, in: "PluginHost/PluginError.swift",
      [
        .missing(file: hostile), .outside(file: hostile), .badModule(hostile), .noModule(stem: "parts/verbs"),
        .badGrants(path: hostile), .badJournal(path: hostile),
        .damagedGrants(path: hostile, JSONFailure(reason: .expected("a value", found: nil), line: 2, column: 5)),
      ]),
  ]

  static let pluginPackages = [
    ProblemTable(
      PluginPackageError.self, in: "PluginHost/Packages/PluginPackage.swift",
      [
        .notAPlugin(path: hostile, missing: "init.lua"), .installed(plugin: "quiz", version: "1.0"),
        .other(path: hostile, given: "quiz 1.0", wanted: "quiz \(hostile)"), .noSource(plugin: "quiz"),
        .notAgreed(plugin: "quiz", version: "1.1"), .hasFaults(path: hostile, count: 2), .bundled(plugin: "quiz"),
        .lower(plugin: "quiz", installed: "1.0", given: "0.9", path: hostile),
        .unchanged(plugin: "quiz", version: "1.0", path: hostile),
        .doesNotWork(plugin: "quiz", version: "1.1", reason: "quiz: init.lua:1: no", kept: "1.0"),
        .doesNotWork(plugin: "quiz", version: "1.1", reason: "no", kept: nil),
        .tooMuchToReview(plugin: "quiz", lines: 12_000, most: 3_000), .insideItself(path: hostile, folder: hostile),
      ])
  ]

  static let shell = [
    ProblemTable(
      LineError.self, in: "Shell/Prompt/PlainLineReader.swift",
      [.notUTF8(column: 1_000), .notUTF8(column: nil), .tooLong(limit: 1 << 20), .unreadable(errno: 5)]),
    ProblemTable(
      RedirectionError.self, in: "Shell/ShellError.swift",
      [
        .nothingBehind(sign: "|"), .nothingBehind(sign: ">"), .severalFiles(sign: ">"),
        .cannotWrite(path: hostile, errno: 13), .cannotStart(program: hostile, errno: 2),
      ]),
    ProblemTable(
      LookupError.self, in: "Shell/ShellError.swift",
      plain: ["noGame": .noGame],
      [
        .noCardAt(position: 9, deck: hostile, count: 1), .noCard(guid: hostile), .nothingFound(query: hostile),
        .severalCards(guid: hostile, places: [hostile + ":1", "Spanish:2"]),
        .severalNotes(guid: hostile, guids: [hostile, "b"]), .noElement(hostile), .severalElements(hostile),
        .noWord(length: 40), .noMeaning(word: hostile, language: "Spanish"),
        .noForms(word: hostile, language: "Spanish"), .noAlias(hostile),
        .whichDeck(isAny: false, usage: "study DECK"), .whichDeck(isAny: true, usage: "--deck DECK"),
      ]),
    ProblemTable(
      SignInError.self, in: "Shell/ShellError.swift",
      plain: [
        "noAccount": .noAccount, "noName": .noName, "notTheSame": .notTheSame, "inScript": .inScript,
        "withinChange": .withinChange,
      ],
      [.noPassword(option: "--password-file"), .notSignedIn(as: hostile)]),
    ProblemTable(
      EditorError.self, in: "Shell/ShellError.swift",
      plain: ["notUTF8": .notUTF8, "notSheet": .notSheet],
      [
        .noTerminal(instead: "give --prompt"), .failed(editor: hostile), .unknownPart(hostile),
        .badLine(3, expected: "a number"), .refused(line: 3, prompt: hostile, EditorError.notUTF8.report),
      ]),
    ProblemTable(
      ShellError.self, in: "Shell/ShellError.swift",
      plain: [
        "promptIsStandardInput": .promptIsStandardInput, "interruptedAmidAnswers": .interruptedAmidAnswers,
      ],
      [
        .notColor(hostile), .notField(hostile, suggestion: "width", fields: ["width", "x"]),
        .notField(hostile, suggestion: nil, fields: ["width", "x"]), .testsFailed(plugin: "quiz", failed: 1, of: 3),
        .losesCards("2 cards with the schedule"),
        .notGranted(plugin: "quiz", rights: ["decks.read", "shell"], command: "plugin enable quiz"),
        .scriptFailed(hostile, status: 3), .unwell(1_200, mendable: 3), .unwell(1, mendable: 0),
        .onlyReading(command: "deck remove"), .allRefused(file: hostile, first: "the prompt is empty", isTable: true),
        .notFromLua(command: "login"), .notFromLua(command: "restore"),
        .notColumn(hostile, suggestion: "due", columns: ["due", "prompt"]), .notOption(hostile, suggestion: "fuzz"),
      ]),
  ]
}
