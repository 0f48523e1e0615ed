// What the bound objects of one Lua state reach: the person's workspace behind the gate, the shell and the plugins above, and
// what the state was granted. Invariant: a binding gets at data only through `workspace()`, which is where the gate stands.

public import Commands
public import LuaRuntime
public import Problems
import Text
import ToggleSettings
public import Workspace

/// What Lua calls `shell`, handed in by the program: it lives above this room.
public struct ShellServices {
  /// Shows a value as the prompt does.
  public var show: (LuaValue) -> Void
  public var table: (_ rows: [[String]], _ columns: [String]) -> Void
  public var chart: (_ values: [(label: String, value: Double)], _ title: String?) -> Void
  /// A progress line, for work that a script does: total is 0 where it is not known.
  public var progress: (_ label: String, _ total: Int) -> any ProgressReporting
  /// Asks at the terminal; nil when there is none, or at its end.
  public var ask: (String) throws -> String?
  /// Runs a line as the prompt does, as a command.
  public var run: (String) throws -> CommandAnswer
  /// Gives the beginning of a line a name; a plugin's is a command with the rights of the plugin.
  public var alias: (_ name: String, _ text: String, _ grants: Grants) throws -> Void
  /// Adds a command; one that the person added before under the same name is replaced.
  public var addCommand: (Command) throws -> Void
  /// A value as the prompt shows it.
  public var display: (LuaValue) -> Display
  /// The words of the shell that a value or a thing shows.
  public init(
    show: @escaping (LuaValue) -> Void, table: @escaping ([[String]], [String]) -> Void,
    chart: @escaping ([(label: String, value: Double)], String?) -> Void,
    progress: @escaping (String, Int) -> any ProgressReporting, ask: @escaping (String) throws -> String?,
    run: @escaping (String) throws -> CommandAnswer, alias: @escaping (String, String, Grants) throws -> Void,
    addCommand: @escaping (Command) throws -> Void, display: @escaping (LuaValue) -> Display
  ) {
    self.show = show
    self.table = table
    self.chart = chart
    self.progress = progress
    self.ask = ask
    self.run = run
    self.alias = alias
    self.addCommand = addCommand
    self.display = display
  }
}

/// Something long that tells how far it is. Nothing is shown where there is no terminal.
public protocol ProgressReporting: AnyObject {
  /// `count` more of the total are done.
  func step(_ count: Int)
  /// So much is done of so much, in the unit that the label says.
  func update(_ done: Int, of total: Int?)
  func finish()
}

/// What Lua calls `plugins`, handed in by the program.
public struct PluginServices {
  public var list: () -> [LuaValue]
  public var info: (String) throws -> LuaValue
  public var enable: (String) throws -> Void
  public var disable: (String) throws -> Void
  public var reload: (String) throws -> Void
  /// Sees to it that a mode is there when a plugin offers it; nil asks for all modes.
  public var prepareMode: (String?) throws -> Void

  public init(
    list: @escaping () -> [LuaValue], info: @escaping (String) throws -> LuaValue,
    enable: @escaping (String) throws -> Void, disable: @escaping (String) throws -> Void,
    reload: @escaping (String) throws -> Void, prepareMode: @escaping (String?) throws -> Void
  ) {
    self.prepareMode = prepareMode
    self.list = list
    self.info = info
    self.enable = enable
    self.disable = disable
    self.reload = reload
  }
}

/// What a Lua state may see.
public struct Grants: Equatable, Sendable {
  public enum Module: String, CaseIterable, Sendable {
    case decksRead = "decks.read"
    case decksWrite = "decks.write"
    case documentsRead = "documents.read"
    case documentsWrite = "documents.write"
    case words, games, settings, shell
    case shellRun = "shell.run"
    /// The event `command` hands over the whole line.
    case commandsRead = "commands.read"
  }

  public var modules: Set<Module>
  /// Folders and files that may be read and written; nil where every path may.
  public var readable: [String]?
  public var writable: [String]?
  /// Settings, or groups of them, that may be changed beside the plugin's own; nil where every one may.
  public var settings: [String]?

  public init(
    modules: Set<Module>, readable: [String]? = [], writable: [String]? = [], settings: [String]? = []
  ) {
    self.modules = modules
    self.readable = readable
    self.writable = writable
    self.settings = settings
  }

  /// The person's own lines and scripts.
  public static let everything = Grants(modules: Set(Module.allCases), readable: nil, writable: nil, settings: nil)

  public func allows(_ module: Module) -> Bool { modules.contains(module) }
}

/// Everything that the bindings of one state work with.
public final class BindingContext {
  /// The open workspace, or `auth_required`.
  public let workspace: () throws -> Workspace
  public let shell: ShellServices
  public let plugins: PluginServices
  /// The gate; nil in a plugin, which never gets it.
  public let auth: AuthServices?
  /// Who sets or declares a setting now: the plugin, init.lua, a script, the person.
  public let settingOwner: () -> Owner
  public let grants: Grants
  /// Whether objects of these rooms may be used at all, wherever they came from (an event hands cards to who listens).
  let (mayReadDecks, mayPlay): (Bool, Bool)
  /// Whom the state belongs to: the user, or a plugin.
  public let owner: Owner
  /// The version of the program, and where its data is.
  public let version: String
  /// Events of the shell, shared by all states.
  public let events: EventTable
  /// The files that the user named for the calls under way, the innermost last: granted for their length.
  var callGrants: [CallGrant] = []
  /// How many calls were granted files until now.
  var callCount = 0
  /// Which of the files that the user names as arguments are granted for a call.
  public var mayTakeTypedPath: (String) -> Bool = { _ in true }
  /// What the shell keeps for the state, charged to it, by what it is and its name: one in place of another frees that.
  fileprivate var kept: [String: MemoryCharge] = [:]
  /// Those of `files.lines`.
  let openFiles = OpenFiles()
  /// Whether the person typed the path: only then it may be a pipe or a device, which is waited for.
  public var isTyped: (String) -> Bool = { _ in false }
  /// What each call into the state may use, for the words of an error.
  public var limits = PluginLimits.standard
  /// Told of each failure of a call into the state, for `plugin info`.
  public var noteFailure: (String) -> Void = { _ in }
  /// The workspace that answered last. While it is open, nobody has signed out. Read at every call; nothing holds an access to it
  /// across another.
  @exclusivity(unchecked) private var lastWorkspace: Workspace?

  public init(
    workspace: @escaping () throws -> Workspace, shell: ShellServices, plugins: PluginServices, auth: AuthServices?,
    settingOwner: @escaping () -> Owner, grants: Grants, owner: Owner, version: String, events: EventTable
  ) {
    self.workspace = workspace
    self.shell = shell
    self.plugins = plugins
    self.auth = auth
    self.settingOwner = settingOwner
    self.grants = grants
    mayReadDecks = grants.allows(.decksRead) || grants.allows(.decksWrite)
    mayPlay = grants.allows(.games)
    self.owner = owner
    self.version = version
    self.events = events
  }

  /// Does what keeps something in the program for the state, which is charged for all that the call has read so far.
  /// - Parameter weight: bytes that the thing weighs by itself.
  func keeping<R>(
    _ kind: String, _ name: String, _ stack: borrowing LuaStack, weight: Int = 512, _ body: () throws -> R
  ) throws -> R {
    let charge = try stack.keepCharge(weight + 2 * name.utf8.count)
    let made = try body()
    kept[kind + " " + name] = charge
    return made
  }

  /// What every module but `auth` asks first.
  /// - Throws: `auth_required`.
  func requireSignIn() throws {
    if let lastWorkspace, lastWorkspace.isOpen { return }
    lastWorkspace = nil
    lastWorkspace = try workspace()
  }
}

/// What a bound handle of the workspace needs to be used at all: checked before each of its members, in this one place.
func requireOpen(_ handle: some WorkspaceHandle, _ what: String) throws {
  guard handle.workspace.isOpen else { throw WorkspaceError.signedOut(what: what) }
}

extension BindingContext {
  /// For each member of a deck, a card, a session.
  func requireDecks(_ handle: some WorkspaceHandle, _ what: String) throws {
    if !mayReadDecks { try requireGrant(.decksRead) }
    try requireOpen(handle, what)
  }

  /// For each member of a document or an element.
  func requireDocuments(_ handle: some WorkspaceHandle, _ what: String) throws {
    if !grants.allows(.documentsRead), !grants.allows(.documentsWrite) { try requireGrant(.documentsRead) }
    try requireOpen(handle, what)
  }

  /// For each member of a game.
  func requireGames(_ handle: some WorkspaceHandle, _ what: String) throws {
    if !mayPlay { try requireGrant(.games) }
    try requireOpen(handle, what)
  }
}

/// A right that the state was not given.
public enum GrantError: Problem, Equatable {
  case missing(plugin: String, right: String)
  /// A setting that no plugin may have.
  case securitySetting(plugin: String, name: String)

  public var report: ProblemReport {
    switch self {
    case .missing(let plugin, let right):
      ProblemReport(
        .notGranted, "Not granted", "\(plugin) was not granted \(right); see `plugin info \(plugin)`")
    case .securitySetting(let plugin, let name):
      ProblemReport(
        .notGranted, "Not granted",
        "\(plugin) may not have the setting \(quoted(name)): those of auth are yours alone")
    }
  }
}

extension BindingContext {
  /// Whether something that no unit of work takes back may be done; in a rehearsal the user is told instead.
  func mayActOutside(_ action: @autoclosure () -> String) throws -> Bool {
    try workspace().rehearsal.mayActOutside(action())
  }
}

/// The files that the user named for one call of a command: granted until it ends.
struct CallGrant {
  let id: Int
  /// With their links followed, as they were when the call began.
  let readable: [String]
  let writable: [String]
}

extension BindingContext {
  /// Runs a command with the files that its words name granted.
  func granting<R>(filesOf invocation: Invocation, _ body: () throws -> R) rethrows -> R {
    let place = { [mayTakeTypedPath] (path: String) in mayTakeTypedPath(path) ? resolvedPath(path) : nil }
    callCount += 1
    callGrants.append(
      CallGrant(
        id: callCount, readable: invocation.files(for: .read).compactMap(place),
        writable: invocation.files(for: .write).compactMap(place)))
    defer { callGrants.removeLast() }
    return try body()
  }
}

extension BindingContext {
  /// For the members of a shared type that change data.
  func requireGrant(_ module: Grants.Module) throws {
    guard grants.allows(module) else {
      throw GrantError.missing(plugin: owner.plugin?.description ?? "this state", right: module.rawValue)
    }
  }
}
