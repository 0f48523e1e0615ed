// Samples of the problems of the domain rooms and of the rooms below them.

import AgentDoor
import AnkiConnect
import Archives
import Authentication
import CardDocuments
import Decks
import Exchange
import Files
import Glibc
import Language
import Lexicon
import Problems
import Storage
import Sync
import Text
import ToggleSettings
import Wire
import WordGames
import Workspace

@testable import Values

extension ProblemTable {
  static let authentication = ProblemTable(
    AuthenticationError.self, in: "Authentication/AuthenticationError.swift",
    plain: [
      "denied": .denied, "empty": .empty, "busy": .busy, "cancelled": .cancelled, "required": .required,
      "badText": .badText, "common": .common, "likeName": .likeName, "outOfMemory": .outOfMemory,
    ],
    [
      .locked(retryAfter: 256), .signedIn(hostile), .badName(hostile, reason: "it is too long"), .exists(hostile),
      .looksLike(hostile, account: hostile), .unknownAccount(hostile, suggestion: "ana"),
      .unknownAccount(hostile, suggestion: nil), .tooShort(minimum: 8), .tooLong(maximum: 1024),
      .exposed(path: hostile, remedy: "chmod 600 a"), .foreign(path: hostile),
      .damaged(path: hostile, reason: "it is cut"), .newer(path: hostile, version: hostile),
      .tooCostly(path: hostile, memory: 1 << 21, passes: 3), .failed(operation: "open", path: hostile, code: EACCES),
      .passwordFile(path: hostile, code: ENOENT),
    ])

  static let storage = ProblemTable(
    StorageError.self, in: "Storage/StorageError.swift",
    [
      .busy(path: hostile, holder: 7, operation: "adding cards"),
      .busy(path: hostile, holder: nil, operation: "adding cards"), .interrupted(path: hostile), .full(path: hostile),
      .damaged(path: hostile, detail: hostile), .newer(path: hostile, version: 9),
      .unreadable(path: hostile, detail: hostile), .readOnly(path: hostile), .rolledBack(path: hostile),
      .failed(path: hostile, result: 19, detail: hostile),
    ])

  static let safety = [
    ProblemTable(
      UndoError.self, in: "Storage/UndoError.swift",
      plain: ["nothingToUndo": .nothingToUndo, "nothingToRedo": .nothingToRedo, "inUnit": .inUnit],
      [
        .noStep(3), .notNow(hostile, isUndone: true), .notNow(hostile, isUndone: false), .tooLarge(hostile),
        .changedSince(hostile, by: [hostile, "adding 1 card"]), .differs(hostile, what: hostile), .unreadable(hostile),
      ]),
    ProblemTable(
      ArchiveError.self, in: "Archives/Archive.swift",
      plain: ["outOfMemory": .outOfMemory],
      [
        .damaged(path: hostile, reason: hostile), .refused(path: hostile, reason: hostile),
        .changedMeanwhile(path: hostile),
      ]),
    ProblemTable(
      BackupError.self, in: "Workspace/Care/Backup.swift",
      plain: ["inUnit": .inUnit],
      [
        .notABackup(path: hostile, reason: hostile), .newer(path: hostile, version: 9),
        .ofAnother(path: hostile, account: hostile), .ofNoAccount(path: hostile, here: hostile),
        .strange(path: hostile, reason: hostile),
        .notAllRestored(FileError(hostile, .write, .system(EISDIR)), kept: hostile),
      ]),
  ]

  static let files = ProblemTable(
    FileError.self, in: "Files/FileError.swift",
    plain: [
      "system": FileError(hostile, .write, .system(ENOSPC)), "system": FileError(hostile, .open, .system(ENOENT)),
      "system": FileError(hostile, .write, .system(ENOENT)), "system": FileError(hostile, .sync, .system(EACCES)),
      "system": FileError(hostile, .replace, .system(EISDIR)), "system": FileError(hostile, .list, .system(ENOTDIR)),
      "system": FileError(hostile, .make, .system(EROFS)), "system": FileError(hostile, .move, .system(EIO)),
      "system": FileError(hostile, .remove, .system(ELOOP)), "notAFile": FileError(hostile, .inspect, .notAFile),
      "ownFolder": FileError(hostile, .write, .ownFolder),
      "tooLarge": FileError(hostile, .read, .tooLarge(limit: 1 << 20)), "busy": FileError(hostile, .lock, .busy),
      "interrupted": FileError(hostile, .read, .interrupted),
    ])

  static let lexicon = ProblemTable(
    LexiconError.self, in: "Lexicon/LexiconError.swift",
    plain: ["interrupted": .interrupted],
    [
      .noWordList(language: hostile, package: "wspanish"), .noWordList(language: hostile, package: ""),
      .unknownLanguage(name: hostile, suggestion: near("english")),
      .unknownLanguage(name: hostile, suggestion: near(nil)),
      .unreadable(path: hostile, reason: "no such file or directory"),
      .unwritable(path: hostile, reason: "permission denied"), .cutShort(list: hostile, path: hostile),
      .badList(path: hostile, reason: "it is empty"),
      .badPattern(pattern: hostile, position: 3, reason: "a ] is missing"),
    ])

  static let language = ProblemTable(
    LanguageError.self, in: "Language/LanguageError.swift",
    [
      .damaged(path: hostile, reason: "it ends in the middle"), .unreadable(path: hostile, reason: "permission denied"),
      .missing(language: "Spanish", package: "apertium-eng-spa"), .noForms(language: "Spanish", package: nil),
      .noForms(language: "Spanish", package: "apertium-spa-cat"), .noFrequencies(language: "Spanish", code: "es"),
      .badAnalysis(source: hostile, reason: "line 1 has 4 columns"), .noAnalyser("Japanese", remedy: "install mecab"),
    ])

  static let textFiles = ProblemTable(
    TextFileError.self, in: "Exchange/Texts/TextFile.swift",
    [
      .damaged(path: hostile, reason: "it is cut"), .refused(path: hostile, reason: "it is encrypted"),
      .missing(path: hostile, needed: "pdftotext", package: "poppler-utils"), .empty(path: hostile),
    ])

  static let syncs = ProblemTable(
    SyncError.self, in: "Sync/SyncError.swift",
    plain: [
      "notLinked": .notLinked, "interrupted": .interrupted, "moved": .moved, "inScript": .inScript,
      "firstSync": .firstSync, "uploadNotNeeded": .uploadNotNeeded,
    ],
    [
      .badAddress(given: hostile, expected: "the name of a host expected"), .ankiWeb(host: "sync.ankiweb.net"),
      .linked(user: hostile, address: hostile), .noProgram(path: hostile), .programFailed(reason: "ended unexpectedly"),
      .call(.offline(reason: hostile), step: "sync/meta", address: hostile),
      .call(.silent(seconds: 30), step: "sync/meta", address: hostile),
      .call(.certificate(reason: hostile), step: "sync/meta", address: hostile),
      .call(.badAnswer(reason: hostile), step: "sync/meta", address: hostile),
      .call(.badRedirect(reason: hostile), step: "sync/meta", address: hostile),
      .call(.elsewhere(address: hostile), step: "sync/meta", address: hostile),
      .call(.ankiWeb(host: hostile), step: "sync/meta", address: hostile),
      .call(.key(reason: hostile), step: "sync/meta", address: hostile),
      .call(.noKey, step: "sync/meta", address: hostile),
      .call(.status(403, reason: hostile), step: "sync/meta", address: hostile),
      .call(.status(409, reason: hostile), step: "sync/meta", address: hostile),
      .call(.status(400, reason: hostile), step: "sync/meta", address: hostile),
      .call(.status(404, reason: hostile), step: "sync/meta", address: hostile),
      .call(.status(413, reason: hostile), step: "sync/meta", address: hostile),
      .call(.status(501, reason: hostile), step: "sync/meta", address: hostile),
      .call(.status(500, reason: hostile), step: "sync/meta", address: hostile), .clock(seconds: 400),
      .clock(seconds: -4000), .stopped(message: hostile), .counts(what: "cards", given: 1200, counted: 3),
      .cardsHere(cards: 1), .unsent(changes: 2), .wouldRemove(cards: 3), .shape(type: hostile),
      .noSpace(free: 40 << 20), .overShare(limit: 40 << 20, isMedia: false), .overShare(limit: 40 << 20, isMedia: true),
      .unsound(reason: hostile), .replacesServer(there: 3, here: 1200),
    ])

  static let listening = ProblemTable(
    ListenerError.self, in: "AnkiConnect/ActionListener.swift",
    plain: ["programFailed": .programFailed],
    [.noProgram(path: hostile), .taken(port: 8765), .cannotListen(port: 80, reason: hostile)])

  static let agents = ProblemTable(
    AgentError.self, in: "AgentDoor/AgentCall.swift",
    plain: ["changed": .changed, "cannotAsk": .cannotAsk, "declined": .declined],
    [.unknown("card", hostile), .otherMaker(step: 3), .budget(notes: 1, bytes: 2000), .badArgument(hostile)])

  static let builds = ProblemTable(
    BuildError.self, in: "Exchange/Build/BuildDescription.swift",
    [
      .noFolder(path: hostile), .nothingToBuild(folder: hostile),
      .badDescription(path: hostile, reason: "no key is called \"x\""),
      .badDescription(path: hostile, line: 3, column: 5, reason: "no key is called \"x\""),
      .sameID(path: hostile, line: 3, id: hostile, other: hostile), .prunesMost(folder: hostile, removed: 3, of: 4),
      .sameSource(path: hostile, other: hostile), .sameMedia(path: hostile, other: hostile),
      .mediaTaken(path: hostile, name: hostile), .noGit(path: hostile, reason: "git is not installed"),
      .uncommitted(folder: hostile, files: [hostile]),
      .uncommitted(folder: hostile, files: Array(repeating: hostile, count: 7)),
      .generator(path: hostile, reason: hostile), .tooMany(path: hostile, what: "1,000,000 cards"),
    ])

  static let dictionaries = ProblemTable(
    DictionaryError.self, in: "Lexicon/Dictionaries/DictionaryError.swift",
    [
      .damaged(path: hostile, reason: "it is cut"), .unknown(name: hostile, suggestion: near("wn")),
      .unknown(name: hostile, suggestion: near(nil)),
      .none(language: "Spanish", package: near("dict-freedict-spa-eng")),
      .none(language: "Turkish", package: near(nil)), .noLanguage(path: hostile),
    ])

  static let names = ProblemTable(
    NameProblem.self, in: "Text/NamedTable.swift",
    [
      .taken(kind: "mode", name: hostile, owner: .program), .taken(kind: "exercise", name: hostile, owner: .quiz),
      .unknown(.unknownMode, kind: "mode", name: hostile, names: ["classic", hostile], reason: nil),
      .unknown(
        .unknownExercise, kind: "exercise", name: hostile, names: [], reason: "the plugin tug has it, but is off"),
    ])

  static let games = ProblemTable(
    GameError.self, in: "WordGames/GameError.swift",
    plain: ["busy": .busy],
    [
      .unknownRule(name: hostile, suggestion: near("unused")), .unknownRule(name: hostile, suggestion: near(nil)),
      .badRule(text: hostile, expected: "no value"), .badMode(name: hostile, reason: "a title is missing"),
      .badBase(word: hostile, reason: "it has no letters"),
      .noBaseWord(length: 40, language: hostile, lengths: [2, 3, 20]),
      .noBaseWord(length: 40, language: hostile, lengths: []), .badState(reason: "it is cut"),
      .tooMuchData(mode: hostile, reason: "it has more than 1,000,000 values"),
    ])

  static let settings = ProblemTable(
    SettingsError.self, in: "ToggleSettings/SettingsError.swift",
    plain: ["changedWhileChecked": .changedWhileChecked],
    [
      .unknownSetting(hostile, suggestion: "game.length"), .unknownSetting(hostile, suggestion: nil),
      .section("game", holds: ["a", "b", "c", "d", "e", "f", "g"]),
      .badValue("a.b", given: hostile, expected: "on or off", suggestion: "on"),
      .badValue("a.b", given: hostile, expected: "on or off", suggestion: nil),
      .locked("a.b", value: .text(hostile), by: .commandLine(hostile)), .notASwitch("a.b", kind: "number"),
      .badName(hostile), .exists(hostile, owner: .script(hostile)), .badDeclaration(hostile, "it has no options"),
      .refused("a.b", reason: "an even number is wanted"), .checkFailed("a.b", StorageError.full(path: hostile)),
      .guarded("auth.idle_minutes"), .secret("serve.key"), .reserved(hostile, prefix: "game"), .tooMany(limit: 10_000),
      .tooDeep(hostile, limit: 16), .notKept(StorageError.full(path: hostile)), .notKept(Unnamed()),
      .badFile(path: hostile, line: 2, column: 3, reason: "a value expected"),
      .badEntry(path: hostile, pointer: "/values/a", expected: "an object"),
      .badEntry(path: hostile, pointer: "", expected: "an object"),
    ])

  static let workspace = ProblemTable(
    WorkspaceError.self, in: "Workspace/Core/WorkspaceError.swift",
    plain: [
      "authenticationRequired": .authenticationRequired, "interrupted": .interrupted, "noPlayer": .noPlayer,
      "noCutting": .noCutting, "tooMuchWaits": .tooMuchWaits,
    ],
    [
      .collectionGone(path: hostile, backup: hostile), .collectionGone(path: hostile, backup: nil),
      .signedOut(what: "deck"), .playerMissing(hostile), .playerFailed(program: hostile, reason: hostile),
      .playerFailed(program: hostile, reason: nil), .noSpeech(program: hostile), .noSpeech(program: nil),
      .speechWithoutFile(hostile), .unspoken(text: hostile, language: "Spanish", program: hostile, reason: hostile),
      .unspoken(text: hostile, language: "Spanish", program: hostile, reason: nil),
      .speechTimedOut(text: hostile, program: hostile, seconds: 120), .notCut(path: hostile, reason: hostile),
      .badExercise(name: hostile, reason: hostile), .notGiven(hostile, count: 4, isOrder: false),
      .notGiven(hostile, count: 4, isOrder: true),
      .tooFewWords(deck: hostile, words: 20, found: 1, needed: 3),
      .notCut(path: hostile, reason: nil), .rehearsal("undo"), .lookingBack("adding cards"),
      .otherLanguage(path: hostile, found: "es", read: .unknown("english")),
      .otherLanguage(path: hostile, found: "ja", read: .unknown("english")),
    ])
}

/// An error that belongs to no room.
struct Unnamed: Error, CustomStringConvertible { let description = "the disk is tired" }

/// A near name in the form that the errors take.
func near(_ name: String?) -> String? { name }
