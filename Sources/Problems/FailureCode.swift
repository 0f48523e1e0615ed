// The codes of failures and their meanings. Invariant: the text of a code never changes; each code has a meaning, which
// help and the reference show.

extension ProblemCode {
  /// The name of a code, with `_` before each word, is its text: `notFound` is `not_found`, `newerAPI` is `newer_api`.
  public enum Failure: String, CaseIterable, Sendable {
    case allRefused, alreadyUsed, ambiguous, ambiguousFormat, archiveDamaged, archiveRefused, badAnswer, badBase,
      badCard, badCertificate, badColor, badCommand, badDeclaration, badDue, badEncoding, badExercise, badFile,
      badFormat, badGuid, badHeader,
      badImage, badList, badManifest, badMode, badName, badPassword, badPath, badPattern, badQuery, badRow, badRule,
      badSize, badState, badSyncAnswer, badTag, badTemplate, badText, badType, badValue, budget, busy, cancelled,
      cannotUndo, changed, changedElsewhere, clockDiffers, damaged, damagedJournal, damagedPicture, drawingFailed,
      duplicate, duplicateID,
      editorFailed, emptyAnswer, emptyNote, emptyPrompt, exists, exposed, failed, fileFailed, fileIsFolder, fileMissing,
      fileRefused, fileTooLarge, formatted, imageMismatch, inScript, inUse, keyFailed, laterVersion, letterMissing,
      locked, losesCards, luaError, madeFromNote, missingArgument, missingImage, missingKey, newer, newerAPI, noAccount,
      noBaseWord, noCloze, noDrawing, noLoader, noPlayer, noServer, noTerminal, notLinked, noWordList, notABackup,
      notADocument, notAFile, notAPalindrome, notAStep, notASwitch, notAWord, notAccepted, notFound, notGranted,
      notHere, notInStore, notJSON, notKept, notNewer, notPossible, notSignedIn, nothingToRedo, nothingToUndo, offline,
      outOfMemory, outOfRange, over, passwordFile, paused, pluginChanged, pluginDisabled, pluginFailed, pluginLoading,
      pluginStopped, readOnly, removed, scriptFailed, serverFailed, serverRefused, signedIn, storageBusy,
      storageDamaged, storageFailed, storageFull, storageNewer, storageRolledBack, storageUnreadable, symbolicLink,
      syncFailed, testFailed, timedOut, tooCostly, tooFewReviews, tooFewWords, tooLarge, tooLong, tooMany,
      tooManyValues, tooShort,
      unchecked, undoConflict, undrawableText, unknownExercise, unknownField, unknownFormat, unknownFrame, unknownKind,
      unknownLanguage,
      unknownMode, unknownRule, unknownSetting, unreadable, unwritable, wrongLength, wrongStart, wrongType
    /// Something that a rehearsal cannot do.
    case rehearsal = "dryRun"

    /// The text for programs.
    public var text: String {
      let name = Array(rawValue.utf8)
      var text: [UInt8] = []
      for (place, letter) in name.enumerated() {
        let isCapital = letter < UInt8(ascii: "a")
        if isCapital, name[place - 1] >= UInt8(ascii: "a") || name[(place + 1)...].first ?? 0 >= UInt8(ascii: "a") {
          text.append(UInt8(ascii: "_"))
        }
        text.append(letter | 0x20)
      }
      return String(decoding: text, as: UTF8.self)
    }

    static let byText = Dictionary(uniqueKeysWithValues: allCases.map { ($0.text, $0) })

    public var meaning: String {
      switch self {
      case .allRefused: "No row of the file could be imported."
      case .alreadyUsed: "The word was found in this game before."
      case .ambiguous: "The name matches several things; type more of it, or use another form."
      case .ambiguousFormat: "A file could be of several formats; --format says which."
      case .archiveDamaged: "An archive is damaged or truncated."
      case .archiveRefused: "An archive is too large or nested too deeply, or names files outside its folder."
      case .badAnswer: "The value is not a valid answer to a card."
      case .badBase: "The text cannot be the base word of a game."
      case .badCard: "A row or a table cannot become a card."
      case .badCertificate: "A server could not prove its identity."
      case .badColor: "The text or list is not a colour."
      case .badCommand: "The description of a command is invalid."
      case .badDeclaration: "The declaration of a setting is invalid."
      case .badDue: "The text is not a day on which cards can be due."
      case .badEncoding: "The file is not in the given or assumed encoding."
      case .badExercise: "The description of an exercise is invalid."
      case .badFile: "The file does not have the expected content; the message names line and column."
      case .badFormat: "The file's content does not match its format."
      case .badGuid: "The text is not a valid guid of a card."
      case .badHeader: "The first row of a table names a column twice, or no side of a card."
      case .badImage: "The file is not a picture that can be read."
      case .badList: "The list is not valid here."
      case .badManifest: "The plugin.json of a plugin is invalid."
      case .badMode: "The description of a game mode is invalid."
      case .badName: "The text is not a valid name here."
      case .badPassword: "The new password is not acceptable."
      case .badPath: "The path is not valid here."
      case .badPattern: "The pattern is invalid."
      case .badQuery: "The query is invalid; `help queries` explains the syntax."
      case .badRow: "A row of a table is invalid."
      case .badRule: "The text does not name a rule of a game, or gives it an invalid value."
      case .badSize: "A size is out of range."
      case .badState: "The saved state of a game cannot be read."
      case .badSyncAnswer: "A server sent an answer that is not valid in the sync protocol."
      case .badTag: "The text is not a valid tag."
      case .badTemplate: "A template of a note type is invalid."
      case .badText: "The text is not UTF-8, contains a NUL, or cannot be parsed."
      case .badType: "A value has the wrong type."
      case .badValue: "A value has the wrong kind or is out of range."
      case .budget: "An agent has used up what one process may change."
      case .busy: "Another operation is in progress: a sign-in, or a game that waits for an answer of its mode."
      case .cancelled: "The operation was cancelled."
      case .cannotUndo: "The step can no longer be undone."
      case .changed: "Cards were changed since a plan was made."
      case .changedElsewhere: "Another program changed the file in the meantime."
      case .clockDiffers: "The clocks of this machine and of the server differ by minutes."
      case .damaged: "Stored data is damaged; `doctor` gives the details."
      case .damagedJournal: "The journal of an unfinished change is damaged."
      case .damagedPicture: "A picture of a document is damaged."
      case .drawingFailed: "The drawing program failed."
      case .duplicate: "The deck already contains such a card."
      case .duplicateID: "Two objects in the file have the same id."
      case .editorFailed: "The editor reported an error; nothing was changed."
      case .emptyAnswer: "The answer of a card is blank."
      case .emptyNote: "The note produces no card: its fields are blank."
      case .emptyPrompt: "The prompt of a card is blank."
      case .exists: "The name is already in use."
      case .exposed: "Other users can read a file that should be private."
      case .failed: "The operation failed for a reason without a code of its own."
      case .fileFailed: "The system could not read or write the file; the message gives the reason."
      case .fileIsFolder: "The path names a folder, but a file is expected."
      case .fileMissing: "The file does not exist."
      case .fileRefused: "You do not have permission to read or write the file."
      case .fileTooLarge: "The file is larger than the limit."
      case .formatted: "The field contains formatting, not just plain text."
      case .imageMismatch: "A picture differs from the one that the document names."
      case .inScript: "This cannot be done in a script."
      case .inUse: "The object is still in use."
      case .keyFailed: "The key of a server cannot be stored or read."
      case .laterVersion: "The file was written by a later version of the format."
      case .letterMissing: "The word lacks a required letter."
      case .locked: "The value is locked for now, or sign-in is paused after wrong passwords."
      case .losesCards: "The change would remove cards."
      case .luaError: "Lua code raised an error."
      case .madeFromNote: "The card is generated from a note; change the note instead."
      case .missingArgument: "An argument that the command needs is missing."
      case .missingImage: "A picture that a document names is missing."
      case .missingKey: "A required field is missing."
      case .newer: "The file or the data come from a newer version of the program."
      case .newerAPI: "The plugin needs a newer version of the program."
      case .noAccount: "There is no such account."
      case .noBaseWord: "No suitable base word was found."
      case .noCloze: "The text has no cloze: {{c1::hidden}} is expected."
      case .noDrawing: "The drawing program is missing."
      case .noLoader: "Plugins cannot be loaded here."
      case .noPlayer: "No program that plays sounds was found; `set media.player` names one."
      case .noServer: "There is no sync server at this address."
      case .noTerminal: "This needs a terminal."
      case .notLinked: "The account is not linked to a sync server."
      case .noWordList: "There is no word list for the language; `word languages` says what to install."
      case .notABackup: "The file is not a backup."
      case .notADocument: "The file is not a card document."
      case .notAFile: "The path does not name a regular file."
      case .notAPalindrome: "The word does not read the same backwards."
      case .notAStep: "The word is not a step of the ladder: exactly one letter may change."
      case .notASwitch: "The setting is not a switch."
      case .notAWord: "The word is not in the language's word list."
      case .notAccepted: "The mode of the game did not accept the word."
      case .notFound: "Nothing has this name; the closest one is suggested."
      case .notGranted: "The plugin was not granted this permission."
      case .notHere: "This cannot be done from here."
      case .notInStore: "The document is not stored in your account; save it to store a copy."
      case .notJSON: "The text is not JSON."
      case .notKept: "The value could not be stored, so it was not changed."
      case .notNewer: "The version is not newer than the installed one."
      case .notPossible: "The word cannot be made from the letters."
      case .notSignedIn: "You have to be signed in for this."
      case .nothingToRedo: "There is nothing to redo."
      case .nothingToUndo: "There is nothing to undo."
      case .offline: "The server cannot be reached."
      case .outOfMemory: "There is not enough memory."
      case .outOfRange: "A number is out of range."
      case .over: "The session or the game is over."
      case .passwordFile: "The password file cannot be used."
      case .paused: "The session is paused."
      case .pluginChanged: "The plugin has changed since it was enabled."
      case .pluginDisabled: "The plugin is disabled."
      case .pluginFailed: "The plugin failed."
      case .pluginLoading: "The plugin is being loaded."
      case .pluginStopped: "The plugin ran too long or used too much memory."
      case .readOnly: "The field cannot be assigned."
      case .rehearsal: "This cannot be done in a dry run (--dry-run)."
      case .removed: "The object was removed."
      case .scriptFailed: "A script exited with a status other than 0."
      case .serverFailed: "The server reported an internal error."
      case .serverRefused: "The server refused the request."
      case .signedIn: "A user is already signed in."
      case .storageBusy: "Another process is writing; try again."
      case .storageDamaged: "The database is damaged; `doctor` says what can be done."
      case .storageFailed: "The database could not be read or written."
      case .storageFull: "The disk is full."
      case .storageNewer: "The database comes from a newer version of the program."
      case .storageRolledBack: "The database rolled back the whole unit of work."
      case .storageUnreadable: "The database cannot be opened."
      case .symbolicLink: "The path names a symbolic link, but a file is expected."
      case .syncFailed: "The program that talks to the server stopped."
      case .testFailed: "A test of a plugin failed."
      case .timedOut: "It took too long."
      case .tooCostly: "The pattern or query would take too long."
      case .tooFewReviews: "There are too few answers to fit the memory model."
      case .tooFewWords: "There are too few words for a game of that mode."
      case .tooLarge: "The value or file is larger than the limit."
      case .tooLong: "The text is longer than the limit."
      case .tooMany: "There are more items than the limit."
      case .tooManyValues: "A row has more values than the header names columns."
      case .tooShort: "The word or text is too short."
      case .unchecked: "The value could not be checked."
      case .undoConflict: "A later change conflicts with undoing this step."
      case .undrawableText: "A text contains characters that no font can draw."
      case .unknownExercise: "There is no such exercise."
      case .unknownField: "There is no such field."
      case .unknownFormat: "The file's format is unknown."
      case .unknownFrame: "There is no such frame."
      case .unknownKind: "There is no such kind."
      case .unknownLanguage: "There is no such language."
      case .unknownMode: "There is no such mode."
      case .unknownRule: "There is no such rule."
      case .unknownSetting: "There is no such setting."
      case .unreadable: "The file cannot be read."
      case .unwritable: "The file cannot be written."
      case .wrongLength: "The word has the wrong number of letters."
      case .wrongStart: "The word begins with the wrong letter."
      case .wrongType: "The value has the wrong type."
      }
    }
  }
}
