// Checks the annotations of the bundled plugins against the types that `lua-types` writes: reports unknown names as
// LuaLS would. Invariant: the check finds a faulty plugin, so its silence about a sound one means something.

import TestSupport
import Testing

/// The content of the generated files: the members of each class and module, and the result of each function.
private struct LuaTypes {
  /// Members by class; a module's class is named as its global.
  var members: [String: Set<String>] = [:]
  /// By `module.function`: the class of its first result.
  var results: [String: String] = [:]
  static let plain: Set<String> = [
    "string", "integer", "number", "boolean", "table", "any", "nil", "function", "fun", "userdata", "thread", "unknown",
    "self", "void", "true", "false",
  ]

  init(folder: String) {
    for file in names(in: folder) {
      var name = ""
      var result: String?
      for line in text(of: folder + "/" + file).split(separator: "\n").map(String.init) {
        if let found = line.firstMatch(of: /^---@class (\w+)/) {
          name = String(found.1).replacing(/_module$/, with: "")
          members[name] = members[name] ?? []
        } else if let found = line.firstMatch(of: /^---@field (\w+)/) {
          members[name, default: []].insert(String(found.1))
        } else if let found = line.firstMatch(of: /^---@return (\w+)/) {
          result = result ?? String(found.1)
        } else if let found = line.firstMatch(of: /^function (\w+)[.:](\w+)\(/) {
          members[String(found.1), default: []].insert(String(found.2))
          results["\(found.1).\(found.2)"] = result
          result = nil
        }
      }
    }
  }
}

/// Checks one file of a plugin, line by line.
private struct AnnotationCheck {
  let types: LuaTypes
  let file: String
  var faults: [String] = []
  private var classes: Set<String> = []
  /// The known types of the variables of the current function, and of the file.
  private var variables: [String: String] = [:]
  private var fileVariables: [String: String] = [:]
  private var parameters: [(name: String, type: String)] = []

  init(_ types: LuaTypes, file: String, _ text: String) {
    (self.types, self.file) = (types, file)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for line in lines { if let found = line.firstMatch(of: /^---@class (\w+)/) { classes.insert(String(found.1)) } }
    for (index, line) in lines.enumerated() { look(at: line, "\(file):\(index + 1)") }
  }

  private mutating func look(at line: String, _ place: String) {
    if line.hasPrefix("---@") { return annotation(line, place) }
    if let found = line.firstMatch(of: /\bfunction\s*[\w.:]*\s*\(([^)]*)\)/) {
      if !parameters.isEmpty {
        let given = found.1.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
        for parameter in parameters where !given.contains(parameter.name) {
          faults.append("\(place): no parameter is called \(parameter.name)")
        }
      }
      for parameter in parameters { variables[parameter.name] = parameter.type }
      parameters = []
    }
    if let found = line.firstMatch(of: /local (\w+) = (?:assert\()?(\w+)[.:](\w+)/) {
      let owner = variables[String(found.2)] ?? fileVariables[String(found.2)] ?? String(found.2)
      if let type = types.results["\(owner).\(found.3)"], types.members[type] != nil {
        if line.hasPrefix("local") { fileVariables[String(found.1)] = type } else { variables[String(found.1)] = type }
      }
    }
    uses(in: line, place)
    // A function of the file ends with a line of its own.
    if line == "end" { variables = [:] }
  }

  private mutating func annotation(_ line: String, _ place: String) {
    guard let found = line.firstMatch(of: /^---@(param|return|field|type) (.*)/) else { return }
    var type = String(found.2)
    if found.1 == "param" || found.1 == "field" {
      let words = type.split(separator: " ", maxSplits: 1).map(String.init)
      type = words.count > 1 ? words[1] : ""
      let name = words[0].filter { $0 != "?" }
      if found.1 == "param" { parameters.append((name, String(type.prefix { $0.isLetter || $0 == "_" }))) }
    }
    // Names before a colon are parameters of a `fun`; after a space that follows no comma comes a remark.
    let bare = type.replacing(/\w+\??:\s*/, with: "").replacing(/\s*[,:]\s*/, with: ",")
    for name in (bare.split(separator: " ").first ?? "").matches(of: /[A-Za-z_]\w*/).map({ String($0.output) }) {
      let isKnown = types.members[name] != nil || classes.contains(name) || LuaTypes.plain.contains(name)
      if !isKnown { faults.append("\(place): no type is called \(name)") }
    }
  }

  private mutating func uses(in line: String, _ place: String) {
    let code = line.replacing(/--.*$/, with: "").replacing(/"[^"]*"/, with: "\"\"")
    for found in code.matches(of: /(^|[^.:\w])(\w+)[.:](\w+)/) {
      let (name, member) = (String(found.2), String(found.3))
      let type = variables[name] ?? fileVariables[name] ?? name
      guard let members = types.members[type], !members.contains(member) else { continue }
      faults.append("\(place): \(type) has no \(member)")
    }
  }
}

@Suite struct LuaAnnotationTests {
  private func types() throws -> LuaTypes {
    let home = Home()
    #expect(try home.run("lua-types", home.path + "/types").status == 0)
    let types = LuaTypes(folder: home.path + "/types")
    #expect(types.members["game"]?.contains("found") == true && types.results["words.load"] == "lexicon")
    return types
  }

  @Test func `everything that the bundled plugins use of Deckhand is in the generated types`() throws {
    let types = try types()
    let plugins = sourceRoot() + "/Plugins"
    var count = 0
    for plugin in names(in: plugins) {
      for file in names(in: plugins + "/" + plugin) where file.hasSuffix(".lua") {
        let check = AnnotationCheck(types, file: "\(plugin)/\(file)", text(of: "\(plugins)/\(plugin)/\(file)"))
        #expect(check.faults == [])
        count += 1
      }
    }
    #expect(count >= 8)
  }

  @Test(arguments: [
    ("---@param game gmae\nlocal function f(game) end", "a:1: no type is called gmae"),
    ("---@param gmae game\nlocal function f(game) end", "a:2: no parameter is called gmae"),
    ("---@param game game\nlocal function f(game)\n  return game.fuond\nend", "a:3: game has no fuond"),
    ("---@return table<string, lexicn>\nlocal function f() end", "a:1: no type is called lexicn"),
    ("games.moed {}", "a:1: games has no moed"),
    ("local list = assert(words.load(\"x\"))\nlist:contians(\"a\")", "a:2: lexicon has no contians"),
  ])
  func `an unknown name is found with its position`(code: String, fault: String) throws {
    #expect(AnnotationCheck(try types(), file: "a", code).faults.contains(fault))
  }

  @Test func `correct code gives no fault`() throws {
    let code = """
      ---@class entry
      ---@field word string
      ---@param game game
      ---@param give fun(word: string, n: integer): boolean
      ---@return entry[]?
      local function f(game, give)
        return { { word = game.found[1] or game.base_word } }, "games.moed" -- games.moed
      end
      local set = { games = { moed = 1 } }
      print(set.games.moed, ("x"):rep(2))
      """
    #expect(AnnotationCheck(try types(), file: "a", code).faults == [])
  }
}
