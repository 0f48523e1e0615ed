// The annotations of the bundled plugins name what the files of `lua-types` describe, as an editor that reads both
// expects.

import TestSupport

@Suite struct LuaAnnotationTests {
  /// The types of Lua and of its annotations.
  private static let plain: Set<String> = [
    "string", "integer", "number", "boolean", "table", "any", "nil", "function", "fun", "userdata", "thread", "unknown",
    "self", "void", "true", "false",
  ]

  /// The classes that a text declares, and the members of its classes and functions as `owner.name`.
  private func names(declaredIn text: String) -> (classes: Set<String>, members: Set<String>) {
    var (classes, members, owner): (Set<String>, Set<String>, String) = ([], [], "")
    for line in text.split(separator: "\n") {
      if let found = line.firstMatch(of: /^---@class (\w+)/) {
        owner = String(found.1).replacing(/_module$/, with: "")
        classes.insert(owner)
      } else if let found = line.firstMatch(of: /^---@field (\w+)/) {
        members.insert("\(owner).\(found.1)")
      } else if let found = line.firstMatch(of: /^function (\w+)[.:](\w+)\(/) {
        members.insert("\(found.1).\(found.2)")
      }
    }
    return (classes, members)
  }

  /// The unknown types of the annotations in a plugin's file, and the unknown members of modules that it uses.
  private func faults(
    in text: String, _ types: (classes: Set<String>, members: Set<String>), modules: Set<String>
  ) -> [String] {
    let known = types.classes.union(names(declaredIn: text).classes).union(Self.plain)
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
      if let found = line.firstMatch(of: /^---@(?:param \S+|field \S+|return|type) (.*)/) {
        // Names before a colon are parameters of a `fun`; after a space that follows no comma comes a remark.
        let bare = found.1.replacing(/\w+\??:\s*/, with: "").replacing(/\s*[,:]\s*/, with: ",")
        return (bare.split(separator: " ").first ?? "").matches(of: /[A-Za-z_]\w*/).map { String($0.output) }
          .filter { !known.contains($0) }.map { "\(index + 1): no type is called \($0)" }
      }
      let code = line.replacing(/--.*$/, with: "").replacing(/"[^"]*"/, with: "\"\"")
      return code.matches(of: /(?:^|[^.:\w])(\w+)\.(\w+)/)
        .filter { modules.contains(String($0.1)) && !types.members.contains("\($0.1).\($0.2)") }
        .map { "\(index + 1): \($0.1) has no \($0.2)" }
    }
  }

  @Test func `everything that the bundled plugins use of Deckhand is in the generated types`() throws {
    let home = Home()
    #expect(try home.run("lua-types", home.path + "/types").status == 0)
    let stubs = TestSupport.names(in: home.path + "/types").map { text(of: home.path + "/types/" + $0) }.joined()
    let types = names(declaredIn: stubs)
    let modules: Set<String> = ["decks", "words", "games", "settings", "shell", "files", "texts"]
    #expect(types.classes.isSuperset(of: modules) && types.members.contains("games.mode"))
    let wrong = "---@param game gmae\nlocal list = games.moed{} -- games.no\n---@type table<string, lexicon>"
    #expect(faults(in: wrong, types, modules: modules) == ["1: no type is called gmae", "2: games has no moed"])
    let plugins = sourceRoot() + "/Plugins"
    let files = TestSupport.names(in: plugins).flatMap { plugin in
      TestSupport.names(in: plugins + "/" + plugin).filter { $0.hasSuffix(".lua") }.map { plugin + "/" + $0 }
    }
    #expect(files.count >= 8)
    for file in files { #expect(faults(in: text(of: plugins + "/" + file), types, modules: modules) == [], "\(file)") }
  }
}
