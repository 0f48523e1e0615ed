// Tests of the reproducible random numbers.

import Testing
import Values

@Suite struct SeededNumbersTests {
  @Test func `a seed gives the numbers of SplitMix64, permanently`() {
    var numbers = SeededNumbers(seed: 1_234_567)
    let first = (0..<3).map { _ in numbers.next() }
    #expect(first == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }
}
