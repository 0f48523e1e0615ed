// Runs plans on the simulated machine and reports what does not hold. Invariant: after each step the rows themselves
// are checked, never what the program says about them, except for the doctor's findings.

import Commands
import Files
import SimulatedDisk

/// What failed, at which step.
struct Failure: Error {
  let step: Int
  let what: String
  let output: String
}

/// Counts of a run, for the report.
struct Figures {
  var plans = 0
  var commands = 0
  var refused = 0
  /// How often each command was run, and how often it was refused, by name.
  var byName: [String: (done: Int, refused: Int)] = [:]
  var undone = 0
  var faults: [Fault.Kind: Int] = [:]
  var seconds = 0
  var roundTrips = 0
  /// The number of collections that were read with other bytes than were written.
  var damages = 0
}

final class World {
  let machine: Machine
  var figures = Figures()
  private let commands: [String: Command]
  private var stored = StoredData()
  /// The content of a new collection; a missing collection counts as this.
  private var fresh = StoredData()
  /// The file with the plan so far, which survives a crash.
  private let trace: String

  init(_ machine: Machine, trace: String) throws {
    self.machine = machine
    self.trace = trace
    commands = Dictionary(uniqueKeysWithValues: try machine.commands().map { ($0.name, $0) })
    for words in [["deck", "create", "A"], ["undo"]] { _ = try machine.run(words) }
    machine.leave()
    fresh = try StoredData(machine.collection, data: machine.data)
    fresh.steps = [:]
  }

  // MARK: Plans

  /// Runs a plan on a new machine.
  func run(_ plan: Plan) throws -> Failure? {
    try begin()
    for (index, step) in plan.steps.enumerated() {
      if let failure = try perform(step, index) { return failure }
    }
    return try end(plan.steps.count)
  }

  func begin() throws {
    try machine.clear()
    stored = fresh
    figures.plans += 1
    (traced, drawn, isReplaced) = ([], [:], false)
    try AtomicFile.write(trace, [])
  }

  /// Exits the shell, undoes everything and redoes it.
  func end(_ index: Int) throws -> Failure? {
    machine.leave()
    let output = machine.takenOutput()
    let after = try readData()
    if let wrong = difference(after, stored, "leaving the shell changed") {
      return Failure(step: index, what: wrong, output: output)
    }
    if let wrong = try doctor() { return Failure(step: index, what: wrong, output: output) }
    if let wrong = try undoAll() { return Failure(step: index, what: wrong, output: output) }
    machine.leave()
    if let wrong = try roundTrips() { return Failure(step: index, what: wrong, output: machine.takenOutput()) }
    if let wrong = try damages() { return Failure(step: index, what: wrong, output: machine.takenOutput()) }
    return nil
  }

  /// Performs a step, and checks the invariants after it.
  func perform(_ step: Step, _ index: Int) throws -> Failure? {
    try note(step)
    begin(step)
    switch step {
    case .file(let name, let content):
      try machine.write(content, to: name)
      return nil
    case .pass(let seconds):
      machine.pass(seconds)
      figures.seconds += max(0, seconds)
      return nil
    case .restart:
      machine.leave()
      return nil
    case .command(let words, let input, let fault):
      figures.commands += 1
      if ["restore", "doctor"].contains(words.first) { isReplaced = true }
      if let fault { return try perform(words, input, fault, index) }
      return try perform(words, input, index)
    }
  }

  private var drawn: [String: Int] = [:]
  private var entropy: UInt64 = 0

  /// Seeds the random numbers of a step with its words, so that they stay the same when earlier steps are removed.
  private func begin(_ step: Step) {
    guard case .command(let words, _, _) = step else { return }
    let text = words.joined(separator: " ")
    drawn[text, default: 0] += 1
    entropy = text.utf8.reduce(UInt64(drawn[text, default: 0])) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    machine.begin(entropy)
  }

  private var traced: [String] = []
  private func note(_ step: Step) throws {
    traced += Plan([step]).lines
    try AtomicFile.write(trace, Array((traced.joined(separator: "\n") + "\n").utf8))
  }

  // MARK: A command

  func readData() throws -> StoredData {
    var found = try StoredData(machine.collection, data: machine.data)
    if found.tables.isEmpty { found.tables = fresh.tables }
    return found
  }

  private func difference(_ after: StoredData, _ before: StoredData, _ what: String) -> String? {
    after == before ? nil : "\(what):\n  " + after.differences(from: before).joined(separator: "\n  ")
  }

  private func command(of words: [String]) -> Command? {
    commands[words.prefix(2).joined(separator: " ")] ?? commands[words.first ?? ""]
  }

  /// Commands that keep what they did before they failed, or that work on the undo steps themselves.
  private static let ofTheirOwn: Set<String> = ["study", "undo", "redo", "restore", "doctor", "backup", "sync"]
  /// The command that commits each of its steps, and changes nothing if it is refused at once.
  private static let stepByStep = "play"

  private func perform(_ words: [String], _ input: String, _ index: Int) throws -> Failure? {
    let before = stored
    disk_plan(DISK_FAULT_NONE, 0, 0, nil)
    let outcome = try machine.run(words, input: input)
    let after = try readData()
    stored = after
    let isRefused = outcome.status != 0
    if isRefused { figures.refused += 1 }
    func failure(_ what: String) -> Failure { Failure(step: index, what: what, output: outcome.text) }
    if ![0, 1, 2, 77, 130].contains(outcome.status) { return failure("the status is \(outcome.status)") }
    let name = command(of: words)?.name ?? ""
    figures.byName[name, default: (0, 0)].done += isRefused ? 0 : 1
    figures.byName[name, default: (0, 0)].refused += isRefused ? 1 : 0
    let isOwn = World.ofTheirOwn.contains(name)
    if outcome.status != 0, !isOwn, let wrong = difference(after, before, "it was refused, and changed") {
      return failure(wrong)
    }
    if outcome.status != 0, !isOwn {
      let left = after.files.subtracting(before.files).filter { !$0.hasSuffix("/history") }
      if !left.isEmpty, before.steps.count > 0 { return failure("it was refused, and left \(left.sorted())") }
    }
    if case .reads? = command(of: words)?.effect, let wrong = difference(after, before, "it only reads, and changed") {
      return failure(wrong)
    }
    if let wrong = lostAnswers(words, before, after) { return failure(wrong) }
    if isOwn || after.undoable == before.undoable { return nil }
    if let wrong = try undoAndRedo(before, after) { return failure(wrong) }
    return nil
  }

  /// Words of commands and of Lua code that may remove cards, and scripts, whose text is not seen here.
  private static let removing = ["remove", "undo", "redo", "restore", "doctor", "sync", "merge", "--yes", "run"]

  /// Returns the first card that was answered and went without being removed, or says that an answer went.
  private func lostAnswers(_ words: [String], _ before: StoredData, _ after: StoredData) -> String? {
    let text = words.joined(separator: " ")
    if World.removing.contains(where: { text.contains($0) }) { return nil }
    if let lost = before.answered.subtracting(after.answered).min() { return "the answered card \(lost) is gone" }
    let counts = [before, after].map { $0.tables["reviews"]?.count ?? 0 }
    return counts[1] < counts[0] ? "there are \(counts[1]) answers after \(counts[0])" : nil
  }

  /// Undoes and redoes what the last steps did.
  private func undoAndRedo(_ before: StoredData, _ after: StoredData) throws -> String? {
    let count = after.steps.keys.filter { $0 > before.lastStep }.count
    if count == 0 {
      return "it changed rows without a step of undo:\n  " + after.differences(from: before).joined(separator: "\n  ")
    }
    figures.undone += count
    for again in [false, true] {
      for _ in 0..<count {
        let outcome = try machine.run([again ? "redo" : "undo"])
        if outcome.status != 0 { return "\(again ? "redo" : "undo") was refused: \(outcome.text)" }
      }
      let now = try readData()
      let wanted = again ? after : before
      if now.undoable != wanted.undoable {
        let found = now.differences(from: wanted, in: Array(Set(now.undoable.keys).union(wanted.undoable.keys)))
        return "\(again ? "redo" : "undo") is not exact:\n  " + found.joined(separator: "\n  ")
      }
      stored = now
    }
    return nil
  }

  /// Undoes all steps, back to a new collection, and redoes them.
  private func undoAll() throws -> String? {
    // A collection restored from a backup has no earlier steps.
    if isReplaced { return nil }
    let end = stored
    while try machine.run(["undo"]).status == 0 {}
    let start = try readData()
    let isStopped = start.steps.values.contains(false)
    if isStopped, !end.isOutOfOrder { return "undo stops at a step: \(try machine.run(["undo"]).text)" }
    if !isStopped, start.undoable != fresh.undoable {
      return "all undone is not what was there first:\n  " + World.words(start, fresh)
    }
    for _ in 0..<start.steps.values.count(where: { $0 }) {
      let outcome = try machine.run(["redo"])
      if outcome.status != 0 { return "redo was refused: \(outcome.text)" }
    }
    // `undo ID` may have left a step in the middle undone.
    for id in end.steps.filter(\.value).keys.sorted(by: >) {
      let outcome = try machine.run(["undo", String(id)])
      if outcome.status != 0 { return "undo \(id) was refused: \(outcome.text)" }
    }
    stored = try readData()
    figures.undone += start.steps.count
    return stored.undoable == end.undoable
      ? nil : "all done again is not what was there last:\n  " + World.words(stored, end)
  }

  private static func words(_ one: StoredData, _ other: StoredData) -> String {
    one.differences(from: other, in: Array(Set(one.undoable.keys).union(other.undoable.keys))).joined(separator: "\n  ")
  }

  private var isReplaced = false

  // MARK: A command that meets a fault

  private func perform(_ words: [String], _ input: String, _ fault: Fault, _ index: Int) throws -> Failure? {
    machine.leave()
    _ = machine.takenOutput()
    let before = try readData()
    try machine.saveDisk()
    let time = machine.now
    // First run it without the fault, to get the number of calls and the expected result.
    machine.begin(entropy)
    disk_plan(DISK_FAULT_NONE, 0, 0, nil)
    let whole = try machine.run(words, input: input)
    machine.leave()
    let count =
      switch fault.kind {
      case .interrupt: disk_polls()
      case .memory, .starved: disk_allocations()
      case .lua, .luaStarved: disk_lua_allocations()
      default: disk_calls()
      }
    let after = try readData()
    try machine.putBack()
    machine.setTime(time)
    machine.begin(entropy)
    let call = 1 + (fault.call - 1) % max(1, Int(count))
    disk_plan(fault.kind.ofDisk, call, entropy &+ UInt64(fault.call), machine.image)
    var outcome = try machine.run(words, input: input)
    let ended = machine.leave()
    if ended != 0, outcome.status == 0 { outcome = Outcome(status: ended, text: outcome.text + machine.takenOutput()) }
    let (hasFailed, wasOff) = (disk_has_failed(), disk_is_off())
    if wasOff { try machine.reboot() } else { disk_plan(DISK_FAULT_NONE, 0, 0, nil) }
    if hasFailed { figures.faults[fault.kind, default: 0] += 1 }
    func failure(_ what: String) -> Failure {
      Failure(
        step: index, what: "\(fault.kind.rawValue) at \(call) of \(count): \(what)",
        output: whole.text + "\n" + outcome.text)
    }
    if let wrong = try doctor() { return failure(wrong) }
    let now = try readData()
    stored = now
    let name = command(of: words)?.name ?? ""
    if name == "study", wasOff, !input.contains("u"), let wrong = wrongAnswers(now, after) { return failure(wrong) }
    if hasFailed, World.hides(fault, outcome, whole) { return failure("nothing says that memory has run out") }
    if name == World.stepByStep || World.ofTheirOwn.contains(name) && name != "restore" { return nil }
    // A script or a plugin's command continues after an error that it catches.
    let isScript = name == "run" || name.isEmpty
    if isScript, Fault.Kind.catchable.contains(fault.kind) { return nil }
    if isScript, wasOff { outcome = Outcome(status: 1, text: outcome.text) }
    if let wrong = wrongEnd(now, before, after, outcome, whole, wasOff: wasOff) { return failure(wrong) }
    return nil
  }

  /// Returns whether a command fails to report that memory ran out.
  private static func hides(_ fault: Fault, _ outcome: Outcome, _ whole: Outcome) -> Bool {
    Fault.Kind.ofMemory.contains(fault.kind) && outcome.status == 1 && whole.status == 0
      // If Lua's own stack cannot grow, Lua does not give the reason.
      && !outcome.text.contains("memory") && !outcome.text.contains("stack overflow")
  }

  /// Returns an answer that the fault-free session did not give, or one that occurs twice. (A session that continues
  /// after an error gives the next key to the same card; one that undoes has other answers in between.)
  private func wrongAnswers(_ now: StoredData, _ after: StoredData) -> String? {
    let (answers, whole) = (now.tables["reviews"] ?? [], after.tables["reviews"] ?? [])
    let strange = Set(answers).subtracting(whole)
    if let one = strange.min() { return "the session has an answer of its own:\n  \(one)" }
    return answers.count > whole.count ? "the session has more answers than keys were typed" : nil
  }

  /// Returns whether the state is neither the one before nor the one after, or contradicts the output.
  private func wrongEnd(
    _ now: StoredData, _ before: StoredData, _ after: StoredData, _ outcome: Outcome, _ whole: Outcome, wasOff: Bool
  ) -> String? {
    let isBefore = now == before
    if now != after, !isBefore {
      return "it is neither as before nor as after. Beside before:\n  " + World.listed(now.differences(from: before))
        + "\n beside after:\n  " + World.listed(now.differences(from: after))
    }
    if outcome.status == 0, whole.status == 0, now != after { return "it said done, and is not" }
    if outcome.status != 0, !wasOff, !isBefore, whole.status == 0 {
      return "it said not done (\(outcome.status)), and is"
    }
    return nil
  }

  private static func listed(_ differences: [String]) -> String { differences.joined(separator: "\n  ") }

  /// Findings that the plans themselves cause, or that come from what the simulated machine lacks.
  private static let usual: Set<String> = ["unused_media", "removed_media", "missing_media", "unchecked", "leftover"]

  /// Returns the doctor's first finding that cannot be intended.
  func doctor() throws -> String? {
    disk_plan(DISK_FAULT_NONE, 0, 0, nil)
    let outcome = try machine.run(["doctor", "--json"])
    let findings = outcome.text.split(separator: "\n").filter { line in
      line.hasPrefix("{\"area\"") && !World.usual.contains { line.contains("\"code\": \"\($0)\"") }
        && !line.contains("\"area\": \"words\"") && !line.contains("\"area\": \"plugins\"")
    }
    if outcome.status != 0, outcome.status != 1 { return "doctor ended with \(outcome.status): \(outcome.text)" }
    if outcome.status == 1, !outcome.text.contains("\"area\"") { return "doctor: \(outcome.text)" }
    return findings.first.map { "doctor: \($0)" }
  }
}

extension Fault.Kind {
  fileprivate var ofDisk: disk_fault_kind {
    switch self {
    case .error: DISK_FAULT_ERROR
    case .full: DISK_FAULT_FULL
    case .short: DISK_FAULT_SHORT
    case .power: DISK_FAULT_POWER
    case .kill: DISK_FAULT_KILL
    case .interrupt: DISK_FAULT_INTERRUPT
    case .memory: DISK_FAULT_MEMORY
    case .starved: DISK_FAULT_STARVED
    case .lua: DISK_FAULT_LUA
    case .luaStarved: DISK_FAULT_LUA_STARVED
    case .request, .answer, .twice: DISK_FAULT_NONE
    }
  }
}
