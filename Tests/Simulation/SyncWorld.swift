// Two devices of one user and their server, over a network that loses calls. Invariant: once both have synced twice
// without a loss, both devices and the server hold the same content, and no note is missing that nobody removed.

import Commands
import Files

final class SyncWorld: SharedWorld {
  let machine: Machine
  private let world: World
  static let devices = ["one", "two"]
  private(set) var syncs = 0
  private(set) var losses = 0

  init(_ machine: Machine, _ world: World) {
    (self.machine, self.world) = (machine, world)
    Network.shared.now = { [unowned machine] in Int(machine.now * 1000) }
  }

  // MARK: Exhaustive plans

  /// What each device does to one note, its card and its deck.
  private static let actions: [[String]] = devices.flatMap { device in
    [
      ["card", "add", "A", "q", "b"], ["card", "edit", "A:1", "--prompt", device], ["card", "remove", "A:1"],
      ["card", "suspend", "A:1"], ["deck", "rename", "A", "B"], ["sync"],
    ].map { ["--data", "../" + device] + $0 }
  }

  /// Runs every plan of `depth` out of twelve actions, starting from two devices with the same card; returns the first
  /// that fails.
  func runAll(depth: Int) throws -> (Plan, Failure)? {
    let first = ["--data", "../one"]
    let start =
      [["deck", "create", "A"], ["card", "add", "A", "p", "a"], ["sync"]].map { first + $0 } + [
        ["--data", "../two", "sync"]
      ]
    try begin()
    for words in start { try require(words) }
    return try extend(start.map { .command($0) }, depth)
  }

  private(set) var tried = 0

  private func extend(_ steps: [Step], _ left: Int) throws -> (Plan, Failure)? {
    let base = "depth\(left)"
    machine.leave()
    try machine.saveDisk(as: base)
    let (server, time, known) = (Network.shared.state, machine.now, seeds)
    func back() throws {
      try machine.putBack(from: base)
      machine.setTime(time)
      (Network.shared.state, seeds) = (server, known)
    }
    for action in SyncWorld.actions {
      let plan = steps + [.command(action)]
      machine.pass(1)
      var wrong = try perform(.command(action))
      if wrong == nil, left > 1 {
        if let found = try extend(plan, left - 1) { return found }
      } else if wrong == nil {
        tried += 1
        wrong = try end()
      }
      if let wrong { return (Plan(plan), Failure(step: plan.count - 1, what: wrong, output: output)) }
      try back()
    }
    return nil
  }

  private(set) var output = ""
  private var seeds = CommandSeeds()

  func begin() throws {
    try world.begin()
    Network.shared.clear()
    (output, seeds) = ("", CommandSeeds())
    try AtomicFile.write(machine.files + "/password", Array("p\n".utf8))
    for device in SyncWorld.devices {
      try require(SyncWorld.link(device))
      try require(["--data", "../" + device, "sync"])
    }
  }

  private static func link(_ device: String) -> [String] {
    [
      "--data", "../" + device, "sync", "login", "http://127.0.0.1:8080/", "--user", "u", "--server-password-file",
      "password",
    ]
  }

  /// Returns whether the link exists; linking is an undo step like any other.
  private func isLinked(_ device: String, andSynced: Bool = false) throws -> Bool {
    machine.take(device)
    let condition = andSynced ? " WHERE modified IS NOT NULL" : ""
    return try Rows(machine.collection).all("SELECT 1 FROM sync_link" + condition).count > 0
  }

  // MARK: Steps

  func next(_ draw: inout Draw) throws -> [Step] {
    let device = draw.chance.pick(SyncWorld.devices)
    let name = ["--data", "../" + device]
    if draw.chance.happens(onceIn: 4) {
      let fault =
        draw.chance.happens(onceIn: 3)
        ? Fault(kind: draw.chance.pick([.request, .answer, .twice]), call: draw.chance.number(1...14)) : nil
      return [.command(name + ["sync"], fault: fault)]
    }
    machine.take(device)
    (draw.now, draw.zone) = (machine.now, Zone.of(device))
    return draw.next(try MachineState(machine.collection)).map { step in
      if case .command(let words, let input, _) = step { .command(name + words, input: input) } else { step }
    }
  }

  func perform(_ step: Step) throws -> String? {
    switch step {
    case .file(let name, let content):
      try machine.write(content, to: name)
    case .pass(let seconds):
      machine.pass(max(0, seconds))
      world.figures.seconds += max(0, seconds)
    case .restart: machine.leave()
    case .command(let words, let input, let fault):
      machine.begin(seeds.next(words))
      world.figures.commands += 1
      let loss = fault.flatMap { Loss(rawValue: $0.kind.rawValue) }
      Network.shared.plan(loss, at: fault?.call ?? 0)
      let outcome = try machine.run(words, input: input)
      Network.shared.plan(nil, at: 0)
      output = outcome.text
      if words.contains("sync") { syncs += 1 }
      if loss != nil { losses += 1 }
      if words.last == "sync", loss == nil, outcome.status != 0, try isLinked(machine.device) {
        return "sync was refused: \(outcome.text)"
      }
    }
    return nil
  }

  // MARK: The end

  func end() throws -> String? {
    output = ""
    // A device whose link was undone starts over: its first sync can only replace one side with the other.
    for device in SyncWorld.devices where try !isLinked(device, andSynced: true) {
      if try !isLinked(device) { try require(SyncWorld.link(device)) }
      try require(["--data", "../" + device, "sync"])
    }
    for _ in 1...2 {
      for device in SyncWorld.devices {
        machine.pass(2)
        let outcome = try machine.run(["--data", "../" + device, "sync"])
        output += "\(device): \(outcome.text)"
        if outcome.status != 0 { return "sync was refused: \(outcome.text)" }
      }
    }
    machine.leave()
    var contents: [SyncedContent] = []
    for device in SyncWorld.devices {
      machine.take(device)
      if let wrong = try world.doctor() { return "\(device): \(wrong)" }
      machine.leave()
      contents.append(try SyncedContent(machine.collection, Zone.of(device)))
    }
    if let wrong = contents[0].difference(from: contents[1]) { return wrong }
    let tables = contents[0].tables
    let server = Network.shared.stored(of: "u")
    for kind in ["notes", "cards"] {
      let there = Set((server.rows[kind] ?? [:]).keys)
      let here = Set((tables[kind] ?? []).compactMap { $0.split(separator: "|").first.flatMap { Int($0) } })
      if there != here {
        return "the server has other \(kind) than the devices:\n  only there \(there.subtracting(here).sorted()), "
          + "only here \(here.subtracting(there).sorted())"
      }
    }
    return nil
  }
}
