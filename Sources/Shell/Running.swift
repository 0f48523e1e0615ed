// Running a line, a command, a script. Invariant: a script run is one unit of work, kept when its status is 0 and taken back
// otherwise; a command commits as it goes.

import Authentication
import Bindings
import Commands
public import Files
import Glibc
import LuaRuntime
import PluginHost
import Problems
import Text
import ToggleSettings
import Values
import Workspace

/// Lua code to run in batch.
public struct Script {
  /// What messages call it.
  public let name: String
  public let code: [UInt8]
  /// `arg[0]`, and `arg[1]...`.
  public let path: String
  public let arguments: [String]
  /// Whom a setting that it sets or declares is from.
  var owner: Owner { isStartScript ? .startScript : .script(name) }
  var isStartScript = false
  /// When the code is an expression its value is shown, as the prompt does.
  var showsValue = false

  public init(name: String, code: [UInt8], path: String, arguments: [String], showsValue: Bool = false) {
    self.showsValue = showsValue
    self.name = name
    self.code = code
    self.path = path
    self.arguments = arguments
  }
}

extension Shell {
  static let promptChunk = "prompt"

  // MARK: Commands

  /// Runs a command given as words; answers the exit status.
  public func runCommand(_ words: [String]) -> Int32 {
    var origin: String?
    // Until the words are parsed, what asks for JSON can only be guessed.
    var wantsJSON = setup.wantsJSON || words.prefix { $0 != "--" }.contains("--json")
    defer { storeGames() }
    do {
      try Interrupts.holding {
        try plugins.prepareCommand(words)
        let (command, invocation) = try registry.parse(words: words)
        origin = command.errorPrefix
        wantsJSON = setup.wantsJSON || invocation.wantsJSON
        try lookAgain()
        try requireSignIn(for: command)
        try command.checkRehearsal(of: invocation, isRehearsed: setup.isDryRun, isInUnit: isInUnit)
        let result = try command.run(invocation)
        show(result, asJSON: wantsJSON)
        try events.emit(.command, [words.joined(separator: " ")], brief: [command.name])
      }
      return leaving ?? ExitStatus.done
    } catch {
      return report(error, origin: (error as? CommandError).map { _ in "deckhand" } ?? origin, asJSON: wantsJSON)
    }
  }

  /// Runs a line as a command for its value; nothing is shown.
  func runForAnswer(_ line: String) throws -> CommandAnswer {
    let words = try ShellWords.split(line, home: environment.folders.home)
    try plugins.prepareCommand(words)
    let (command, invocation) = try registry.parse(words: words)
    try requireSignIn(for: command)
    try command.checkRehearsal(of: invocation, isRehearsed: setup.isDryRun, isInUnit: isInUnit)
    if command.theme == Self.accountTheme {
      throw ShellError.notFromLua(command: command.name)
    }
    return try command.run(invocation).answer
  }

  /// Whether a unit of work is under way.
  private var isInUnit: Bool {
    get throws { try !gate.needsAuthentication && workspace().isInUnit }
  }

  // MARK: Scripts

  /// Runs scripts as one unit of work; answers the exit status.
  public func runScripts(_ scripts: [Script]) -> Int32 {
    let wasInScript = isInScript
    isInScript = true
    defer { isInScript = wasInScript }
    do {
      try lookAgain()
      // A script within a script is a part of its unit.
      if try isInUnit { return Interrupts.holding { runAll(scripts) } }
      if !gate.needsAuthentication { try workspace().beginUnit() }
      let status = Interrupts.holding { runAll(scripts) }
      if !wasInScript { finishRun(status: status) }
      // The script may have signed in or out: then it is another workspace, or none.
      if !gate.needsAuthentication { try end(workspace(), status: status) }
      return status
    } catch {
      return report(error)
    }
  }

  /// What the code of a script still does when it has ended (finalizers, listeners to `exiting`) belongs to its unit.
  private func finishRun(status: Int32) {
    do {
      try Interrupts.holding {
        try lua.load(Array("collectgarbage()".utf8), name: "run").call([], results: 0) { _ in }
        if endsAfterScript(status) { try endLua() }
      }
    } catch {
      report(error)
    }
  }

  func end(_ workspace: Workspace, status: Int32) throws {
    guard workspace.isInUnit else { return }
    if setup.isDryRun {
      let done = workspace.unitSummary
      try workspace.rollbackUnit()
      console.note("dry run: " + (done.isEmpty ? "nothing would change" : done + "; nothing was changed"))
    } else if status == ExitStatus.done {
      for conflict in try workspace.commitUnit() { report(conflict) }
    } else {
      try workspace.rollbackUnit()
    }
  }

  private func runAll(_ scripts: [Script]) -> Int32 {
    for script in scripts {
      do {
        try run(script)
      } catch {
        if case .exit(let status)? = (error as? LuaError)?.stopReason { return Int32(status) }
        return report(error)
      }
    }
    return ExitStatus.done
  }

  private func run(_ script: Script) throws {
    let outerOwner = settingOwner
    settingOwner = script.owner
    defer { settingOwner = outerOwner }
    let outerWords = typedWords
    typedWords = script.arguments
    defer { typedWords = outerWords }
    try lua.setGlobal("arg", argumentTable(script))
    // A first line that begins with # is for the system.
    var code = script.code[...]
    if code.starts(with: [0xEF, 0xBB, 0xBF]) { code = code.dropFirst(3) }
    if !script.showsValue, code.first == UInt8(ascii: "#") { code = code.drop { $0 != UInt8(ascii: "\n") } }
    if script.showsValue {
      let chunk = try expression(code, script.name) ?? lua.load(code, name: script.name)
      return try showResults(of: chunk, asJSON: setup.wantsJSON)
    }
    try lua.load(code, name: script.name).call(script.arguments, results: 0) { _ in }
  }

  /// The code as an expression; nil when it is none.
  private func expression(_ code: ArraySlice<UInt8>, _ name: String) throws -> LuaReference? {
    do {
      return try lua.load(Array("return ".utf8) + code, name: name)
    } catch is LuaError {
      // As statements it may be understood, and if not, that says better what is wrong.
      return nil
    }
  }

  private func argumentTable(_ script: Script) -> LuaValue {
    let pairs = ([script.path] + script.arguments).enumerated().map { index, text in
      (key: LuaValue.integer(index), value: LuaValue.text(text))
    }
    return .table(pairs)
  }

  /// Reads a script; `-` is standard input.
  /// - Parameter kinds: `.any` where the person typed the path: it may be a pipe.
  public func script(at path: String, _ arguments: [String], _ kinds: FileKinds = .any) throws -> Script {
    if path == "-" {
      return Script(name: "stdin", code: try standardInput(), path: "-", arguments: arguments)
    }
    return Script(
      name: path, code: try FileText.bytes(path, limit: 64 << 20, kinds) { Interrupts.areRequested }, path: path,
      arguments: arguments)
  }

  private func standardInput() throws -> [UInt8] {
    var code: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(0, &buffer, buffer.count)
      if count < 0 && errno == EINTR {
        if Interrupts.areRequested { throw WorkspaceError.interrupted }
        continue
      }
      if count <= 0 { return code }
      code += buffer[..<count]
      if code.count > 64 << 20 {
        throw ShellError.scriptTooLarge
      }
    }
  }

  /// Runs the person's own start-up script, when there is one.
  public func runStartScript() {
    let path = environment.folders.config + "/init.lua"
    guard setup.usesStartScript, access(path, F_OK) == 0 else { return }
    do {
      var start = try script(at: path, [], .plain)
      start.isStartScript = true
      try Interrupts.holding { try rehearsing { try run(start) } }
    } catch {
      report(error)
    }
  }

  /// Runs Lua that is no script: in a rehearsal as a unit of work that is taken back, otherwise as it is.
  private func rehearsing(_ body: () throws -> Void) throws {
    guard setup.isDryRun, !gate.needsAuthentication, try !isInUnit else { return try body() }
    try workspace().beginUnit()
    defer { endRehearsal() }
    try body()
  }

  private func endRehearsal() {
    do {
      guard try isInUnit else { return }
      let done = try workspace().unitSummary
      try workspace().rollbackUnit()
      if !done.isEmpty { console.note("dry run: \(done); nothing was changed") }
    } catch {
      report(error)
    }
  }

  // MARK: Lua lines

  /// What became of a line of Lua.
  enum LuaLine {
    case done
    case incomplete
    case failed
  }

  /// Runs Lua from the prompt: an expression shows its values, an unfinished chunk asks for more.
  func runLua(_ text: String) -> LuaLine {
    defer { storeGames() }
    do {
      try lookAgain()
      try Interrupts.holding {
        let function = try expressionOrChunk(text)
        try rehearsing { try showResults(of: function) }
      }
      return .done
    } catch let error as LuaError where error.isIncomplete {
      return .incomplete
    } catch {
      if case .exit(let status)? = (error as? LuaError)?.stopReason {
        leaving = Int32(status)
        return .done
      }
      report(error)
      return .failed
    }
  }

  /// Calls a function and shows what it answers, as the prompt does.
  private func showResults(of function: LuaReference, asJSON: Bool = false) throws {
    try function.callForAll { stack, first, count in
      // What is shown as found is stored.
      storeGames()
      for index in first..<(first + count) {
        if asJSON {
          show(CommandResult(value(of: try stack.value(index))), asJSON: true)
        } else {
          console.show(try stack.preview(index).lines(on: console.terminal))
        }
      }
    }
  }

  private func expressionOrChunk(_ text: String) throws -> LuaReference {
    let expression = text.hasPrefix("=") ? String(text.dropFirst()) : text
    do {
      return try lua.load("return " + expression, name: Self.promptChunk)
    } catch let error as LuaError where !text.hasPrefix("=") || error.isIncomplete {
      return try lua.load(text.hasPrefix("=") ? "return " + expression : text, name: Self.promptChunk)
    }
  }
}

extension Command {
  /// What stands before its errors: the noun, or for files the verb, as a person would say it.
  var errorPrefix: String {
    guard path.count == 2, ["import", "export"].contains(path[1]) else { return path[0] }
    return path[1]
  }
}
