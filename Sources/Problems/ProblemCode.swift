// The codes of all problems, and the exit status for each. Invariant: the text of a code never changes.

public enum ExitStatus {
  public static let done: Int32 = 0
  /// A command or a script failed.
  public static let failed: Int32 = 1
  /// Wrong usage: an unknown command or option, a missing argument.
  public static let usage: Int32 = 2
  /// A sign-in is needed and is missing, denied or locked.
  public static let signIn: Int32 = 77
  public static let interrupted: Int32 = 130
}

/// The kind of a problem, for programs. Its text is lower case with underscores: `not_found`, `empty_prompt`. The same
/// text may be both a failure and a usage error: `bad_value`.
///
///     if problem.report.code == .failure(.notFound) { ... }
public enum ProblemCode: Hashable, Sendable {
  case failure(Failure)
  /// The command line is wrong.
  case usage(Usage)
  case signIn(SignIn)
  /// Ctrl-C.
  case interrupted
  /// A code defined by a script or a plugin.
  case custom(String)

  /// Converts a text from Lua or a plugin to a code, never of a usage error: a mistake of a script is its failure.
  /// - Parameter hasRetryTime: distinguishes a sign-in that is locked for a time from another locked thing.
  public init(external text: String, hasRetryTime: Bool = false) {
    if let code = SignIn(rawValue: text), code != .locked || hasRetryTime {
      self = .signIn(code)
    } else if let code = Failure.byText[text] {
      self = .failure(code)
    } else {
      self = text == ProblemCode.interrupted.rawValue ? .interrupted : .custom(text)
    }
  }

  /// The text for Lua and JSON.
  public var rawValue: String {
    switch self {
    case .failure(let code): code.text
    case .usage(let code): code.rawValue
    case .signIn(let code): code.rawValue
    case .interrupted: "interrupted"
    case .custom(let text): text
    }
  }

  /// The meaning, in a sentence; empty for a custom code.
  public var meaning: String {
    switch self {
    case .failure(let code): code.meaning
    case .usage(let code): code.meaning
    case .signIn(let code): code.meaning
    case .interrupted: "Ctrl-C stopped the operation."
    case .custom: ""
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

  /// All codes except custom ones.
  public static let known: [ProblemCode] =
    Failure.allCases.map(ProblemCode.failure) + Usage.allCases.map(ProblemCode.usage)
    + SignIn.allCases.map(ProblemCode.signIn) + [.interrupted]

  public enum SignIn: String, CaseIterable, Sendable {
    case authRequired = "auth_required"
    case denied, empty, locked
    public var meaning: String {
      switch self {
      case .authRequired: "You have to sign in first."
      case .denied: "The name or the password is wrong."
      case .empty: "The name or the password is empty."
      case .locked: Failure.locked.meaning
      }
    }
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
    public var meaning: String {
      switch self {
      case .aliasLoop: "An alias refers to itself."
      case .badValue: Failure.badValue.meaning
      case .dryRun: Failure.rehearsal.meaning
      case .extraArgument: "The command takes fewer arguments."
      case .losesCards: Failure.losesCards.meaning
      case .missingArgument: Failure.missingArgument.meaning
      case .missingCommand: "A command or a subcommand is expected."
      case .unknownCommand: "There is no such command."
      case .unknownOption: "The command does not have this option."
      case .unterminatedQuote: "A quotation mark is not closed."
      }
    }
  }
}
