// Comparing an answer with the expected one, word by word. WorkspaceTests tests the pairs of Fixtures/compare.json.

import TestSupport
import Text
import Values

@testable import Templates

@Suite struct WordComparisonTests {
  /// The marks in order, such as `right missing`.
  private func marks(_ given: String, _ expected: String, ignoresAccents: Bool = false) -> String {
    WordComparison(given: given, expected: expected, ignoresAccents: ignoresAccents).words.map(\.mark.rawValue)
      .joined(separator: " ")
  }

  @Test(arguments: [
    // A number has no typo, and neither has a short word.
    ("1995", "1996", "wrong"), ("3.5", "3,5", "right right"), ("sol", "son", "wrong"), ("perrros", "perros", "typo"),
    ("intelijjente", "inteligente", "typo"), ("ОΔΟΣ", "οδος", "typo"), ("ΟΔΟΣ", "οδος", "right"),
    ("rock n roll", "rock 'n' roll", "right right right"), ("C", "C++", "wrong"), ("+", "+", "right"),
    ("", "?!", "missing"),
    ("soft\u{AD}ware", "software", "right"), ("a b", "a\u{A0}b", "right right"), ("", "", ""), ("x", "", "extra"),
  ])
  func `what counts as a word and as a typo`(given: String, expected: String, shown: String) {
    #expect(marks(given, expected) == shown)
  }

  @Test func `accents are ignored if requested`() {
    #expect(marks("cafe", "café") == "accent" && marks("cafe", "café", ignoresAccents: true) == "right")
    #expect(marks("cafx", "café", ignoresAccents: true) != "right")
    for (typed, expected) in [("שנון", "שִׁנּוּן"), ("كتب", "كَتَبَ"), ("ёлка", "елка")] {
      #expect(marks(typed, expected) == "accent" && marks(typed, expected, ignoresAccents: true) == "right")
    }
  }

  @Test func `a typo that is another word is wrong`() {
    let compared = WordComparison(given: "El Pero", expected: "el perro") { $0 == "pero" }
    #expect(compared.words.map(\.mark) == [.right, .wrong] && marks("El Pero", "el perro") == "right typo")
  }

  @Test func `long texts that have nothing in common are compared in bounded time`() {
    let start = processorSeconds()
    let words = WordComparison(
      given: String(repeating: "abcde ", count: 20_000), expected: String(repeating: "vwxyz ", count: 30_000)
    ).words
    #expect(words.count == 30_000 && words.last?.mark == .missing)
    let long = WordComparison(
      given: String(repeating: "a", count: 200_000), expected: String(repeating: "b", count: 200_000))
    #expect(long.words.map(\.mark) == [.wrong])
    #expect(processorSeconds() - start < 60)
  }

  @Test func `ten thousand random pairs: the same in each normal form, and every word of both texts in its order`() {
    var random = SeededNumbers(seed: 7)
    let letters = Array("abcdeéñüßσς'’-. ¿A1")
    func text() -> String {
      String((0..<Int.random(in: 0...24, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
    }
    func words(_ text: String) -> [String] {
      WordComparison(given: text, expected: "x").words.map(\.given).filter { !$0.isEmpty }
    }
    for _ in 0..<10_000 {
      let (given, expected) = (text(), text())
      let compared = WordComparison(given: given, expected: expected) { $0.count % 3 == 0 }
      let other = WordComparison(given: given.decomposed, expected: expected.decomposed) { $0.count % 3 == 0 }
      #expect(compared == other)
      guard !words(expected).isEmpty else { continue }
      #expect(compared.words.map(\.given).filter { !$0.isEmpty } == words(given), "\(given) \(expected)")
      #expect(compared.words.map(\.expected).filter { !$0.isEmpty } == words(expected), "\(given) \(expected)")
      #expect(WordComparison(given: expected, expected: expected).words.allSatisfy { $0.mark == .right })
    }
  }
}
