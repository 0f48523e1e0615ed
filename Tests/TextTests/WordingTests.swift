// Tests of the small rules that every room shares.

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
  func `what is printed is one line in which all is seen`(text: String, shown: String) {
    #expect(printable(text) == shown)
  }

  @Test func `nothing is suggested for a name that is far from all`() {
    #expect(suggestion(for: "x", among: ["deck", "card"]) == nil)
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
  func `trimming takes off every Unicode white space`(text: String, expected: String) {
    #expect(text.trimmed == expected)
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
    #expect(quoted("a\nb") == "\"a\\nb\"")
  }
}
