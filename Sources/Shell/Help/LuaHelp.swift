// `help` for the Lua side, from the descriptions of modules and bound types. Invariant: it says exactly what the
// reference says; each example is a line that runs at the prompt when there is a deck Spanish with cards, a document
// and the files it names (a test runs all of them).

import Commands
import LuaRuntime
import Text

struct LuaHelp {
  let lua: LuaState

  /// The names of modules and types, and of members such as `decks.create` and `deck:add`.
  var names: [String] {
    var names: [String] = []
    for module in lua.modules { names += [module.name] + module.memberNames.map { "\(module.name).\($0)" } }
    for type in lua.types {
      names.append(type.name)
      names += type.fields.map { "\(type.name).\($0.name)" }
      names += type.methods.map { "\(type.name):\($0.name)" }
    }
    return names
  }

  /// The help for a name of the Lua side; nil when there is no such name.
  func lines(of name: String) -> [String]? {
    if let module = lua.modules.first(where: { $0.name == name }) { return lines(module) }
    if let type = lua.types.first(where: { $0.name == name }) { return lines(type) }
    guard let split = name.firstIndex(where: { $0 == "." || $0 == ":" }) else { return nil }
    let (owner, member) = (String(name[..<split]), String(name[name.index(after: split)...]))
    return memberLines(owner, member)
  }

  /// The same, wrapped to the width: a continued line keeps its indentation, that of a signature gets two more columns.
  func lines(of name: String, within width: Int) -> [String]? {
    let isMember = name.contains { $0 == "." || $0 == ":" }
    return lines(of: name)?.enumerated().flatMap { number, line in
      let own = line.prefix { $0 == " " }.count
      let isSignature = own == 2 || (isMember && number == 0)
      let indent = String(repeating: " ", count: own + (isSignature ? 2 : 0))
      return line.lines(within: width, indent: indent, breaksWords: false)
    }
  }

  private func lines(_ module: ModuleDescription) -> [String] {
    let fields = module.fields.map { "  \(module.name).\($0.name): \($0.type)\n      \($0.help)" }
    let functions = module.functions.map { "  \($0.signature(on: module.name, separator: "."))\n      \($0.words)" }
    return split([module.words, ""] + fields + functions)
  }

  private func lines(_ type: TypeDescription) -> [String] {
    let fields = type.fields.map {
      "  \(type.name).\($0.name): \($0.type)\($0.isWritable ? "  (writable)" : "")\n      \($0.words)"
    }
    let any = type.anyField.map { ["  \(type.name).NAME: \($0.type)  (writable)\n      \($0.words)"] } ?? []
    let methods = type.methods.map { "  \($0.signature(on: type.name, separator: ":"))\n      \($0.words)" }
    return split([type.words, ""] + fields + any + methods)
  }

  private func memberLines(_ owner: String, _ member: String) -> [String]? {
    if let module = lua.modules.first(where: { $0.name == owner }) {
      if let function = module.functions.first(where: { $0.name == member }) {
        return [function.signature(on: owner, separator: "."), "", function.words]
      }
      if let field = module.fields.first(where: { $0.name == member }) {
        return ["\(owner).\(field.name): \(field.type)", "", field.help]
      }
    }
    guard let type = lua.types.first(where: { $0.name == owner }) else { return nil }
    if let method = type.methods.first(where: { $0.name == member }) {
      return [method.signature(on: owner, separator: ":"), "", method.words]
    }
    guard let field = type.fields.first(where: { $0.name == member }) else { return nil }
    return ["\(owner).\(field.name): \(field.type)\(field.isWritable ? "  (writable)" : "")", "", field.words]
  }

  /// An example line for a member (`deck:add`, `deck.count`, `decks.open`), a module or a type.
  func example(of name: String) -> String {
    if let example = lua.types.first(where: { $0.name == name })?.example { return example }
    guard let split = name.firstIndex(where: { $0 == "." || $0 == ":" }) else { return "shell.print(\(name))" }
    let (owner, member) = (String(name[..<split]), String(name[name.index(after: split)...]))
    if let type = lua.types.first(where: { $0.name == owner }), let object = type.example {
      if let method = type.methods.first(where: { name[split] == ":" && $0.name == member }) {
        return object + ":" + member + (method.example ?? "()")
      }
      let value = type.fields.first { $0.name == member }?.example
      return "\(object).\(member)" + (value.map { " = \($0)" } ?? "")
    }
    let function = lua.modules.first { $0.name == owner }?.functions.first { $0.name == member }
    return name + (function.map { $0.example ?? "()" } ?? "")
  }

  private func split(_ lines: [String]) -> [String] {
    lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
  }
}

struct HelpAtCursor {
  let session: Session

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
    do { return try session.registry.helpText(for: words, width: width) } catch {
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
    return LuaHelp(lua: session.lua).lines(of: name, within: width).map { Array($0.prefix(12)) } ?? [nothing]
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
