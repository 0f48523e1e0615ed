// `help` for the Lua side, from the descriptions of modules and bound types. Invariant: it says exactly what the
// reference says; each example is a line that runs at the prompt when there is a deck Spanish with cards, a document
// and the files it names (a test runs all of them).

import Commands
import LuaRuntime
import Text

/// A module or a type with its members, or one of these.
struct LuaEntry {
  /// As `help` takes it: `decks`, `decks.create`, `deck:add`.
  let name: String
  /// How a member is used: `decks.create(name: string) -> deck | nil, problem`; empty for a module or a type.
  var signature = ""
  let words: String
  /// A line that can be typed.
  let example: String
  var isFunction = false
  var members: [LuaEntry] = []

  /// The help, wrapped to the width: a continued line keeps its indentation, that of a signature gets two more columns.
  func lines(within width: Int) -> [String] {
    let whole =
      signature.isEmpty
      ? ([words, ""] + members.map { "  \($0.signature)\n      \($0.words)" }).flatMap(\.lines).map(String.init)
      : [signature, "", words]
    return whole.enumerated().flatMap { number, line in
      let own = line.prefix { $0 == " " }.count
      let isSignature = own == 2 || !signature.isEmpty && number == 0
      let indent = String(repeating: " ", count: own + (isSignature ? 2 : 0))
      return line.lines(within: width, indent: indent, breaksWords: false)
    }
  }
}

extension LuaState {
  /// The modules, then the types, each with its fields before its functions.
  var helpEntries: [LuaEntry] { modules.map(entry) + types.map(entry) }

  /// Each entry of help, and after it its members; without the fields that have any name.
  var allHelpEntries: [LuaEntry] {
    helpEntries.flatMap { [$0] + $0.members }.filter { !$0.name.hasSuffix(".NAME") }
  }

  private func entry(_ module: ModuleDescription) -> LuaEntry {
    let name = module.name
    let fields = module.fields.map { field in
      let path = "\(name).\(field.name)"
      return LuaEntry(name: path, signature: "\(path): \(field.type)", words: field.help, example: path)
    }
    return LuaEntry(
      name: name, words: module.words, example: "shell.print(\(name))",
      members: fields + module.functions.map { entry($0, name + ".", on: name + ".") })
  }

  private func entry(_ type: TypeDescription) -> LuaEntry {
    let (name, object) = (type.name, type.example ?? type.name)
    func field(_ own: String, _ type: LuaType, isWritable: Bool, _ words: String, _ value: String?) -> LuaEntry {
      LuaEntry(
        name: "\(name).\(own)", signature: "\(name).\(own): \(type)\(isWritable ? "  (writable)" : "")", words: words,
        example: "\(object).\(own)" + (value.map { " = \($0)" } ?? ""))
    }
    let fields = type.fields.map { field($0.name, $0.type, isWritable: $0.isWritable, $0.words, $0.example) }
    let any = type.anyField.map { [field("NAME", $0.type, isWritable: true, $0.words, nil)] } ?? []
    return LuaEntry(
      name: name, words: type.words, example: type.example ?? "shell.print(\(name))",
      members: fields + any + type.methods.map { entry($0, name + ":", on: object + ":") })
  }

  /// - Parameters:
  ///   - start: what its name begins with: `deck:`.
  ///   - object: the expression that its example begins with.
  private func entry(_ function: FunctionDescription, _ start: String, on object: String) -> LuaEntry {
    LuaEntry(
      name: start + function.name, signature: function.signature(on: start, separator: ""), words: function.words,
      example: object + function.name + (function.example ?? "()"), isFunction: true)
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
    guard let command = session.registry.command(of: words.map(\.text)) else {
      do { return try session.registry.helpText(for: [first.text], width: width) } catch {
        // Words that name no topic have no help.
        return [nothing]
      }
    }
    // When the cursor is on an option, only that option is explained.
    if let word = words.first(where: { $0.range.contains(cursor) || $0.range.upperBound == cursor }),
      let option = command.options.first(where: { $0.name == String(word.text.split(at: "=", maxSplits: 1)[0]) })
    {
      return wrapped("\(option.name)\(option.valueName.map { " " + $0 } ?? ""): \(option.help)", width: width)
    }
    return command.usageLines + wrapped(command.summary, width: width)
      + command.arguments.filter { !$0.help.isEmpty }.map { "  \($0.name)  \($0.help)".cut(to: width) }
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
    let entry = session.lua.allHelpEntries.first { $0.name == name }
    return entry.map { Array($0.lines(within: width).prefix(12)) } ?? [nothing]
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
