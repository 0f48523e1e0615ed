// `help` for the Lua side, from the descriptions of modules and bound types. Invariant: it says exactly what the
// reference says.

import LuaRuntime
import Problems
import Text

/// The help of a Lua state.
struct LuaHelp {
  let lua: LuaState

  init(_ lua: LuaState) { self.lua = lua }

  /// Modules, types, `decks.create`, `deck:add`.
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

  /// What there is to say of a name of the Lua side; nil when it is none.
  func lines(of name: String) -> [String]? {
    if let module = lua.modules.first(where: { $0.name == name }) { return lines(module) }
    if let type = lua.types.first(where: { $0.name == name }) { return lines(type) }
    guard let split = name.firstIndex(where: { $0 == "." || $0 == ":" }) else { return nil }
    let (owner, member) = (String(name[..<split]), String(name[name.index(after: split)...]))
    return memberLines(owner, member)
  }

  private func lines(_ module: ModuleDescription) -> [String] {
    let fields = module.fields.map { "  \(module.name).\($0.name): \($0.type)\n      \($0.help)" }
    let functions = module.functions.map { "  \($0.signature(on: module.name, separator: "."))\n      \($0.help)" }
    return split([module.help, ""] + fields + functions)
  }

  private func lines(_ type: TypeDescription) -> [String] {
    let fields = type.fields.map {
      "  \(type.name).\($0.name): \($0.type)\($0.isWritable ? "  (writable)" : "")\n      \($0.help)"
    }
    let any = type.anyField.map { ["  \(type.name).NAME: \($0.type)  (writable)\n      \($0.help)"] } ?? []
    let methods = type.methods.map { "  \($0.signature(on: type.name, separator: ":"))\n      \($0.help)" }
    return split([type.help, ""] + fields + any + methods)
  }

  private func memberLines(_ owner: String, _ member: String) -> [String]? {
    if let module = lua.modules.first(where: { $0.name == owner }) {
      if let function = module.functions.first(where: { $0.name == member }) {
        return [function.signature(on: owner, separator: "."), "", function.help]
      }
      if let field = module.fields.first(where: { $0.name == member }) {
        return ["\(owner).\(field.name): \(field.type)", "", field.help]
      }
    }
    guard let type = lua.types.first(where: { $0.name == owner }) else { return nil }
    if let method = type.methods.first(where: { $0.name == member }) {
      return [method.signature(on: owner, separator: ":"), "", method.help]
    }
    guard let field = type.fields.first(where: { $0.name == member }) else { return nil }
    return ["\(owner).\(field.name): \(field.type)\(field.isWritable ? "  (writable)" : "")", "", field.help]
  }

  private func split(_ lines: [String]) -> [String] {
    lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
  }
}
