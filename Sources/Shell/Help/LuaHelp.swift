// `help` for the Lua side, from the descriptions of modules and bound types. Invariant: it says exactly what the
// reference says; each example is a line that runs at the prompt when there is a deck Spanish with cards, a document
// and the files it names (a test runs all of them).

import LuaRuntime
import Problems
import Text

/// The help texts of a Lua state.
struct LuaHelp {
  let lua: LuaState

  init(_ lua: LuaState) { self.lua = lua }

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
