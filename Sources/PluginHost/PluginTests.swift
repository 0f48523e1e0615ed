// `plugin test` runs a plugin's own `test.lua` in a fresh state of the plugin. Invariant: what reaches beyond the
// discarded test data (files, other commands) is available only if the user has granted it already.

import Bindings
import Commands
import Exchange
import Files
import LuaRuntime
import Problems
import Text
import Workspace

/// A test, and why it failed, with `test.lua:LINE:`; nil when it passed.
public typealias PluginTestResult = (name: String, failure: String?)

/// The tests of plugins.
///
///     try plugins.tests.run(of: "hangman", in: folder).filter { $0.failure != nil }
public struct PluginTests {
  let host: PluginHost

  /// Runs a plugin's tests. The host is made for this purpose, over data that is discarded.
  /// - Parameters:
  ///   - folder: where the tests may write; Lua has it as `folder`.
  ///   - staged: the plugin's folder, if it is not installed yet; it may then have no tests.
  /// - Throws: when the plugin cannot be loaded, or has no tests.
  public func run(of name: String, in folder: String, staged: String? = nil) throws -> [PluginTestResult] {
    host.find()
    if let staged { host.add(host.read(name, staged, isBundled: false)) }
    let plugin = try host.plugin(named: name)
    guard let manifest = plugin.manifest, !manifest.isNewer else {
      try host.load(plugin)
      return []
    }
    let isGranted = plugin.isUsable
    var allowed = host.grants(for: manifest.permissions.filter { isGranted || !$0.reachesOut })
    allowed.readable?.append(contentsOf: [folder, plugin.folder])
    allowed.writable?.append(folder)
    plugin.state = .loading
    do {
      // The lines that its tests run are its own: nobody typed their paths.
      try host.run(plugin, manifest, allowed, grantsTypedPaths: false)
      plugin.state = .loaded
      if staged != nil, !fileExists(plugin.folder + "/test.lua") { return [] }
      return try results(of: plugin, manifest, allowed, in: folder)
    } catch let error as PluginError {
      throw error
    } catch {
      let trace = (error as? any TracedError)?.trace
      throw PluginError.failed(plugin: name, message: plugin.reason(of: error), trace: trace)
    }
  }

  private func results(of plugin: Plugin, _ manifest: Manifest, _ grants: Grants, in folder: String) throws
    -> [PluginTestResult]
  {
    guard let code = plugin.code else { return [] }
    var tests: [(name: String, body: LuaReference)] = []
    var areRunning = false
    try code.lua.setGlobal("folder", folder)
    try code.lua.setGlobal(
      "test",
      LuaFunction("test") { stack in
        if areRunning { throw LuaFailure.message("a test within a test would not run; end the first one before it") }
        tests.append((try stack.text(1), try stack.function(2)))
        return LuaNothing()
      })
    try code.lua.setGlobal("run", runner(of: manifest, grants))
    try code.lua.setGlobal("ask", code.context.exerciseTester())
    try code.lua.setGlobal("import", importer(of: manifest, grants, in: folder))
    try code.lua.load(PackageResources.expect_lua, name: "expect").call([], results: 0) { _ in }
    try host.runFile("test.lua", of: plugin, in: code)
    if tests.isEmpty {
      throw PluginError.failed(plugin: plugin.name, message: "test.lua has no test(\"...\", function)")
    }
    areRunning = true
    return try tests.map { test in
      do {
        try test.body.call([], results: 0) { _ in }
        return (test.name, nil)
      } catch let error as LuaError where error.stopReason == .interrupt {
        throw error
      } catch let error as LuaError where error.stopReason != nil {
        let problem = PluginCallError(plugin: plugin.name, .test(test.name), error, limits: plugin.limits)
        return (test.name, problem.message)
      } catch {
        let text = String(describing: error)
        return (test.name, text + (code.context.advice(on: text) ?? ""))
      }
    }
  }

  /// Makes `import("org", text)`, which imports a text in one of the plugin's formats into a new deck, and returns the
  /// report with all cards. A second name, `import("pleco.xml", text)`, is the ending of the file.
  private func importer(of manifest: Manifest, _ grants: Grants, in folder: String) -> LuaFunction {
    let context = host.session.bindingContext(.plugin(manifest.name), grants, PluginTerms())
    return LuaFunction("import", fails: true) { [formats = host.formats] stack in
      let name = try stack.text(1)
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      let own = formats.added(by: manifest.owner)
      let format = own.first { $0.name == parts.first && (parts.count == 1 || $0.endings.contains(parts[1])) }
      guard let format else {
        let names = own.map(\.name).joined(separator: ", ")
        throw LuaFailure.argument(1, "a format of this plugin expected (\(names)), got \(quoted(name))")
      }
      let path = folder + "/imported." + (format.endings.first ?? "")
      try AtomicFile.write(path, try stack.copiedBytes(2, limit: 64 << 20))
      var options = ImportOptions()
      (options.format, options.previewed) = (format, 10_000)
      let workspace = try context.workspace()
      return LuaValue(
        try workspace.exchange.dryRun {
          try workspace.exchange.importCards(intoDeck: "import", from: [path], .plain, options)
        }.value)
    }
  }

  /// Makes `run("my-command FILE")`, which runs one of the plugin's own commands as a user would type it.
  private func runner(of manifest: Manifest, _ grants: Grants) -> LuaFunction {
    let context = host.session.bindingContext(.plugin(manifest.name), grants, PluginTerms())
    return LuaFunction("run", fails: true) { [registry = host.registry] stack in
      let line = try stack.text(1)
      let own = registry.commands.filter { $0.owner == manifest.owner }
      guard let first = try ShellWords.split(line).first, own.contains(where: { $0.path[0] == first }) else {
        throw LuaFailure.argument(
          1, "a command of this plugin expected (\(own.map(\.name).joined(separator: ", "))), got \(quoted(line))")
      }
      return luaValue(of: try context.shell.run(line, of: .user))
    }
  }
}

extension PluginHost {
  public var tests: PluginTests { PluginTests(host: self) }
}
