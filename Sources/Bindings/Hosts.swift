// What the bindings need from the rooms above, as protocols. Invariant: a context refers to its host without keeping it
// alive, and captures nothing of it.

public import Commands
public import LuaRuntime
public import Problems
import Text
public import Values
public import Workspace

/// The owner of a state, and the sign-in session that it belongs to.
public struct ContextOrigin: Equatable, Sendable {
  public let owner: Owner
  /// The number of sign-outs before it; a plugin's state belongs to the session that loaded it.
  public let session: Int

  public init(_ owner: Owner, session: Int = 0) { (self.owner, self.session) = (owner, session) }
}

/// What Lua calls `shell`, `plugins` and `auth`, and what every state needs to know about the session.
public protocol ShellHost: AnyObject {
  var version: String { get }
  /// Returns the open workspace.
  /// - Throws: `auth_required` while nobody is signed in, and for a plugin's state of an earlier session.
  func workspace(for origin: ContextOrigin) throws -> Workspace
  /// Who sets or declares a setting now in the user's own state: the user, init.lua, or a script.
  var settingOwner: Owner { get }
  /// Runs code that may change data, with the plugin as the origin of its undo steps.
  func changing<R>(asPlugin plugin: String, _ body: () throws -> R) rethrows -> R
  /// Whether the user typed the path; only then may it be a pipe or a device, which is waited for.
  func isTyped(_ path: String) -> Bool

  /// Shows a value on the stack as the prompt does.
  func show(_ index: Int, on stack: borrowing LuaStack) throws
  func table(_ rows: [[String]], _ columns: [String])
  func chart(_ values: [(label: String, value: Double)], _ title: String?)
  /// Starts a progress line for a script's work; total is 0 if it is unknown.
  func progress(_ label: String, _ total: Int) -> any ProgressReporting
  /// Asks at the terminal; nil if nobody can answer. A plugin's question names the plugin.
  func ask(_ question: String, of owner: Owner) throws -> String?
  func display(of value: LuaValue) -> Display

  /// Runs a line as a command, as the prompt does, and returns its value.
  /// - Parameter owner: who runs the line; one that a plugin runs grants nothing and changes no guarded setting.
  func run(_ line: String, of owner: Owner) throws -> CommandAnswer
  /// Syncs the account that is signed in; returns what was done.
  func synchronize() throws -> Value
  /// Makes a name stand for the beginning of a line; a plugin's alias is a command with the plugin's rights.
  func addAlias(_ name: String, _ text: String, of owner: Owner, _ grants: Grants) throws
  /// Adds a command; replaces one that the user added before under the same name.
  func add(_ command: Command) throws

  func pluginList() -> [LuaValue]
  func pluginInfo(_ name: String) throws -> LuaValue
  func enablePlugin(_ name: String) throws
  func disablePlugin(_ name: String) throws
  func reloadPlugin(_ name: String) throws
  /// Starts the process for code that is not the user's own, with a state as its twin; nil in tests.
  /// - Parameter seconds: the time limit of a call.
  func startCode(_ lua: LuaState, _ terms: CodeTerms, seconds: Double) throws -> DistantCode?

  var needsAuthentication: Bool { get }
  var isAuthenticating: Bool { get }
  /// Nil if nobody is signed in, or there are no accounts.
  var user: String? { get }
  /// Signs in; without a name, to the only account; without a file, the terminal asks for the password.
  func login(_ user: String?, passwordFile: String?) throws
  func logout() throws
}

/// The state that the prompt shows.
///
///     PromptState(user: "ana", isSignedIn: true).text   // "ana> "
public struct PromptState {
  public var user: String?
  /// False if there are accounts and nobody is signed in.
  public var isSignedIn: Bool
  public var deck: String?
  public var game: String?

  public init(user: String?, isSignedIn: Bool) { (self.user, self.isSignedIn) = (user, isSignedIn) }

  /// The default prompt: `ana Spanish> `, `classic> `, `nobody> `.
  public var text: String {
    let who = isSignedIn ? user : "nobody"
    return printable([who, game ?? deck].compactMap { $0 }.joined(separator: " "), limit: 80) + "> "
  }

  /// The argument of the function `shell.prompt`.
  public var value: LuaValue { .record(["user": user, "deck": deck, "game": game, "is_signed_in": isSignedIn]) }
}

extension ShellHost {
  public func changing<R>(asPlugin plugin: String, _ body: () throws -> R) rethrows -> R { try body() }
}

/// A long operation that reports its progress. Nothing is shown if there is no terminal.
public protocol ProgressReporting: AnyObject {
  /// Reports that `count` more of the total are done.
  func step(_ count: Int)
  /// Reports how much of the total is done, in the unit that the label names.
  func update(_ done: Int, of total: Int?)
  func finish()
}
