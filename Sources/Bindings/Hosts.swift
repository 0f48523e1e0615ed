// What the bindings need from above this room, as protocols: the shell, the plugins, the gate. Invariant: a context
// refers to whoever provides them without keeping them alive, and captures nothing of them.

public import Commands
public import LuaRuntime
public import Problems
import Text
public import Values
public import Workspace

/// Whose state it is, and of which sign-in.
public struct ContextOrigin: Equatable, Sendable {
  public let owner: Owner
  /// Counts the sign-outs before it: a plugin's state belongs to the session that loaded it.
  public let session: Int

  public init(_ owner: Owner, session: Int = 0) { (self.owner, self.session) = (owner, session) }
}

/// What Lua calls `shell`, and what every state needs to know of the session.
public protocol ShellHost: AnyObject {
  var version: String { get }
  /// The open workspace.
  /// - Throws: `auth_required` while nobody is signed in, and for a plugin's state of an earlier session.
  func workspace(for origin: ContextOrigin) throws -> Workspace
  /// Who sets or declares a setting now in the user's own state: the user, init.lua, a script.
  var settingOwner: Owner { get }
  /// Runs what may change data; the steps of undo go by the origin.
  func changing<R>(asPlugin plugin: String, _ body: () throws -> R) rethrows -> R
  /// Whether the user typed the path: only then it may be a pipe or a device, which is waited for.
  func isTyped(_ path: String) -> Bool

  /// Shows a value on the stack as the prompt does.
  func show(_ index: Int, on stack: borrowing LuaStack) throws
  func table(_ rows: [[String]], _ columns: [String])
  func chart(_ values: [(label: String, value: Double)], _ title: String?)
  /// A progress line, for work that a script does: total is 0 where it is not known.
  func progress(_ label: String, _ total: Int) -> any ProgressReporting
  /// Asks at the terminal; nil when there is none, or at its end.
  func ask(_ question: String) throws -> String?
  /// A value as the prompt shows it.
  func display(of value: LuaValue) -> Display

  /// Runs a line as the prompt does, as a command, and answers its value.
  /// - Parameter owner: who asks: what a plugin runs grants nothing and changes no guarded setting.
  func run(_ line: String, of owner: Owner) throws -> CommandAnswer
  /// Syncs the account that is signed in; answers what was done.
  func synchronize() throws -> Value
  /// Gives the beginning of a line a name; a plugin's is a command with the rights of the plugin.
  func addAlias(_ name: String, _ text: String, of owner: Owner, _ grants: Grants) throws
  /// Adds a command; one that the user added before under the same name is replaced.
  func add(_ command: Command) throws
}

/// What the prompt shows.
///
///     PromptState(user: "ana", isSignedIn: true).text   // "ana> "
public struct PromptState {
  public var user: String?
  /// False where there are accounts and nobody has signed in.
  public var isSignedIn: Bool
  /// The deck that was used last.
  public var deck: String?
  /// What is played.
  public var game: String?

  public init(user: String?, isSignedIn: Bool) { (self.user, self.isSignedIn) = (user, isSignedIn) }

  /// The usual prompt: `ana Spanish> `, `classic> `, `nobody> `.
  public var text: String {
    let who = isSignedIn ? user : "nobody"
    return printable([who, game ?? deck].compactMap { $0 }.joined(separator: " "), limit: 80) + "> "
  }

  /// What the function `shell.prompt` is called with.
  public var value: LuaValue {
    func text(_ text: String?) -> LuaValue { text.map { .text($0) } ?? .none }
    return .table([
      (.text("user"), text(user)), (.text("deck"), text(deck)), (.text("game"), text(game)),
      (.text("is_signed_in"), .boolean(isSignedIn)),
    ])
  }
}

extension ShellHost {
  public func changing<R>(asPlugin plugin: String, _ body: () throws -> R) rethrows -> R { try body() }
}

/// What Lua calls `plugins`.
public protocol PluginDirectory: AnyObject {
  func pluginList() -> [LuaValue]
  func pluginInfo(_ name: String) throws -> LuaValue
  func enablePlugin(_ name: String) throws
  func disablePlugin(_ name: String) throws
  func reloadPlugin(_ name: String) throws
  /// Loads the plugin that offers a mode, unless the mode is there; nil asks for all modes.
  func prepareMode(_ name: String?) throws
}

/// What Lua calls `auth`.
public protocol Authenticating: AnyObject {
  var needsAuthentication: Bool { get }
  var isAuthenticating: Bool { get }
  /// Nil for nobody, and without an account.
  var user: String? { get }
  /// Signs in; without a name the only account, without a file the terminal is asked.
  func login(_ user: String?, passwordFile: String?) throws
  func logout() throws
}

/// Who provides what a context needs from above.
public struct BindingHosts {
  public unowned let shell: any ShellHost
  public unowned let plugins: any PluginDirectory
  /// Nil in a plugin, which never gets it.
  public unowned let auth: (any Authenticating)?

  public init(shell: any ShellHost, plugins: any PluginDirectory, auth: (any Authenticating)?) {
    (self.shell, self.plugins, self.auth) = (shell, plugins, auth)
  }
}

/// Something long that reports how far it is. Nothing is shown where there is no terminal.
public protocol ProgressReporting: AnyObject {
  /// `count` more of the total are done.
  func step(_ count: Int)
  /// So much is done of so much, in the unit that the label says.
  func update(_ done: Int, of total: Int?)
  func finish()
}
