// Tests of the small text rules that every room shares.

import Testing
import Text

@Suite struct WordingTests {
  @Test(arguments: [
    ("Spanich", ["Spanish", "Italian"], "Spanish"), ("opn", ["open", "list"], "open"),
    ("lsit", ["list", "last"], "list"), ("SPANISH", ["Spanish"], "Spanish"),
  ])
  func `a name mistyped by a letter or two is recognised`(name: String, known: [String], expected: String) {
    #expect(suggestion(for: name, among: known) == expected)
  }

  @Test(arguments: [
    ("a\u{1B}[1m", "a\\x1B[1m"), ("a\nb", "a\\nb"), ("a\u{200B}b\u{FEFF}", "a\\u{200B}b\\u{FEFF}"),
    ("\u{202E}cba", "\\u{202E}cba"), ("نمی\u{200C}خواهم 👩\u{200D}🌾", "نمی\u{200C}خواهم 👩\u{200D}🌾"),
  ])
  func `printed text is one line with every character visible`(text: String, shown: String) {
    #expect(printable(text) == shown)
  }

  @Test func `nothing is suggested for a name that is far from all`() {
    #expect(suggestion(for: "x", among: ["deck", "card"]) == nil)
    for name in ["q", ""] { #expect(suggestion(for: name, among: ["S", "2"]) == nil) }
    #expect(suggestion(for: "x", among: ["y", "xy"]) == "xy")
    #expect(suggestion(for: "span", among: ["Spanish verbs", "French"]) == "Spanish verbs")
    #expect(suggestion(for: "span", among: ["Spanish verbs", "Spanish nouns"]) == nil)
    #expect(suggestion(for: String(repeating: "a", count: 10_000), among: ["deck"]) == nil)
    #expect(didYouMean("zzz", among: ["deck"]).isEmpty)
  }

  @Test(arguments: [
    ("kitten", "sitting", 3), ("", "abc", 3), ("ab", "ba", 1), ("same", "same", 0), ("ca", "abc", 3),
  ])
  func `distance counts edits and swaps of neighbours`(a: String, b: String, expected: Int) {
    #expect(editDistance(a, b) == expected)
    #expect(editDistance(b, a) == expected)
  }

  @Test(arguments: [
    ("  a b \r\n", "a b"), ("\u{2003}x\u{3000}", "x"), ("\n\t", ""), ("", ""), ("abc", "abc"), ("\u{85}é\u{2028}", "é"),
  ])
  func `trimming removes all Unicode whitespace`(text: String, expected: String) {
    #expect(text.trimmed == expected)
  }

  @Test func `trimming removes what Unicode defines as whitespace, in ASCII too`() {
    for value in UInt32(0)..<0x3100 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      #expect("\(Character(scalar))".trimmed.isEmpty == scalar.properties.isWhitespace, "U+\(value)")
    }
  }

  @Test func `numbers are grouped and counted`() {
    #expect(grouped(0) == "0")
    #expect(grouped(1204) == "1,204")
    #expect(grouped(-1_000_000) == "-1,000,000")
    #expect(grouped(Int.min) == "-9,223,372,036,854,775,808")
    #expect(counted(1, "card") == "1 card")
    #expect(counted(2000, "entry", "entries") == "2,000 entries")
  }

  @Test func `control characters are shown, never sent`() {
    #expect(printable("\u{1B}]52;c;x\u{7}") == "\\x1B]52;c;x\\x07")
    #expect(printable("a\u{202E}b") == "a\\u{202E}b")
    #expect(printable("abc", limit: 2) == "ab…")
  }

  @Test(arguments: [
    ("a\u{200B}b", #"a\u{200B}b"#), ("a\u{2060}", #"a\u{2060}"#), ("\u{FEFF}a", #"\u{FEFF}a"#),
    ("so\u{AD}ft", #"so\xADft"#),
    ("\u{3164}", #"\u{3164}"#), ("a\u{E0041}", #"a\u{E0041}"#), ("admin\u{200D}", #"admin\u{200D}"#),
    ("x\u{FE0F}y", #"x\u{FE0F}y"#), ("a\u{200E}", #"a\u{200E}"#), ("\u{200D}\u{200D}", #"\u{200D}\u{200D}"#),
  ])
  func `invisible characters are written out`(text: String, shown: String) { #expect(printable(text) == shown) }

  @Test(arguments: [
    // Persian with a non-joiner, Sinhala and Devanagari with a joiner, Hebrew with directional marks, Han with a
    // variation selector, emoji: a family, a heart, a flag, a keycap; an Arabic sign of its own.
    "\u{0645}\u{06CC}\u{200C}\u{062E}\u{0648}\u{0627}\u{0647}\u{0645}", "\u{0DC1}\u{0DCA}\u{200D}\u{0DBB}\u{0DD3}",
    "\u{0915}\u{094D}\u{200D}", "\u{200F}\u{05D0}\u{200E} (a)", "\u{845B}\u{E0100}",
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{2764}\u{FE0F}", "\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}",
    "1\u{FE0F}\u{20E3}", "\u{0600}1",
  ])
  func `characters that scripts and emoji need stay`(text: String) { #expect(printable(text) == text) }

  @Test func `a name is quoted`() {
    #expect(quoted("a\nb") == "\"a\\nb\"")
  }
}

@Suite struct LineTests {
  @Test(arguments: [
    ("", [""]), ("a", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\n", ["a", "b", ""]),
    ("a\n\r\n\nb\r\n", ["a", "", "", "b", ""]),
    // A carriage return alone does not end a line.
    ("a\rb\r\n", ["a\rb", ""]), ("\u{301}\nb", ["\u{301}", "b"]),
  ])
  func `lines are returned without their endings`(_ text: String, _ lines: [String]) {
    #expect(text.lines.map(String.init) == lines)
  }
}

@Suite struct FillingTests {
  @Test func `words fill lines of a given width, with wide letters counted as two columns`() {
    #expect(wrapped("  one two\tthree four five ", width: 20) == ["one two three four", "five"])
    #expect(wrapped("漢字漢字漢 字漢字漢字", width: 20) == ["漢字漢字漢", "字漢字漢字"])
    #expect(wrapped(" ", width: 20).isEmpty)
  }
}

@Suite struct FirstOfTests {
  @Test func `of several pairs with the same key the first counts`() {
    #expect(Dictionary(firstOf: [("a", 1), ("b", 2), ("a", 3)]) == ["a": 1, "b": 2])
  }

  @Test func `the fewest elements are out of order`() {
    #expect([2, 9, 3, 4].outOfOrder(by: \.self) == [9] && [5, 1, 2, 6, 3].outOfOrder(by: \.self) == [5, 6])
    #expect((-3..<2).outOfOrder { -$0 } == [-3, -2, -1, 0] && [Int]().outOfOrder(by: \.self).isEmpty)
  }
}
