// Samples of the problems of the domain rooms and of the rooms below them.

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
import ToggleSettings
import Wire
import WordGames
import Workspace

@testable import Values

extension ProblemTable {
  static let authentication = ProblemTable(
    AuthenticationError.self, in: "Authentication/AuthenticationError.swift",
    [
      "denied": AuthenticationError.denied, "locked": AuthenticationError.locked(retryAfter: 256),
      "empty": AuthenticationError.empty, "busy": AuthenticationError.busy, "cancelled": AuthenticationError.cancelled,
      "signedIn": AuthenticationError.signedIn(hostile), "required": AuthenticationError.required,
      "badName": AuthenticationError.badName(hostile, reason: "it is too long"),
      "exists": AuthenticationError.exists(hostile),
      "looksLike": AuthenticationError.looksLike(hostile, account: hostile),
      "unknownAccount": AuthenticationError.unknownAccount(hostile, suggestion: "ana"),
      "unknownAccount": AuthenticationError.unknownAccount(hostile, suggestion: nil),
      "tooShort": AuthenticationError.tooShort(minimum: 8), "tooLong": AuthenticationError.tooLong(maximum: 1024),
      "badText": AuthenticationError.badText, "common": AuthenticationError.common,
      "likeName": AuthenticationError.likeName,
      "exposed": AuthenticationError.exposed(path: hostile, remedy: "chmod 600 a"),
      "foreign": AuthenticationError.foreign(path: hostile),
      "damaged": AuthenticationError.damaged(path: hostile, reason: "it is cut"),
      "newer": AuthenticationError.newer(path: hostile, version: hostile),
      "tooCostly": AuthenticationError.tooCostly(path: hostile, memory: 1 << 21, passes: 3),
      "failed": AuthenticationError.failed(operation: "open", path: hostile, code: EACCES),
      "outOfMemory": AuthenticationError.outOfMemory,
      "passwordFile": AuthenticationError.passwordFile(path: hostile, code: ENOENT),
    ])

  static let storage = ProblemTable(
    StorageError.self, in: "Storage/StorageError.swift",
    [
      "busy": StorageError.busy(path: hostile, holder: 7, operation: "adding cards"),
      "busy": StorageError.busy(path: hostile, holder: nil, operation: "adding cards"),
      "interrupted": StorageError.interrupted(path: hostile), "full": StorageError.full(path: hostile),
      "damaged": StorageError.damaged(path: hostile, detail: hostile),
      "newer": StorageError.newer(path: hostile, version: 9),
      "unreadable": StorageError.unreadable(path: hostile, detail: hostile),
      "readOnly": StorageError.readOnly(path: hostile),
      "rolledBack": StorageError.rolledBack(path: hostile),
      "failed": StorageError.failed(path: hostile, result: 19, detail: hostile),
    ])

  static let safety = [
    ProblemTable(
      UndoError.self, in: "Storage/UndoError.swift",
      [
        "nothingToUndo": UndoError.nothingToUndo, "nothingToRedo": UndoError.nothingToRedo,
        "noStep": UndoError.noStep(3), "notNow": UndoError.notNow(hostile, isUndone: true),
        "notNow": UndoError.notNow(hostile, isUndone: false), "tooLarge": UndoError.tooLarge(hostile),
        "changedSince": UndoError.changedSince(hostile, by: [hostile, "adding 1 card"]),
        "differs": UndoError.differs(hostile, what: hostile), "inUnit": UndoError.inUnit,
        "unreadable": UndoError.unreadable(hostile),
      ]),
    ProblemTable(
      ArchiveError.self, in: "Archives/ArchiveError.swift",
      [
        "damaged": ArchiveError.damaged(path: hostile, reason: hostile),
        "refused": ArchiveError.refused(path: hostile, reason: hostile),
        "changedMeanwhile": ArchiveError.changedMeanwhile(path: hostile), "outOfMemory": ArchiveError.outOfMemory,
      ]),
    ProblemTable(
      BackupError.self, in: "Workspace/Care/Backup.swift",
      [
        "notABackup": BackupError.notABackup(path: hostile, reason: hostile),
        "newer": BackupError.newer(path: hostile, version: 9),
        "ofAnother": BackupError.ofAnother(path: hostile, account: hostile), "inUnit": BackupError.inUnit,
        "ofNoAccount": BackupError.ofNoAccount(path: hostile, here: hostile),
        "strange": BackupError.strange(path: hostile, reason: hostile),
        "notAllRestored": BackupError.notAllRestored(FileError(hostile, .write, .system(EISDIR)), kept: hostile),
      ]),
  ]

  static let files = ProblemTable(
    FileError.self, in: "Files/FileError.swift",
    [
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
    [
      "noWordList": LexiconError.noWordList(language: hostile, package: "wspanish"),
      "noWordList": LexiconError.noWordList(language: hostile, package: ""),
      "unknownLanguage": LexiconError.unknownLanguage(name: hostile, suggestion: near("english")),
      "unknownLanguage": LexiconError.unknownLanguage(name: hostile, suggestion: near(nil)),
      "unreadable": LexiconError.unreadable(path: hostile, reason: "no such file or directory"),
      "unwritable": LexiconError.unwritable(path: hostile, reason: "permission denied"),
      "cutShort": LexiconError.cutShort(list: hostile, path: hostile),
      "badList": LexiconError.badList(path: hostile, reason: "it is empty"), "interrupted": LexiconError.interrupted,
      "badPattern": LexiconError.badPattern(pattern: hostile, position: 3, reason: "a ] is missing"),
    ])

  static let language = ProblemTable(
    LanguageError.self, in: "Language/LanguageError.swift",
    [
      "damaged": LanguageError.damaged(path: hostile, reason: "it ends in the middle"),
      "unreadable": LanguageError.unreadable(path: hostile, reason: "permission denied"),
      "missing": LanguageError.missing(language: "Spanish", package: "apertium-eng-spa"),
    ])

  static let textFiles = ProblemTable(
    TextFileError.self, in: "Exchange/Texts/TextFileError.swift",
    [
      "damaged": TextFileError.damaged(path: hostile, reason: "it is cut"),
      "refused": TextFileError.refused(path: hostile, reason: "it is encrypted"),
      "noLibrary": TextFileError.noLibrary(path: hostile), "empty": TextFileError.empty(path: hostile),
    ])

  static let syncs = ProblemTable(
    SyncError.self, in: "Sync/SyncError.swift",
    [
      "badAddress": SyncError.badAddress(given: hostile, expected: "the name of a host expected"),
      "ankiWeb": SyncError.ankiWeb(host: "sync.ankiweb.net"), "notLinked": SyncError.notLinked,
      "linked": SyncError.linked(user: hostile, address: hostile), "noProgram": SyncError.noProgram(path: hostile),
      "programFailed": SyncError.programFailed(reason: "ended unexpectedly"), "interrupted": SyncError.interrupted,
      "call": SyncError.call(.offline(reason: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.silent(seconds: 30), step: "sync/meta", address: hostile),
      "call": SyncError.call(.certificate(reason: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.badAnswer(reason: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.badRedirect(reason: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.elsewhere(address: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.ankiWeb(host: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.key(reason: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.noKey, step: "sync/meta", address: hostile),
      "call": SyncError.call(.status(403, reason: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.status(409, reason: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.status(400, reason: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.status(404, reason: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.status(413, reason: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.status(501, reason: hostile), step: "sync/meta", address: hostile),
      "call": SyncError.call(.status(500, reason: hostile), step: "sync/meta", address: hostile),
      "clock": SyncError.clock(seconds: 400), "clock": SyncError.clock(seconds: -4000),
      "stopped": SyncError.stopped(message: hostile),
      "counts": SyncError.counts(what: "cards", given: 1200, counted: 3), "moved": SyncError.moved,
      "cardsHere": SyncError.cardsHere(cards: 1), "unsent": SyncError.unsent(changes: 2),
      "inScript": SyncError.inScript, "wouldRemove": SyncError.wouldRemove(cards: 3),
      "shape": SyncError.shape(type: hostile), "firstSync": SyncError.firstSync,
      "noSpace": SyncError.noSpace(free: 40 << 20),
      "overShare": SyncError.overShare(limit: 40 << 20, isMedia: false),
      "overShare": SyncError.overShare(limit: 40 << 20, isMedia: true),
      "unsound": SyncError.unsound(reason: hostile), "uploadNotNeeded": SyncError.uploadNotNeeded,
      "replacesServer": SyncError.replacesServer(there: 3, here: 1200),
    ])

  static let listening = ProblemTable(
    ListenerError.self, in: "AnkiConnect/ListenerError.swift",
    [
      "noProgram": ListenerError.noProgram(path: hostile), "taken": ListenerError.taken(port: 8765),
      "cannotListen": ListenerError.cannotListen(port: 80, reason: hostile),
      "programFailed": ListenerError.programFailed,
    ])

  static let builds = ProblemTable(
    BuildError.self, in: "Exchange/Build/BuildError.swift",
    [
      "noFolder": BuildError.noFolder(path: hostile), "nothingToBuild": BuildError.nothingToBuild(folder: hostile),
      "badDescription": BuildError.badDescription(path: hostile, reason: "no key is called \"x\""),
      "badDescription": BuildError.badDescription(path: hostile, line: 3, column: 5, reason: "no key is called \"x\""),
      "sameID": BuildError.sameID(path: hostile, line: 3, id: hostile, other: hostile),
      "prunesMost": BuildError.prunesMost(folder: hostile, removed: 3, of: 4),
      "sameSource": BuildError.sameSource(path: hostile, other: hostile),
      "sameMedia": BuildError.sameMedia(path: hostile, other: hostile),
      "mediaTaken": BuildError.mediaTaken(path: hostile, name: hostile),
      "noGit": BuildError.noGit(path: hostile, reason: "git is not installed"),
      "uncommitted": BuildError.uncommitted(folder: hostile, files: [hostile]),
      "uncommitted": BuildError.uncommitted(folder: hostile, files: Array(repeating: hostile, count: 7)),
      "generator": BuildError.generator(path: hostile, reason: hostile),
      "tooMany": BuildError.tooMany(path: hostile, what: "1,000,000 cards"),
    ])

  static let dictionaries = ProblemTable(
    DictionaryError.self, in: "Lexicon/Dictionaries/DictionaryError.swift",
    [
      "damaged": DictionaryError.damaged(path: hostile, reason: "it is cut"),
      "unknown": DictionaryError.unknown(name: hostile, suggestion: near("wn")),
      "unknown": DictionaryError.unknown(name: hostile, suggestion: near(nil)),
      "none": DictionaryError.none(language: "Spanish", package: near("dict-freedict-spa-eng")),
      "none": DictionaryError.none(language: "Turkish", package: near(nil)),
      "noLanguage": DictionaryError.noLanguage(path: hostile),
    ])

  static let games = ProblemTable(
    GameError.self, in: "WordGames/GameError.swift",
    [
      "unknownRule": GameError.unknownRule(name: hostile, suggestion: near("unused")),
      "unknownRule": GameError.unknownRule(name: hostile, suggestion: near(nil)),
      "badRule": GameError.badRule(text: hostile, expected: "no value"),
      "unknownMode": GameError.unknownMode(name: hostile, suggestion: near("classic")),
      "unknownMode": GameError.unknownMode(name: hostile, suggestion: nil, reason: "the plugin tug has it, but is off"),
      "badMode": GameError.badMode(name: hostile, reason: "a title is missing"),
      "modeTaken": GameError.modeTaken(name: hostile, owner: .program),
      "modeTaken": GameError.modeTaken(name: hostile, owner: .quiz),
      "badBase": GameError.badBase(word: hostile, reason: "it has no letters"),
      "noBaseWord": GameError.noBaseWord(length: 40, language: hostile, lengths: [2, 3, 20]),
      "noBaseWord": GameError.noBaseWord(length: 40, language: hostile, lengths: []),
      "badState": GameError.badState(reason: "it is cut"), "busy": GameError.busy,
      "tooMuchData": GameError.tooMuchData(mode: hostile, reason: "it has more than 1,000,000 values"),
    ])

  static let settings = ProblemTable(
    SettingsError.self, in: "ToggleSettings/SettingsError.swift",
    [
      "unknownSetting": SettingsError.unknownSetting(hostile, suggestion: "game.length"),
      "unknownSetting": SettingsError.unknownSetting(hostile, suggestion: nil),
      "section": SettingsError.section("game", holds: ["a", "b", "c", "d", "e", "f", "g"]),
      "badValue": SettingsError.badValue("a.b", given: hostile, expected: "on or off", suggestion: "on"),
      "badValue": SettingsError.badValue("a.b", given: hostile, expected: "on or off", suggestion: nil),
      "locked": SettingsError.locked("a.b", value: .text(hostile), by: .commandLine(hostile)),
      "notASwitch": SettingsError.notASwitch("a.b", kind: "number"),
      "badName": SettingsError.badName(hostile), "exists": SettingsError.exists(hostile, owner: .script(hostile)),
      "badDeclaration": SettingsError.badDeclaration(hostile, "it has no options"),
      "refused": SettingsError.refused("a.b", reason: "an even number is wanted"),
      "checkFailed": SettingsError.checkFailed("a.b", StorageError.full(path: hostile)),
      "changedWhileChecked": SettingsError.changedWhileChecked, "guarded": SettingsError.guarded("auth.idle_minutes"),
      "secret": SettingsError.secret("serve.key"), "reserved": SettingsError.reserved(hostile, prefix: "game"),
      "tooMany": SettingsError.tooMany(limit: 10_000), "tooDeep": SettingsError.tooDeep(hostile, limit: 16),
      "notKept": SettingsError.notKept(StorageError.full(path: hostile)),
      "notKept": SettingsError.notKept(Unnamed()),
      "badFile": SettingsError.badFile(path: hostile, line: 2, column: 3, reason: "a value expected"),
      "badEntry": SettingsError.badEntry(path: hostile, pointer: "/values/a", expected: "an object"),
      "badEntry": SettingsError.badEntry(path: hostile, pointer: "", expected: "an object"),
    ])

  static let workspace = ProblemTable(
    WorkspaceError.self, in: "Workspace/Core/WorkspaceError.swift",
    [
      "authenticationRequired": WorkspaceError.authenticationRequired,
      "collectionGone": WorkspaceError.collectionGone(path: hostile, backup: hostile),
      "collectionGone": WorkspaceError.collectionGone(path: hostile, backup: nil),
      "signedOut": WorkspaceError.signedOut(what: "deck"), "interrupted": WorkspaceError.interrupted,
      "noPlayer": WorkspaceError.noPlayer, "playerMissing": WorkspaceError.playerMissing(hostile),
      "playerFailed": WorkspaceError.playerFailed(program: hostile, reason: hostile),
      "playerFailed": WorkspaceError.playerFailed(program: hostile, reason: nil),
      "noSpeech": WorkspaceError.noSpeech(program: hostile), "noSpeech": WorkspaceError.noSpeech(program: nil),
      "speechWithoutFile": WorkspaceError.speechWithoutFile(hostile),
      "unspoken": WorkspaceError.unspoken(text: hostile, language: "Spanish", program: hostile, reason: hostile),
      "unspoken": WorkspaceError.unspoken(text: hostile, language: "Spanish", program: hostile, reason: nil),
      "speechTimedOut": WorkspaceError.speechTimedOut(text: hostile, program: hostile, seconds: 120),
      "noCutting": WorkspaceError.noCutting, "notCut": WorkspaceError.notCut(path: hostile, reason: hostile),
      "notCut": WorkspaceError.notCut(path: hostile, reason: nil),
      "tooMuchWaits": WorkspaceError.tooMuchWaits, "rehearsal": WorkspaceError.rehearsal("undo"),
      "lookingBack": WorkspaceError.lookingBack("adding cards"),
    ])
}

/// An error that belongs to no room.
struct Unnamed: Error, CustomStringConvertible { let description = "the disk is tired" }

/// A near name in the form that the errors take.
func near(_ name: String?) -> String? { name }
