// Splits a line into words as a POSIX shell does, with quotes and backslashes, and quotes words that need it; and
// decides whether a line is a command or Lua, by the rule of the contract ("The prompt"). Invariant: splitting `quote`d
// words gives the same words; only a leading `~` or `~/` is expanded, if a home is given.

/// The quoting of the word under the cursor so far; the raw value is the open quote.
///
///     ShellWords.partial("show 'My de").quote   // .single
public enum QuoteState: String, Sendable {
  case none = ""
  case single = "'"
  case double = "\""
}

/// A line up to the cursor: the complete words, and the word that is being typed.
///
///     let line = ShellWords.partial("deck show Spa")
///     line.words   // ["deck", "show"]
///     line.word    // "Spa"
public struct PartialLine: Equatable, Sendable {
  public let words: [String]
  /// The text of the last word so far, without its quotes.
  public let word: String
  /// The offset of the last word in UTF-8 bytes of the line, including its opening quote.
  public let start: Int
  public let quote: QuoteState
  /// Whether the word begins with an unquoted `~`.
  public let hasTilde: Bool
}

/// A word of a line and its position.
///
///     ShellWords.placed("show 'My deck'").map(\.range)   // [0..<4, 5..<14]
public struct PlacedWord: Equatable, Sendable {
  /// Without its quotes.
  public fileprivate(set) var text = ""
  /// In UTF-8 bytes of the line, including quotes.
  public fileprivate(set) var range: Range<Int>
  fileprivate var hasTilde = false
  /// Whether any part of it is quoted or escaped by a backslash; it is then never an operator such as `|`.
  public fileprivate(set) var isQuoted = false

  fileprivate func path(home: String?) -> String {
    guard let home, hasTilde, text == "~" || text.hasPrefix("~/") else { return text }
    return home + text.dropFirst()
  }
}

/// Splits and quotes words as a POSIX shell does.
///
///     try ShellWords.split("show 'My deck'")   // ["show", "My deck"]
///     ShellWords.quote("My deck")               // "'My deck'"
public enum ShellWords {
  /// Splits a line into words. `home` replaces a leading `~` that is alone or before a slash.
  public static func split(_ line: String, home: String? = nil) throws(CommandError) -> [String] {
    var splitter = Splitter(line)
    splitter.run()
    guard splitter.quote == .none else {
      throw .unterminatedQuote(splitter.quote == .single ? "'" : "\"", column: splitter.quoteColumn)
    }
    splitter.endWord()
    return splitter.words.map { $0.path(home: home) }
  }

  /// The words and their positions. Never fails: a quote that is not closed extends to the end.
  public static func placed(_ line: String) -> [PlacedWord] {
    var splitter = Splitter(line)
    splitter.run()
    splitter.endWord(at: line.utf8.count)
    return splitter.words
  }

  /// Splits the text before the cursor, for completion. Never fails.
  public static func partial(_ line: String) -> PartialLine {
    var splitter = Splitter(line)
    splitter.run()
    let last = splitter.current
    return PartialLine(
      words: splitter.words.map(\.text), word: last?.text ?? "", start: last?.range.lowerBound ?? line.utf8.count,
      quote: splitter.quote, hasTilde: last?.hasTilde ?? false)
  }

  /// Returns the word in a form that `split` turns back into it: unchanged, or in single quotes.
  public static func quote(_ word: String) -> String {
    if !word.isEmpty, word.unicodeScalars.allSatisfy({ !isSpecial($0) }), !word.hasPrefix("~") { return word }
    return "'" + escape(word, in: .single) + "'"
  }

  /// Returns the words as a line that `split` splits into them.
  public static func line(of words: [String]) -> String { words.map { quote($0) }.joined(separator: " ") }

  /// Escapes the word so that it can follow what was typed in the given state, without the closing quote. If a word is
  /// extended, its escaped text begins with that of the shorter one (for common prefixes).
  public static func escape(_ word: String, in state: QuoteState, keepsTilde: Bool = false) -> String {
    var escaped = ""
    for (index, scalar) in word.unicodeScalars.enumerated() {
      switch state {
      case .single: escaped += scalar == "'" ? "'\\''" : String(scalar)
      case .double: escaped += scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
      case .none where scalar == "\n": escaped += "'\n'"
      case .none:
        let isTilde = index == 0 && scalar == "~" && !keepsTilde
        escaped += isTilde || isSpecial(scalar) ? "\\\(scalar)" : String(scalar)
      }
    }
    return escaped
  }

  static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\n" }

  private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    isBlank(scalar) || scalar == "'" || scalar == "\"" || scalar == "\\"
  }
}

/// Splits a line in one pass.
private struct Splitter {
  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var byte = 0
  private(set) var words: [PlacedWord] = []
  private(set) var current: PlacedWord?
  private(set) var quote = QuoteState.none
  private(set) var quoteColumn = 0

  init(_ line: String) { scalars = Array(line.unicodeScalars) }

  mutating func run() {
    while let scalar = next() {
      switch quote {
      case .single: if scalar == "'" { quote = .none } else { add(scalar) }
      case .double: takeInDouble(scalar)
      case .none: takePlain(scalar)
      }
    }
  }

  /// - Parameter end: the end of the word; nil for the position before the last byte read.
  mutating func endWord(at end: Int? = nil) {
    if var word = current {
      word.range = word.range.lowerBound..<(end ?? byte - 1)
      words.append(word)
    }
    current = nil
  }

  private mutating func next() -> Unicode.Scalar? {
    guard index < scalars.count else { return nil }
    let scalar = scalars[index]
    index += 1
    byte += UTF8.width(scalar)
    return scalar
  }

  private mutating func begin(after scalar: Unicode.Scalar) {
    if current == nil { current = PlacedWord(range: byte - UTF8.width(scalar)..<byte) }
  }

  private mutating func add(_ scalar: Unicode.Scalar) { current?.text.unicodeScalars.append(scalar) }

  private mutating func takePlain(_ scalar: Unicode.Scalar) {
    if ShellWords.isBlank(scalar) { return endWord() }
    if scalar == "\\", index < scalars.count, scalars[index] == "\n" {
      _ = next()
      return
    }
    let isFirst = current == nil
    begin(after: scalar)
    switch scalar {
    case "'": open(.single)
    case "\"": open(.double)
    case "\\":
      current?.isQuoted = true
      // At the end of the line, a backslash is literal.
      add(next() ?? scalar)
    default:
      if isFirst, scalar == "~" { current?.hasTilde = true }
      add(scalar)
    }
  }

  private mutating func takeInDouble(_ scalar: Unicode.Scalar) {
    if scalar == "\"" {
      quote = .none
    } else if scalar == "\\", index < scalars.count, ["\"", "\\", "$", "`", "\n"].contains(scalars[index]) {
      if let escaped = next(), escaped != "\n" { add(escaped) }
    } else {
      add(scalar)
    }
  }

  private mutating func open(_ state: QuoteState) {
    current?.isQuoted = true
    (quote, quoteColumn) = (state, index)
  }
}

/// The first word of a line that has the form of a command.
///
///     CommandShape("crd list")?.word       // "crd"
///     CommandShape("x = 5")                // nil
public struct CommandShape: Equatable, Sendable {
  public let word: String
  /// Whether nothing follows the word.
  public let isAlone: Bool
  /// Whether a quoted text follows, as after the name of a function in Lua.
  public let isBeforeText: Bool

  /// Nil if the line looks like Lua: an assignment, a call, an operator after the first name, a keyword.
  public init?(_ line: String) {
    let scalars = Array(line.unicodeScalars)
    var index = scalars.firstIndex { !ShellWords.isBlank($0) } ?? scalars.count
    let start = index
    while index < scalars.count, Self.isInName(scalars[index]) { index += 1 }
    guard index > start, Self.isLetter(scalars[start]), index == scalars.count || ShellWords.isBlank(scalars[index])
    else { return nil }
    word = String(String.UnicodeScalarView(scalars[start..<index]))
    if luaKeywords.contains(word) || word == luaWord { return nil }
    let rest = scalars[index...].drop(while: ShellWords.isBlank)
    (isAlone, isBeforeText) = (rest.isEmpty, rest.first == "\"" || rest.first == "'")
    guard isAlone || isBeforeText || Self.beginsArgument(rest) else { return nil }
  }

  /// Whether a word, an option or a path begins here, and not an operator of Lua.
  private static func beginsArgument(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let first = rest.first else { return false }
    let next = rest.dropFirst().first
    switch first {
    case "-":
      let behind = next == "-" ? rest.dropFirst(2).first : next
      return behind.map(isLetter) ?? false
    case "/": return next.map(isInName) ?? false
    case "~": return next == "/"
    default:
      let operators: Set<String> = ["and", "or"]
      let word = rest.prefix { !ShellWords.isBlank($0) }
      return isInName(first) && !operators.contains(String(String.UnicodeScalarView(word)))
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }

  private static func isInName(_ scalar: Unicode.Scalar) -> Bool {
    isLetter(scalar) || ("0"..."9").contains(scalar) || scalar == "_" || scalar == "-"
  }
}

/// A line is a command if its first word names one, unless the word is followed directly by one of `. : [ ( {`, or
/// after optional spaces by `=` or `,`, or is alone and also a global of the user's. `lua ...` and `=...` are Lua.
public func isCommandLine(_ line: String, knows: (String) -> Bool, isUserGlobal: (String) -> Bool) -> Bool {
  let rest = line.unicodeScalars.drop(while: isBlank)
  let word = rest.prefix { !isBlank($0) && !endsName($0) }
  let name = String(String.UnicodeScalarView(word))
  guard name != luaWord, knows(name) else { return false }
  let after = rest.dropFirst(word.count)
  if let next = after.first, endsName(next) { return false }
  let following = after.drop(while: isBlank)
  guard let next = following.first else { return !isUserGlobal(name) }
  return next != "=" && next != ","
}

/// The word in front of a line that makes it Lua, whatever the line begins with.
public let luaWord = "lua"

/// The line without the word that forces Lua (`lua ...`), or the line itself; spaces before `=...` are removed.
public func withoutLuaWord(_ line: String) -> String {
  let rest = line.unicodeScalars.drop(while: isBlank)
  let word = rest.prefix { !isBlank($0) }
  if rest.first == "=" { return String(String.UnicodeScalarView(rest)) }
  guard word.elementsEqual(luaWord.unicodeScalars) else { return line }
  let after = rest.dropFirst(word.count).drop(while: isBlank)
  return after.first == "=" || after.first == "," ? line : String(String.UnicodeScalarView(after))
}

/// Whether a name that this character follows directly is part of a Lua expression.
private func endsName(_ scalar: Unicode.Scalar) -> Bool { ".:[({=,".unicodeScalars.contains(scalar) }

private func isBlank(_ scalar: Unicode.Scalar) -> Bool {
  scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
}
