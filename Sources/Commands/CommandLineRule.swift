// Decides whether a line at the prompt is a command or Lua, by the rule of the contract ("The prompt"). Invariant: a
// pure function of the line and what is known; the same line in the same state is always read the same way.

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
