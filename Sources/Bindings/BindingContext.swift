// What the bound objects of one Lua state reach: the user's workspace behind the gate, the shell and the plugins above,
// and what the state was granted. Invariant: a binding gets at data only through `workspace()`, which is where the gate
// stands.

import Commands
import Lexicon
public import LuaRuntime
public import Problems
import Text
import ToggleSettings
public import Workspace

/// What a Lua state may see.
public struct Grants: Equatable, Sendable {
  public enum Module: String, CaseIterable, Sendable {
    case decksRead = "decks.read"
    case decksWrite = "decks.write"
    case documentsRead = "documents.read"
    case documentsWrite = "documents.write"
    case words, texts, games, settings, shell
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

  /// The user's own lines and scripts.
  public static let everything = Grants(modules: Set(Module.allCases), readable: nil, writable: nil, settings: nil)

  public func allows(_ module: Module) -> Bool { modules.contains(module) }
}

/// What is different for a plugin's state: what each call into it may use, and who is told of its failures.
public struct PluginTerms {
  /// What each call into the state may use, for the words of an error.
  public var limits = PluginLimits.standard
  /// Receives each failure of a call into the state, for `plugin info`.
  public var noteFailure: (String) -> Void = { _ in }
  /// Which of the files that the user names as arguments are granted for a call.
  public var mayTakeTypedPath: (String) -> Bool = { _ in true }

  public init() {}
}

/// Everything that the bindings of one state work with.
public final class BindingContext {
  private let hosts: BindingHosts
  /// Whom the state belongs to, and since which sign-in.
  public let origin: ContextOrigin
  public let grants: Grants
  /// Events of the shell, shared by all states.
  public let events: EventTable
  let terms: PluginTerms
  /// The files that the user named for the calls under way.
  var calls = CallGrants()
  /// What the shell keeps for the state, charged to it, by what it is and its name: one in place of another frees that.
  fileprivate var kept: [String: MemoryCharge] = [:]
  /// Those of `files.lines`.
  let openFiles = OpenFiles()
  /// The workspace that answered last. While it is open, nobody has signed out. Read at every call; nothing holds an
  /// access to it across another.
  @exclusivity(unchecked) private var lastWorkspace: Workspace?
  /// The letters that `words.can_form` was asked about last.
  var letters = PlainLetters()

  public init(
    _ origin: ContextOrigin, hosts: BindingHosts, grants: Grants, events: EventTable, terms: PluginTerms = PluginTerms()
  ) {
    self.hosts = hosts
    self.origin = origin
    self.grants = grants
    self.terms = terms
    self.events = events
  }

  public var owner: Owner { origin.owner }
  public var shell: any ShellHost { hosts.shell }
  public var plugins: any PluginDirectory { hosts.plugins }
  public var auth: (any Authenticating)? { hosts.auth }

  /// The open workspace.
  /// - Throws: `auth_required`.
  public func workspace() throws -> Workspace { try hosts.shell.workspace(for: origin) }

  /// Who sets or declares a setting now: the plugin, init.lua, a script, the user.
  public func settingOwner() -> Owner { owner == .user ? hosts.shell.settingOwner : owner }

  /// Whether the user typed the path.
  func isTyped(_ path: String) -> Bool { owner == .user && hosts.shell.isTyped(path) }

  /// Does what keeps something in the program for the state, which is charged for all that the call has read so far.
  /// - Parameter weight: bytes that the thing weighs by itself.
  func keeping<R>(
    _ kind: String, _ name: String, _ stack: borrowing LuaStack, weight: Int = 512, _ body: () throws -> R
  ) throws -> R {
    let charge = try stack.memory.keepCharge(weight + 2 * name.utf8.count)
    let made = try body()
    kept[kind + " " + name] = charge
    return made
  }

  /// What every module but `auth` asks first.
  /// - Throws: `auth_required`.
  func requireSignIn() throws {
    if isOpen { return }
    lastWorkspace = nil
    lastWorkspace = try workspace()
  }
}

extension BindingContext: LuaGate {
  /// Whether somebody is known to be signed in: once anything was asked of the workspace, until the sign-out.
  public var isOpen: Bool {
    guard let lastWorkspace else { return false }
    return lastWorkspace.isOpen
  }
}

// A handle of the workspace is open while that is.
extension LexiconHandle: LuaGate {
  public var isOpen: Bool { workspace.isOpen && !lexicon.isDamaged }
}

extension GameHandle: LuaGate {
  public var isOpen: Bool { workspace.isOpen }
}

/// What a bound handle of the workspace needs to be used at all: checked before each of its members, in this one place.
func requireOpen(_ handle: some WorkspaceHandle, _ what: String) throws {
  guard handle.workspace.isOpen else { throw WorkspaceError.signedOut(what: what) }
}

/// The same of a lexicon, whose list may have been damaged since.
func requireWhole(_ handle: LexiconHandle) throws {
  try requireOpen(handle, "lexicon")
  if handle.lexicon.isDamaged { throw handle.lexicon.damage }
}

extension LuaGrant {
  static func any(_ modules: Grants.Module...) -> LuaGrant { LuaGrant(modules.map(\.rawValue)) }

  static var decks: LuaGrant { any(.decksRead, .decksWrite) }
  static var decksWrite: LuaGrant { any(.decksWrite) }
  static var documents: LuaGrant { any(.documentsRead, .documentsWrite) }
  static var documentsWrite: LuaGrant { any(.documentsWrite) }
  static var words: LuaGrant { any(.words) }
  static var texts: LuaGrant { any(.texts) }
  static var games: LuaGrant { any(.games) }
  static var settings: LuaGrant { any(.settings) }
  static var shell: LuaGrant { any(.shell, .shellRun) }
  static var shellRun: LuaGrant { any(.shellRun) }
}

extension BindingContext {
  /// What the state was granted, as the members of its types and modules are held against it.
  var rights: LuaRights {
    let (granted, plugin) = (Set(grants.modules.map(\.rawValue)), owner.plugin?.description ?? "this state")
    return LuaRights { grant in
      granted.isDisjoint(with: grant.rights) ? GrantError.missing(plugin: plugin, right: grant.rights[0]) : nil
    }
  }

  /// What is asked before each member of a type whose objects only who was granted may use, wherever they come from: an
  /// event hands cards to who listens.
  func entrance<T>(_ grant: LuaGrant, check: @escaping (T) throws -> Void) -> LuaEntrance<T> {
    LuaEntrance(rights, grant, check: check)
  }
}

/// A right that the state was not given.
public enum GrantError: Problem, Equatable {
  case missing(plugin: String, right: String)

  public var report: ProblemReport {
    switch self {
    case .missing(let plugin, let right):
      ProblemReport(
        .notGranted, "Not granted", "\(plugin) was not granted \(right); see `plugin info \(plugin)`")
    }
  }
}

extension BindingContext {
  /// Whether something that no unit of work takes back may be done; in a rehearsal the user is told instead.
  func mayActOutside(_ action: @autoclosure () -> String) throws -> Bool {
    try workspace().rehearsal.mayActOutside(action())
  }
}

/// The files that the user named for the calls of commands under way, the innermost last: granted for their length.
struct CallGrants {
  var open: [CallGrant] = []
  /// How many calls were granted files until now.
  var count = 0
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
    let place = { [terms] (path: String) in terms.mayTakeTypedPath(path) ? resolvedPath(path) : nil }
    calls.count += 1
    calls.open.append(
      CallGrant(
        id: calls.count, readable: invocation.files(for: .read).compactMap(place),
        writable: invocation.files(for: .write).compactMap(place)))
    defer { calls.open.removeLast() }
    return try body()
  }
}
