// The colours of a line while it is typed: a command and its options, or Lua. Invariant: a part coloured as unknown
// would fail if the line were run as it is; the line is parsed as the prompt will parse it.

import Commands
import LuaRuntime
import Text

struct LineStyles {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// - Parameters:
  ///   - cursor: the byte offset of the cursor.
  ///   - chunk: the preceding lines of an unfinished chunk of Lua.
  func parts(_ line: String, cursor: Int, after chunk: String = "") -> [StyledPart] {
    if chunk.isEmpty, isCommand(line, in: session) { return commandParts(line) }
    return luaParts(line, cursor: cursor, after: chunk)
  }

  // MARK: Commands

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

  // MARK: Lua

  private func luaParts(_ line: String, cursor: Int, after chunk: String) -> [StyledPart] {
    let before = chunk.isEmpty ? "" : chunk + "\n"
    let shift = before.utf8.count
    let tokens = luaTokens(before + line)
    let locals = LuaTyping(session.lua, chunk: before + line).localNames
    var parts: [StyledPart] = []
    for (index, token) in tokens.enumerated() where token.range.upperBound > shift {
      guard let style = style(of: token, at: index, in: tokens, locals) else { continue }
      parts.append(StyledPart(max(0, token.range.lowerBound - shift)..<(token.range.upperBound - shift), style))
    }
    return parts
      + brackets(tokens, cursor: cursor + shift).map { part in
        StyledPart(max(0, part.range.lowerBound - shift)..<max(0, part.range.upperBound - shift), part.style)
      }
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
  private func brackets(_ tokens: [LuaToken], cursor: Int) -> [StyledPart] {
    var open: [LuaToken] = []
    var parts: [StyledPart] = []
    for token in tokens where token.kind == .symbol {
      switch token.text {
      case "(", "[", "{": open.append(token)
      case ")", "]", "}":
        guard let start = open.popLast(), Self.pairs[start.text] == token.text else {
          parts.append(StyledPart(token.range, .wrongBracket))
          continue
        }
        let isAt = [start.range.lowerBound, token.range.lowerBound, token.range.upperBound].contains(cursor)
        if isAt { parts += [StyledPart(start.range, .bracket), StyledPart(token.range, .bracket)] }
      default: break
      }
    }
    return parts
  }

  private static let pairs = ["(": ")", "[": "]", "{": "}"]
}
