// What worlds of several devices, or of several people, have in common: plans are drawn and run one way.
// Invariant: a plan that is given runs as it ran when it was drawn.

import Commands

/// A world that commands name a part of: a device, an account.
protocol SharedWorld: AnyObject {
  var machine: Machine { get }
  /// What the last command printed.
  var output: String { get }

  func begin() throws
  /// What is done next.
  func next(_ draw: inout Draw) throws -> [Step]
  /// - Returns: what does not hold.
  func perform(_ step: Step) throws -> String?
  func end() throws -> String?
}

extension SharedWorld {
  /// Draws a plan and runs it; what does not hold, with the plan so far.
  func run(steps count: Int, _ draw: inout Draw) throws -> (Plan, Failure)? {
    var plan = Plan([])
    try begin()
    while plan.steps.count < count {
      for step in try next(&draw) {
        plan.steps.append(step)
        if let wrong = try perform(step) { return (plan, failure(plan.steps.count - 1, wrong)) }
      }
    }
    return try end().map { (plan, failure(plan.steps.count, $0)) }
  }

  /// The same of a plan that is given.
  func run(_ plan: Plan) throws -> Failure? {
    try begin()
    for (index, step) in plan.steps.enumerated() {
      if let wrong = try perform(step) { return failure(index, wrong) }
    }
    return try end().map { failure(plan.steps.count, $0) }
  }

  private func failure(_ step: Int, _ what: String) -> Failure { Failure(step: step, what: what, output: output) }

  /// Runs a command that nothing stands in the way of.
  func require(_ words: [String]) throws {
    let outcome = try machine.run(words)
    if outcome.status != 0 { throw RowsFault(description: "\(words.joined(separator: " ")): \(outcome.text)") }
  }
}

/// The random numbers of commands: each has its own, whatever was done by others before it.
struct CommandSeeds {
  private var counts: [String: UInt64] = [:]

  /// What the random numbers of a command that is about to run start from.
  mutating func next(_ words: [String]) -> UInt64 {
    let text = words.joined(separator: " ")
    counts[text, default: 0] += 1
    return text.utf8.reduce(counts[text, default: 0]) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
