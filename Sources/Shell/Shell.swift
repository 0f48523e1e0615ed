// The shell: the person's Lua state, the commands, the plugins and the open workspace, wired together. Invariant: there is one
// gate to a workspace, `workspace()`, and one place where an error becomes words, `report`.

public import Authentication
public import Bindings
import CTerminal
import CardDocuments
public import Commands
public import Files
public import Lexicon
public import LuaRuntime
public import PluginHost
import Problems
import Storage
import Text
import ToggleSettings
public import WordGames
public import Workspace

/// What the program decides before there is a shell.
public struct ShellSetup {
  public var version: String
  public var wantsJSON = false
  public var isDryRun = false
  public var wantsTrace = false
  public var usesPlugins = true
  /// Nobody is asked anything.
  public var isUnattended = false
  public var usesStartScript = true
  /// Who signs in; required when it was asked for on the command line.
  public var user: String?
  public var isUserRequired = false
  public var passwordFile: String?
  /// The settings from outside the account.
  public var settings = SettingSources()
  /// Whether the command line says whether there are colours.
  public var isColorGiven = false

  public init(version: String) { self.version = version }
}

public final class Shell {
  public let setup: ShellSetup
  public let console: Console
  public let registry = CommandRegistry()
  public let modes = ModeTable()
  public let lexicons: LexiconLibrary
  /// The person's Lua state: made anew after a sign-out.
  public private(set) var lua: LuaState
  public let gate: Gate
  public let events: EventTable
  public private(set) lazy var plugins = PluginHost(
    pluginSurroundings(), registry: registry, modes: modes, events: events)
  let environment: Environment
  let rehearsal: Rehearsal
  private var opened: Workspace?
  /// The settings while nobody is signed in.
  private var outsideSettings: Preferences?
  /// Grows with each sign-out.
  var session = 0
  /// The person's state is to be made anew, as soon as none of its code runs.
  var needsFreshState = false
  /// Whether init.lua and the plugins of the start were run for this session.
  var hasBegun = false
  var isInScript = false
  /// Whether the program ends after a script of that status: what Lua still does then is a part of the script's unit.
  public var endsAfterScript: (_ status: Int32) -> Bool = { _ in false }
  private var hasEndedLua = false
  /// The arguments of the script that runs, as the person typed them: as paths they may be pipes.
  var typedWords: [String] = []
  /// Who sets or declares a setting now.
  var settingOwner = Owner.user
  var isIdle = false
  var historyPlace: HistoryPlace?
  private var gateSubscription: GateSubscription?
  /// Set when the shell is to end, with its status.
  public var leaving: Int32?
  /// The globals that were there before the person set any.
  var ownGlobals: Set<String> = []
  var lineReader: LineReader?
  /// The status of the last line, for input that is no terminal.
  var lastStatus = ExitStatus.done
  var hasHintedAboutLocal = false
  /// Lines of a paste that wait their turn.
  var pastedLines: [String] = []
  /// It does not read ahead: a script's `io.read` may want the next line.
  lazy var plainReader = PlainLineReader(readsAhead: false, isInterrupted: { Interrupts.wereRequested })

  public init(_ setup: ShellSetup, console: Console, environment: Environment) throws {
    gate = try Gate(AccountStore(data: environment.folders.data, environment: environment))
    self.setup = setup
    self.console = console
    self.environment = environment
    rehearsal = Rehearsal(isOn: setup.isDryRun) { console.note(printable($0, limit: 2_000)) }
    lexicons = LexiconLibrary(environment)
    lua = try LuaState(seed: environment.random.seed)
    let messages = console
    events = EventTable { owner, event, error in
      // An error of a plugin names it, and the event, itself.
      messages.message(printable(owner == .user ? "in \(event): \(error)" : "\(error)", limit: 2_000))
    }
    try furnishLua()
    try addBuiltInCommands()
    console.adjust = { [unowned self] in adjusted($0) }
    gateSubscription = gate.observe { [unowned self] in hear($0) }
    if gate.needsAuthentication { process_forbid_core_dumps() }
    if setup.usesPlugins { plugins.discover() }
  }

  private func furnishLua() throws {
    lua.isTracing = setup.wantsTrace
    try install(bindingContext(owner: .user, grants: .everything), in: lua)
    ownGlobals = Set(try lua.globalNames())
    registry.reservedWords = ownGlobals.union(["exit", "quit", "lua"])
  }

  /// Ends the person's state and makes one with nothing of theirs in it. Code of it that runs goes on in the old one to
  /// its end.
  func makeLuaAnew() throws {
    lua.close()
    lua = try LuaState(seed: environment.random.seed)
    hasHintedAboutLocal = false
    try furnishLua()
  }

  /// Tells listeners what happened at the gate.
  private func hear(_ event: GateEvent) {
    do {
      try events.emit(.authenticationChanged, [gate.needsAuthentication, gate.isAuthenticating])
    } catch {
      report(error)
    }
  }

  // MARK: The gate

  /// The workspace of the person, opened at its first use.
  /// - Throws: `auth_required` before a sign-in.
  public func workspace() throws -> Workspace {
    if let opened, opened.isOpen { return opened }
    let fresh = try Workspace(
      gate.requireAccess(), environment: environment, settings: setup.settings, lexicons: lexicons, modes: modes,
      drawing: DrawingProgram(
        path: environment.folders.drawingProgram, environment: drawingVariables, clock: environment.clocks.elapsed,
        shouldStop: environment.isInterrupted), rehearsal: rehearsal)
    fresh.observer = events
    opened = fresh
    return fresh
  }

  /// `NAME=value`: where the drawing program finds the user's own fonts.
  private var drawingVariables: [String] {
    ["HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"].compactMap { name in
      environment.variables.value(name).map { "\(name)=\($0)" }
    }
  }

  /// The open workspace, which is nobody's any more here.
  func takeWorkspace() -> Workspace? {
    defer { opened = nil }
    return opened
  }

  /// The settings that hold now: the person's, or those from outside before a sign-in. Nil when they can't be read; the
  /// command that needs them says why.
  var preferences: Preferences? {
    do {
      if !gate.needsAuthentication { return try workspace().preferences() }
      if let outsideSettings { return outsideSettings }
      let fresh = try Preferences(setup.settings, languages: lexicons.languages())
      outsideSettings = fresh
      return fresh
    } catch {
      return nil
    }
  }

  /// The terminal as the settings want it.
  private func adjusted(_ terminal: Terminal) -> Terminal {
    guard let preferences else { return terminal }
    var terminal = terminal
    if !setup.isColorGiven, preferences.color != "auto" { terminal.usesColor = preferences.color == "always" }
    if !preferences.usesUnicode { terminal.usesUnicode = false }
    terminal.rowLimit = terminal.hasScreen ? preferences.rows : nil
    terminal.isRead = preferences.usesScreenReader
    terminal.differentiates = preferences.differentiatesWithoutColor
    terminal.isCalm = preferences.reducesMotion || preferences.usesScreenReader
    return terminal
  }

  /// The person's history; nil while nobody is signed in.
  var historyPath: String? {
    do {
      return try gate.requireAccess().folder() + "/history"
    } catch {
      // Before a sign-in nothing typed is kept.
      return nil
    }
  }

  /// Ends everything in order: listeners hear of it, plugins and Lua end, the data is closed.
  public func close() {
    // What is done at the end is not what a Ctrl-C before meant.
    Interrupts.clear()
    do {
      try endLua()
      saveDocuments()
      try opened?.close()
    } catch {
      report(error)
    }
  }

  /// Ends Lua in order: listeners hear of it, plugins and the user's state end and their finalizers run. What these change
  /// belongs to the unit of work under way. Calling it again does nothing.
  func endLua() throws {
    guard !hasEndedLua else { return }
    hasEndedLua = true
    for error in outsideNames() { report(error) }
    defer {
      plugins.unloadAll()
      lua.close()
      events.removeAll()
      events.willEmit = nil
    }
    try events.emit(.exiting)
    // Before the states that hold the data of their modes' games go.
    storeGames()
  }

  /// Puts away the game that a line, a command or an event played in Lua.
  func storeGames() {
    do {
      try opened?.storeGames()
    } catch {
      report(error)
    }
  }

  /// Saves moves and sizes of elements, which wait for it.
  func saveDocuments() { for failure in opened?.saveDocuments() ?? [] { report(failure) } }
  /// Names after `--set` that nobody has declared until the end: mistyped ones.
  private func outsideNames() -> [SettingsError] {
    setup.settings.commandLine.isEmpty ? [] : preferences?.unclaimed ?? []
  }

  // MARK: What the rooms below are handed

  private func bindingContext(owner: Owner, grants: Grants) -> BindingContext {
    // A plugin's state belongs to the session that loaded it; the person's own may sign in again.
    let session = session
    let context = BindingContext(
      workspace: { [unowned self] in
        if owner.plugin != nil, session != self.session { throw WorkspaceError.authenticationRequired }
        return try workspace()
      }, shell: shellServices(owner: owner), plugins: pluginServices(), auth: owner == .user ? authServices() : nil,
      settingOwner: { [unowned self] in owner == .user ? settingOwner : owner }, grants: grants, owner: owner,
      version: setup.version, events: events)
    if owner == .user { context.isTyped = { [unowned self] in typedWords.contains($0) } }
    return context
  }

  private func shellServices(owner: Owner) -> ShellServices {
    ShellServices(
      show: { [unowned self] value in show(value) },
      table: { [unowned self] rows, columns in show(rows: rows, columns: columns) },
      chart: { [unowned self] values, title in
        let chart = BarChart(title: title ?? "", bars: values.map { BarChart.Bar($0.label, $0.value) })
        console.show(chart.lines(on: console.terminal))
      },
      progress: { [unowned self] label, total in console.progress(label, total: total == 0 ? nil : total) },
      ask: { [unowned self] text in try ask(text) },
      run: { [unowned self] line in try runForAnswer(line) },
      alias: { [unowned self] name, text, grants in
        let words = try ShellWords.split(text, home: environment.folders.home)
        if owner.plugin == nil { return try registry.setAlias(name, words: words) }
        try registry.addShortForm(name, words, owner: owner) { command in
          grants.allows(.shellRun) ? command.theme != Self.accountTheme : command.owner == owner
        }
      },
      addCommand: { [unowned self] command in try add(command) },
      display: { [unowned self] value in display(of: value) })
  }

  private func pluginServices() -> PluginServices {
    PluginServices(
      list: { [unowned self] in plugins.plugins.map { LuaValue(pluginRecord($0)) } },
      info: { [unowned self] name in LuaValue(pluginRecord(try plugins.plugin(named: name))) },
      enable: { [unowned self] name in
        let plugin = try plugins.plugin(named: name)
        if rehearsal.mayActOutside("enable the plugin \(plugin.name)") { try plugins.enable(plugin) }
      },
      disable: { [unowned self] name in
        let plugin = try plugins.plugin(named: name)
        if rehearsal.mayActOutside("disable the plugin \(plugin.name)") { try plugins.disable(plugin) }
      }, reload: { [unowned self] name in _ = try plugins.reload(plugins.plugin(named: name)) },
      prepareMode: { [unowned self] name in try plugins.prepareMode(name) })
  }

  private func pluginSurroundings() -> PluginHost.Surroundings {
    var surroundings = PluginHost.Surroundings(
      bundledFolder: environment.folders.bundledPlugins, personFolder: environment.folders.plugins,
      home: environment.folders.home,
      context: { [unowned self] plugin, grants in bindingContext(owner: .plugin(plugin), grants: grants) },
      elapsed: environment.clocks.elapsed,
      report: { [unowned self] line in console.message("plugin " + printable(line, limit: 600)) },
      requireSignIn: { [unowned self] in _ = try gate.requireAccess() },
      unloaded: { [unowned self] plugin in
        if let opened, opened.isOpen { opened.removeSettings(of: .plugin(plugin)) }
      })
    surroundings.seed = environment.random.seed
    return surroundings
  }

  /// Adds a command that Lua describes. The person may describe their own again; a plugin may not.
  private func add(_ command: Command) throws {
    if command.owner == .user { registry.remove(command.path, owner: .user) }
    try registry.add(command)
  }

  // MARK: Asking

  /// Asks for a line at the terminal; nil where nobody can answer. Ctrl-C and a signal that ends the program end the Lua code
  /// that asks too, whatever catches errors there.
  func ask(_ text: String) throws -> String? {
    if setup.isUnattended { return nil }
    let outcome: LineOutcome
    let question = String(text.unicodeScalars.prefix(Self.longestQuestion))
    if let lineReader {
      watchIdle()
      outcome = try lineReader.read(prompt: question, initial: "", hidesHistory: true)
    } else {
      if console.terminal.hasKeyboard { console.write(printable(question, limit: Self.longestQuestion)) }
      outcome = try plainReader.read(prompt: question)
    }
    switch outcome {
    case .line(let line): return line
    case .stopped where Interrupts.endingSignal != nil: break
    case .stopped where isIdle:
      console.write("\u{1B}[H\u{1B}[2J")
      return unlock() ? try ask(text) : nil
    case .endOfInput, .stopped: return nil
    case .interrupted: break
    case .terminated(let signal): leave(by: signal)
    }
    Interrupts.request()
    throw WorkspaceError.interrupted
  }

  private static let longestQuestion = 1_000

  /// The program was asked to end: what runs ends, then the shell.
  func leave(by signal: Int32) {
    Interrupts.endingSignal = signal
    leaving = 128 + signal
  }

  /// Asks for yes or no where somebody sits there; elsewhere the answer is yes, as the command was written on purpose.
  func confirm(_ question: String) throws -> Bool {
    guard console.terminal.hasKeyboard, console.terminal.hasScreen, !setup.isUnattended else { return true }
    let answer = try ask(question + " [y/N] ")
    return ["y", "yes"].contains(answer?.trimmed.lowercased())
  }
}
