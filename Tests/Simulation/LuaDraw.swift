// Draws random scripts from the descriptions of the Lua API that `lua-types` writes, so that a new member is called as
// soon as it exists. Invariant: every statement runs in its own protected call, so a refused statement does not end
// the script; some scripts fail at their end.

import Files

struct LuaDraw {
  /// A function or a method, or a field that can be assigned.
  private struct Member {
    let owner: String
    let name: String
    let isField: Bool
    /// The types of the parameters, or of the field.
    let types: [String]
    /// The keys that the description names: `{prompt=, answer=}`.
    let keys: [String]
  }

  /// Whether scripts sign out half way through.
  var signsOut = false
  /// The name of what a script creates after signing out; no collection may ever contain it.
  static let afterSignOut = "after the sign-out"

  private let members: [Member]
  /// Modules that reach beyond what a plan simulates, or that prompt the user or exit.
  private static let skipped: Set<String> = [
    "auth", "shell", "plugins", "files", "deckhand", "texts", "settings", "text", "progress", "subscription", "command",
    "lines", "problem", "cards", "group", "choice", "value",
  ]

  /// - Parameter folder: the folder with the files that `lua-types` wrote.
  init(_ folder: String) throws {
    members = try Folder.names(in: folder).sorted().flatMap { name in
      let text = try FileText.read(folder + "/" + name, limit: 1 << 20, isInterrupted: { false })
      return LuaDraw.members(String(name.dropLast(4)), text ?? "")
    }
  }

  private static func members(_ owner: String, _ text: String) -> [Member] {
    guard !skipped.contains(owner) else { return [] }
    var found: [Member] = []
    var (types, keys): ([String], [String]) = ([], [])
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.split(separator: " ").map(String.init)
      if line.hasPrefix("---@field"), words.count > 2, !line.hasSuffix("(read only)") {
        found.append(Member(owner: owner, name: words[1], isField: true, types: [words[2]], keys: keysNamed(line)))
      } else if line.hasPrefix("---@param"), words.count > 2 {
        types.append(words[2])
      } else if line.hasPrefix("function "),
        let name = line.split(separator: "(").first?.split(whereSeparator: { ".: ".contains($0) }).last
      {
        found.append(Member(owner: owner, name: String(name), isField: false, types: types, keys: keys))
        (types, keys) = ([], [])
      } else if line.hasPrefix("---"), !line.hasPrefix("---@") {
        keys = keysNamed(line)
      } else if line.isEmpty {
        (types, keys) = ([], [])
      }
    }
    return found
  }

  /// Returns the words before each equals sign.
  private static func keysNamed(_ line: Substring) -> [String] {
    line.split(separator: "=").dropLast().compactMap { part in
      let name = String(part.reversed().prefix { $0.isLetter || $0 == "_" }.reversed())
      return name.isEmpty ? nil : name
    }
  }

  // MARK: Drawing

  func script(_ state: MachineState, _ chance: inout Random) -> String {
    let name = LuaDraw.quoted(chance.any(state.decks) ?? "A")
    var lines = [
      "local deck = decks.open(\(name)) or decks.create(\(name))", "local card = deck and deck:card(1)",
      "local note = card and card.note", "local notetype = note and note.type", "local document = documents.list()[1]",
      "local element = document and document.elements[1]", "local session = deck and deck:study{}",
      "local preset = presets.list()[1]", "local deck_options = deck and deck.options",
      "local note_fields = note and note.fields", "local lexicon = words.lexicon(\"english\")",
      "local mode = games.modes()[1]", "local game = games.new{language = \"english\", base = \"cambering\"}",
    ]
    for _ in 0..<chance.number(1...8) { lines.append("pcall(function() \(statement(&chance)) end)") }
    if signsOut {
      // Also read the objects that an earlier script kept.
      lines.insert("for _, thing in ipairs(kept or {}) do print(pcall(function() return thing.name end)) end", at: 0)
      lines.append("kept = {deck, card, note, document, preset}")
      if chance.happens(onceIn: 3) {
        lines.append("auth.logout()")
        lines.append("pcall(function() decks.create(\"\(LuaDraw.afterSignOut)\") end)")
        lines.append("print(pcall(function() return deck.name, card.prompt end))")
        lines.append("pcall(function() deck:add{prompt = \"\(LuaDraw.afterSignOut)\", answer = \"x\"} end)")
      }
    }
    if chance.happens(onceIn: 5) { lines.append("error(\"stop\")") }
    return lines.joined(separator: "\n") + "\n"
  }

  private func statement(_ chance: inout Random) -> String {
    let member = chance.pick(members)
    if member.isField { return "\(member.owner).\(member.name) = \(value(member.types[0], member.keys, &chance))" }
    let isModule = ["decks", "notetypes", "documents", "media", "presets", "words", "games"].contains(member.owner)
    let given = member.types.map { value($0, member.keys, &chance) }.joined(separator: ", ")
    return "return \(member.owner)\(isModule ? "." : ":")\(member.name)(\(given))"
  }

  private func value(_ type: String, _ keys: [String], _ chance: inout Random) -> String {
    if chance.happens(onceIn: 25) { return chance.pick(["nil", "{}", "0", "\"\"", "true", "function() end"]) }
    let kind = chance.pick(type.split(separator: "|").map(String.init))
    let plain = kind.hasSuffix("?") ? String(kind.dropLast()) : kind
    switch plain {
    case "string":
      return LuaDraw.quoted(chance.happens(onceIn: 4) ? chance.pick(OddWords.list) : OddWords.text(&chance))
    case "integer", "number": return chance.pick(["1", "2", "0", "-1", "0.5", "7", "1e9", "math.maxinteger"])
    case "boolean": return chance.pick(["true", "false"])
    case "string[]":
      return "{"
        + (0..<chance.number(0...3)).map { _ in LuaDraw.quoted(chance.pick(OddWords.tags)) }.joined(separator: ", ")
        + "}"
    case "table": return table(keys, &chance)
    case "function": return iterator(&chance)
    default:
      return plain.hasSuffix("[]") ? "{\(value(String(plain.dropLast(2)), keys, &chance))}" : plain
    }
  }

  private func table(_ keys: [String], _ chance: inout Random) -> String {
    if keys.isEmpty || keys == ["on_duplicate"] {
      return "{" + (0..<chance.number(0...3)).map { _ in card(&chance) }.joined(separator: ", ") + "}"
    }
    let given = keys.filter { _ in !chance.happens(onceIn: 3) }
    return "{" + given.map { "\($0) = \(value(ofKey: $0, &chance))" }.joined(separator: ", ") + "}"
  }

  private func card(_ chance: inout Random) -> String {
    "{prompt = \(LuaDraw.quoted(OddWords.text(&chance))), answer = \(LuaDraw.quoted(OddWords.text(&chance)))}"
  }

  private func value(ofKey key: String, _ chance: inout Random) -> String {
    switch key {
    case "tags": "{" + LuaDraw.quoted(chance.pick(OddWords.tags)) + "}"
    case "fields":
      "{Front = \(LuaDraw.quoted(OddWords.text(&chance))), Back = \(LuaDraw.quoted(OddWords.text(&chance)))}"
    case "at", "position", "limit", "seconds", "minutes", "x", "y", "width", "height", "rotation":
      String(chance.number(0...9))
    case "mode": chance.pick(["\"review\"", "\"sprint\"", "\"classic\""])
    case "language": "\"english\""
    case "base": LuaDraw.quoted(chance.pick(OddWords.list))
    case "length", "min": String(chance.number(0...9))
    case "on_duplicate": chance.pick(["\"skip\"", "\"update\"", "\"error\""])
    case "type": chance.pick(["\"Basic\"", "\"Cloze\"", "\"Basic (and reversed card)\"", "notetype"])
    case "color", "background": "{0.1, 0.5, \(chance.number(0...1))}"
    case "date": "\"2026-01-0\(chance.number(1...9))\""
    case "recall": "0.9"
    case "cram", "schedule", "cloze", "strict", "dry_run": chance.pick(["true", "false"])
    default: LuaDraw.quoted(OddWords.text(&chance))
    }
  }

  /// Iterates over cards and does something else between them.
  private func iterator(_ chance: inout Random) -> String {
    let between = chance.pick([
      "", "deck:add(\(card(&chance)))", "error(\"no\")", "card:remove()", "decks.remove(deck.name)",
      "coroutine.yield()", "deck:add_all{\(card(&chance))}", "deck.name = \"A::B\"",
      "deck:add_all(coroutine.wrap(function() coroutine.yield(\(card(&chance))) error(\"inner\") end))",
      "deck:add_all(coroutine.wrap(function() for _ = 1, 3 do coroutine.yield(\(card(&chance))) end end))",
      "files.write(\"inner.csv\", \"a,b\\nc,d\\n\") deck:import(\"inner.csv\")", "auth.logout()",
      "deck:export(\"inner.json\")",
    ])
    return "(function() local n = 0 return function() n = n + 1 if n == 2 then \(between) end if n < 4 then return "
      + "{prompt = \"p\" .. n, answer = \(LuaDraw.quoted(OddWords.text(&chance)))} end end end)()"
  }

  /// Returns the text as a Lua string literal.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += "\\" + String(UnicodeScalar(byte))
      case 0x20..<0x7F: result += String(UnicodeScalar(byte))
      default:
        let digits = String(byte)
        result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    }
    return result + "\""
  }
}
