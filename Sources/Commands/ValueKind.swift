// The kind of value that an argument or an option takes, and the short notation of both for commands that Lua adds.
// Invariant: a kind knows how a word must look, never what exists; the registry checks the rest.

import Text

/// The kind of value that an argument or an option takes.
///
///     Argument("N", .integer(1...9))
///     Option("--deck", "DECK", .deck)
public enum ValueKind: Equatable, Sendable {
  case text
  case integer(ClosedRange<Int>)
  case number(ClosedRange<Double>)
  case deck
  case card
  case document
  case mode
  case exercise
  case format
  case language
  case setting
  case plugin
  case account
  case file
  case folder
  case command
  /// All remaining words; a single dash means "not" and is never an option. As an option's value: one word.
  case query
  /// All remaining words exactly as they are, including options and `--` (the arguments of a script).
  case verbatim
  /// One of these names. The spellings, in lowercase, are accepted in any case, but not offered.
  case choice([String], spellings: Set<String> = [])

  public static var anyInteger: ValueKind { .integer(Int.min...Int.max) }
  public static var anyNumber: ValueKind { .number(-.greatestFiniteMagnitude ... .greatestFiniteMagnitude) }
  /// Whole numbers from 1 up.
  public static var positive: ValueKind { .integer(1...Int.max) }

  /// What was expected if `word` is not of this kind; nil if it is.
  func refusal(of word: String) -> String? {
    switch self {
    case .integer(let range): Int(word).map(range.contains) == true ? nil : Self.words(for: range)
    case .number(let range): Double(word).map(range.contains) == true ? nil : Self.words(for: range)
    case .choice(let names, let spellings):
      names.contains(word) || spellings.contains(word.lowercased())
        ? nil : names.asChoice + didYouMean(word, among: names)
    default: nil
    }
  }

  private static func words(for range: ClosedRange<Int>) -> String {
    switch (range.lowerBound, range.upperBound) {
    case (Int.min, Int.max): "a whole number"
    case (_, Int.max): "a whole number, at least \(grouped(range.lowerBound))"
    case (Int.min, _): "a whole number, at most \(grouped(range.upperBound))"
    default: "a whole number from \(grouped(range.lowerBound)) to \(grouped(range.upperBound))"
    }
  }

  private static func words(for range: ClosedRange<Double>) -> String {
    func shown(_ number: Double) -> String { Int(exactly: number).map { grouped($0) } ?? "\(number)" }
    if .number(range) == anyNumber { return "a number" }
    // The range excludes 0.
    if range.lowerBound == .leastNonzeroMagnitude { return "a number above 0, at most \(shown(range.upperBound))" }
    return "a number from \(shown(range.lowerBound)) to \(shown(range.upperBound))"
  }

  private static let named: KeyValuePairs<String, ValueKind> = [
    "text": .text, "integer": .anyInteger, "number": .anyNumber, "deck": .deck, "card": .card, "document": .document,
    "mode": .mode, "exercise": .exercise, "format": .format, "language": .language, "setting": .setting,
    "plugin": .plugin, "file": .file, "folder": .folder, "command": .command, "query": .query, "rest": .verbatim,
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

  public var isPath: Bool { self == .file || self == .folder }
}

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
      if name.hasSuffix("...") { (name, isRepeating) = (name.dropLast(3), true) }
      if name.hasPrefix("["), name.hasSuffix("]") {
        (name, isOptional) = (name.dropFirst().dropLast(), true)
      }
    }
    guard isName(name) else { return nil }
    let kind = ValueKind(impliedBy: String(name))
    // A query takes all remaining words by itself.
    return Argument(String(name), kind, isOptional: isOptional, isRepeating: isRepeating && kind != .query, help: help)
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
    return scalars.allSatisfy { ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_" || $0 == "-" }
  }
}
