// Detects whether a line that is read as Lua was meant as a command, for "did you mean" in place of nil or a syntax
// error.
// Invariant: a pure function of the line; it never matches a line that Lua could run while its first name is nil.

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
    isAlone = rest.isEmpty
    isBeforeText = rest.first == "\"" || rest.first == "'"
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
