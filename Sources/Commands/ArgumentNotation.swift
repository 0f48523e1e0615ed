// The short notation for what a command takes, for commands that Lua adds: `FILE`, `[DECK]`, `WORD...`, `--count N`,
// `--quick`. Invariant: the registry checks the result like any other description; a name implies the kind of its value
// (`DECK` is a deck).

import Text

/// One item of the notation: an argument or an option.
///
///     try ArgumentNotation("--count N: how many words", command: "quiz")   // .option(...)
public enum ArgumentNotation: Sendable {
  case argument(Argument)
  case option(Option)

  /// Parses a text. The part after a colon is the help: `--count N: how many words`.
  ///
  ///     FILE          an argument               -q, --quick   a flag, with a letter
  ///     [DECK]        it may be left out        --count N     an option with a value
  ///     WORD...       it repeats                --tag T...    an option that repeats
  ///     [WORD...]     both                      --as csv|tsv  one of a few words
  /// - Throws: `.badDescription`, which names the command.
  public init(_ text: String, command: String) throws(CommandError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { String($0).trimmed }
    let (form, help) = (parts[0], parts.count > 1 ? parts[1] : "")
    let wrong = CommandError.badDescription(
      command: command,
      "\(quoted(text)) is neither an argument (FILE, [DECK], WORD...) nor an option (--quick, --count N)")
    if form.hasPrefix("-") {
      guard let option = Self.option(form, help) else { throw wrong }
      self = .option(option)
    } else {
      guard let argument = Self.argument(form, help) else { throw wrong }
      self = .argument(argument)
    }
  }

  private static func argument(_ form: String, _ help: String) -> Argument? {
    var name = form[...]
    var (isOptional, isRepeating) = (false, false)
    // `[WORD]...` and `[WORD...]` are the same.
    for _ in 0..<2 {
      if name.hasSuffix("...") {
        name = name.dropLast(3)
        isRepeating = true
      }
      if name.hasPrefix("["), name.hasSuffix("]") {
        name = name.dropFirst().dropLast()
        isOptional = true
      }
    }
    guard isName(name) else { return nil }
    let kind = ValueKind(impliedBy: String(name))
    // A query takes all remaining words by itself.
    return Argument(
      String(name), kind, isOptional: isOptional, isRepeating: isRepeating && kind != .query, help: help)
  }

  private static func option(_ form: String, _ help: String) -> Option? {
    var words = form.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
    var short: Character?
    if let first = words.first, first.hasPrefix("-"), !first.hasPrefix("--") {
      guard first.count == 2, words.count > 1 else { return nil }
      short = first.last
      words.removeFirst()
    }
    guard let name = words.first, name.hasPrefix("--"), words.count <= 2 else { return nil }
    guard var value = words.dropFirst().first else { return Option(name, short: short, help: help) }
    let isRepeating = value.hasSuffix("...")
    if isRepeating { value.removeLast(3) }
    let choices = value.split(separator: "|").map(String.init)
    if choices.count > 1 {
      return Option(name, value, .choice(choices), isRepeating: isRepeating, short: short, help: help)
    }
    guard isName(value[...]) else { return nil }
    return Option(name, value, ValueKind(impliedBy: value), isRepeating: isRepeating, short: short, help: help)
  }

  private static func isName(_ name: Substring) -> Bool {
    let scalars = name.unicodeScalars
    guard let first = scalars.first, ("A"..."Z").contains(first), scalars.count <= 40 else { return false }
    return scalars.allSatisfy {
      ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_" || $0 == "-"
    }
  }
}

extension ValueKind {
  private static let named: KeyValuePairs<String, ValueKind> = [
    "text": .text, "integer": .anyInteger, "number": .anyNumber, "deck": .deck, "card": .card, "document": .document,
    "mode": .mode, "language": .language, "setting": .setting, "plugin": .plugin, "file": .file, "folder": .folder,
    "command": .command, "query": .query, "rest": .verbatim,
  ]

  /// The names of the kinds in descriptions from Lua.
  public static var names: [String] { named.map(\.key) }

  /// The kind with the given name; an integer must be in `range`.
  public init?(named name: String, in range: ClosedRange<Int> = Int.min...Int.max) {
    guard let kind = Self.named.first(where: { $0.key == name })?.value else { return nil }
    self = kind == .anyInteger ? .integer(range) : kind
  }

  /// The kind that the name of an argument in capitals implies; digits at its end are ignored.
  init(impliedBy name: String) {
    let word = name.lowercased().reversed().drop { $0.isNumber }.reversed()
    switch String(word) {
    case "n", "count": self = .anyInteger
    case "path": self = .file
    case "dir": self = .folder
    case "doc": self = .document
    case let word: self = ValueKind(named: word) ?? .text
    }
  }

  /// Whether its values are paths.
  public var isPath: Bool { self == .file || self == .folder }
}
