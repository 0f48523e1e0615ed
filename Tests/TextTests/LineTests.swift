// The lines of a text, with any line endings, and the first of several pairs.

import Testing
import Text

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
}
