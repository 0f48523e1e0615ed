// Decides whether a line at the prompt is a command or Lua, by the rule of the contract ("The prompt"), and whether a
// line of Lua was meant as a command. Invariant: pure functions of the line and what is known.

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

/// A line is a command if its first word names one, unless the word is followed directly by one of `. : [ ( {`, or
/// after optional spaces by `=` or `,`, or is alone and also a global that the user has set. `lua ...` and `=...` are
/// Lua.
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
