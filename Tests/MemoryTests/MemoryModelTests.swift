// FSRS-6 with other than the published defaults: parameters of other versions, fuzz, the order of answers, long term
// only. Expected values: fsrs-rs 6.6.1, ts-fsrs (cdec8d2f), py-fsrs 6.3.2, from their own tests.

import Glibc
import Problems
import TestSupport

@testable import Memory

@Suite struct MemoryModelTests {
  private static let seventeen = [
    0.4, 0.6, 2.4, 5.8, 4.93, 0.94, 0.86, 0.01, 1.49, 0.14, 0.94, 2.18, 0.05, 0.34, 1.26, 0.29, 2.61,
  ]
  private static let nineteen = [
    0.6845422, 1.6790825, 4.7349424, 10.042885, 7.4410233, 0.64219797, 1.071918, 0.0025195254, 1.432437, 0.1544,
    0.8692766, 2.0696752, 0.0953, 0.2975, 2.4691248, 0.19542035, 3.201072, 0.18046261, 0.121442534,
  ]

  @Test func `parameters of FSRS 4.5 become those of FSRS-6`() throws {
    let expected = [
      0.4, 0.6, 2.4, 5.8, 6.81, 0.44675013, 1.36, 0.01, 1.49, 0.14, 0.94, 2.18, 0.05, 0.34, 1.26, 0.29, 2.61, 0, 0, 0,
      0.5,
    ]
    let converted = try MemoryModel.converted(Self.seventeen)
    #expect(zip(converted, expected).allSatisfy { isNear($0, $1, 1e-7) } && converted.count == 21)
    #expect(try MemoryModel.converted(converted) == converted)
  }

  @Test(arguments: [
    (Rating.again, 2.9691455, 8.000659), (.hard, 17.091452, 7.6913934), (.good, 31.722992, 7.382128),
    (.easy, 71.7502, 7.0728626),
  ])
  func `parameters of FSRS-5 give the published states`(rating: Rating, stability: Double, difficulty: Double) throws {
    let model = try MemoryModel(parameters: Self.nineteen)
    var state = model.initial(.again)
    for days in [1, 3, 8] { state = model.next(state, .good, days: days) }
    state = model.next(state, rating, days: 21)
    #expect(isNear(state.stability, stability) && isNear(state.difficulty, difficulty))
    let one = model.next(MemoryState(stability: 20.925528, difficulty: 7.005062), .good, days: 21)
    #expect(isNear(one.stability, 40.87456) && isNear(one.difficulty, 6.9913807))
  }

  @Test func `without a short term the published state is different`() throws {
    let model = try MemoryModel(parameters: [], countsSameDay: false)
    var state = model.initial(.again)
    for days in [0, 1, 3, 8, 21] { state = model.next(state, .good, days: days) }
    #expect(isNear(state.stability, 53.335106))
  }

  @Test(arguments: [1, 16, 18, 20, 22, 100])
  func `a wrong number of parameters is refused`(count: Int) {
    let given = [Double](repeating: 1, count: count)
    let error = #expect(throws: MemoryError.self) { try MemoryModel(parameters: given) }
    #expect(error?.code == "bad_value")
  }

  @Test(arguments: [
    (2.5, 10.0, 0.9, 10.0, 6.9140563), (2.5, 10, 0.8, 3.01572, 9.393428), (2.5, 10, 0.95, 24.841097, 1.2974405),
    (1.3, 20, 0.9, 20, 10),
  ])
  func `an ease of SM-2 gives the published state`(
    ease: Double, interval: Double, retention: Double, stability: Double, difficulty: Double
  ) {
    let state = MemoryModel().state(ease: ease, interval: interval, retention: retention)
    #expect(isNear(state.stability, stability) && isNear(state.difficulty, difficulty))
  }

  @Test(arguments: [
    (1.0, 1...1), (2, 2...2), (2.49, 2...2), (2.5, 2...4), (3, 2...4), (5, 4...6), (6.9, 5...9), (7, 5...9),
    (7.1, 5...9), (10, 8...12), (17, 14...20), (19.9, 17...23), (20, 17...23), (20.1, 17...23), (37, 33...41),
    (50, 46...54), (100, 93...107), (365, 345...385), (1000, 948...1052),
  ])
  func `fuzz stays within the bounds of the rule and reaches them`(interval: Double, bounds: ClosedRange<Int>) {
    #expect(Fuzz.bounds(interval) == bounds)
    let days = Set((0..<2000).map { Fuzz(seed: $0).days(interval, from: 1, to: 36_500) })
    if bounds.count > 1 { #expect(days == Set(bounds)) }
    #expect(Fuzz(seed: 5).days(interval, from: 1, to: 1) == 1)
    #expect(Fuzz(seed: 5).days(interval, from: 40, to: 30) == 30)
  }

  @Test func `a stability is at most a hundred years, and never zero`() {
    let model = MemoryModel()
    #expect(model.clampedStability(1e9) == 36_500 && model.clampedStability(36_499) == 36_499)
    #expect(model.clampedStability(0) == 0.001 && model.clampedStability(.nan) == 0.001)
  }
}
