// FSRS-7 compared with our own 64-bit reference, which gives the states that upstream prints (Fixtures/fsrs7.tsv).

import Problems
import TestSupport

@testable import Memory

/// The rows of numbers, by kind.
struct Reference7 {
  private let rows: [Substring: [[Double]]]

  init() throws {
    var rows: [Substring: [[Double]]] = [:]
    for line in try fixtureText("fsrs7.tsv").split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: "\t")
      rows[parts[0], default: []].append(try parts[1].split(separator: " ").map { try #require(Double($0)) })
    }
    self.rows = rows
  }

  subscript(kind: Substring) -> [[Double]] { rows[kind] ?? [] }

  func model(_ number: Double) -> MemoryModel7 { MemoryModel7(checked: self["parameters"][Int(number)]) }
}

func rating(_ number: Double) throws -> Rating { try #require(Rating(rawValue: Int64(number))) }

@Suite struct MemoryModel7Tests {
  private let reference: Reference7

  init() throws { reference = try Reference7() }

  private func isNear(_ a: Double, _ b: Double, _ tolerance: Double = 1e-6) -> Bool {
    abs(a - b) <= tolerance * max(1e-3, abs(b))
  }

  private func isNear(_ state: MemoryState7, _ row: ArraySlice<Double>) -> Bool {
    zip([state.slow, state.fast, state.difficulty], row).allSatisfy { isNear($0, $1) }
  }

  private func state(_ row: ArraySlice<Double>) -> MemoryState7 {
    let values = Array(row)
    return MemoryState7(slow: values[0], fast: values[1], difficulty: values[2])
  }

  @Test func `ranges, deviations and published parameters are those of the reference`() {
    #expect(MemoryModel7.published == reference["parameters"][0])
    #expect(MemoryModel7.ranges.map(\.lowerBound) == reference["low"][0])
    #expect(MemoryModel7.ranges.map(\.upperBound) == reference["high"][0])
    #expect(MemoryModel7.spread == reference["sigma"][0])
  }

  @Test func `first answers give the states of the reference`() throws {
    #expect(reference["first"].count == 24)
    for row in reference["first"] {
      #expect(isNear(reference.model(row[0]).initial(try rating(row[1])), row[2...]), "\(row)")
    }
  }

  @Test func `forgetting curves match the reference`() {
    #expect(reference["curve"].count == 216)
    for row in reference["curve"] {
      let curve = reference.model(row[0]).curve(state(row[1...3]))
      #expect(isNear(curve.recall(days: row[4]), row[5]) && isNear(curve.fastRecall(days: row[4]), row[6]), "\(row)")
    }
  }

  @Test func `an answer gives the state of the reference`() throws {
    #expect(reference["step"].count == 384)
    for row in reference["step"] {
      let next = reference.model(row[0]).next(state(row[1...3]), try rating(row[5]), days: row[4])
      #expect(isNear(next, row[6...]), "\(row): \(next)")
    }
  }

  @Test func `intervals end where the curve reaches the retention`() {
    #expect(reference["interval"].count == 144)
    for row in reference["interval"] {
      let days = reference.model(row[0]).exactInterval(state(row[1...3]), retention: row[4])
      #expect(isNear(days, row[5]) || (days <= 1 / 86_399.0 && row[5] <= 1 / 86_399.0), "\(row): \(days)")
    }
  }

  @Test func `sequences of answers give the states of the reference and the next interval`() throws {
    #expect(reference["sequence"].count == 24)
    for row in reference["sequence"] {
      let (model, count) = (reference.model(row[0]), Int(row[2]))
      var now = MemoryState7(slow: 0, fast: 0, difficulty: 0)
      for number in 0..<count {
        let (given, days) = (try rating(row[3 + 2 * number]), row[4 + 2 * number])
        now = number == 0 ? model.initial(given) : model.next(now, given, days: days)
        let place = 3 + 2 * count + 3 * number
        #expect(isNear(now, row[place...(place + 2)]), "\(number) of \(row)")
      }
      #expect(isNear(model.exactInterval(now, retention: 0.9), row[1]))
    }
  }

  @Test func `the states that upstream prints follow from the published parameters`() throws {
    let model = reference.model(0)
    var now = model.initial(.again)
    for (number, row) in reference["upstream"].enumerated() {
      if number > 0 { now = model.next(now, .good, days: [0, 0, 1, 3, 8, 21][number]) }
      let values = [now.difficulty, now.slow, now.fast]
      #expect(zip(values, row).allSatisfy { abs($0 - $1) < 6e-5 * max(1, $1 / 100) }, "\(values) for \(row)")
    }
  }

  @Test func `parameters are checked, and bad states and times are handled`() {
    #expect(throws: MemoryError.self) { try MemoryModel7(parameters: MemoryModel.defaultParameters) }
    var w = MemoryModel7.published
    w[5] = 7
    let error = #expect(throws: MemoryError.self) { try MemoryModel7(parameters: w) }
    #expect(error?.report.message.contains("w5") == true)
    let model = reference.model(0)
    let bad = MemoryState7(slow: .nan, fast: -1, difficulty: .infinity)
    for days in [-5, 0, 1e300, .nan] {
      let next = model.next(bad, .again, days: days)
      #expect(next.slow.isFinite && next.fast.isFinite && (1...10).contains(next.difficulty))
    }
    #expect((1e-5...36_500).contains(model.exactInterval(bad, retention: 0.9)))
  }

  @Test(arguments: [0.5, 3, 20, 400]) func `a card scheduled by another method starts from its interval`(
    interval: Double
  ) {
    let model = reference.model(1)
    let state = model.state(interval: interval)
    #expect(isNear(model.retrievability(state, days: interval), 0.9, 1e-9) && isNear(state.fast, 0.8 * state.slow))
  }
}
