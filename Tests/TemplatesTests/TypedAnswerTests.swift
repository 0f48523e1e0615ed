// Comparing a typed answer with the right one.

import TestSupport

@testable import Templates

@Suite struct TypedAnswerTests {
  /// Each part preceded by its mark: `+` right, `!` wrong, `?` missing.
  private func shown(_ parts: [TypedComparison.Part]) -> String {
    parts.map { ($0.mark == .right ? "+" : $0.mark == .wrong ? "!" : "?") + $0.text }.joined(separator: " ")
  }

  @Test(arguments: [
    ("el perro", "el perro", "+el perro", "+el perro"),
    (" el perro\n", "el perro", "+el perro", "+el perro"),
    ("el pero", "el perro", "+el per ?- +o", "+el per ?r +o"),
    ("el perrro", "el perro", "+el perr !r +o", "+el perro"),
    ("el gerro", "el perro", "+el  !g +erro", "+el  ?p +erro"),
    ("gato", "perro", "!gat ?- +o", "?perr +o"),
    ("", "ab", "?--", "?ab"),
    ("ab", "", "!ab", ""),
    ("abc", "xbz", "!a +b !c", "?x +b ?z"),
    ("e\u{301}te", "été", "+ét !e", "+ét ?é"),
    ("👨‍👩‍👧", "👨‍👩‍👧x", "+👨‍👩‍👧 ?-", "+👨‍👩‍👧 ?x"),
  ])
  func `a typed answer is compared letter by letter`(typed: String, expected: String, mine: String, right: String) {
    let compared = TypedComparison(typed: typed, expected: expected)
    #expect(shown(compared.typed) == mine && shown(compared.expected) == right)
    #expect(compared.isRight == !(mine + right).contains { "!?".contains($0) })
  }

  @Test func `accents are ignored if requested`() {
    let strict = TypedComparison(typed: "cafe", expected: "café")
    #expect(!strict.isRight && shown(strict.expected) == "+caf ?é")
    let mild = TypedComparison(typed: "cafe", expected: "café", ignoresAccents: true)
    #expect(mild.isRight && shown(mild.typed) == "+cafe" && shown(mild.expected) == "+café")
    #expect(TypedComparison(typed: "ёлка", expected: "елка", ignoresAccents: true).isRight)
    #expect(!TypedComparison(typed: "cafx", expected: "café", ignoresAccents: true).isRight)
    for (typed, expected) in [("שנון", "שִׁנּוּן"), ("كتب", "كَتَبَ")] {
      #expect(TypedComparison(typed: typed, expected: expected, ignoresAccents: true).isRight)
      #expect(!TypedComparison(typed: typed, expected: expected).isRight)
    }
  }

  @Test func `long texts that have nothing in common are compared in bounded time`() {
    let (first, second) = (String(repeating: "a", count: 100_000), String(repeating: "b", count: 100_000))
    let start = processorSeconds()
    let compared = TypedComparison(typed: "x" + first + "y", expected: "x" + second + "y")
    #expect(compared.typed.map(\.mark) == [.right, .wrong, .missing, .right])
    #expect(compared.expected.map { $0.text.count } == [1, 100_000, 1])
    #expect(processorSeconds() - start < 60)
  }

  @Test func `a comparison keeps every letter of both texts`() {
    var seed: UInt64 = 7
    func next(_ bound: UInt64) -> UInt64 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (seed >> 33) % bound
    }
    func word() -> String { String((0..<next(12)).map { _ in Array("abcé")[Int(next(4))] }) }
    for _ in 0..<500 {
      let (typed, expected) = (word(), word())
      let compared = TypedComparison(typed: typed, expected: expected)
      #expect(compared.typed.filter { $0.mark != .missing }.map(\.text).joined() == typed)
      #expect(compared.expected.map(\.text).joined() == expected)
      let same = compared.typed.filter { $0.mark == .right }.map(\.text).joined()
      #expect(same == compared.expected.filter { $0.mark == .right }.map(\.text).joined())
    }
  }
}
