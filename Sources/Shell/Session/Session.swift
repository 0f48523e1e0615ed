// The session: all that commands, screens and Lua work with, from sign-in to sign-out. Invariant: whatever runs is
// handed the session when it runs and captures nothing of it before; there is one way to the user's data,
// `workspace()`.

import Authentication
import Bindings
import CTerminal
package import Commands
package import Files
import Lexicon
import LuaRuntime
import PluginHost
import Problems
import Text
import ToggleSettings
import WordGames
package import Workspace

/// The program that the shell is of.
package struct ProgramIdentity {
  package let version: String
  /// Its own options, which stand before a command.
  package let command: Command

  package init(version: String, command: Command) { (self.version, self.command) = (version, command) }
}

/// What the command line asked for.
package struct ShellOptions {
  package let program: ProgramIdentity
  package var wantsJSON = false
  package var isDryRun = false
  /// The step of undo at which everything is read; nil for now.
  package var step: Int?
  package var wantsTrace = false
  package var usesPlugins = true
  package var usesStartScript = true
  /// Nobody is asked anything.
  package var isUnattended = false
  /// Whether the command line says whether there are colours.
  package var isColorGiven = false
  package var signIn = SignInOptions()
  /// The settings from outside the account.
  package var settings = SettingSources()

  package init(_ program: ProgramIdentity) { self.program = program }

  var version: String { program.version }
}

/// Who signs in, and how.
package struct SignInOptions {
  package var user: String?
  /// It was asked for on the command line.
  package var isUserRequired = false
  package var passwordFile: String?

  package init() {}
}

/// What outlives a sign-in: what there is by name, and who listens.
struct ShellTables {
  let registry: CommandRegistry
  let modes = ModeTable()
  let lexicons: LexiconLibrary
  let events: EventTable
  /// What the program's own commands do, by name.
  let builtIns = BuiltInTable()

  init(lexicons: LexiconLibrary, events: EventTable) {
    (self.lexicons, self.events) = (lexicons, events)
    registry = builtIns.registry()
  }
}

/// The user's own Lua state and what belongs to it: made anew after a sign-out.
struct UserScripting {
  var lua: LuaState
  /// The globals that were there before the user set any.
  var ownGlobals: Set<String> = []
  /// Who sets or declares a setting now, or grants something: the user, a script, or a plugin that runs a command.
  var settingOwner = Owner.user
  /// The arguments of the script that runs, as the user typed them: as paths they may be pipes.
  var typedWords: [String] = []
  var hasHintedAboutLocal = false
  /// The user's own prompt failed: it is not asked again until it is set anew.
  var isPromptBad = false

  init(_ lua: LuaState) { self.lua = lua }
}

/// After which scripts the program ends: what Lua still does then is a part of the script's unit.
package enum EndAfterScript {
  case never, onFailure, always
}

/// What the session is doing.
struct SessionState {
  /// Counts the sign-outs.
  var signOuts = 0
  /// The user's state is to be made anew, as soon as none of its code runs.
  var needsFreshState = false
  /// Whether init.lua and the plugins of the start were run since the sign-in.
  var hasBegun = false
  var isInScript = false
  /// Standard input is where the prompt's lines come from.
  var isAtPrompt = false
  /// A command runs for its value: nothing is shown of it.
  var isAnswering = false
  var endsAfterScript = EndAfterScript.never
  var hasEndedLua = false
  /// The status of games that could not be stored.
  var lostGames = ExitStatus.done
  /// The deck that a command named last, for the prompt.
  var usedDeck: DeckHandle?
  /// Set when the shell is to end, with its status.
  var leaving: Int32?
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
    host, environment: environment, registry: registry, modes: modes, events: events)
  var state = SessionState()

  package init(_ options: ShellOptions, console: Console, environment: Environment) throws {
    self.options = options
    self.console = console
    self.environment = environment
    let reporter = Reporter(console, options)
    let events = EventTable { owner, event, error in
      // An error of a plugin names it, and the event, itself.
      console.message(owner == .user ? "in \(event): \(error)" : "\(error)")
    }
    tables = ShellTables(lexicons: LexiconLibrary(environment), events: events)
    let gate = try Gate(AccountStore(data: environment.folders.data, environment: environment))
    data = UserData(
      gate, environment: environment, options: options, tables: tables,
      rehearsal: Rehearsal(isOn: options.isDryRun) { console.note($0) },
      note: { console.note($0) })
    scripting = UserScripting(try LuaState(seed: environment.random.seed))
    gate.observe { [unowned gate] _ in
      do {
        try events.emit(.authenticationChanged, [gate.needsAuthentication, gate.isAuthenticating])
      } catch {
        reporter.report(error)
      }
    }
    try installBindings()
    console.preferences = data
    LexiconLibrary.guardMappings()
    showCompiling(of: tables.lexicons, on: console)
    terminal_mend_faults(LexiconLibrary.mendsFault)
    if gate.needsAuthentication { process_forbid_core_dumps() }
    warnOfOpenFolders()
    if options.usesPlugins { plugins.discover() }
  }

  /// Whoever may write into these folders can change what is kept and let code run as this user.
  private func warnOfOpenFolders() {
    let data = environment.folders.data
    for path in [data, data + "/local", data + "/accounts", environment.folders.plugins] {
      if let words = openToOthers(path) { console.message("warning: " + words) }
    }
  }

  /// Whether a line may begin with the word as a command.
  package func knows(_ word: String) -> Bool { registry.isKnown(word) }

  package var endsAfterScript: EndAfterScript {
    get { state.endsAfterScript }
    set { state.endsAfterScript = newValue }
  }

  var registry: CommandRegistry { tables.registry }
  var modes: ModeTable { tables.modes }
  var lexicons: LexiconLibrary { tables.lexicons }
  var events: EventTable { tables.events }
  var gate: Gate { data.gate }
  var rehearsal: Rehearsal { data.rehearsal }
  var lua: LuaState { scripting.lua }
  /// The settings that hold now; nil when they can't be read: the command that needs them says why.
  var preferences: Preferences? { data.preferences }

  /// The workspace of the user, opened at its first use.
  /// - Throws: `auth_required` before a sign-in.
  func workspace() throws -> Workspace { try data.workspace() }

  /// Reports an error and answers the exit status it stands for.
  /// - Parameter origin: the command that failed, before the message.
  @discardableResult
  package func report(_ error: any Error, origin: String? = nil, asJSON: Bool? = nil) -> Int32 {
    Reporter(console, options).report(error, origin: origin, asJSON: asJSON)
  }

  /// Whether a unit of work is under way.
  var isInUnit: Bool {
    get throws { try !gate.needsAuthentication && workspace().isInUnit }
  }

  /// Runs what may change data; the names of its steps of undo end with its origin. What runs within something else
  /// goes by that one's name.
  func changing<R>(from origin: String, _ body: () throws -> R) rethrows -> R {
    let outer = data.origin
    data.origin = outer ?? origin
    defer { data.origin = outer }
    return try body()
  }

  // MARK: The user's Lua state

  private func installBindings() throws {
    lua.isTracing = options.wantsTrace
    try install(host.bindingContext(.user, .everything, PluginTerms()), in: lua)
    scripting.ownGlobals = Set(try lua.globalNames())
    registry.reservedWords = scripting.ownGlobals.union(["exit", "quit", luaWord])
  }

  /// Ends the user's state and makes one with nothing of theirs in it. Code of it that runs goes on in the old one to
  /// its end.
  private func makeLuaAnew() throws {
    lua.close()
    scripting.lua = try LuaState(seed: environment.random.seed)
    scripting.hasHintedAboutLocal = false
    scripting.isPromptBad = false
    try installBindings()
  }

  /// Between two lines, when no Lua runs: the user's state is made anew after a sign-out, and what a session begins
  /// with is done after a sign-in.
  /// - Parameter words: a command after which the program ends; plugins that it does not need are not loaded for it.
  package func applyPending(before words: [String] = []) throws {
    if state.needsFreshState {
      state.needsFreshState = false
      state.hasBegun = false
      try makeLuaAnew()
    }
    if !gate.needsAuthentication, !state.hasBegun {
      state.hasBegun = true
      let command = builtIn(words)
      if options.usesPlugins {
        plugins.refreshGrants()
        if command?.needsNoPlugins != true, command?.ownsOutput != true { plugins.loadAtStart() }
      }
      if command?.ownsOutput != true { ScriptRunner(self).runStartScript() }
    }
    History.use(in: self)
  }

  /// The command of the program's own that the words begin with.
  private func builtIn(_ words: [String]) -> BuiltIn? {
    words.first.flatMap { tables.builtIns[words.prefix(2).joined(separator: " ")] ?? tables.builtIns[$0] }
  }

  // MARK: Signing out

  /// Signs out: saves, closes everything, notifies. Without an account there is nothing to close.
  func signOut() throws {
    guard gate.user != nil else { return gate.logout() }
    var failure: (any Error)?
    do {
      try leaveWorkspace()
    } catch {
      failure = error
    }
    gate.logout()
    endSession()
    if let failure { throw failure }
  }

  /// Stores what a script's unit did, and closes the data. It is opened again at its next use, when somebody is signed
  /// in.
  func leaveWorkspace() throws {
    // What waits for a save is saved first.
    saveDocuments()
    guard let workspace = data.take() else { return }
    do {
      if workspace.isInUnit { try ScriptRunner(self).end(workspace, status: ExitStatus.done) }
    } catch {
      try workspace.close()
      throw error
    }
    try workspace.close()
  }

  /// Ends all that the user's code was subscribed to, had added or had loaded. The user's Lua state, whose code may
  /// be running, is made anew by `applyPending`.
  func endSession() {
    state.signOuts += 1
    state.usedDeck = nil
    events.removeAll()
    plugins.unloadAll()
    if options.usesPlugins { plugins.refreshGrants() }
    modes.remove(owner: .user)
    registry.removeAll(owner: .user)
    for alias in registry.aliases { registry.removeAlias(alias.name) }
    state.needsFreshState = true
  }

  /// Looks whether another process has added the first account meanwhile: the local data are its own then.
  func refreshAccounts() throws {
    let wasOpen = !gate.needsAuthentication
    try gate.refresh()
    guard wasOpen, gate.needsAuthentication else { return }
    try data.take()?.close()
    endSession()
  }

  // MARK: The end

  /// Ends everything in order: listeners are notified, plugins and Lua end, the data is closed.
  /// - Returns: the exit status of what could not be done or saved.
  @discardableResult
  package func close() -> Int32 {
    // What is done at the end is not what a Ctrl-C before meant.
    Interrupts.clear()
    do {
      try endLua()
      let status = max(saveDocuments(), state.lostGames)
      showNotices()
      finishBackup()
      try data.opened?.close()
      return status
    } catch {
      return report(error)
    }
  }

  /// The day's backup, where a change made it due: the session ends when it is made, or at Ctrl-C.
  private func finishBackup() {
    guard Interrupts.endingSignal == nil, let workspace = data.opened, workspace.isOpen else { return }
    let progress = console.progress("Today's backup", total: 100)
    defer { progress.finish() }
    Interrupts.holding {
      workspace.dailyBackups.finish { done, total in progress.update(total > 0 ? done * 100 / total : 0, of: 100) }
    }
  }

  /// Says what settings had to say since the last call, and once that the system's are broken.
  func showNotices() {
    data.warnOfSystemSettings { console.message($0) }
    for notice in data.takeNotices() { console.note("note: " + notice) }
  }

  /// Ends Lua in order: listeners are notified, plugins and the user's state end and their finalizers run. What these
  /// change belongs to the unit of work under way. Calling it again does nothing.
  func endLua() throws {
    guard !state.hasEndedLua else { return }
    state.hasEndedLua = true
    for error in data.unclaimedSettings { report(error, origin: "--set") }
    defer {
      plugins.unloadAll()
      lua.close()
      events.removeAll()
      events.loader = nil
    }
    try events.emit(.exiting)
    // Before the states that hold the data of their modes' games go.
    storeGames()
  }

  /// Stores the game that a line, a command or an event played in Lua.
  func storeGames() {
    do {
      try data.opened?.games.store()
    } catch {
      state.lostGames = report(error)
    }
  }

  /// - Throws: `LexiconError.cutShort` where a compiled list was damaged while it was in use.
  func requireWholeLists() throws {
    if let damage = lexicons.takeDamage().first { throw damage }
  }

  /// Takes over what another shell has set since the last line.
  func refreshSettings() {
    do { try data.opened?.settings.refresh() } catch { report(error) }
  }

  /// Saves moves and sizes of elements, which wait for it.
  /// - Returns: the exit status of what could not be saved.
  @discardableResult
  func saveDocuments() -> Int32 {
    (data.opened?.documents.save() ?? []).reduce(ExitStatus.done) { max($0, report($1)) }
  }

  /// The program was asked to end: what runs ends, then the shell.
  func leave(by signal: Int32) {
    Interrupts.endingSignal = signal
    state.leaving = 128 + signal
  }
}
