// A sweep over the problems of all rooms: each case is sampled, each code is known and used, each message is one plain
// line.

import CardDocuments
import Decks
import Foundation
import FoundationEssentials
import Problems
import Testing
import WordGames

@Suite struct SweepTests {
  @Test(arguments: ProblemTable.all)
  func `each case of an error has a known code, a title without full stop and a one-line message`(table: ProblemTable) {
    for (name, problem) in table.samples {
      let report = problem.report
      let place = Comment(rawValue: "\(table.type).\(name): \(report.message)")
      #expect(ProblemCode.known.contains(report.code), place)
      #expect(!report.title.isEmpty && !report.title.hasSuffix("."), place)
      #expect(!report.message.isEmpty && problem.description == report.message, place)
      #expect(!(report.title + report.message).unicodeScalars.contains(where: isUnseen), place)
      #expect(report.details.allSatisfy { $0.name.allSatisfy { $0.isLowercase || $0 == "_" } }, place)
    }
  }

  @Test(arguments: ProblemTable.all)
  func `each case of an error is in the table`(table: ProblemTable) throws {
    let cases = try caseNames(of: table)
    #expect(!cases.isEmpty)
    #expect(cases == Set(table.samples.map(\.name)))
  }

  @Test func `each error of a room is in the tables`() throws {
    var found: Set<String> = []
    for text in try sources().values {
      for match in text.matches(of: /(?:enum|struct) (\w+): Problem\b/) { found.insert(String(match.1)) }
    }
    #expect(found == Set(ProblemTable.all.map(\.type) + ["PlainProblem", "Refusal", "DocumentProblem"]))
  }

  @Test func `each code belongs to some problem, and each problem's code is known`() throws {
    var used = Set(ProblemTable.all.flatMap { $0.samples.map(\.problem.report.code) })
    used.formUnion(rules.map(\.report.code))
    used.insert(Refusal.notAccepted("no", word: "cab").report.code)
    // Codes of lists of findings or refused rows, of the shell for a Lua error, and of any other error.
    used.formUnion(
      DocumentProblem.titles.keys.map { .failure($0) } + [
        .failure(.badCard), .failure(.tooManyValues), .failure(.luaError), .failure(.failed),
      ])
    #expect(Set(ProblemCode.known).subtracting(used) == [])
    #expect(used.subtracting(ProblemCode.known) == [])
  }

  @Test func `a code is lower case with underscores`() {
    for code in ProblemCode.known {
      #expect(code.rawValue.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "_") }, "\(code)")
    }
  }

  /// The exit statuses of the contract.
  @Test(arguments: [
    ("auth_required", Int32(77)), ("denied", 77), ("empty", 77), ("interrupted", 130), ("not_found", 1), ("exists", 1),
    ("empty_prompt", 1), ("bad_value", 1), ("locked", 1), ("busy", 1), ("unknown_command", 1), ("my_own", 1),
  ])
  func `a code from Lua has the status of its meaning, and is never wrong usage`(code: String, status: Int32) {
    #expect(ProblemCode(external: code).rawValue == code)
    #expect(ProblemCode(external: code).exitStatus == status)
  }

  @Test func `a locked sign-in is distinguished from a locked setting, through Lua too`() {
    #expect(ProblemCode(external: "locked", hasRetryTime: true).exitStatus == ExitStatus.signIn)
    #expect(ProblemCode.signIn(.locked).rawValue == ProblemCode.failure(.locked).rawValue)
  }

  @Test func `a wrong command line ends with 2, and a script that runs one with 1`() {
    for code in ProblemCode.Usage.allCases {
      #expect(ProblemCode.usage(code).exitStatus == ExitStatus.usage)
      #expect(ProblemCode(external: code.rawValue).exitStatus == ExitStatus.failed)
    }
  }
}

private let rules: [Rule] = [
  .minLength(2), .maxLength(3), .length(4), .unused, .fromLetters, .reusableLetters, .contains("a"), .startsWith("a"),
  .palindrome, .inDictionary, .ladderStep,
]

/// Characters that a terminal would obey, or show as a new line.
private func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
  [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
}

/// The Swift files of the rooms, by their paths below `Sources`.
private func sources() throws -> [String: String] {
  let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/Sources"
  var found: [String: String] = [:]
  for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
    found[path] = try String(contentsOfFile: folder + "/" + path, encoding: .utf8)
  }
  return found
}

/// The names of the cases that a type's source declares; for `FileError` those of its reason.
private func caseNames(of table: ProblemTable) throws -> Set<String> {
  let text = try #require(sources()[table.file])
  let isFile = table.type == "FileError"
  let start = try #require(text.firstRange(of: isFile ? "enum Cause" : "enum \(table.type): Problem"))
  let indent = isFile ? "    " : "  "
  var names: Set<String> = []
  for line in text[start.upperBound...].split(separator: "\n").dropFirst() {
    if line.hasPrefix(indent.dropLast(2) + "}") || line.contains("var report") { break }
    if line.hasPrefix(indent + "case ") { names.formUnion(declaredNames(line.dropFirst(indent.count + 5))) }
  }
  return names
}

/// `one, two(Int, of: String)` declares one and two.
private func declaredNames(_ list: Substring) -> [String] {
  var depth = 0
  let parts = list.split { character in
    if character == "(" { depth += 1 }
    if character == ")" { depth -= 1 }
    return character == "," && depth == 0
  }
  return parts.map { String($0.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber }) }
}
