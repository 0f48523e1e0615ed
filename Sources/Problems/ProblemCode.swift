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

  /// What it means, in a sentence; empty for a custom one.
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

  /// All but the custom ones.
  public static let known: [ProblemCode] =
    Failure.allCases.map(ProblemCode.failure) + Usage.allCases.map(ProblemCode.usage)
    + SignIn.allCases.map(ProblemCode.signIn) + [.interrupted]
}

extension ProblemCode {
  public enum SignIn: String, CaseIterable, Sendable {
    case authRequired = "auth_required"
    case denied, empty, locked
    /// What it means, in a sentence.
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
    /// What it means, in a sentence.
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
