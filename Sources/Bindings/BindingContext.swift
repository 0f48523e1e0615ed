// What the bound objects of one Lua state work with: the user's workspace, the shell and the plugins above, and what
// the state was granted. Invariant: a binding reaches data only through `workspace()`, which requires a sign-in.

import Commands
import Lexicon
public import LuaRuntime
public import Problems
import Text
import ToggleSettings
public import Workspace

public struct Grants: Equatable, Sendable {
  public enum Module: String, CaseIterable, Sendable {
    case decksRead = "decks.read"
    case decksWrite = "decks.write"
    case documentsRead = "documents.read"
    case documentsWrite = "documents.write"
    case formats, words, texts, games, study, settings, shell
    case shellRun = "shell.run"
    /// The event `command` passes the whole line.
    case commandsRead = "commands.read"
  }

  public var modules: Set<Module>
  /// Folders and files that may be read and written; nil for every path.
  public var readable: [String]?
  public var writable: [String]?
  /// Settings, or groups of them, that may be changed in addition to the plugin's own; nil for all.
  public var settings: [String]?

  public init(modules: Set<Module>, readable: [String]? = [], writable: [String]? = [], settings: [String]? = []) {
    (self.modules, self.readable, self.writable, self.settings) = (modules, readable, writable, settings)
  }

  /// The permissions of the user's own lines and scripts.
  public static let everything = Grants(modules: Set(Module.allCases), readable: nil, writable: nil, settings: nil)

  public func allows(_ module: Module) -> Bool { modules.contains(module) }
}

/// The terms for a plugin's state: the limits of each call into it, and who receives its failures.
public struct PluginTerms {
  /// The limits of each call into the state, for the text of an error.
  public var limits = PluginLimits.standard
  /// Receives each failure of a call into the state, for `plugin info`.
  public var recordFailure: (String) -> Void = { _ in }
  /// Whether the files that the user names as arguments are granted for a call.
  public var grantsTypedPaths = true

  public init() {}
}

/// Everything that the bindings of one state need.
public final class BindingContext {
  public unowned let shell: any ShellHost
  /// The owner of the state, and the sign-in that it belongs to.
  public let origin: ContextOrigin
  public let grants: Grants
  /// The events of the shell, shared by all states.
  public let events: EventTable
  let terms: PluginTerms
  /// The files that the user named for the running calls of commands, each until its call ends, the innermost last; and
  /// how many calls have been granted files so far.
  var calls: (open: [CallGrant], count: Int) = ([], 0)
  /// Charges for what the shell stores for the state, by kind and name; replacing an entry releases its charge.
  fileprivate var storageCharges: [String: MemoryCharge] = [:]
  let openFiles = OpenFiles()
  /// The workspace that was last returned; while it is open, nobody has signed out. Read at every call.
  @exclusivity(unchecked) private var lastWorkspace: Workspace?
  /// The globals that the state does not have, with what the author of its code has to know.
  var withheld: [String: String] = [:]
  /// The letters of the last call of `words.can_form`.
  var letters = PlainLetters()

  public init(
    _ origin: ContextOrigin, shell: any ShellHost, grants: Grants, events: EventTable,
    terms: PluginTerms = PluginTerms()
  ) {
    (self.shell, self.origin, self.grants, self.terms, self.events) = (shell, origin, grants, terms, events)
  }

  public var owner: Owner { origin.owner }
  /// The plugin's name, for errors.
  var pluginName: String { owner.plugin?.description ?? "this state" }

  /// Returns the open workspace.
  /// - Throws: `auth_required`.
  public func workspace() throws -> Workspace { try shell.workspace(for: origin) }

  /// Returns who sets or declares a setting now: the plugin, init.lua, a script, or the user.
  public func settingOwner() -> Owner { owner == .user ? shell.settingOwner : owner }

  /// Who adds something to the shell now. What a script of the user's state adds while a plugin runs it belongs to that
  /// plugin, so that it later runs with the plugin's rights, not with those of the user who calls it.
  var adder: Owner {
    let owner = settingOwner()
    return owner.plugin == nil ? self.owner : owner
  }

  /// Refuses a listener of the user's state while a plugin runs a script there: it would have the rights of the user.
  func refusePluginListener() throws(LuaFailure) {
    if adder != owner { throw .message("a script that a plugin runs may not listen; the plugin itself may") }
  }

  func isTyped(_ path: String) -> Bool { owner == .user && shell.isTyped(path) }

  /// Runs `body`, which stores something in the program for the state, which is charged for all that the call has read.
  /// - Parameter weight: bytes charged for the stored object itself.
  func storing<R>(
    _ kind: String, _ name: String, _ stack: borrowing LuaStack, weight: Int = 512, _ body: () throws -> R
  ) throws -> R {
    let charge = try stack.memory.retainCharge(weight + 2 * name.utf8.count)
    let made = try body()
    storageCharges[kind + " " + name] = charge
    return made
  }

  /// Makes a module whose members need a sign-in.
  func module(
    _ name: String, _ help: String, grant: LuaGrant? = nil, _ describe: (BoundModule) -> Void
  ) -> BoundModule {
    BoundModule(name, help, context: self, rights: rights, grant: grant, check: requireSignIn, describe)
  }

  /// Checks the sign-in; every module except `auth` calls this first.
  /// - Throws: `auth_required`.
  func requireSignIn() throws {
    if isOpen { return }
    lastWorkspace = nil
    lastWorkspace = try workspace()
  }
}

extension BindingContext: LuaGate {
  /// Whether someone is known to be signed in: from the first use of the workspace until the sign-out.
  public var isOpen: Bool {
    guard let lastWorkspace else { return false }
    return lastWorkspace.isOpen
  }
}

// A workspace handle is open while its workspace is.
extension LexiconHandle: LuaGate {
  public var isOpen: Bool { workspace.isOpen && !lexicon.isDamaged }
}

extension GameHandle: LuaGate {
  public var isOpen: Bool { workspace.isOpen }
}

/// Checks that a bound workspace handle can be used. This is the only such check; it runs before each member.
func requireOpen(_ handle: some WorkspaceHandle, _ what: String) throws {
  guard handle.workspace.isOpen else { throw WorkspaceError.signedOut(what: what) }
}

extension LuaGrant {
  static func any(_ modules: Grants.Module...) -> LuaGrant { LuaGrant(modules.map(\.rawValue)) }

  static var decks: LuaGrant { any(.decksRead, .decksWrite) }
  static var decksWrite: LuaGrant { any(.decksWrite) }
  static var documents: LuaGrant { any(.documentsRead, .documentsWrite) }
  static var documentsWrite: LuaGrant { any(.documentsWrite) }
  static var shellRun: LuaGrant { any(.shellRun) }
}

extension BindingContext {
  /// The state's rights, against which the members of its types and modules are checked.
  var rights: LuaRights {
    let (granted, plugin) = (Set(grants.modules.map(\.rawValue)), pluginName)
    return { grant in
      granted.isDisjoint(with: grant.rights) ? GrantError.missing(plugin: plugin, right: grant.rights[0]) : nil
    }
  }

  /// The check before each member of a type whose objects require a grant, wherever they come from.
  func checks<T>(_ grant: LuaGrant, check: @escaping (T) throws -> Void) -> LuaChecks<T> {
    LuaChecks(check: check, rights, grant)
  }
}

/// Why a state may not do something: it was not granted the right.
public enum GrantError: Problem, Equatable {
  case missing(plugin: String, right: String)

  public var report: ProblemReport {
    switch self {
    case .missing(let plugin, let right):
      ProblemReport(.notGranted, "Not granted", "\(plugin) was not granted \(right); see `plugin info \(plugin)`")
    }
  }
}

extension BindingContext {
  /// Returns what to add to Lua's message about a global that is nil, if the state does not have that on purpose.
  public func advice(on message: String) -> String? {
    withheld.first { message.hasSuffix("a nil value (global '\($0.key)')") }.map { "; " + $0.value }
  }

  /// Whether an action that cannot be rolled back may be performed; in a dry run it is reported to the user instead.
  func mayActOutside(_ action: @autoclosure () -> String) throws -> Bool {
    try workspace().rehearsal.mayActOutside(action())
  }
}

/// The files that the user named for one call of a command, granted until it ends.
struct CallGrant {
  let id: Int
  /// The paths with links resolved, as they were when the call began.
  let readable: [String]
  let writable: [String]
}

extension BindingContext {
  /// Runs a command with access to the files that its arguments name.
  func granting<R>(filesOf invocation: Invocation, _ body: () throws -> R) throws -> R {
    let readable = try places(invocation.files(for: .read))
    let writable = try places(invocation.files(for: .write))
    calls.count += 1
    calls.open.append(CallGrant(id: calls.count, readable: readable, writable: writable))
    defer { calls.open.removeLast() }
    return try body()
  }

  private func places(_ paths: [String]) throws -> [String] {
    guard terms.grantsTypedPaths else { return [] }
    return try paths.compactMap { resolvedPath(try expanded($0)) }
  }
}

/// Returns the object if it is still held; otherwise makes it and stores it in its weak place.
func held<Object: AnyObject>(_ place: inout AnyObject?, _ make: () -> Object) -> Object {
  if let object = place as? Object { return object }
  let made = make()
  place = made
  return made
}
