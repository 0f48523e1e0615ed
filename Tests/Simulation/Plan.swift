// A plan: the steps carried out on the simulated machine, as lines that a user can type. Invariant: parsing the text
// of a plan gives the same plan.

import Commands

/// A fault of the machine during one command.
struct Fault: Equatable {
  enum Kind: String {
    case error, full, short, power, kill, interrupt
    /// One failing allocation in SQLite, and all allocations from one on.
    case memory, starved
    /// One failing allocation in Lua.
    case lua
    case luaStarved = "lua-starved"
    /// Network faults: a request that never arrives, a response that never arrives, a request that arrives twice.
    case request, answer, twice

    static let ofMachine: [Kind] = [
      .error, .full, .short, .power, .kill, .interrupt, .memory, .starved, .lua, .luaStarved,
    ]
    static let ofMemory: [Kind] = [.memory, .starved, .lua, .luaStarved]
    /// Faults that a script can catch, and then go on.
    static let catchable: [Kind] = [.error, .full, .short, .memory, .starved, .lua, .luaStarved]
  }
  var kind: Kind
  /// Which call to the disk or the server fails, counted from 1; a number beyond the last call wraps around.
  var call: Int
}

enum Step: Equatable {
  /// A command, with its standard input.
  case command([String], input: String = "", fault: Fault? = nil)
  /// A file that commands are given.
  case file(String, String)
  case pass(seconds: Int)
  /// The shell exits, and starts again for the next command.
  case restart
}

struct Plan: Equatable {
  var steps: [Step] = []

  // MARK: As text

  /// Lines for a shell, with faults and time as comments.
  var lines: [String] { steps.flatMap(\.lines) }

  /// - Throws: a description of the error, with its line.
  init(text: String) throws {
    var fault: Fault?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(separator: " ").map(String.init)
      if line.hasPrefix("# fault "), words.count == 4, let kind = Fault.Kind(rawValue: words[2]) {
        fault = Fault(kind: kind, call: Int(words[3]) ?? 1)
      } else if line.hasPrefix("# pass "), words.count == 3 {
        steps.append(.pass(seconds: Int(words[2]) ?? 0))
      } else if line == "# restart" {
        steps.append(.restart)
      } else if !line.isEmpty, !line.hasPrefix("#") {
        guard let step = Step(line: String(line), fault: fault) else { throw PlanFault(line: index + 1) }
        steps.append(step)
        fault = nil
      }
    }
  }

  init(_ steps: [Step]) { self.steps = steps }

  /// Returns whether commands begin with the option: `--data` for their device, `--user` for their account.
  func names(_ option: String) -> Bool {
    steps.contains { if case .command(let words, _, _) = $0 { words.first == option } else { false } }
  }
}

struct PlanFault: Error, CustomStringConvertible {
  let line: Int
  var description: String {
    "line \(line) of the plan is no step: `deckhand ...`, `printf ... >FILE` or a comment expected"
  }
}

extension Step {
  fileprivate var lines: [String] {
    switch self {
    case .command(let words, let input, let fault):
      let line = "deckhand " + words.map(Quoted.text).joined(separator: " ")
      return (fault.map { ["# fault \($0.kind.rawValue) \($0.call)"] } ?? [])
        + [input.isEmpty ? line : "printf %s \(Quoted.text(input)) | " + line]
    case .file(let name, let content): return ["printf %s \(Quoted.text(content)) >\(name)"]
    case .pass(let seconds): return ["# pass \(seconds)"]
    case .restart: return ["# restart"]
    }
  }

  fileprivate init?(line: String, fault: Fault?) {
    guard let words = Quoted.words(line) else { return nil }
    if words.first == "deckhand" {
      self = .command(Array(words.dropFirst()), fault: fault)
    } else if words.count > 4, words.starts(with: ["printf", "%s"]), words[3] == "|", words[4] == "deckhand" {
      self = .command(Array(words.dropFirst(5)), input: words[2], fault: fault)
    } else if words.count == 4, words.starts(with: ["printf", "%s"]), words[3].hasPrefix(">") {
      self = .file(String(words[3].dropFirst()), words[2])
    } else {
      return nil
    }
  }
}

/// Words as bash reads them: unquoted, in `$'...'`, or, for long runs of one letter, as a program that prints them.
enum Quoted {
  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:./_=+@%-,|>".utf8)
  private static let longRun = 200
  private static let runStart = "\"$(head -c "
  private static let runEnd = " /dev/zero | tr '\\0' "

  static func text(_ word: String) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(plain.contains), word.utf8.count < longRun,
      !["|", ">"].contains(word.prefix(1))
    {
      return word
    }
    var (result, piece) = ("", "")
    func close() { if !piece.isEmpty { (result, piece) = (result + "$'" + piece + "'", "") } }
    let scalars = Array(word.unicodeScalars)
    var index = 0
    while index < scalars.count {
      let scalar = scalars[index]
      var end = index
      while end < scalars.count, scalars[end] == scalar { end += 1 }
      if end - index >= longRun, scalar.isASCII, scalar.properties.isAlphabetic {
        close()
        result += "\(runStart)\(end - index)\(runEnd)\(scalar))\""
      } else {
        end = index + 1
        piece += escaped(scalar)
      }
      index = end
    }
    close()
    return result.isEmpty ? "$''" : result
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\\": "\\\\"
    case "'": "\\'"
    case _ where scalar.value < 0x20 || scalar.value == 0x7F: "\\x" + hexadecimal(scalar.value, 2)
    case _ where scalar.value < 0x7F: String(scalar)
    default: "\\U" + hexadecimal(scalar.value, 8)
    }
  }

  private static func hexadecimal(_ value: UInt32, _ count: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  /// Returns the words of a line; nil for a line that `text` cannot have written.
  static func words(_ line: String) -> [String]? {
    var rest = Substring(line)
    var words: [String] = []
    var word: String?
    while let first = rest.first {
      if first == " " {
        if let known = word { words.append(known) }
        word = nil
        rest.removeFirst()
      } else if rest.hasPrefix("$'") {
        guard let piece = unescaped(&rest) else { return nil }
        word = (word ?? "") + piece
      } else if rest.hasPrefix(runStart) {
        guard let piece = run(&rest) else { return nil }
        word = (word ?? "") + piece
      } else {
        word = (word ?? "") + String(rest.removeFirst())
      }
    }
    return words + (word.map { [$0] } ?? [])
  }

  private static func run(_ rest: inout Substring) -> String? {
    rest.removeFirst(runStart.count)
    let count = rest.prefix { $0.isNumber }
    rest.removeFirst(count.count)
    guard rest.hasPrefix(runEnd), let size = Int(count) else { return nil }
    rest.removeFirst(runEnd.count)
    guard let letter = rest.first else { return nil }
    rest.removeFirst()
    guard rest.hasPrefix(")\"") else { return nil }
    rest.removeFirst(2)
    return String(repeating: letter, count: size)
  }

  private static func unescaped(_ rest: inout Substring) -> String? {
    var scalars = rest.unicodeScalars.dropFirst(2)
    var found = String.UnicodeScalarView()
    while let scalar = scalars.popFirst() {
      if scalar == "'" {
        rest = Substring(scalars)
        return String(found)
      }
      guard scalar == "\\" else {
        found.append(scalar)
        continue
      }
      guard let kind = scalars.popFirst() else { return nil }
      switch kind {
      case "n": found.append("\n")
      case "t": found.append("\t")
      case "x", "U":
        let count = kind == "x" ? 2 : 8
        guard let value = UInt32(String(String.UnicodeScalarView(scalars.prefix(count))), radix: 16),
          let made = Unicode.Scalar(value)
        else { return nil }
        found.append(made)
        scalars = scalars.dropFirst(count)
      default: found.append(kind)
      }
    }
    return nil
  }
}
