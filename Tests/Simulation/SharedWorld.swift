// Code shared by the worlds with several devices or several users: one way to draw and run plans. Invariant: a given
// plan runs as it did when it was drawn.

import Commands

/// A world that consists of several devices or accounts, named in commands.
protocol SharedWorld: AnyObject {
  var machine: Machine { get }
  /// What the last command printed.
  var output: String { get }

  func begin() throws
  func next(_ draw: inout Draw) throws -> [Step]
  /// - Returns: what does not hold; nil if all holds.
  func perform(_ step: Step) throws -> String?
  func end() throws -> String?
}

extension SharedWorld {
  /// Draws a plan and runs it; on failure returns the plan so far and what does not hold.
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

  /// Runs a given plan.
  func run(_ plan: Plan) throws -> Failure? {
    try begin()
    for (index, step) in plan.steps.enumerated() {
      if let wrong = try perform(step) { return failure(index, wrong) }
    }
    return try end().map { failure(plan.steps.count, $0) }
  }

  private func failure(_ step: Int, _ what: String) -> Failure { Failure(step: step, what: what, output: output) }

  /// Runs a command that must succeed.
  func require(_ words: [String]) throws {
    let outcome = try machine.run(words)
    if outcome.status != 0 { throw RowsFault(description: "\(words.joined(separator: " ")): \(outcome.text)") }
  }
}

/// The seeds for the random numbers of commands: each command has its own, independent of the commands before it.
struct CommandSeeds {
  private var counts: [String: UInt64] = [:]

  /// Returns the seed for the command that is about to run.
  mutating func next(_ words: [String]) -> UInt64 {
    let text = words.joined(separator: " ")
    counts[text, default: 0] += 1
    return text.utf8.reduce(counts[text, default: 0]) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
