// Runs every code block of README and of the guides, in order, in an empty home with `deckhand` in PATH, and compares
// the output that a block shows. Invariant: the language of a block says what is done with it; the only way to skip
// one is to call it `text`.
//
//     ```sh              run; it must end with status 0
//     ```console         `$ COMMAND` lines, each followed by its output
//     ```deckhand        `> LINE` lines typed at the prompt, each followed by its output
//     ```lua             run by `deckhand run`; `lua parse` is only compiled (it uses what only plugins have)
//     ```json, jsonl     parsed; `json file=NAME`, `markdown file=NAME`, ... is also written to a file
//     ```text            shown only
//     <!-- run: ... -->  run before what follows, and not shown; README has none: its examples work unprepared
//
// In the compared output, `...` matches anything, and on a line of its own any number of lines.

import Glibc
import TestSupport

/// A block, or a hidden command between two blocks.
private struct Block {
  let language: String
  let info: [String]
  let lines: [String]
  let place: String

  var text: String { lines.map { $0 + "\n" }.joined() }
  var file: String? { info.first { $0.hasPrefix("file=") }.map { String($0.dropFirst(5)) } }
}

/// A page of Markdown, split into blocks.
private struct Page {
  var blocks: [Block] = []
  /// Lines that look like a block but are not.
  var faults: [String] = []

  init(_ path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let lines = TestSupport.text(of: path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var index = 0
    var isInList = false
    while index < lines.count {
      let line = lines[index]
      let place = "\(name):\(index + 1)"
      if line.hasPrefix("```") {
        let info = line.dropFirst(3).split(separator: " ").map(String.init)
        let end = lines[(index + 1)...].firstIndex(of: "```") ?? lines.count
        add(info.first ?? "", Array(info.dropFirst()), lines[(index + 1)..<end], place)
        index = end
      } else if line.hasPrefix("<!-- run:") {
        let end = lines[index...].firstIndex { $0.hasSuffix("-->") } ?? lines.count - 1
        let text = lines[index...end].joined(separator: "\n").dropFirst(9).dropLast(3)
        add("sh", [], text.split(separator: "\n").map(String.init)[...], place)
        index = end
      } else if line.hasPrefix("    "), index > 0, lines[index - 1].isEmpty, !isInList {
        faults.append("\(place): an indented block is not run; write a fence with its language")
      } else if !line.isEmpty, !line.hasPrefix(" ") {
        isInList = line.hasPrefix("- ") || line.first?.isNumber == true
      }
      index += 1
    }
  }

  private mutating func add(_ language: String, _ info: [String], _ lines: ArraySlice<String>, _ place: String) {
    blocks.append(Block(language: language, info: info, lines: Array(lines), place: place))
  }
}

@Suite struct CodeBlockTests {
  private static var pages: [String] {
    let guides = sourceRoot() + "/Sources/deckhand/Documentation.docc"
    return [sourceRoot() + "/README.md"]
      + names(in: guides).filter { $0.hasSuffix(".md") }.sorted().map { guides + "/" + $0 }
  }

  @Test(arguments: pages)
  func `what a page shows is true`(path: String) throws {
    let home = Home()
    #expect(mkdir(home.path + "/bin", 0o700) == 0)
    #expect(symlink(builtProgram("deckhand"), home.path + "/bin/deckhand") == 0)
    #expect(symlink(sourceRoot() + "/Scripts", home.path + "/Scripts") == 0)
    let page = Page(path)
    #expect(page.faults == [])
    #expect(!path.hasSuffix("/README.md") || !TestSupport.text(of: path).contains("<!-- run:"))
    for block in page.blocks {
      if let file = block.file { try writeFile(block.text, to: home.path + "/" + file) }
      try check(block, home)
    }
  }

  private func check(_ block: Block, _ home: Home) throws {
    switch block.language {
    case "sh": _ = try run(block.text, block, home)
    case "console": try compare(block, sign: "$ ") { try run($0, block, home, mayFail: true) }
    case "deckhand":
      try compare(block, sign: "> ") { line in
        try writeFile(line + "\n", to: home.path + "/.typed")
        return try run("deckhand --quiet < .typed", block, home, mayFail: true)
      }
    case "lua":
      try writeFile(block.text, to: home.path + "/.block.lua")
      let parses = block.info.contains("parse")
      _ = try run(parses ? "deckhand -e 'assert(loadfile(\".block.lua\"))'" : "deckhand run .block.lua", block, home)
    case "json", "jsonl":
      try writeFile(block.text, to: home.path + "/.block.json")
      let each = block.language == "json" ? "json.load(f)" : "[json.loads(line) for line in f]"
      _ = try run("python3 -c 'import json; f = open(\".block.json\"); \(each)'", block, home)
    case "text": break
    default: #expect(block.file != nil, "\(block.place): nothing is done with a block of \"\(block.language)\"")
    }
  }

  /// Runs what a shell would run; returns its output.
  private func run(_ text: String, _ block: Block, _ home: Home, mayFail: Bool = false) throws -> String {
    let environment =
      home.environment.filter { !$0.hasPrefix("PATH=") && !$0.hasPrefix("TERM=") }
      + ["PATH=\(home.path)/bin:/usr/bin:/bin", "NO_COLOR=1", "TERM=dumb", "EDITOR=/bin/true"]
    let run = try Child(
      ["/bin/bash", "-c", "cd '\(home.path)' && set -eo pipefail && { \(text)\n} 2>&1"], environment: environment
    ).finish(input: "")
    #expect(mayFail || run.status == 0, "\(block.place): status \(run.status): \(text)\(run.output)")
    return run.output
  }

  /// Runs the lines after the sign one by one, and compares the output of each with what follows it.
  private func compare(_ block: Block, sign: String, _ answer: (String) throws -> String) throws {
    var steps: [(line: String, shown: [String])] = []
    for line in block.lines {
      if line.hasPrefix(sign) {
        steps.append((String(line.dropFirst(sign.count)), []))
      } else if sign == "> ", line.hasPrefix(">> "), !steps.isEmpty {
        steps[steps.count - 1].line += "\n" + line.dropFirst(3)
      } else if !steps.isEmpty {
        steps[steps.count - 1].shown.append(line)
      } else {
        Issue.record("\(block.place): no line begins with \(sign)")
      }
    }
    for step in steps {
      let lines = try answer(step.line).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let shown = step.shown.filter { !$0.isEmpty }
      let got = lines.map { Self.trimmed($0) }.filter { !$0.isEmpty }
      #expect(Self.matches(shown[...], got[...]), "\(block.place): \(step.line)\n\(got.joined(separator: "\n"))")
    }
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }

  private static func matches(_ shown: ArraySlice<String>, _ got: ArraySlice<String>) -> Bool {
    guard let first = shown.first else { return got.isEmpty }
    if first == "..." {
      return (got.startIndex...got.endIndex).contains { matches(shown.dropFirst(), got[$0...]) }
    }
    guard let line = got.first, isLike(line, trimmed(first)) else { return false }
    return matches(shown.dropFirst(), got.dropFirst())
  }

  /// Returns whether the line matches the pattern, in which `...` stands for anything.
  private static func isLike(_ line: String, _ pattern: String) -> Bool {
    guard let gap = pattern.firstRange(of: "...") else { return line == pattern }
    guard line.hasPrefix(pattern[..<gap.lowerBound]) else { return false }
    let rest = String(pattern[gap.upperBound...])
    return line.dropFirst(pattern[..<gap.lowerBound].count).indices.contains { isLike(String(line[$0...]), rest) }
      || rest.isEmpty
  }
}
