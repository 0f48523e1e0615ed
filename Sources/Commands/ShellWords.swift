// Splits a line into words as a POSIX shell does, with quotes and backslashes, and quotes words that need it.
// Invariant: splitting `quote`d words gives the same words; nothing is expanded except a leading `~` or `~/`, and only
// if a home is given.

/// The quoting of the word under the cursor so far.
///
///     ShellWords.partial("show 'My de").quote   // .single
public enum QuoteState: Equatable, Sendable { case none, single, double }

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
  public let text: String
  /// In UTF-8 bytes of the line, including quotes.
  public let range: Range<Int>
  /// Whether any part of it is quoted or escaped by a backslash; it is then never an operator such as `|`.
  public let isQuoted: Bool
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
    return splitter.words.map { PlacedWord(text: $0.text, range: $0.start..<$0.end, isQuoted: $0.isQuoted) }
  }

  /// Splits the text before the cursor, for completion. Never fails.
  public static func partial(_ line: String) -> PartialLine {
    var splitter = Splitter(line)
    splitter.run()
    let last = splitter.current
    return PartialLine(
      words: splitter.words.map(\.text), word: last?.text ?? "", start: last?.start ?? line.utf8.count,
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
  /// extended, its escaped text begins with that of the shorter word; the common prefix of several candidates needs
  /// this.
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

  /// The characters that a backslash escapes between double quotes.
  fileprivate static func isSpecialInDouble(_ scalar: Unicode.Scalar) -> Bool {
    ["\"", "\\", "$", "`", "\n"].contains(scalar)
  }
}

/// Splits a line in one pass.
private struct Splitter {
  struct Word {
    var text = ""
    let start: Int
    var end = 0
    var hasTilde = false
    var isQuoted = false

    func path(home: String?) -> String {
      guard let home, hasTilde, text == "~" || text.hasPrefix("~/") else { return text }
      return home + text.dropFirst()
    }
  }

  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var byte = 0
  private(set) var words: [Word] = []
  private(set) var current: Word?
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
      word.end = end ?? byte - 1
      words.append(word)
    }
    current = nil
  }

  private mutating func next() -> Unicode.Scalar? {
    guard index < scalars.count else { return nil }
    let scalar = scalars[index]
    index += 1
    byte += scalar.utf8Length
    return scalar
  }

  private mutating func begin(after scalar: Unicode.Scalar) {
    if current == nil { current = Word(start: byte - scalar.utf8Length) }
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
    } else if scalar == "\\", index < scalars.count, ShellWords.isSpecialInDouble(scalars[index]) {
      if let escaped = next(), escaped != "\n" { add(escaped) }
    } else {
      add(scalar)
    }
  }

  private mutating func open(_ state: QuoteState) {
    current?.isQuoted = true
    quote = state
    quoteColumn = index
  }
}

extension Unicode.Scalar {
  fileprivate var utf8Length: Int { UTF8.width(self) }
}
