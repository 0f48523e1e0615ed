// The session: everything that commands, screens and Lua work with, from sign-in to sign-out. Invariant: running code
// is handed the session as it runs; `workspace()` is the only access to the user's data.

import Authentication
import Bindings
import CTerminal
package import Commands
import Exchange
package import Files
import Lexicon
import LuaRuntime
import PluginHost
import Problems
import Storage
import Text
import ToggleSettings
import WordGames
package import Workspace

package struct ProgramIdentity {
  package let version: String
  /// The program's own options, which come before a command.
  package let command: Command

  package init(version: String, command: Command) { (self.version, self.command) = (version, command) }
}

package struct ShellOptions {
  package let program: ProgramIdentity
  package var wantsJSON = false
  package var isDryRun = false
  /// The undo step whose state is read; nil for the current state.
  package var step: Int?
  package var wantsTrace = false
  package var usesPlugins = true
  package var usesStartScript = true
  package var isUnattended = false
  /// Whether the command line decides about colours.
  package var isColorGiven = false
  package var signIn = SignInOptions()
  package var settings = SettingSources()

  package init(_ program: ProgramIdentity) { self.program = program }

  var version: String { program.version }
}

package struct SignInOptions {
  package var user: String?
  /// Whether the user was named on the command line.
  package var isUserRequired = false
  package var passwordFile: String?

  package init() {}
}

/// What outlives a sign-in: tables of commands, modes and word lists, and event listeners.
struct ShellTables {
  let registry: CommandRegistry
  let modes = ModeTable()
  let exercises = ExerciseTable()
  let formats = FormatTable()
  let lexicons: LexiconLibrary
  let events: EventTable
  /// The program's own commands, by name.
  let builtIns = BuiltInTable()

  init(lexicons: LexiconLibrary, events: EventTable) {
    (self.lexicons, self.events) = (lexicons, events)
    registry = builtIns.registry()
  }
}

/// The user's own Lua state with its data; replaced after a sign-out.
struct UserScripting {
  var lua: LuaState
  /// The globals that exist before the user sets any.
  var ownGlobals: Set<String> = []
  /// The owner of settings that are set or declared, and of grants: the user, a script, or a plugin.
  var settingOwner = Owner.user
  /// The arguments of the running script as the user typed them; paths among them may be pipes.
  var typedWords: [String] = []
  var hasHintedAboutLocal = false
  /// Whether the user's own prompt function failed; it is not called again until it is redefined.
  var isPromptBad = false

  init(_ lua: LuaState) { self.lua = lua }
}

/// The scripts after which the program ends; what Lua does at the end is then part of the script's unit.
package enum EndAfterScript { case never, onFailure, always }

struct SessionState {
  var signOuts = 0
  /// Whether the user's Lua state has to be replaced as soon as none of its code runs.
  var needsFreshState = false
  /// Notes that are shown only once.
  var toldNotes: Set<String> = []
  /// Whether init.lua and the startup plugins have run since the sign-in.
  var hasBegun = false
  var isInScript = false
  /// Whether the prompt reads its lines from standard input.
  var isAtPrompt = false
  /// Whether a command runs for its value only, and shows nothing.
  var isAnswering = false
  var endsAfterScript = EndAfterScript.never
  var hasEndedLua = false
  var lostGames = ExitStatus.done
  /// The deck that a command named last, for the prompt.
  var usedDeck: DeckHandle?
  /// The exit status when the shell is to end, also because of a signal: what runs ends first. Nil while it goes on.
  var leaving: Int32? {
    get { chosenStatus ?? Interrupts.endingSignal.map { 128 + $0 } }
    set { chosenStatus = newValue }
  }
  private var chosenStatus: Int32?
}

package final class Session {
  package let environment: Environment
  let options: ShellOptions
  package let console: Console
  let input = LineInput()
  let tables: ShellTables
  let data: UserData
  var scripting: UserScripting
  private(set) lazy var host = SessionHost(self)
  private(set) lazy var plugins = PluginHost(
    host, environment: environment, registry: registry, modes: modes, exercises: tables.exercises, formats: formats,
    events: events)
  var state = SessionState()

  package init(_ options: ShellOptions, console: Console, environment: Environment) throws {
    (self.options, self.console, self.environment) = (options, console, environment)
    let reporter = Reporter(console, options)
    let events = EventTable { owner, subject, error in reporter.report(error, in: subject, of: owner) }
    tables = ShellTables(lexicons: LexiconLibrary(environment), events: events)
    let auth = try AuthenticationSession(AccountStore(data: environment.folders.data, environment: environment))
    data = UserData(
      auth, environment: environment, options: options, tables: tables,
      rehearsal: Rehearsal(isOn: options.isDryRun) { console.note($0) }, note: { console.note($0) })
    scripting = UserScripting(try LuaState(seed: environment.random.seed))
    auth.didChange = { [unowned auth] in
      do { try events.emit(.authenticationChanged, [auth.needsAuthentication, auth.isAuthenticating]) } catch {
        reporter.report(error)
      }
    }
    try installBindings()
    console.preferences = data
    MappedFile.guardMappings()
    showCompiling(of: tables.lexicons, on: console)
    terminal_mend_faults(MappedFile.handlesFault)
    if auth.needsAuthentication { process_forbid_core_dumps() }
    // Others could change stored data and run code as this user.
    let folder = environment.folders.data
    for path in [folder, folder + "/local", folder + "/accounts", environment.folders.plugins] {
      if let words = insecureFolderProblem(path) { console.message("warning: " + words) }
    }
    if options.usesPlugins { plugins.discover() }
  }

  /// Whether the word can begin a line as a command.
  package func knows(_ word: String) -> Bool { registry.isKnown(word) }

  package var endsAfterScript: EndAfterScript {
    get { state.endsAfterScript }
    set { state.endsAfterScript = newValue }
  }

  var registry: CommandRegistry { tables.registry }
  var modes: ModeTable { tables.modes }
  var formats: FormatTable { tables.formats }
  var lexicons: LexiconLibrary { tables.lexicons }
  var events: EventTable { tables.events }
  var auth: AuthenticationSession { data.auth }
  var rehearsal: Rehearsal { data.rehearsal }
  var lua: LuaState { scripting.lua }
  /// The settings in effect; nil when they cannot be read: the command that needs them reports why.
  var preferences: Preferences? { data.preferences }

  /// The workspace of the user, opened at its first use.
  /// - Throws: `auth_required` before a sign-in.
  func workspace() throws -> Workspace { try data.workspace() }

  /// Reports an error and returns its exit status.
  /// - Parameter origin: the command that failed; printed before the message.
  @discardableResult package func report(_ error: any Error, origin: String? = nil, asJSON: Bool? = nil) -> Int32 {
    Reporter(console, options).report(error, origin: origin, asJSON: asJSON)
  }

  var isInUnit: Bool {
    get throws { try !auth.needsAuthentication && workspace().isInUnit }
  }

  /// Runs code that may change data; its undo steps end with the origin; a nested call keeps the outer one.
  func changing<R>(from origin: String, _ body: () throws -> R) rethrows -> R {
    try with(\.data.origin, data.origin ?? origin, body)
  }

  /// Runs code while a part of the session has another value.
  func with<Value, R>(
    _ part: ReferenceWritableKeyPath<Session, Value>, _ value: Value, _ body: () throws -> R
  ) rethrows -> R {
    let outer = self[keyPath: part]
    self[keyPath: part] = value
    defer { self[keyPath: part] = outer }
    return try body()
  }

  private func installBindings() throws {
    lua.isTracing = options.wantsTrace
    try install(host.bindingContext(.user, .everything, PluginTerms()), in: lua)
    scripting.ownGlobals = Set(try lua.globalNames())
    registry.reservedWords = scripting.ownGlobals.union(["exit", "quit", luaWord])
  }

  /// Does what is pending between two lines, when no Lua runs: replaces the user's state after a sign-out, and starts
  /// plugins and init.lua after a sign-in.
  /// - Parameter words: a command after which the program ends; plugins that it does not need are not loaded.
  package func applyPending(before words: [String] = []) throws {
    if state.needsFreshState {
      (state.needsFreshState, state.hasBegun) = (false, false)
      // Code that is running continues to its end in the old state.
      lua.close()
      scripting.lua = try LuaState(seed: environment.random.seed)
      (scripting.hasHintedAboutLocal, scripting.isPromptBad) = (false, false)
      try installBindings()
    }
    if !auth.needsAuthentication, !state.hasBegun {
      state.hasBegun = true
      let command = words.first.flatMap {
        tables.builtIns[words.prefix(2).joined(separator: " ")] ?? tables.builtIns[$0]
      }
      if options.usesPlugins {
        plugins.refreshGrants()
        if command?.needsNoPlugins != true, command?.ownsOutput != true { plugins.loadAtStart() }
      }
      if command?.ownsOutput != true { ScriptRunner(self).runStartScript() }
    }
    History.use(in: self)
  }

  /// Signs out: saves, closes everything, notifies. Without an account there is nothing to close.
  func signOut() throws {
    guard auth.user != nil else { return auth.logout() }
    var failure: (any Error)?
    do { try leaveWorkspace() } catch { failure = error }
    auth.logout()
    endSession()
    if let failure { throw failure }
  }

  /// Commits a script's unit of work and closes the data. It is reopened at its next use.
  func leaveWorkspace() throws {
    // Pending document changes are saved first.
    saveDocuments()
    guard let workspace = data.take() else { return }
    do { if workspace.isInUnit { try ScriptRunner(self).end(workspace, status: ExitStatus.done) } } catch {
      try workspace.close()
      throw error
    }
    try workspace.close()
  }

  /// Removes everything that the user's code subscribed to, added or loaded. `applyPending` replaces the user's Lua
  /// state later, because its code may be running now.
  func endSession() {
    state.signOuts += 1
    (state.usedDeck, input.typedLines) = (nil, [])
    events.removeAll()
    plugins.unloadAll()
    if options.usesPlugins { plugins.refreshGrants() }
    modes.remove(owner: .user)
    tables.exercises.remove(owner: .user)
    formats.remove(owner: .user)
    registry.removeAll(owner: .user)
    for alias in registry.aliases { registry.removeAlias(alias.name) }
    state.needsFreshState = true
  }

  /// Checks whether another process has added the first account meanwhile, or has removed the signed-in one.
  /// - Throws: `not_found` if the account was removed, so that nothing meant for it is done elsewhere.
  func refreshAccounts() throws {
    let (access, user) = (auth.access, auth.user)
    try auth.refresh()
    guard let access, auth.access !== access else { return }
    try data.take()?.close()
    endSession()
    if let user { throw AuthenticationError.unknownAccount(user, suggestion: nil) }
  }

  /// Ends everything in order: listeners are notified, plugins and Lua end, the data is closed.
  /// - Returns: the exit status for what could not be done or saved.
  @discardableResult package func close() -> Int32 {
    // An earlier Ctrl-C was not meant for the work at the end.
    Interrupts.clear()
    var status = ExitStatus.done
    do { try endLua() } catch {
      status = report(error)
      // A Ctrl-C that ended a listener does not stop what is still to be saved.
      Interrupts.clear()
    }
    status = max(status, saveDocuments(), state.lostGames)
    showNotices()
    finishBackup()
    do { try data.opened?.close() } catch { status = report(error) }
    return status
  }

  /// Completes the day's backup if a change made it due; the session waits for it, or until Ctrl-C.
  private func finishBackup() {
    guard Interrupts.endingSignal == nil, let workspace = data.opened, workspace.isOpen,
      workspace.dailyBackups.isUnfinished
    else { return }
    // Who reads the answer does not wait for the backup. A failure is reported at the end.
    _ = console.flush()
    let progress = console.progress("Today's backup", total: 100)
    defer { progress.finish() }
    Interrupts.holding {
      workspace.dailyBackups.finish { done, total in progress.update(total > 0 ? done * 100 / total : 0, of: 100) }
    }
  }

  /// Shows new notices: from the settings, and of a step that cannot be undone. Warns once of broken system settings.
  func showNotices() {
    data.warnOfSystemSettings { console.message($0) }
    for notice in data.takeNotices() { console.note("note: " + notice) }
    guard let step = data.opened?.care.takeLargeStep() else { return }
    console.note("note: \(UndoStep.quoted(step)) is too large to be undone; an earlier backup is the way back")
  }

  /// Ends Lua in order: listeners are notified, plugins and the user's state end, and their finalizers run. Their
  /// changes belong to the unit of work in progress. Calling it again does nothing.
  func endLua() throws {
    guard !state.hasEndedLua else { return }
    state.hasEndedLua = true
    // The names in `--set` that nothing has declared by the end: misspelt ones.
    let isLeft = !data.hasReportedSettings && !options.settings.commandLine.isEmpty
    for error in isLeft ? preferences?.unmatched ?? [] : [] { report(error, origin: "--set") }
    defer {
      // Stored before the states are closed that hold the data of their modes' games.
      storeGames()
      plugins.unloadAll()
      lua.close()
      events.removeAll()
      events.loader = nil
    }
    try events.emit(.exiting)
  }

  /// Stores the game that a line, a command or an event played in Lua.
  func storeGames() {
    do { try data.opened?.games.store() } catch { state.lostGames = report(error) }
  }

  /// - Throws: `LexiconError.cutShort` when a compiled list was damaged while it was in use.
  func requireWholeLists() throws { if let damage = lexicons.takeDamage().first { throw damage } }

  /// Takes over what changed since the last line: the time zone, and what another shell did to settings and plugins.
  func refreshSettings() {
    environment.clocks.rereadZone()
    do { try data.opened?.settings.refresh() } catch { report(error) }
    if options.usesPlugins { plugins.applyRevocations() }
  }

  /// Saves pending moves and sizes of elements.
  /// - Returns: the exit status for what could not be saved.
  @discardableResult func saveDocuments() -> Int32 {
    (data.opened?.documents.save() ?? []).reduce(ExitStatus.done) { max($0, report($1)) }
  }
}
