// Tries small worlds exhaustively: every plan of a few actions over two decks and two cards, without random choice.
// Invariant: after each action the rows match the model, and the program refuses exactly the actions that the model
// refuses.

import Files

struct SmallWorlds {
  let machine: Machine
  let world: World
  let depth: Int
  /// The number of plans that ran to their end.
  private(set) var count = 0

  static let actions: [[String]] = [
    ["deck", "create", "A"], ["card", "add", "A", "p", "a"], ["card", "add", "A", "q", "b"],
    ["card", "edit", "A:1", "--prompt", "r"], ["card", "remove", "A:1"], ["card", "move", "A:1", "2"],
    ["card", "tag", "A:1", "--add", "x"], ["card", "suspend", "A:2"], ["deck", "rename", "A", "B"],
    ["deck", "remove", "A"], ["undo"], ["redo"],
  ]

  init(_ machine: Machine, _ world: World, depth: Int) {
    (self.machine, self.world, self.depth) = (machine, world, depth)
  }

  /// Runs all plans; returns the first one that fails.
  mutating func run() throws -> (Plan, Failure)? {
    try world.begin()
    _ = try machine.run(["deck", "list"])
    machine.leave()
    return try extend([], Model(), machine.files)
  }

  private mutating func extend(_ steps: [[String]], _ model: Model, _ place: String) throws -> (Plan, Failure)? {
    guard steps.count < depth else {
      count += 1
      return nil
    }
    let base = "depth\(steps.count)"
    try machine.saveDisk(as: base)
    for action in SmallWorlds.actions {
      var next = model
      let plan = steps + [action]
      let isRefused = next.refuses(action)
      if let wrong = try perform(action, isRefused, next) {
        return (
          Plan(plan.map { .command($0) }), Failure(step: plan.count - 1, what: wrong, output: machine.takenOutput())
        )
      }
      // A refused action is not extended.
      if !isRefused, let found = try extend(plan, next, place) { return found }
      try machine.putBack(from: base)
    }
    return nil
  }

  private func perform(_ action: [String], _ isRefused: Bool, _ model: Model) throws -> String? {
    let outcome = try machine.run(action)
    machine.leave()
    world.figures.commands += 1
    if (outcome.status != 0) != isRefused {
      return "the model \(isRefused ? "refuses" : "does") it, and the status is \(outcome.status): \(outcome.text)"
    }
    guard try FileFacts.at(machine.collection) != nil else { return nil }
    let rows = try Model.Decks(rowsOf: machine.collection)
    return rows == model.now ? nil : "the rows say\n  \(rows.cards)\nand the model\n  \(model.now.cards)"
  }
}
