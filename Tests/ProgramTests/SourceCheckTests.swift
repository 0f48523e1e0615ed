// The source checks (`measure`, `walls`, `catches`): each finds the faults of a broken file or manifest, and accepts a
// sound one.

import Glibc
import TestSupport

@Suite struct SourceCheckTests {
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
  func `a file or function beyond a limit is named with its position, and the check fails`(what: String, text: String)
    throws
  {
    let run = try measure(text)
    #expect(run.status == 1 && run.lines.count == 1, "\(run)")
    #expect(run.output.contains(what) && run.output.contains("a.swift:"), "\(run)")
  }

  @Test func `code in comments and strings does not count, and C is measured too`() throws {
    let sound =
      "/* func f() { { { { { { } } } } } } */\nlet text = \"\"\"\n  \(String(repeating: "{ ", count: 90))\n  \"\"\"\n"
    #expect(try measure(sound).status == 0)
    #expect(
      try measure("static int f(int a) {\n" + Self.long + "}\n", name: "a.c").output.contains("lines of a function"))
  }

  @Test func `a file may be larger if its head says why`() throws {
    let text = String(repeating: "\n", count: 450)
    #expect(try measure("// Measured: lines of a file 500, as it is a table.\n" + text).status == 0)
    #expect(try measure("// Measured: lines of a file 500,\n" + text).status == 1)
    #expect(try measure("// Measured: lines of a file 440, as it is a table.\n" + text).status == 1)
  }

  /// Runs the walls check over rooms with the given dependencies and imports.
  private func walls(_ rooms: [String: [String]], imports: [String: String] = [:]) throws -> Run {
    let folder = TemporaryFolder()
    let parts = text(of: sourceRoot() + "/Scripts/walls").split(separator: "\"\"\"", omittingEmptySubsequences: false)
      .map(String.init)
    let order = try #require(parts.firstIndex { $0.hasSuffix("ORDER = ") })
    let words = parts[order + 1].split { $0.isWhitespace }
    let names = words.compactMap { $0.split { "|?".contains($0) }.first.map(String.init) }
    let targets = Set(names + rooms.keys).filter { rooms[$0] != [] }.sorted().map { name in
      let needs = (rooms[name] ?? []).map { #"{"byName": ["\#($0)", null]}"# }
      return #"{"name": "\#(name)", "type": "regular", "dependencies": [\#(needs.joined(separator: ", "))]}"#
    }
    let manifest = try folder.write(#"{"targets": [\#(targets.joined(separator: ", "))]}"#, to: "manifest.json")
    for (room, text) in imports {
      mkdir(folder.file(room), 0o700)
      try folder.write(text, to: room + "/a.swift")
    }
    return try Child(
      [sourceRoot() + "/Scripts/walls", manifest, folder.path], environment: ["PATH=/usr/bin:/bin"]
    ).finish(input: "")
  }

  @Test(arguments: [
    (["Decks": ["Workspace"]], "import Workspace", "not below it"),
    (["Decks": ["Shell"]], "import Shell", "not below it"),
    (["Exchange": ["Sync"]], "import Sync", "not below it"), (["Decks": ["WordGames"]], "import WordGames", "no other"),
    (["Workspace": ["LuaRuntime"]], "import LuaRuntime", "which is for"), (["Newroom": ["Text"]], "", "has no place"),
    (["Archives": []], "", "there is no room Archives"), (["Decks": ["Text"]], "import Values", "does not declare"),
    (["Decks": ["Text"]], "// none", "imports it nowhere"),
    (["Decks": ["Text"]], "import Foundation\nimport Text", "no place"),
  ])
  func `the walls check names each dependency that points up, each room without a place and each import`(
    rooms: [String: [String]], text: String, fault: String
  ) throws {
    let run = try walls(rooms, imports: text.isEmpty ? [:] : [rooms.keys.first ?? "": text])
    #expect(run.status == 1 && run.output.contains(fault), "\(run)")
  }

  @Test func `the walls check accepts a dependency that points down`() throws {
    let run = try walls(["Decks": ["Text", "Storage"]], imports: ["Decks": "public import Text\nimport Storage"])
    #expect(run.status == 0 && run.output.isEmpty, "\(run)")
  }

  private func catches(_ text: String) throws -> Int32 {
    let folder = TemporaryFolder()
    let path = try folder.write(text, to: "a.swift")
    return try Child([sourceRoot() + "/Scripts/catches", path], environment: ["PATH=/usr/bin:/bin"]).finish(input: "")
      .status
  }

  @Test(arguments: [
    "return nil", "continue", "break", "return false", "return []", "", "count += 1", "return \"error\"",
  ])
  func `a catch that drops its error needs a comment that says why`(body: String) throws {
    #expect(try catches("do { try f() } catch { \(body) }\n") == 1)
    #expect(try catches("do {\n  try f()\n} catch {\n  \(body)\n}\n") == 1)
    #expect(try catches("do { try f() } catch let a as A {\n  use(a)\n} catch {\n  \(body)\n}\n") == 1)
    #expect(try catches("do {\n  try f()\n} catch {\n  // It is done anyway.\n  \(body)\n}\n") == 0)
    #expect(try catches("// It is done anyway.\ndo { try f() } catch { \(body) }\n") == 0)
    #expect(try catches("do throws(A) {\n  try f()\n} catch {\n  \(body)\n}\n") == 0)
  }

  @Test func `a catch that uses its error or throws is accepted`() throws {
    #expect(try catches("do { try f() } catch { print(error) }\n") == 0)
    #expect(try catches("do { try f() } catch { throw A.b }\n") == 0)
    #expect(try catches("do { try f() } catch { print(\"no: \\(error)\") }\n") == 0)
  }
}
