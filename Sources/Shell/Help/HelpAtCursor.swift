// Alt-H: a few lines of help for the word at the cursor. Invariant: a word without help gets a message saying so;
// nothing is run.

import Commands
import LuaRuntime
import Text

struct HelpAtCursor {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// - Parameter cursor: the byte offset in the line.
  func lines(_ line: String, cursor: Int, after chunk: String = "") -> [String] {
    if chunk.isEmpty, isCommand(line, in: session) { return commandLines(line, cursor) }
    return luaLines(chunk.isEmpty ? line : chunk + "\n" + line, cursor + (chunk.isEmpty ? 0 : chunk.utf8.count + 1))
  }

  private var width: Int { min(100, session.console.terminal.width) }

  private func commandLines(_ line: String, _ cursor: Int) -> [String] {
    let words = ShellWords.placed(line)
    guard let first = words.first else { return [nothing] }
    let group = session.registry.group(first.text)
    let second = words.dropFirst().first?.text
    guard
      let command = group?.commands.first(where: { $0.path[1] == second })
        ?? session.registry.command(named: first.text)
    else { return texts([first.text]) }
    // When the cursor is on an option, only that option is explained.
    if let word = words.first(where: { $0.range.contains(cursor) || $0.range.upperBound == cursor }),
      let option = command.options.first(where: { $0.name == String(word.text.split(at: "=", maxSplits: 1)[0]) })
    {
      return wrapped("\(option.name)\(option.valueName.map { " " + $0 } ?? ""): \(option.help)", width: width)
    }
    return command.usageLines + wrapped(command.summary, width: width)
      + command.arguments.filter { !$0.help.isEmpty }.map { "  \($0.name)  \($0.help)".cut(to: width) }
  }

  private func texts(_ words: [String]) -> [String] {
    do {
      return try session.registry.helpText(for: words, width: width)
    } catch {
      // Words that name no topic have no help.
      return [nothing]
    }
  }

  private func luaLines(_ text: String, _ cursor: Int) -> [String] {
    let tokens = luaTokens(text)
    guard let index = tokens.lastIndex(where: { $0.range.lowerBound <= cursor && $0.kind == .name }) else {
      return [nothing]
    }
    let upTo = String(decoding: Array(text.utf8)[..<tokens[index].range.upperBound], as: UTF8.self)
    let typing = LuaTyping(session.lua, chunk: upTo)
    var name = tokens[index].text
    if let member = typing.memberAtEnd(), let owner = member.of {
      name = fullName(member.word, of: typing.plain(owner)) ?? name
    }
    return LuaHelp(session.lua).lines(of: name, within: width).map { Array($0.prefix(12)) } ?? [nothing]
  }

  /// The full name as help lists it: `deck:add`, `deck.count`, `decks.open`.
  private func fullName(_ word: String, of owner: LuaKnown) -> String? {
    switch owner {
    case .path(let path): return (path + [word]).joined(separator: ".")
    case .type(.object(let type)):
      let isMethod = session.lua.types.first { $0.name == type }?.methods.contains { $0.name == word } ?? false
      return type + (isMethod ? ":" : ".") + word
    default: return nil
    }
  }

  private var nothing: String { "No help for this word; `help` lists commands and topics." }
}
