// The simulator, started by `Scripts/simulate`. It draws plans from seeds, runs them on a simulated machine, and
// prints those that fail as lines that a user can type. Invariant: its report goes to the terminal it was started in;
// the shell's own streams are files in memory.

import Commands
import Files
import Glibc
import SimulatedDisk

struct Wanted {
  var seed: UInt64 = 1
  var steps = 40
  var seconds = 0.0
  var most = Int.max
  var plan: String?
  var ledger: String?
  var faults = 30
  /// The number of steps of the plans that are tried exhaustively.
  var depth = 0
  /// Simulates two devices and a server.
  var syncs = false
  /// Simulates two accounts on one machine.
  var hasUsers = false
  /// The maximum number of plans tried to make a failing one smaller.
  var tries = 300
  /// Reports how often each command was run and refused.
  var isVerbose = false

  init(_ words: [String]) throws {
    var rest = words[...]
    while let name = rest.popFirst() {
      if name == "--verbose" {
        isVerbose = true
        continue
      }
      if name == "--sync" {
        syncs = true
        continue
      }
      if name == "--users" {
        hasUsers = true
        continue
      }
      guard let value = rest.popFirst() else { throw RowsFault(description: "\(name) needs a value") }
      switch name {
      case "--seed": seed = UInt64(value) ?? 1
      case "--steps": steps = Int(value) ?? steps
      case "--for": seconds = Wanted.seconds(value)
      case "--plans": most = Int(value) ?? most
      case "--plan": plan = Wanted.path(value)
      case "--ledger": ledger = Wanted.path(value)
      case "--worlds": depth = Int(value) ?? 3
      case "--tries": tries = Int(value) ?? tries
      case "--faults": faults = Int(value) ?? faults
      default: throw RowsFault(description: "unknown option \(name)")
      }
    }
    if seconds == 0, most == .max { most = plan == nil && ledger == nil && depth == 0 ? 1 : 0 }
  }

  /// Makes the path absolute, because the machine works in a folder of its own.
  private static func path(_ given: String) -> String {
    guard !given.hasPrefix("/"), let here = getcwd(nil, 0) else { return given }
    defer { free(here) }
    return String(cString: here) + "/" + given
  }

  /// "90", "90s", "5m", "1h".
  private static func seconds(_ text: String) -> Double {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
    guard let unit = text.last.flatMap({ units[$0] }) else { return Double(text) ?? 60 }
    return (Double(text.dropLast()) ?? 1) * unit
  }
}

@main struct Main {
  static func main() {
    setlocale(LC_CTYPE, "C.UTF-8")
    let screen = disk_capture()
    guard disk_count_memory() else { return }
    do {
      let wanted = try Wanted(Array(CommandLine.arguments.dropFirst()))
      exit(try Run(wanted, screen: screen).run() ? 0 : 1)
    } catch {
      Screen(descriptor: screen).log("simulate: \(error)")
      exit(2)
    }
  }
}

/// Where the report goes, because standard output belongs to the shell.
struct Screen {
  let descriptor: Int32

  func log(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}

final class Run {
  private let wanted: Wanted
  private let screen: Screen
  private let world: World
  private let syncing: SyncWorld
  private let users: UsersWorld
  private let scripts: LuaDraw
  private let commands: [Command]
  private let work: String

  init(_ wanted: Wanted, screen: Int32) throws {
    self.wanted = wanted
    self.screen = Screen(descriptor: screen)
    var template = Array("/dev/shm/deckhand-simulation-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw RowsFault(description: "/dev/shm takes no folder") }
    work = String(cString: made)
    let machine = try Machine(in: work)
    commands = try machine.commands()
    _ = try machine.run(["lua-types", work + "/types"])
    scripts = try LuaDraw(work + "/types")
    machine.leave()
    world = try World(machine, trace: work + "/plan")
    Network.shared.folder = work
    disk_serve_with(Network.serve)
    syncing = SyncWorld(machine, world)
    users = UsersWorld(machine, world)
  }

  deinit {
    chdir("/")
    do { try Folder.removeTree(work) } catch { screen.log("\(error)") }
  }

  /// Returns whether all checks passed.
  func run() throws -> Bool {
    var holds = true
    if let ledger = wanted.ledger { holds = try replay(ledger) }
    if wanted.depth > 0, wanted.syncs {
      let found = try syncing.runAll(depth: wanted.depth)
      if let (plan, failure) = found { holds = try report(failure, plan, "small worlds of two devices") && holds }
      screen.log("simulate: \(syncing.tried) plans of \(wanted.depth) steps on two devices, all that there are")
    } else if wanted.depth > 0 {
      var worlds = SmallWorlds(world.machine, world, depth: wanted.depth)
      if let (plan, failure) = try worlds.run() { holds = try report(failure, plan, "small worlds") && holds }
      screen.log("simulate: \(worlds.count) plans of \(wanted.depth) steps, all that there are")
    }
    if let path = wanted.plan {
      holds = try run(planIn: path) && holds
    } else {
      holds = try runSeeds() && holds
    }
    reportFigures()
    return holds
  }

  private func runSeeds() throws -> Bool {
    let start = Run.processorSeconds()
    var holds = true
    var seed = wanted.seed
    var count = 0
    while count < wanted.most, wanted.seconds == 0 || Run.processorSeconds() - start < wanted.seconds {
      if wanted.syncs || wanted.hasUsers {
        holds = try runShared(seed) && holds
        (seed, count) = (seed + 1, count + 1)
        continue
      }
      let (plan, failure) = try plan(of: seed)
      if let failure {
        var shrinking = Shrinking(tries: wanted.tries) { [world] in try world.run($0) }
        let (small, last) = try shrinking.smaller(plan, failure)
        holds = try report(last, small, "seed \(seed)") && holds
      }
      (seed, count) = (seed + 1, count + 1)
    }
    return holds
  }

  private func runShared(_ seed: UInt64) throws -> Bool {
    if wanted.syncs {
      let draw = Draw(seed: seed, commands: commands.filter { Run.synced.contains($0.path[0]) }, scripts: scripts)
      return try run(syncing, draw, tries: 200, "seed \(seed) of two devices")
    }
    var leaving = scripts
    leaving.signsOut = true
    let draw = Draw(seed: seed, commands: commands, scripts: leaving)
    return try run(users, draw, tries: 60, "seed \(seed) of two accounts")
  }

  /// - Parameter tries: how many plans to try for a smaller failing one.
  private func run(_ shared: some SharedWorld, _ draw: Draw, tries: Int, _ name: String) throws -> Bool {
    var draw = draw
    guard let (plan, failure) = try shared.run(steps: wanted.steps, &draw) else { return true }
    var shrinking = Shrinking(tries: min(tries, wanted.tries)) { try shared.run($0) }
    let (small, last) = try shrinking.smaller(plan, failure)
    return try report(last, small, name)
  }

  /// Commands that change what a sync transfers.
  private static let synced: Set<String> = ["card", "deck", "note", "study", "undo", "redo", "run", "media"]

  /// Draws and runs a plan step by step, because what is drawn depends on the current state.
  private func plan(of seed: UInt64) throws -> (Plan, Failure?) {
    var draw = Draw(seed: seed, commands: commands, scripts: scripts)
    draw.faults = draw.chance.pick([0, wanted.faults, 100])
    var plan = Plan([])
    try world.begin()
    let beginning = draw.chance.happens(onceIn: 4) ? [] : Draw.beginning.map { Step.command($0) }
    if draw.chance.happens(onceIn: 3) {
      for step in draw.plugin() {
        plan.steps.append(step)
        if let failure = try world.perform(step, plan.steps.count - 1) { return (plan, failure) }
      }
    }
    let first = plan.steps.count
    while plan.steps.count < wanted.steps {
      let isFirst = plan.steps.count == first && !beginning.isEmpty
      draw.now = world.machine.now
      for step in isFirst ? beginning : draw.next(try MachineState(world.machine.collection)) {
        plan.steps.append(step)
        if let failure = try world.perform(step, plan.steps.count - 1) { return (plan, failure) }
      }
    }
    return (plan, try world.end(plan.steps.count))
  }

  /// Runs every plan of a folder.
  private func replay(_ folder: String) throws -> Bool {
    var holds = true
    let names = try Folder.names(in: folder).filter { $0.hasSuffix(".plan") }
    for name in names { holds = try run(planIn: folder + "/" + name) && holds }
    screen.log("simulate: \(names.count) plans of the ledger")
    return holds
  }

  private func run(planIn path: String) throws -> Bool {
    guard let text = try FileText.read(path, limit: 64 << 20, isInterrupted: { false }) else {
      throw RowsFault(description: "\(path) is not UTF-8")
    }
    let plan = try Plan(text: text)
    let failure =
      try plan.names("--data") ? syncing.run(plan) : plan.names("--user") ? users.run(plan) : world.run(plan)
    return try report(failure, plan, path)
  }

  // MARK: Reporting

  private func report(_ failure: Failure?, _ plan: Plan, _ name: String) throws -> Bool {
    guard let failure else { return true }
    screen.log("== \(name): step \(failure.step + 1): \(failure.what)")
    screen.log("-- what it printed: \(failure.output.suffix(1500))")
    for line in plan.lines { screen.log(line) }
    screen.log("")
    return false
  }

  private func reportFigures() {
    let figures = world.figures
    if wanted.isVerbose {
      for (name, count) in figures.byName.sorted(by: { $0.key < $1.key }) {
        screen.log("\(name): \(count.done) done, \(count.refused) refused")
      }
      let names = Set(commands.filter(Draw.draws).map(\.name)).subtracting(figures.byName.keys).sorted()
      screen.log("never drawn: \(names.isEmpty ? "none" : names.joined(separator: ", "))")
    }
    let faults = figures.faults.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
    if syncing.syncs > 0 { screen.log("simulate: \(syncing.syncs) syncs, \(syncing.losses) with a call that got lost") }
    screen.log(
      "simulate: \(figures.plans) plans, \(figures.commands) commands (\(figures.refused) refused), \(figures.undone) steps undone and "
        + "done again, faults met: \(faults.isEmpty ? "none" : faults.joined(separator: ", ")), "
        + "\(figures.roundTrips) exports taken in again, \(figures.damages) collections damaged and brought back, \(figures.seconds / 86_400) days, \(Int(Run.processorSeconds())) s of processor time"
    )
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
