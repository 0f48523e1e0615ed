// Plans of changes: made by rehearsing commands, carried out once, and the limits of one process.
// Invariant: `apply` runs the commands of the rehearsal on the same data, or changes nothing; all of them are one undo
// step, and the receipt that is committed with it answers the same call again, in another process too.

import Files
import Problems
import Storage
import Text
import Values
import Workspace

final class AgentWork {
  private struct Plan {
    let name: String
    let call: AgentCall
    /// The undo steps when it was made.
    let steps: [UndoStep]
    let table: String
    let end: Double
    /// The state of the question about it.
    var state: String?
  }

  private static let limits = JSONLimits(bytes: 1 << 24, depth: 32, values: 1_000_000, string: 1 << 24)
  private let host: any AgentHost
  private let clock: () -> Double
  private var plans: [Plan] = []
  private(set) var (notesLeft, bytesLeft) = (10_000, 20_000_000)

  init(_ host: any AgentHost, _ clock: @escaping () -> Double) { (self.host, self.clock) = (host, clock) }

  /// The descriptions of the tools that the client may use, in a fixed order.
  func tools() throws -> [Value] {
    let onlyReads = try host.openWorkspace().preferences().agents.allowed == .read
    let all = try JSONParser.parse(PackageResources.tools_json, limits: Self.limits).list ?? []
    return all.filter { !onlyReads || ReadingTools.all[$0.record?["name"]?.text ?? ""] != nil }
  }

  func answer(_ call: AgentCall) throws -> Answer {
    if let read = ReadingTools.all[call.tool] { return try read(call, self) }
    switch call.tool {
    case "apply": return try apply(call.arguments["plan"].text(), call)
    case "undo": return try undo(call.arguments["step"].integer(), call)
    default: return try plan(call)
    }
  }

  private func checkBudget(_ call: AgentCall) throws {
    if call.notes > notesLeft || call.bytes > bytesLeft { throw AgentError.budget(notes: notesLeft, bytes: bytesLeft) }
  }

  private func token(_ call: AgentCall) -> String { hexadecimal(call.workspace.environment.random.bytes(12)) }

  /// Rehearses a change and keeps its plan for 15 minutes; with `mcp.allow` write, carries it out at once.
  private func plan(_ call: AgentCall) throws -> Answer {
    let steps = try call.workspace.care.steps()
    try call.workspace.beginUnit()
    let rehearsed = Result { (try ChangingTools.run(call), try ChangingTools.preview(call.workspace)) }
    try call.workspace.rollbackUnit()
    let (results, preview) = try rehearsed.get()
    try checkBudget(call)
    let failed = results.filter { $0.record?["error"] != nil }
    guard call.notes > 0, let preview else {
      return Answer(
        fields: [("plan", .null), ("results", .list(results))],
        text: "Nothing would change." + ChangingTools.lines(results), isError: failed.count == results.count)
    }
    let name = "plan-" + token(call)
    plans = plans.suffix(49) + [Plan(name: name, call: call, steps: steps, table: preview.table, end: clock() + 900)]
    if try call.allowed == .write { return try apply(name, call) }
    return Answer(
      fields: [("plan", .text(name)), ("preview", preview.counts), ("results", .list(results))],
      text: "Nothing is changed yet. apply with plan \(name) would make these changes:\n\n\(preview.table)"
        + ChangingTools.lines(failed))
  }

  /// Carries out a plan, or returns the result of the time when that was done.
  private func apply(_ name: String, _ call: AgentCall) throws -> Answer {
    if let done = try applied(name, call) { return done }
    plans.removeAll { $0.end <= clock() }
    guard let place = plans.firstIndex(where: { $0.name == name && $0.call.client.name == call.client.name }) else {
      throw AgentError.unknown("plan of the last 15 minutes", name)
    }
    if try call.allowed == .ask, let question = try question(place, call) { return question }
    let (plan, again) = (plans[place], try plans[place].call.again())
    try host.performing(for: call.client.name) {
      try call.workspace.beginUnit()
      do {
        let results = try ChangingTools.run(again)
        // A transaction has begun: no other process changes anything from here on.
        guard try call.workspace.care.steps() == plan.steps, again.commands == plan.call.commands else {
          throw AgentError.changed
        }
        try checkBudget(again)
        let receipt = Value.record(["plan": name, "client": call.client.name, "results": results])
        try call.workspace.commitUnit(receipt: receipt.json(.compact))
      } catch {
        if call.workspace.isInUnit { try call.workspace.rollbackUnit() }
        throw error
      }
    }
    plans.remove(at: place)
    (notesLeft, bytesLeft) = (notesLeft - again.notes, bytesLeft - again.bytes)
    return try applied(name, call) ?? Answer(fields: [("plan", .text(name))])
  }

  /// The question for the user; nil once the user has agreed.
  private func question(_ place: Int, _ call: AgentCall) throws -> Answer? {
    guard call.client.canAsk else { throw AgentError.cannotAsk }
    let asked = plans[place].state
    plans[place].state = nil
    guard let consent = call.consent, let asked, call.state == asked else {
      plans[place].state = token(call)
      let text = "\(call.client.name) wants to change cards:\n\n\(plans[place].table)"
      return Answer(fields: [], text: text, question: plans[place].state)
    }
    if consent != "accept" { throw AgentError.declined }
    return nil
  }

  private func undo(_ step: Int, _ call: AgentCall) throws -> Answer {
    guard try receipt(call, where: { $0.id == step && $1["client"]?.text == call.client.name }) != nil else {
      throw AgentError.otherMaker(step: step)
    }
    let name = try call.workspace.care.undo(step).name
    return Answer(fields: [("step", .integer(step)), ("name", .text(name)), ("undone", .boolean(true))])
  }

  private func receipt(
    _ call: AgentCall, where isWanted: (UndoStep, Value.Record) -> Bool
  ) throws -> (step: UndoStep, facts: Value.Record)? {
    for (step, text) in try call.workspace.care.receipts {
      let facts = try JSONParser.parse(Array(text.utf8), limits: Self.limits).record ?? [:]
      if isWanted(step, facts) { return (step, facts) }
    }
    return nil
  }

  /// The answer to an apply of a plan that was carried out; nil if it was not.
  private func applied(_ name: String, _ call: AgentCall) throws -> Answer? {
    guard let (step, facts) = try receipt(call, where: { $1["plan"]?.text == name }) else { return nil }
    let results = facts["results"] ?? .list([])
    let state = step.isUndone ? "It was undone since." : "undo with step \(step.id) reverts it."
    return Answer(
      fields: [
        ("step", .integer(step.id)), ("name", .text(step.name)), ("undone", .boolean(step.isUndone)),
        ("results", results),
      ],
      text: "Done as step \(step.id): \(step.name). \(state)" + ChangingTools.lines(results.list ?? []))
  }
}
