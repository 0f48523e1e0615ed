// Makes a failing plan smaller: removes unnecessary steps and shortens texts. Invariant: every smaller plan that is
// accepted fails with the same first words.

struct Shrinking {
  /// The number of plans that may still be tried.
  private var tries: Int
  private let run: (Plan) throws -> Failure?

  init(tries: Int = 300, _ run: @escaping (Plan) throws -> Failure?) { (self.tries, self.run) = (tries, run) }

  mutating func smaller(_ plan: Plan, _ failure: Failure) throws -> (Plan, Failure) {
    var best = (Plan(Array(plan.steps.prefix(failure.step + 1))), failure)
    var size = max(1, best.0.steps.count / 2)
    while size >= 1 {
      var start = 0
      while start < best.0.steps.count, tries > 0 {
        var steps = best.0.steps
        steps.removeSubrange(start..<min(steps.count, start + size))
        if let found = try fails(Plan(steps), as: best.1) { best = found } else { start += size }
      }
      if size == 1 { break }
      size /= 2
    }
    best = try withoutFaults(best)
    best = try fewerLines(best)
    return try shorter(best)
  }

  /// Removes unnecessary faults.
  private mutating func withoutFaults(_ given: (Plan, Failure)) throws -> (Plan, Failure) {
    var best = given
    for index in given.0.steps.indices where index < best.0.steps.count {
      guard case .command(let words, let input, .some) = best.0.steps[index] else { continue }
      var steps = best.0.steps
      steps[index] = .command(words, input: input)
      if let found = try fails(Plan(steps), as: best.1) { best = found }
    }
    return best
  }

  /// Removes unnecessary lines of files, from the last one on.
  private mutating func fewerLines(_ given: (Plan, Failure)) throws -> (Plan, Failure) {
    var best = given
    for index in given.0.steps.indices where index < best.0.steps.count {
      guard case .file(let name, var content) = best.0.steps[index] else { continue }
      for line in content.split(separator: "\n").indices.reversed() {
        var lines = content.split(separator: "\n").map { $0 + "\n" }
        guard lines.count > 1, line < lines.count, tries > 0 else { continue }
        lines.remove(at: line)
        var steps = best.0.steps
        steps[index] = .file(name, lines.joined())
        if let found = try fails(Plan(steps), as: best.1) { (best, content) = (found, lines.joined()) }
      }
    }
    return best
  }

  /// Removes unnecessary words, from the last word of each command on.
  private mutating func shorter(_ given: (Plan, Failure)) throws -> (Plan, Failure) {
    var best = given
    for index in best.0.steps.indices.reversed() {
      guard case .command(let words, let input, let fault) = best.0.steps[index] else { continue }
      var kept = words
      for place in words.indices.reversed() where tries > 0 && place < kept.count && kept.count > 1 {
        var fewer = kept
        fewer.remove(at: place)
        var steps = best.0.steps
        steps[index] = .command(fewer, input: input, fault: fault)
        if let found = try fails(Plan(steps), as: best.1) { (best, kept) = (found, fewer) }
      }
    }
    return best
  }

  private mutating func fails(_ plan: Plan, as failure: Failure) throws -> (Plan, Failure)? {
    tries -= 1
    guard let found = try run(plan), found.kind == failure.kind else { return nil }
    return (Plan(Array(plan.steps.prefix(found.step + 1))), found)
  }
}

extension Failure {
  /// Identifies equal failures: the first words of the message, without digits.
  var kind: String { String(what.prefix { $0 != "\n" }.filter { !$0.isNumber }.prefix(60)) }
}
