// The codes of all problems, and what each means for the program's exit status. Invariant: a code never changes its
// text.

/// What kind of problem it is, for programs. Its text is lower case with underscores: `not_found`, `empty_prompt`. The
/// same text may be a failure and a wrong usage: `bad_value`.
///
///     if problem.report.code == .failure(.notFound) { ... }
public enum ProblemCode: Hashable, Sendable {
  case failure(Failure)
  /// The command line is wrong.
  case usage(Usage)
  /// What was tried needs a sign-in, or the sign-in failed.
  case signIn(SignIn)
  /// Ctrl-C.
  case interrupted
  /// A code that a script or a plugin made.
  case custom(String)

  /// Text that comes back from Lua or from a plugin. It is never a usage: what a script does wrong is a failure of the
  /// script.
  /// - Parameter hasRetryTime: tells a sign-in that is locked for a time from a thing that is locked.
  public init(passedOn text: String, hasRetryTime: Bool = false) {
    if let code = SignIn(rawValue: text), code != .locked || hasRetryTime {
      self = .signIn(code)
    } else if let code = Failure(rawValue: text) {
      self = .failure(code)
    } else {
      self = text == ProblemCode.interrupted.rawValue ? .interrupted : .custom(text)
    }
  }

  /// As Lua and JSON show it.
  public var rawValue: String {
    switch self {
    case .failure(let code): code.rawValue
    case .usage(let code): code.rawValue
    case .signIn(let code): code.rawValue
    case .interrupted: "interrupted"
    case .custom(let text): text
    }
  }

  public var exitStatus: Int32 {
    switch self {
    case .failure, .custom: ExitStatus.failed
    case .usage: ExitStatus.usage
    case .signIn: ExitStatus.signIn
    case .interrupted: ExitStatus.interrupted
    }
  }

  /// All but the custom ones.
  public static let known: [ProblemCode] =
    Failure.allCases.map(ProblemCode.failure) + Usage.allCases.map(ProblemCode.usage)
    + SignIn.allCases.map(ProblemCode.signIn) + [.interrupted]
}

extension ProblemCode {
  public enum SignIn: String, CaseIterable, Sendable {
    case authRequired = "auth_required"
    case denied, empty, locked
  }

  public enum Usage: String, CaseIterable, Sendable {
    case aliasLoop = "alias_loop"
    case badValue = "bad_value"
    case dryRun = "dry_run"
    case extraArgument = "extra_argument"
    case losesCards = "loses_cards"
    case missingArgument = "missing_argument"
    case missingCommand = "missing_command"
    case unknownCommand = "unknown_command"
    case unknownOption = "unknown_option"
    case unterminatedQuote = "unterminated_quote"
  }

  public enum Failure: String, CaseIterable, Sendable {
    case allRefused = "all_refused"
    case alreadyUsed = "already_used"
    case ambiguous
    case archiveDamaged = "archive_damaged"
    case archiveRefused = "archive_refused"
    case badAnswer = "bad_answer"
    case badBase = "bad_base"
    case badCard = "bad_card"
    case badCertificate = "bad_certificate"
    case badColor = "bad_color"
    case badCommand = "bad_command"
    case badDeclaration = "bad_declaration"
    case badEncoding = "bad_encoding"
    case badFile = "bad_file"
    case badFormat = "bad_format"
    case badGuid = "bad_guid"
    case badImage = "bad_image"
    case badList = "bad_list"
    case badManifest = "bad_manifest"
    case badMode = "bad_mode"
    case badName = "bad_name"
    case badPassword = "bad_password"
    case badPath = "bad_path"
    case badPattern = "bad_pattern"
    case badQuery = "bad_query"
    case badRow = "bad_row"
    case badRule = "bad_rule"
    case badSignature = "bad_signature"
    case badSize = "bad_size"
    case badState = "bad_state"
    case badSyncAnswer = "bad_sync_answer"
    case badTag = "bad_tag"
    case badTemplate = "bad_template"
    case badText = "bad_text"
    case badType = "bad_type"
    case badValue = "bad_value"
    case busy
    case cancelled
    case cannotUndo = "cannot_undo"
    case changedElsewhere = "changed_elsewhere"
    case clockDiffers = "clock_differs"
    case damaged
    case damagedJournal = "damaged_journal"
    case damagedPicture = "damaged_picture"
    case dependencyCycle = "dependency_cycle"
    case drawingFailed = "drawing_failed"
    case duplicate
    case duplicateID = "duplicate_id"
    case editorFailed = "editor_failed"
    case emptyAnswer = "empty_answer"
    case emptyNote = "empty_note"
    case emptyPrompt = "empty_prompt"
    case exists
    case exposed
    case failed
    case fileFailed = "file_failed"
    case fileIsFolder = "file_is_folder"
    case fileMissing = "file_missing"
    case fileRefused = "file_refused"
    case fileTooLarge = "file_too_large"
    case formatted
    case imageMismatch = "image_mismatch"
    case inScript = "in_script"
    case inUse = "in_use"
    case keyFailed = "key_failed"
    case laterVersion = "later_version"
    case letterMissing = "letter_missing"
    case locked
    case losesCards = "loses_cards"
    case luaError = "lua_error"
    case madeFromNote = "made_from_note"
    /// An argument that a command finds missing only when it runs.
    case missingArgument = "missing_argument"
    case missingDependency = "missing_dependency"
    case missingImage = "missing_image"
    case missingKey = "missing_key"
    case newer
    case newerAPI = "newer_api"
    case noAccount = "no_account"
    case noBaseWord = "no_base_word"
    case noCloze = "no_cloze"
    case noDrawing = "no_drawing"
    case noFolder = "no_folder"
    case noLoader = "no_loader"
    case noPlayer = "no_player"
    case noServer = "no_server"
    case noTerminal = "no_terminal"
    case notLinked = "not_linked"
    case noUnit = "no_unit"
    case noWordList = "no_word_list"
    case notABackup = "not_a_backup"
    case notADocument = "not_a_document"
    case notAFile = "not_a_file"
    case notAPalindrome = "not_a_palindrome"
    case notAStep = "not_a_step"
    case notASwitch = "not_a_switch"
    case notAWord = "not_a_word"
    case notAccepted = "not_accepted"
    case notFound = "not_found"
    case notGranted = "not_granted"
    case notHere = "not_here"
    case notInStore = "not_in_store"
    case notJSON = "not_json"
    case notKept = "not_kept"
    case notNewer = "not_newer"
    case notPossible = "not_possible"
    case notSignedIn = "not_signed_in"
    case nothingToRedo = "nothing_to_redo"
    case nothingToUndo = "nothing_to_undo"
    case offline
    case otherKey = "other_key"
    case orphanedImage = "orphaned_image"
    case outOfMemory = "out_of_memory"
    case outOfRange = "out_of_range"
    case over
    case passwordFile = "password_file"
    case paused
    case pluginChanged = "plugin_changed"
    case pluginDisabled = "plugin_disabled"
    case pluginFailed = "plugin_failed"
    case pluginLoading = "plugin_loading"
    case pluginStopped = "plugin_stopped"
    case readOnly = "read_only"
    /// What a rehearsal cannot do.
    case rehearsal = "dry_run"
    case removed
    case scriptFailed = "script_failed"
    case serverFailed = "server_failed"
    case serverRefused = "server_refused"
    case signedIn = "signed_in"
    case storageBusy = "storage_busy"
    case storageDamaged = "storage_damaged"
    case storageFailed = "storage_failed"
    case storageFull = "storage_full"
    case storageNewer = "storage_newer"
    case storageOlder = "storage_older"
    case storageRolledBack = "storage_rolled_back"
    case storageUnreadable = "storage_unreadable"
    case symbolicLink = "symbolic_link"
    case syncFailed = "sync_failed"
    case testFailed = "test_failed"
    case timedOut = "timed_out"
    case tooCostly = "too_costly"
    case tooFewReviews = "too_few_reviews"
    case tooLarge = "too_large"
    case tooLong = "too_long"
    case tooMany = "too_many"
    case tooShort = "too_short"
    case unchecked
    case undoConflict = "undo_conflict"
    case undrawableText = "undrawable_text"
    case unknownField = "unknown_field"
    case unknownFormat = "unknown_format"
    case unknownFrame = "unknown_frame"
    case unknownKind = "unknown_kind"
    case unknownLanguage = "unknown_language"
    case unknownMode = "unknown_mode"
    case unknownRule = "unknown_rule"
    case unknownSetting = "unknown_setting"
    case unreadable
    case unsigned
    case untrustedKey = "untrusted_key"
    case unwritable
    case wrongKind = "wrong_kind"
    case wrongLength = "wrong_length"
    case wrongStart = "wrong_start"
    case wrongType = "wrong_type"
  }
}
