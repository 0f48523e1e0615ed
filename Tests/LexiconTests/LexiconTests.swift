// Tests of the queries of a lexicon, compared with plain definitions of their results.

import Problems
import TestSupport

@testable import Lexicon

func language(_ name: String) throws -> Language { try #require(Language.named(name)) }

/// Words longest first, then by code point: the order of every result.
func ordered(_ words: some Sequence<String>) -> [String] {
  words.sorted { a, b in
    a.count != b.count ? a.count > b.count : a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}

extension Lexicon {
  func formable(from letters: String, minLength: Int = 2) -> [String] {
    formableWords(from: letters, minLength: minLength).texts
  }
  func anagrams(of letters: String) -> [String] { listAnagrams(of: letters).texts }
  func match(_ pattern: String) throws(LexiconError) -> [String] { try listMatches(of: pattern) { false }.texts }
  func palindromes() -> [String] { listPalindromes().texts }
  func neighbours(of word: String) -> [String] { listNeighbours(of: word).texts }
}

/// Distinct random words over the given letters.
func madeUpWords(_ count: Int, letters: [Character], lengths: ClosedRange<Int>, seed: UInt64) -> [String] {
  var generator = TestGenerator(seed)
  var words: Set<String> = []
  while words.count < count {
    let length = Int.random(in: lengths, using: &generator)
    words.insert(String((0..<length).map { _ in letters.randomElement(using: &generator) ?? "a" }))
  }
  return Array(words).sorted()
}

@Suite struct LexiconTests {
  static let plain = ["grace", "cab", "bean", "bane", "ring", "bearing", "level", "noon", "ab", "ba", "crab", "brace"]

  @Test func `a list is cleaned, and dropped lines are counted`() throws {
    let lines = [
      "cab", " grace \t", "cab", "", "  ", "Paris", "don't", "e-mail", "b2b", "ice cream", "a", "naïve", "x&y",
    ]
    let lexicon = try Lexicon.of(lines, language: language("english"))
    #expect(Array(lexicon.words()) == ["grace", "naïve", "cab"])
    #expect(lexicon.count == 3)
    let dropped = Dictionary(uniqueKeysWithValues: lexicon.report.dropped.map { ($0.reason, $0.count) })
    #expect(
      dropped == [
        .duplicate: 1, .empty: 2, .capital: 1, .apostrophe: 1, .hyphen: 1, .digit: 1, .blank: 1, .short: 1, .sign: 1,
      ])
    #expect(lexicon.report.kept + dropped.values.reduce(0, +) == lines.count)
  }

  @Test func `a list without a usable word is refused`() throws {
    #expect(throws: LexiconError.self) { try Lexicon.of(["A", "x", "", "12"], language: language("english")) }
  }

  @Test func `every word is found and nothing else is`() throws {
    let words = madeUpWords(3000, letters: Array("abcdeñé"), lengths: 2...20, seed: 1)
    let (inside, outside) = (words.prefix(1500), words.suffix(1500))
    let lexicon = try Lexicon.of(inside, language: language("spanish"))
    #expect(inside.allSatisfy { lexicon.contains($0) })
    #expect(outside.allSatisfy { !lexicon.contains($0) })
    #expect(!lexicon.contains(""))
    #expect(!lexicon.contains(String(repeating: "a", count: 100_000)))
  }

  @Test func `words come longest first, then by code point`() throws {
    let words = madeUpWords(500, letters: Array("abzñéω"), lengths: 2...9, seed: 2)
    #expect(Array(try Lexicon.of(words, language: language("spanish")).words()) == ordered(words))
  }

  @Test(arguments: ["cambering", "bearing", "ab", "noonlevel", "zzz", "ring?", "??", "", "é", "gniraeb"])
  func `formable words are those that canForm allows`(letters: String) throws {
    let lexicon = try Lexicon.of(Self.plain, language: language("english"))
    let expected = ordered(Self.plain.filter { canForm(letters: letters, word: $0) })
    #expect(lexicon.formable(from: letters) == expected)
    #expect(lexicon.countFormable(from: letters) == expected.count)
    #expect(lexicon.formable(from: letters, minLength: 4) == expected.filter { $0.count >= 4 })
  }

  @Test func `formable words of random letters are those that canForm allows`() throws {
    let words = madeUpWords(2000, letters: Array("abcdefñ"), lengths: 2...9, seed: 3)
    let lexicon = try Lexicon.of(words, language: language("spanish"))
    for letters in madeUpWords(40, letters: Array("abcdefñxç"), lengths: 1...14, seed: 4) {
      #expect(lexicon.formable(from: letters) == ordered(words.filter { canForm(letters: letters, word: $0) }))
    }
  }

  @Test func `anagrams use all letters`() throws {
    let lexicon = try Lexicon.of(Self.plain, language: language("english"))
    #expect(lexicon.anagrams(of: "nabe") == ["bane", "bean"])
    #expect(lexicon.anagrams(of: "nab?") == ["bane", "bean"])
    #expect(lexicon.anagrams(of: "nabex").isEmpty)
    #expect(lexicon.anagrams(of: "nabe%").isEmpty)
    #expect(lexicon.anagrams(of: "").isEmpty)
  }

  @Test(arguments: [
    ("c?b", ["cab"]), ("*ring", ["bearing", "ring"]), ("b*n*", ["bearing", "bane", "bean"]), ("[bc]?[bn]?", ["bane"]),
    ("?", []), ("", []), ("??", ["ab", "ba"]), ("*", ordered(plain)), ("ñ*", []),
    ("b[aeñ]*", ["bearing", "bane", "bean", "ba"]), ("*a*a*", []), ("*e*e*", ["level"]),
  ])
  func `a pattern finds its words`(pattern: String, expected: [String]) throws {
    #expect(try Lexicon.of(Self.plain, language: language("english")).match(pattern) == expected)
  }

  @Test(arguments: ["[", "a[]", "a]", "[ab"])
  func `a malformed pattern is refused with its position`(pattern: String) throws {
    let lexicon = try Lexicon.of(Self.plain, language: language("english"))
    let error = try #require(throws: LexiconError.self) { try lexicon.match(pattern) }
    #expect(error.code == "bad_pattern")
    #expect(error.message.contains("[abc] for a choice"))
  }

  @Test func `palindromes and neighbours match their definitions`() throws {
    let words = madeUpWords(1500, letters: Array("abñ"), lengths: 2...8, seed: 5)
    let lexicon = try Lexicon.of(words, language: language("spanish"))
    #expect(lexicon.palindromes() == ordered(words.filter { $0.elementsEqual($0.reversed()) }))
    for word in words.prefix(40) {
      let near = words.filter { $0.count == word.count && zip($0, word).count { $0 != $1 } == 1 }
      #expect(lexicon.neighbours(of: word) == ordered(near))
    }
    #expect(lexicon.neighbours(of: "xyz%").isEmpty)
  }

  @Test func `words are listed by length and prefix`() throws {
    let words = madeUpWords(800, letters: Array("abcñ"), lengths: 2...6, seed: 6)
    let lexicon = try Lexicon.of(words, language: language("spanish"))
    for prefix in ["", "a", "ab", "ñ", "cñb", "zz"] {
      #expect(Array(lexicon.words(prefix: prefix)) == ordered(words.filter { $0.hasPrefix(prefix) }))
      let four = ordered(words.filter { $0.hasPrefix(prefix) && $0.count == 4 })
      #expect(Array(lexicon.words(length: 4, prefix: prefix)) == four)
      #expect(lexicon.words(length: 4, prefix: prefix).remaining == four.count)
    }
  }

  @Test func `a random word has the requested length, and every word comes up`() throws {
    let lexicon = try Lexicon.of(Self.plain, language: language("english"))
    var generator = TestGenerator(7)
    var seen: Set<String> = []
    for _ in 0..<300 { seen.insert(try #require(lexicon.random(length: 4, using: &generator))) }
    #expect(seen == ["bean", "bane", "ring", "noon", "crab"])
    #expect(lexicon.random(length: 64, using: &generator) == nil)
    #expect(lexicon.random(length: -1, using: &generator) == nil)
    let word = try #require(lexicon.wordOfTheDay(20_000))
    #expect(lexicon.wordOfTheDay(20_000) == word && (5...9).contains(word.count))
    #expect(Set((0..<300).compactMap { lexicon.wordOfTheDay($0, length: 4) }) == seen)
    #expect(lexicon.wordOfTheDay(.min, length: 7) == "bearing")
  }
}

@Suite struct DifficultyTests {
  @Test func `a random base word has about as many words as the difficulty asks`() throws {
    let letters = Array("abcdefgh")
    let rich = (1...255).map { set in String(letters.indices.filter { set >> $0 & 1 == 1 }.map { letters[$0] }) }
    let lexicon = try Lexicon.of(rich + ["qqqqqqqq", "zzzzzzzz"], language: language("english"))
    var generator = TestGenerator(1)
    for _ in 0..<5 {
      #expect(lexicon.random(length: 8, difficulty: .easy, using: &generator) == "abcdefgh")
    }
    #expect(lexicon.random(length: 9, difficulty: .easy, using: &generator) == nil)
    #expect(lexicon.nearest(to: 5...6, among: ["qqqqqqqq", "abc", "abcd"]) == "abc")
  }

  @Test func `a letter with a combining mark is one letter, also if no single code point exists for it`() throws {
    let lexicon = try Lexicon.of(["m\u{303}a", "am\u{303}am\u{303}", "ma", "mama"], language: language("english"))
    #expect(lexicon.formable(from: "m\u{303}a") == ["m\u{303}a"])
    #expect(lexicon.formable(from: "ma") == ["ma"])
    #expect(!lexicon.contains("am\u{303}a") && lexicon.contains("am\u{303}am\u{303}"))
  }

  @Test func `the fast check for a normal text is never wrong`() throws {
    let spanish = try Lexicon.of(["niño", "canción"], language: language("spanish"))
    func letters(_ text: String) -> Int? {
      var text = text
      return text.withUTF8 { spanish.lettersIfNormal($0) }
    }
    #expect(letters("niño") == 4)
    #expect(letters("nin\u{303}o") == nil)
    #expect(letters("NIÑO") == nil)
    #expect(letters("zorro") == nil)
    #expect(letters("") == 0)
    let greek = try Lexicon.of(["λόγος"], language: language("greek"))
    var text = "λόγοσ"
    #expect(text.withUTF8 { greek.lettersIfNormal($0) } == nil)
  }
}

@Suite struct SlotTableTests {
  @Test func `words that do not fit into the last line continue at the first slot`() {
    // All of these belong to the last line.
    let hashes = [UInt64](repeating: .max, count: 20) + [0, 0, 0, 0]
    let slots = SlotTable.slots(hashes, (1...24).map { $0 }, offsetBits: 8)
    #expect(slots.map { $0 & 0xFF } == [17, 18, 19, 20, 21, 22, 23, 24] + [UInt32](repeating: 0, count: 24) + (1...16))
  }
}

@Suite struct CommonWordsTests {
  private func list() throws -> Lexicon {
    try Lexicon.of(["gato", "perro", "toga", "gota", "árbol"], language: language("spanish"))
  }

  @Test func `words that are both counted and in the list are common, the most frequent first`() throws {
    let common = try #require(try CommonWords(["Gato": 2, "gota": 9, "casa": 50, "árbol": 2], of: list(), least: 1))
    #expect(common.lexicon.count == 3)
    #expect(common.byUse(["toga", "gato", "árbol", "perro", "gota"]) == ["gota", "gato", "árbol", "toga", "perro"])
    #expect(common.contains("gato") && !common.contains("toga") && !common.contains("casa"))
    #expect(common.lexicon.formable(from: "gato").sorted() == ["gato", "gota"])
  }

  @Test func `counts of too few words are ignored`() throws {
    #expect(try CommonWords(["gato": 2, "gota": 9], of: list(), least: 3) == nil)
    #expect(try CommonWords([:], of: list(), least: 0) == nil)
    #expect(try CommonWords(["gato": 0], of: list(), least: 1) == nil)
  }
}
