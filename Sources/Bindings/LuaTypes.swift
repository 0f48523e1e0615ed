// The `---@meta` files of `lua-types`, for LuaLS: everything that Lua sees, made from the descriptions of bound types
// and modules. Invariant: only what belongs to none of them is written by hand: problem, arg, and the globals of a
// plugin's tests and of the scripts of `build`.

public import LuaRuntime

/// Returns one file for each module and each type, and `problem.lua` for what belongs to none.
public func luaTypeFiles(types: [TypeDescription], modules: [ModuleDescription]) -> [(name: String, text: String)] {
  let moduleNames = modules.map(\.name)
  let files =
    modules.map { ($0.name + ".lua", stub(of: $0, holding: $0.name == "deckhand" ? moduleNames : [])) }
    + types.map { ($0.name + ".lua", stub(of: $0)) }
    + [("problem.lua", String(decoding: PackageResources.problem_lua, as: UTF8.self))]
  return files.map { (name: $0.0, text: "---@meta\n\n" + $0.1) }.sorted { $0.name < $1.name }
}

/// Returns the class name of a module, which differs from all types: `game` is a type, `games` a module.
private func className(of module: String) -> String { module + "_module" }

private func stub(of module: ModuleDescription, holding members: [String]) -> String {
  var lines = comment(module.words) + ["---@class \(className(of: module.name))"]
  lines += module.fields.map { "---@field \($0.name) \(annotation($0.type)) \($0.help) (read only)" }
  lines += members.filter { $0 != module.name }.map { "---@field \($0) \(className(of: $0))" }
  lines += ["\(module.name) = {}", ""]
  for function in module.functions { lines += stub(of: function, on: module.name + ".") }
  return lines.joined(separator: "\n")
}

private func stub(of type: TypeDescription) -> String {
  var lines = comment(type.words) + ["---@class \(type.name)"]
  lines += type.fields.map { field in
    "---@field \(field.name) \(annotation(field.type)) \(field.words)\(field.isWritable ? "" : " (read only)")"
  }
  if let any = type.anyField { lines.append("---@field [string] \(annotation(any.type)) \(any.words)") }
  lines += ["local \(type.name) = {}", ""]
  for method in type.methods { lines += stub(of: method, on: type.name + ":") }
  return lines.joined(separator: "\n")
}

private func stub(of function: FunctionDescription, on owner: String) -> [String] {
  var lines = comment(function.words)
  var names: [String] = []
  for parameter in function.parameters {
    switch parameter.type {
    case .variadic(let type):
      names.append("...")
      lines.append("---@param ... \(annotation(type)) \(parameter.name)")
    case .optional(let type):
      names.append(parameter.name)
      lines.append("---@param \(parameter.name)? \(annotation(type))")
    default:
      names.append(parameter.name)
      lines.append("---@param \(parameter.name) \(annotation(parameter.type))")
    }
  }
  if function.failsSoftly {
    lines += ["---@return \(annotation(.optional(function.returns)))", "---@return problem? problem"]
  } else if function.returns != .nothing {
    lines.append("---@return \(annotation(function.returns))")
  }
  return lines + ["function \(owner)\(function.name)(\(names.joined(separator: ", "))) end", ""]
}

private func comment(_ help: String) -> [String] {
  help.split(separator: "\n", omittingEmptySubsequences: false).map { "---\($0)" }
}

private func annotation(_ type: LuaType) -> String {
  switch type {
  case .list(.oneOf(let types)): "(\(annotation(.oneOf(types))))[]"
  case .list(let element): "\(annotation(element))[]"
  case .oneOf(let types): types.map(annotation).joined(separator: "|")
  case .optional(.oneOf(let types)): annotation(.oneOf(types + [.nothing]))
  case .optional(.optional(let type)): annotation(.optional(type))
  case .optional(let type): "\(annotation(type))?"
  case .variadic(let type): annotation(type)
  case .iterator(let element): "fun(): \(annotation(.optional(element)))"
  // The other types have the same names in LuaLS.
  default: type.description
  }
}
