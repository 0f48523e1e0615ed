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
      [
        "noCommand": CommandError.noCommand,
        "unknownCommand": CommandError.unknownCommand(hostile, suggestion: "deck"),
        "unknownCommand": CommandError.unknownCommand(hostile, suggestion: nil),
        "unknownCommand": CommandError.unknownCommand(
          hostile, suggestion: nil, reason: "the plugin q has it, but is off"),
        "unknownHelp": CommandError.unknownHelp(hostile, suggestion: nil, mentions: 2),
        "unknownHelp": CommandError.unknownHelp(hostile, suggestion: nil, mentions: 0),
        "unknownHelp": CommandError.unknownHelp(hostile, suggestion: "deck", mentions: 2),
        "unknownSubcommand": CommandError.unknownSubcommand(group: "deck", hostile, suggestion: "list"),
        "unknownSubcommand": CommandError.unknownSubcommand(group: "deck", hostile, suggestion: nil),
        "missingSubcommand": CommandError.missingSubcommand(group: "deck", ["list", "show"]),
        "unknownOption": CommandError.unknownOption(command: "deck list", hostile, suggestion: "--sort"),
        "unknownOption": CommandError.unknownOption(command: "deck list", hostile, suggestion: nil),
        "missingArgument": CommandError.missingArgument(command: "deck show", "DECK", usage: "deck show DECK"),
        "missingValue": CommandError.missingValue(command: "card list", option: "--sort", valueName: "FIELD"),
        "unwantedValue": CommandError.unwantedValue(command: "card list", option: "--all"),
        "idleOption": CommandError.idleOption(command: "study", "--seconds", beside: "--sprint"),
        "clash": CommandError.clash(command: "card add", "--cloze", "--reversed"),
        "repeatedOption": CommandError.repeatedOption(command: "card list", option: "--sort"),
        "extraArgument": CommandError.extraArgument(command: "deck show", hostile, usage: "deck show DECK"),
        "badValue": CommandError.badValue(command: "card list", name: "--limit", value: hostile, expected: "a number"),
        "unterminatedQuote": CommandError.unterminatedQuote("'", column: 4),
        "aliasLoop": CommandError.aliasLoop(hostile),
        "duplicate": CommandError.duplicate(hostile, owner: .user, other: .program),
        "aliasTaken": CommandError.aliasTaken(hostile, owner: .quiz, other: .user),
        "reserved": CommandError.reserved(hostile, owner: .script(hostile)),
        "aliasRefused": CommandError.aliasRefused(
          hostile, owner: .quiz, command: "deck remove"),
        "badName": CommandError.badName(hostile),
        "badDescription": CommandError.badDescription(command: hostile, "it has no summary"),
        "notRehearsed": CommandError.notRehearsed(command: "deck remove"),
      ])
  ]

  static let bindings = [
    ProblemTable(
      MapError.self, in: "Bindings/Mapping/MapJob.swift",
      [
        "noFunction": MapError.noFunction(script: hostile, isReduce: true),
        "noFunction": MapError.noFunction(script: hostile, isReduce: false),
        "longLine": MapError.longLine(line: 7, limit: 16 << 20),
        "badRecord": MapError.badRecord(line: 7, reason: "it has no tab"), "unsorted": MapError.unsorted(line: 7),
        "failed": MapError.failed(line: 7, message: hostile), "failed": MapError.failed(line: 0, message: hostile),
      ]),
    ProblemTable(
      GrantError.self, in: "Bindings/BindingContext.swift",
      [
        "missing": GrantError.missing(plugin: "quiz", right: "decks.read")
      ]),
    ProblemTable(
      PluginCallError.self, in: "Bindings/PluginCalls.swift",
      [
        "outOfTime": PluginCallError.outOfTime(
          plugin: "quiz", .command(hostile), place: "init.lua:8", limits: PluginLimits(seconds: 0.5, memory: 64)),
        "outOfTime": PluginCallError.outOfTime(
          plugin: "quiz", .loading, place: "", limits: PluginLimits(seconds: 20, memory: 64)),
        "outOfMemory": PluginCallError.outOfMemory(
          plugin: "quiz", .mode(hostile, function: "accept"), place: "init.lua:8", limits: .standard),
        "failed": PluginCallError.failed(plugin: "quiz", .test(hostile), reason: "init.lua:3: no"),
        "unsubscribed": PluginCallError.unsubscribed(reason: "quiz: stopped after 2 s", others: 0),
        "unsubscribed": PluginCallError.unsubscribed(reason: "quiz: stopped after 2 s", others: 2),
      ]),
  ]

  static let plugins = [
    ProblemTable(
      PluginError.self, in: "PluginHost/PluginError.swift",
      [
        "unknown": PluginError.unknown(name: hostile, suggestion: near("quiz")),
        "unknown": PluginError.unknown(name: hostile, suggestion: near(nil)),
        "badManifest": PluginError.badManifest(plugin: hostile, reason: "\"api\" is missing"),
        "newerAPI": PluginError.newerAPI(plugin: "quiz", api: 2),
        "failed": PluginError.failed(plugin: "quiz", message: "init.lua:3: no"),
        "missing": PluginError.missing(plugin: "quiz", what: "the command \"ask\""),
        "asksForMore": PluginError.asksForMore(plugin: "quiz", rights: ["decks.read", "shell"]),
        "exists": PluginError.exists(name: hostile, what: "a plugin"), "badName": PluginError.badName(hostile),
        "disabled": PluginError.disabled(plugin: "quiz"), "isLoading": PluginError.isLoading(plugin: "quiz"),
        "endedWhileLoading": PluginError.endedWhileLoading(plugin: "quiz"),
        "changed": PluginError.changed(plugin: "quiz"),
        "cannotIsolate": PluginError.cannotIsolate(
          plugin: "quiz", reason: "this system cannot restrict what a process may do"),
        "staysInProcess": PluginError.staysInProcess(plugin: "hangman"),
        "mayNotLeaveProcess": PluginError.mayNotLeaveProcess(plugin: "quiz"),
        "mayNotSetLimits": PluginError.mayNotSetLimits(plugin: "quiz"),
      ]),
    ProblemTable(
      PluginFileError.self, in: "PluginHost/PluginError.swift",
      [
        "missing": PluginFileError.missing(file: hostile), "outside": PluginFileError.outside(file: hostile),
        "badModule": PluginFileError.badModule(hostile), "noModule": PluginFileError.noModule(stem: "parts/verbs"),
        "badGrants": PluginFileError.badGrants(path: hostile), "badJournal": PluginFileError.badJournal(path: hostile),
        "damagedGrants": PluginFileError.damagedGrants(
          path: hostile, JSONFailure(reason: .expected("a value", found: nil), line: 2, column: 5)),
      ]),
  ]

  static let pluginPackages = [
    ProblemTable(
      PluginPackageError.self, in: "PluginHost/Packages/PluginPackage.swift",
      [
        "notAPlugin": PluginPackageError.notAPlugin(path: hostile, missing: "init.lua"),
        "installed": PluginPackageError.installed(plugin: "quiz", version: "1.0"),
        "other": PluginPackageError.other(path: hostile, given: "quiz 1.0", wanted: "quiz \(hostile)"),
        "noSource": PluginPackageError.noSource(plugin: "quiz"),
        "notAgreed": PluginPackageError.notAgreed(plugin: "quiz", version: "1.1"),
        "hasFaults": PluginPackageError.hasFaults(path: hostile, count: 2),
        "bundled": PluginPackageError.bundled(plugin: "quiz"),
        "lower": PluginPackageError.lower(plugin: "quiz", installed: "1.0", given: "0.9", path: hostile),
        "unchanged": PluginPackageError.unchanged(plugin: "quiz", version: "1.0", path: hostile),
        "doesNotWork": PluginPackageError.doesNotWork(
          plugin: "quiz", version: "1.1", reason: "quiz: init.lua:1: no", kept: "1.0"),
        "doesNotWork": PluginPackageError.doesNotWork(plugin: "quiz", version: "1.1", reason: "no", kept: nil),
        "tooMuchToReview": PluginPackageError.tooMuchToReview(plugin: "quiz", lines: 12_000, most: 3_000),
        "insideItself": PluginPackageError.insideItself(path: hostile, folder: hostile),
      ])
  ]

  static let shell = [
    ProblemTable(
      LineError.self, in: "Shell/Prompt/LineSource.swift",
      [
        "notUTF8": LineError.notUTF8(column: 1_000), "notUTF8": LineError.notUTF8(column: nil),
        "tooLong": LineError.tooLong(limit: 1 << 20), "unreadable": LineError.unreadable(errno: 5),
      ]),
    ProblemTable(
      RedirectionError.self, in: "Shell/ShellError.swift",
      [
        "nothingBehind": RedirectionError.nothingBehind(sign: "|"),
        "nothingBehind": RedirectionError.nothingBehind(sign: ">"),
        "severalFiles": RedirectionError.severalFiles(sign: ">"),
        "cannotWrite": RedirectionError.cannotWrite(path: hostile, errno: 13),
        "cannotStart": RedirectionError.cannotStart(program: hostile, errno: 2),
      ]),
    ProblemTable(
      LookupError.self, in: "Shell/ShellError.swift",
      [
        "noCardAt": LookupError.noCardAt(position: 9, deck: hostile, count: 1),
        "noCard": LookupError.noCard(guid: hostile), "nothingFound": LookupError.nothingFound(query: hostile),
        "queryForCards": LookupError.queryForCards(query: hostile, count: 12),
        "severalCards": LookupError.severalCards(guid: hostile, places: [hostile + ":1", "Spanish:2"]),
        "severalNotes": LookupError.severalNotes(guid: hostile, guids: [hostile, "b"]),
        "noElement": LookupError.noElement(hostile), "severalElements": LookupError.severalElements(hostile),
        "noWord": LookupError.noWord(length: 40),
        "noMeaning": LookupError.noMeaning(word: hostile, language: "Spanish"), "noAlias": LookupError.noAlias(hostile),
        "noGame": LookupError.noGame,
        "whichDeck": LookupError.whichDeck(isAny: false, usage: "study DECK"),
        "whichDeck": LookupError.whichDeck(isAny: true, usage: "--deck DECK"),
      ]),
    ProblemTable(
      SignInError.self, in: "Shell/ShellError.swift",
      [
        "noAccount": SignInError.noAccount, "noName": SignInError.noName,
        "noPassword": SignInError.noPassword(option: "--password-file"), "notTheSame": SignInError.notTheSame,
        "notSignedIn": SignInError.notSignedIn(as: hostile), "inScript": SignInError.inScript,
        "withinChange": SignInError.withinChange,
      ]),
    ProblemTable(
      EditorError.self, in: "Shell/ShellError.swift",
      [
        "noTerminal": EditorError.noTerminal(instead: "give --prompt"), "failed": EditorError.failed(editor: hostile),
        "notUTF8": EditorError.notUTF8,
        "notSheet": EditorError.notSheet, "unknownPart": EditorError.unknownPart(hostile),
        "badLine": EditorError.badLine(3, expected: "a number"),
        "refused": EditorError.refused(line: 3, prompt: hostile, EditorError.notUTF8.report),
      ]),
    ProblemTable(
      ShellError.self, in: "Shell/ShellError.swift",
      [
        "notColor": ShellError.notColor(hostile),
        "notField": ShellError.notField(hostile, suggestion: "width", fields: ["width", "x"]),
        "notField": ShellError.notField(hostile, suggestion: nil, fields: ["width", "x"]),
        "testsFailed": ShellError.testsFailed(plugin: "quiz", failed: 1, of: 3),
        "losesCards": ShellError.losesCards("2 cards with the schedule"),
        "notGranted": ShellError.notGranted(
          plugin: "quiz", rights: ["decks.read", "shell"], command: "plugin enable quiz"),
        "scriptFailed": ShellError.scriptFailed(hostile, status: 3), "scriptTooLarge": ShellError.scriptTooLarge,
        "unwell": ShellError.unwell(1_200, mendable: 3), "unwell": ShellError.unwell(1, mendable: 0),
        "promptIsStandardInput": ShellError.promptIsStandardInput,
        "onlyReading": ShellError.onlyReading(command: "deck remove"),
        "allRefused": ShellError.allRefused(file: hostile, first: "the prompt is empty", isTable: true),
        "notFromLua": ShellError.notFromLua(command: "login"), "notFromLua": ShellError.notFromLua(command: "restore"),
        "notColumn": ShellError.notColumn(hostile, suggestion: "due", columns: ["due", "prompt"]),
        "notOption": ShellError.notOption(hostile, suggestion: "fuzz"),
        "interruptedAmidAnswers": ShellError.interruptedAmidAnswers,
      ]),
  ]
}
