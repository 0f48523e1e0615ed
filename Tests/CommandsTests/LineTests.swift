// Tests of what is read from a line before anything runs: the positions of its words, and whether it is a command.

import Testing

@testable import Commands

@Suite struct LineReadingTests {
  @Test(arguments: [
    ("deck  list", ["0-4 deck", "6-10 list"]), ("show 'My deck'", ["0-4 show", "5-14 My deck*"]),
    ("a\\ b c", ["0-4 a b*", "5-6 c"]), ("x \"open", ["0-1 x", "2-7 open*"]), ("", []),
    ("ñ | wc", ["0-2 ñ", "3-4 |", "5-7 wc"]), ("a '|' b", ["0-1 a", "2-5 |*", "6-7 b"]),
  ])
  func `words are found with their positions`(line: String, expected: [String]) {
    let found = ShellWords.placed(line).map {
      "\($0.range.lowerBound)-\($0.range.upperBound) \($0.text)\($0.isQuoted ? "*" : "")"
    }
    #expect(found == expected)
  }

  @Test(arguments: [
    "crd list", "studdy", "studdy --sprint", "foo \"x\"", "crd show Spanish:1", "doc-edit x", "deck2 -x", "ls /tmp",
    "cd ~/x",
  ])
  func `a line that looks like a command is one`(line: String) { #expect(CommandShape(line) != nil) }

  @Test(arguments: [
    "x = 5", "x, y = 1, 2", "foo()", "foo.bar", "foo:bar()", "x + 1", "x - 1", "x -- remark", "local x", "return x",
    "1 + 1",
    "#x", "x and y", "x or y", "\"text\"", "foo{1}", "goto x", "x ~= 2", "x / 2", "x .. y", "lua x", "",
  ])
  func `a line of Lua is not a command`(line: String) { #expect(CommandShape(line) == nil) }
}
