// The lines of a text, whatever it ends them with, and the first of several pairs.

import Testing
import Text

@Suite struct LineTests {
  @Test(arguments: [
    ("", [""]), ("a", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\n", ["a", "b", ""]),
    ("a\n\r\n\nb\r\n", ["a", "", "", "b", ""]),
    // A return alone is no end.
    ("a\rb\r\n", ["a\rb", ""]), ("\u{301}\nb", ["\u{301}", "b"]),
  ])
  func `lines come without their ends`(_ text: String, _ lines: [String]) {
    #expect(text.lines.map(String.init) == lines)
  }
}

@Suite struct FillingTests {
  @Test func `words fill lines of so many columns, wide letters count two`() {
    #expect(wrapped("  one two\tthree four five ", width: 20) == ["one two three four", "five"])
    #expect(wrapped("漢字漢字漢 字漢字漢字", width: 20) == ["漢字漢字漢", "字漢字漢字"])
    #expect(wrapped(" ", width: 20).isEmpty)
  }
}

@Suite struct FirstOfTests {
  @Test func `of several pairs with one key the first counts`() {
    #expect(Dictionary(firstOf: [("a", 1), ("b", 2), ("a", 3)]) == ["a": 1, "b": 2])
  }
}
