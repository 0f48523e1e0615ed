// A Lua state over a user's data, with a shell that only records requests: what Lua sees of the core, without the
// program around it.

import Commands
import LuaRuntime
import Problems
import TestWorkspace
import Values

@testable import Bindings

/// Progress that nobody sees.
private final class SilentProgress: ProgressReporting {
  func step(_ count: Int) {}
  func update(_ done: Int, of total: Int?) {}
  func finish() {}
}

/// The requests to the shell, in order.
final class Recorder {
  var shown: [String] = []
  var answers: [String] = []
  var reports: [String] = []
  var commands: [Command] = []
}

/// A Lua state for the user's own lines, or for a plugin.
final class BoundProgram {
  let person: Person
  let workspace: Workspace
  let state: LuaState
  let context: BindingContext
  let recorder = Recorder()
  private let host: RecordingHost
  /// Nil after a sign-out.
  private var opened: Workspace?

  /// - Parameters:
  ///   - grants: what the state may access.
  ///   - plugin: the name of the plugin that it belongs to; nil for the user's own.
  init(grants: Grants = .everything, plugin: String? = nil, drawing: String = "/nonexistent") throws {
    emptyStandardInput
    let (person, recorder) = (Person(), recorder)
    let workspace = try person.workspace(drawing: drawing)
    (self.person, self.workspace, opened) = (person, workspace, workspace)
    let events = EventTable { owner, subject, error in recorder.reports.append("\(subject): \(error)") }
    workspace.observer = events
    state = try LuaState(libraries: plugin == nil ? .full : .sandboxed, seed: 1)
    let owner = try plugin.map { Owner.plugin(try #require(PluginName($0))) } ?? .user
    let door = Door()
    door.workspace = workspace
    host = RecordingHost(door, recorder)
    context = BindingContext(ContextOrigin(owner), shell: host, grants: grants, events: events)
    try install(context, in: state)
    try state.load(Self.prelude, name: "prelude").call([], results: 0) { _ in }
  }

  deinit { state.close() }

  /// Returns the value of an expression, or of a list of them, as text: `nil [code]` for an ordinary failure.
  func value(_ expression: String) throws -> String {
    try run("return show(\(expression))")
  }

  /// Returns the result of a Lua chunk, as text.
  @discardableResult func run(_ code: String) throws -> String {
    try state.load(code, name: "test").call([], results: 1) { $0.isNoneOrNil(-1) ? "" : try $0.text(-1) }
  }

  /// Returns the error message of a chunk, without its position; empty if it succeeds.
  func failure(_ code: String) throws -> String {
    do {
      try run(code)
      return ""
    } catch let error as LuaError {
      let parts = error.message.split(separator: ": ", maxSplits: 1)
      return parts.count == 2 && parts[0].hasPrefix("test:") ? String(parts[1]) : error.message
    }
  }

  /// Checks the value of each expression, as `value` shows it.
  func check(_ cases: [(code: String, expected: String)], _ place: SourceLocation = #_sourceLocation) throws {
    for (code, expected) in cases {
      let value = try value(code)
      #expect(value == expected, "\(code)", sourceLocation: place)
    }
  }

  /// Checks the error message of each chunk.
  func fails(_ cases: [(code: String, expected: String)], _ place: SourceLocation = #_sourceLocation) throws {
    for (code, expected) in cases {
      let failure = try failure(code)
      #expect(failure.contains(expected), "\(code)", sourceLocation: place)
    }
  }

  private static let prelude = """
    local function one(value)
      if type(value) == "string" then return value end
      local isRead, code = pcall(function() return value.title and value.message and value.code end)
      if isRead and code then return "[" .. code .. "]" end
      if type(value) ~= "table" then return tostring(value) end
      local parts, names = {}, {}
      for _, item in ipairs(value) do parts[#parts + 1] = one(item) end
      for name in pairs(value) do
        if math.type(name) ~= "integer" then names[#names + 1] = tostring(name) end
      end
      table.sort(names)
      for _, name in ipairs(names) do parts[#parts + 1] = name .. "=" .. one(value[name]) end
      return "{" .. table.concat(parts, ", ") .. "}"
    end
    function show(...)
      local parts = {}
      for index = 1, select("#", ...) do parts[index] = one((select(index, ...))) end
      return table.concat(parts, " ")
    end
    function list(...)
      local parts = {}
      for item in ... do parts[#parts + 1] = one(item) end
      return table.concat(parts, ", ")
    end
    """
}

/// Who is signed in to the test: nobody after a sign-out.
final class Door {
  var workspace: Workspace?

  func open() throws -> Workspace {
    guard let workspace else { throw WorkspaceError.signedOut(what: "workspace") }
    return workspace
  }
}

/// The services that the bindings need from above; it records the requests.
final class RecordingHost: ShellHost {
  let version = "1.2.3"
  let settingOwner = Owner.user
  let door: Door
  let recorder: Recorder

  init(_ door: Door, _ recorder: Recorder) { (self.door, self.recorder) = (door, recorder) }

  func workspace(for origin: ContextOrigin) throws -> Workspace { try door.open() }
  func isTyped(_ path: String) -> Bool { false }

  func show(_ index: Int, on stack: borrowing LuaStack) throws { try recorder.shown.append("\(stack.value(index))") }
  func table(_ rows: [[String]], _ columns: [String]) { recorder.shown.append("\(columns) \(rows)") }
  func chart(_ values: [(label: String, value: Double)], _ title: String?) {
    recorder.shown.append("\(title ?? "-") \(values.map { "\($0.label)=\($0.value)" })")
  }
  func progress(_ label: String, _ total: Int) -> any ProgressReporting {
    recorder.shown.append(label)
    return SilentProgress()
  }
  func ask(_ question: String, of owner: Owner) throws -> String? {
    recorder.shown.append(question)
    return recorder.answers.isEmpty ? nil : recorder.answers.removeFirst()
  }
  func display(of value: LuaValue) -> Display { .lines(["\(value)"]) }
  func run(_ line: String, of owner: Owner) throws -> CommandAnswer {
    recorder.shown.append(line)
    return .value(.record([("line", .text(line)), ("ok", .boolean(true))]))
  }
  func synchronize() throws -> Value { .record([("received", .integer(2)), ("findings", .list([]))]) }
  func addAlias(_ name: String, _ text: String, of owner: Owner, _ grants: Grants) throws {
    recorder.shown.append("\(name) = \(text)")
  }
  func add(_ command: Command) throws { recorder.commands.append(command) }

  func pluginList() -> [LuaValue] { [.table([(.text("name"), .text("mine"))])] }
  func pluginInfo(_ name: String) throws -> LuaValue { .table([(.text("name"), .text(name))]) }
  func enablePlugin(_ name: String) throws { recorder.shown.append("enable " + name) }
  func disablePlugin(_ name: String) throws { recorder.shown.append("disable " + name) }
  func reloadPlugin(_ name: String) throws { recorder.shown.append("reload " + name) }
  func startCode(_ lua: LuaState, _ terms: CodeTerms, seconds: Double) -> DistantCode? { nil }

  var needsAuthentication: Bool { door.workspace == nil }
  var isAuthenticating: Bool { false }
  var user: String? { "ana" }
  func login(_ user: String?, passwordFile: String?) throws {}
  func logout() throws {
    try door.workspace?.close()
    door.workspace = nil
  }
}
