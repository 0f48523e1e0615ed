// Tab at the prompt, and the colours of a line while it is typed. Invariant: the line is parsed as the prompt will
// parse it; a part coloured as unknown would fail if the line were run as it is.

import Commands
import LuaRuntime
import Text

struct LineCompletion {
  let session: Session

  /// The completions for the line before the cursor.
  /// - Parameter chunk: the lines before it, when it continues a chunk of Lua.
  func completion(_ line: String, after chunk: String = "") -> Completion {
    if !chunk.isEmpty { return luaCompletion(line, after: chunk + "\n") }
    if isCommand(line, in: session) { return commandCompletion(line) }
    let lua = luaCompletion(line, after: "")
    // The first word may be a prefix of a command.
    guard line.utf8.allSatisfy({ isNameByte($0) || $0 == UInt8(ascii: "-") }) else { return lua }
    let commands = session.registry.completions(line: line, sources: sources).candidates
    let names = Set(commands.map(\.shown))
    return Completion(wordStart: 0, candidates: commands + lua.candidates.filter { !names.contains($0.shown) })
  }

  /// The list that the user sees for an empty line: the first words of commands by theme, then Lua's names.
  var allLines: [String] {
    let width = session.console.terminal.width
    let themes = session.registry.wordsByTheme.map { ($0.theme, $0.words) }
    let words = Set(session.registry.firstWords)
    let lua = luaCompletion("", after: "").candidates.map(\.shown).filter { !words.contains($0) }
    return (themes + [("Lua", lua)]).flatMap { title, names in
      [session.console.terminal.styled(title, .bold)]
        + columns(names.map { printable($0) }, width: width - 2).map { "  " + $0 }
    }
  }

  private func commandCompletion(_ line: String) -> Completion {
    let signs = ShellWords.placed(line).last { !$0.isQuoted && ["|", ">", ">>"].contains($0.text) }
    guard let sign = signs, sign.range.upperBound < line.utf8.count else {
      return session.registry.completions(line: line, sources: sources)
    }
    // After `>` comes a file; after `|` comes another program with its arguments.
    let partial = ShellWords.partial(line)
    let offers = partial.start > sign.range.upperBound ? sources.paths(partial.word, false).map { Offer(path: $0) } : []
    return Completion(wordStart: partial.start, candidates: offers.map(partial.candidate(for:)))
  }

  private var sources: CompletionSources { NameOffers(session: session).sources }

  /// - Parameter before: the text before the line in its chunk.
  private func luaCompletion(_ line: String, after before: String) -> Completion {
    let nothing = Completion(wordStart: line.utf8.count, candidates: [])
    let text = before + line
    let last = luaTokens(text).last
    if let last, last.isComment, last.range.upperBound == text.utf8.count { return nothing }
    let typing = LuaTyping(session.lua, chunk: text)
    if let last, case .string(isClosed: false) = last.kind {
      return stringCompletion(last, typing, shift: before.utf8.count) ?? nothing
    }
    if let member = typing.memberAtEnd(), isAtEnd(last, of: text) {
      let own = member.isMethod ? [] : ownFields(before: text)
      return completion(line, member.word, members(of: member.of, isMethod: member.isMethod) + own)
    }
    // After whitespace a new name begins.
    let isInName = isAtEnd(last, of: text) && (last?.kind == .name || last?.kind == .keyword)
    if isAtEnd(last, of: text), !isInName, last?.kind != .symbol { return nothing }
    return completion(line, isInName ? last?.text ?? "" : "", names(typing))
  }

  private func isAtEnd(_ token: LuaToken?, of text: String) -> Bool {
    token.map { $0.range.upperBound == text.utf8.count } ?? false
  }

  private func completion(_ line: String, _ word: String, _ names: [LuaName]) -> Completion {
    Completion(
      wordStart: line.utf8.count - word.utf8.count,
      candidates: names.filter { $0.name.hasPrefix(word) }.sorted { $0.name < $1.name }.map {
        Candidate($0.name, suffix: $0.isFunction ? "(" : "", help: $0.help)
      })
  }

  private struct LuaName {
    let name: String
    var isFunction = false
    var help = ""
  }

  /// The locals of the chunk, then the globals.
  private func names(_ typing: LuaTyping) -> [LuaName] {
    let locals = typing.localNames.reversed().map { LuaName(name: $0, help: "local") }
    return (locals + members(of: .path([]), isMethod: false)).distinct(by: \.name)
  }

  private func members(of known: LuaKnown?, isMethod: Bool) -> [LuaName] {
    guard let known else { return [] }
    switch LuaTyping(session.lua, chunk: "").plain(known) {
    case .path(let path): return members(at: path)
    case .type(.object(let name)):
      guard let type = session.lua.types.first(where: { $0.name == name }) else { return [] }
      let fields = type.fields.map { LuaName(name: $0.name, help: firstSentence($0.help)) }
      return (isMethod ? [] : fields) + type.methods.map(name(of:))
    case .type(.string): return isMethod ? members(at: ["string"]) : []
    default: return []
    }
  }

  /// The fields that only this object has, such as those of a note, if they can be written after a dot.
  private func ownFields(before text: String) -> [LuaName] {
    let path = String(text.reversed().prefix { $0 == "." || $0 == "_" || $0.isLetter || $0.isNumber }.reversed())
      .split(separator: ".", omittingEmptySubsequences: false).dropLast().map(String.init)
    if path.isEmpty || path.contains("") { return [] }
    do {
      guard case .object(let type, let object)? = try session.lua.inspect(path: path) else { return [] }
      return try (type.anyField?.names(object) ?? []).filter(\.isLuaName).map { LuaName(name: $0) }
    } catch {
      // A closed state or an object that no longer exists has no completions.
      return []
    }
  }

  private func name(of function: FunctionDescription) -> LuaName {
    LuaName(name: function.name, isFunction: true, help: firstSentence(function.help))
  }

  private func members(at path: [String]) -> [LuaName] {
    do {
      guard case .table(let keys)? = try session.lua.inspect(path: path) else { return [] }
      let module = path.count == 1 ? session.lua.modules.first { $0.name == path[0] } : nil
      let helps = Dictionary(
        firstOf: (module?.functions.map { ($0.name, $0.help) } ?? [])
          + (path.isEmpty ? session.lua.modules : []).map { ($0.name, $0.help) })
      let fields = (module?.fields ?? []).map { LuaName(name: $0.name, help: firstSentence($0.help)) }
      return keys.map { LuaName(name: $0.name, isFunction: $0.isFunction, help: firstSentence(helps[$0.name] ?? "")) }
        + fields
    } catch {
      // A closed state has no completions.
      return []
    }
  }

  /// Completions for an open string, according to the function whose argument it is.
  private func stringCompletion(_ token: LuaToken, _ typing: LuaTyping, shift: Int) -> Completion? {
    guard let call = typing.openCall(), let kind = LuaArguments.kind(of: call), let quote = token.text.first,
      quote != "["
    else { return nil }
    let content = token.stringContent
    let start = token.range.lowerBound + 1 - shift
    guard start >= 0 else { return nil }
    if kind == .command {
      let found = session.registry.completions(line: content, sources: sources)
      return Completion(wordStart: start + found.wordStart, candidates: found.candidates)
    }
    let offers = session.registry.offers(kind, content, sources)
    return Completion(
      wordStart: start,
      candidates: offers.map { offer in
        let text = offer.text.replacing(text: "\\", with: "\\\\").replacing(text: "\(quote)", with: "\\\(quote)")
        return Candidate(text, shown: offer.shown, suffix: offer.isOpen ? "" : String(quote), help: offer.help)
      })
  }
}

/// The start of a help text, up to its first full stop.
func firstSentence(_ help: String) -> String {
  var end = help.startIndex
  while let dot = help[end...].firstIndex(of: ".") {
    let next = help.index(after: dot)
    if next == help.endIndex || help[next] == " " || help[next] == "\n" { return String(help[..<dot]) }
    end = next
  }
  return help
}

/// The kinds of the string arguments of Lua functions, for Tab within the quotes.
enum LuaArguments {
  /// Kinds by function name; a field of a table argument is appended after a dot.
  static let kinds: [String: ValueKind] = [
    "decks.open": .deck, "decks.remove": .deck, "deck:find": .query, "deck:cards": .query, "deck:stats": .query,
    "deck:study.query": .query, "deck:study.mode": .choice(["review", "sprint"]), "deck:study.exercise": .exercise,
    "deck:import": .file,
    "deck:export": .file, "session:answer": .choice(["again", "hard", "good", "easy", "right", "wrong"]),
    "documents.open": .document, "document:add_image": .file, "document:render": .file, "words.lexicon": .language,
    "words.load": .file, "words.load.language": .language, "games.new.mode": .mode, "games.new.language": .language,
    "settings.get": .setting, "settings.set": .setting, "settings.reset": .setting, "settings.on_change": .setting,
    "plugins.info": .plugin, "plugins.enable": .plugin, "plugins.disable": .plugin, "plugins.reload": .plugin,
    "files.read": .file, "files.lines": .file, "files.write": .file, "media.add": .file, "shell.run": .command,
  ]

  static func kind(of call: (name: String, argument: Int, key: String?)) -> ValueKind? {
    if let key = call.key { return kinds["\(call.name).\(key)"] }
    return call.argument == 0 ? kinds[call.name] : nil
  }
}

/// Whether a line at the prompt is a command, not Lua.
func isCommand(_ line: String, in session: Session) -> Bool {
  isCommandLine(line, knows: session.knows, isUserGlobal: session.scripting.isUserGlobal)
}

extension UserScripting {
  func isUserGlobal(_ name: String) -> Bool { !ownGlobals.contains(name) && isGlobal(name) }

  func isGlobal(_ name: String) -> Bool {
    do { return try lua.inspect(path: [name]) != nil } catch {
      // Without a Lua state there are no globals.
      return false
    }
  }
}

struct LineStyles {
  let session: Session

  /// - Parameters:
  ///   - cursor: the byte offset of the cursor.
  ///   - chunk: the preceding lines of an unfinished chunk of Lua.
  func parts(_ line: String, cursor: Int, after chunk: String = "") -> [StyledPart] {
    if chunk.isEmpty, isCommand(line, in: session) { return commandParts(line) }
    let before = chunk.isEmpty ? "" : chunk + "\n"
    let shift = before.utf8.count
    let tokens = luaTokens(before + line)
    let typing = LuaTyping(session.lua, chunk: before + line)
    var parts: [StyledPart] = []
    for (index, token) in tokens.enumerated() where token.range.upperBound > shift {
      guard let style = style(of: token, at: index, in: tokens, typing.localNames) else { continue }
      parts.append(StyledPart(max(0, token.range.lowerBound - shift)..<(token.range.upperBound - shift), style))
    }
    return parts
      + brackets(typing, cursor: cursor + shift).map { part in
        StyledPart(max(0, part.range.lowerBound - shift)..<max(0, part.range.upperBound - shift), part.style)
      }
  }

  private func commandParts(_ line: String) -> [StyledPart] {
    var words = ShellWords.placed(line)[...]
    var parts: [StyledPart] = []
    if let sign = words.firstIndex(where: { !$0.isQuoted && ["|", ">", ">>"].contains($0.text) }) {
      parts.append(StyledPart(words[sign].range, .keyword))
      words = words[..<sign]
    }
    guard let first = words.popFirst() else { return parts }
    parts.append(StyledPart(first.range, .command))
    let command = command(first.text, &words, &parts)
    var takesOnlyValues = false
    for word in words {
      if word.isQuoted {
        parts.append(StyledPart(word.range, .string))
      } else if word.text == "--" {
        takesOnlyValues = true
      } else if word.text.hasPrefix("--"), !takesOnlyValues {
        let name = word.text.split(at: "=", maxSplits: 1)[0]
        let isKnown = command?.takes(option: String(name)) ?? true
        parts.append(StyledPart(word.range, isKnown ? .option : .unknown))
      }
    }
    return parts
  }

  /// The command that the first words name; an unknown second word is coloured as unknown.
  private func command(_ first: String, _ words: inout ArraySlice<PlacedWord>, _ parts: inout [StyledPart]) -> Command?
  {
    guard let group = session.registry.group(first) else { return session.registry.command(named: first) }
    guard let second = words.first, !second.text.hasPrefix("-") else { return nil }
    words.removeFirst()
    let command = group.commands.first { $0.path[1] == second.text }
    parts.append(StyledPart(second.range, command == nil ? .unknown : .command))
    return command
  }

  private func style(of token: LuaToken, at index: Int, in tokens: [LuaToken], _ locals: [String]) -> LineStyle? {
    switch token.kind {
    case .keyword: return .keyword
    case .number: return .number
    case .string: return .string
    case .comment: return .comment
    case .symbol: return nil
    case .name: break
    }
    if index > 0, [".", ":", "::"].contains(tokens[index - 1].text) { return nil }
    if index > 0, tokens[index - 1].isKeyword("goto") { return nil }
    // A field of a constructor, or the target of an assignment, need not exist.
    if index + 1 < tokens.count, tokens[index + 1].isSymbol("=") { return nil }
    if locals.contains(token.text) { return nil }
    if index == 0, token.text == "lua" { return .command }
    return session.scripting.isGlobal(token.text) ? .known : .unknown
  }

  /// The bracket at the cursor, or right before it, with its partner; also closing brackets without a partner.
  private func brackets(_ typing: LuaTyping, cursor: Int) -> [StyledPart] {
    zip(typing.tokens, typing.partners).filter { $0.0.closes }.flatMap { token, partner -> [StyledPart] in
      guard let start = partner.map({ typing.tokens[$0] }), Self.pairs[start.text] == token.text else {
        return [StyledPart(token.range, .wrongBracket)]
      }
      let isAt = [start.range.lowerBound, token.range.lowerBound, token.range.upperBound].contains(cursor)
      return isAt ? [StyledPart(start.range, .bracket), StyledPart(token.range, .bracket)] : []
    }
  }

  private static let pairs = ["(": ")", "[": "]", "{": "}"]
}
