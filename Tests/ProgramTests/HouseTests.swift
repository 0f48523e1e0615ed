// The check that measures the house: it finds each fault of a broken file, and passes a sound one.

import TestSupport
import Testing

@Suite struct HouseTests {
  private func measure(_ text: String, name: String = "a.swift") throws -> Run {
    let folder = TemporaryFolder()
    let path = try folder.write(text, to: name)
    return try Child([sourceRoot() + "/Scripts/measure", path], environment: ["PATH=/usr/bin:/bin"]).finish(input: "")
  }

  private static let long = String(repeating: "  let x = 1\n", count: 51)

  @Test(arguments: [
    ("lines of a file", String(repeating: "\n", count: 401)),
    ("lines of a function", "func f() {\n" + long + "}\n"),
    ("lines of a function", "struct A {\n  init?(a: Int) throws {\n" + long + "  }\n}\n"),
    ("parameters", "func f<T>(a: Int, b: (Int, Int), c: [Int: T], d: () -> Int, _ e: Int, f: Int, g: T, h: Int) {}\n"),
    ("levels of nesting", "func f() { if a { if b { for c in d { g { h { } } } } } }\n"),
    ("columns of a comment", "/// " + String(repeating: "word ", count: 30) + "\n"),
    ("columns of a comment", "let a = 1  // " + String(repeating: "x", count: 120) + "\n"),
  ])
  func `what is past a limit is named with its place, and fails`(what: String, text: String) throws {
    let run = try measure(text)
    #expect(run.status == 1 && run.lines.count == 1, "\(run)")
    #expect(run.output.contains(what) && run.output.contains("a.swift:"), "\(run)")
  }

  @Test func `code in comments and texts does not count, and C is measured too`() throws {
    let sound =
      "/* func f() { { { { { { } } } } } } */\nlet text = \"\"\"\n  \(String(repeating: "{ ", count: 90))\n  \"\"\"\n"
    #expect(try measure(sound).status == 0)
    #expect(
      try measure("static int f(int a) {\n" + Self.long + "}\n", name: "a.c").output.contains("lines of a function"))
  }

  @Test func `a file may be larger where its head says why`() throws {
    let text = String(repeating: "\n", count: 450)
    #expect(try measure("// Measured: lines of a file 500, as it is a table.\n" + text).status == 0)
    #expect(try measure("// Measured: lines of a file 500,\n" + text).status == 1)
    #expect(try measure("// Measured: lines of a file 440, as it is a table.\n" + text).status == 1)
  }
}
