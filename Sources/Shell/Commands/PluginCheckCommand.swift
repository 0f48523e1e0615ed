// `plugin check`: shows the author of a plugin or the maintainer of an index what an index would refuse. Invariant: all
// problems are reported, not only the first; a plugin's code runs only as `plugin test` runs it, and the plugins of an
// index do not run at all.

import Commands
import Files
import PluginHost
import Problems
import Text
import Values
import Workspace

enum PluginCheckCommand {
  static var command: BuiltIn {
    BuiltIn(
      "plugin", "check", access: .atTerminal, effect: .acts,
      summary: "Shows why an index would refuse a plugin, or what is wrong with an index.",
      answer: "{name, version, faults, tests, listing?} or {name, number, plugins, versions, elsewhere, faults}",
      details: """
        A plugin's folder is packed as by `plugin pack`, and its tests are run. A folder with an index.json is checked as \
        an index: each listing, and each package in the folder. The network is not used. The exit status is 1 if \
        something would be refused. Scripts/plugin_index in Deckhand's sources makes an index.
        """,
      arguments: [Argument("FOLDER", .folder, help: "a plugin's folder, the name of one of your plugins, or an index")],
      example: "plugin check verbs", complete: PluginPackages.offerFolders
    ) { invocation, session in
      let folder = try PluginPackages.folder(invocation.text("FOLDER"), session)
      let (value, lines, faults) =
        PluginIndexCheck.isIndex(folder) ? try index(folder, session) : try plugin(folder, session)
      guard !faults.isEmpty else { return CommandResult(value, .lines(lines)) }
      let shown = lines + faults.map { "  " + $0 }
      session.show(CommandResult(value, .lines(shown)), asJSON: invocation.wantsJSON(in: session))
      throw PluginReleaseError.hasFaults(path: folder, count: faults.count)
    }
  }

  private typealias Finding = (value: Value, lines: [String], faults: [String])

  private static func plugin(_ folder: String, _ session: Session) throws -> Finding {
    let check = try PluginCheck(folder: folder, session.plugins)
    guard let package = check.package else {
      let value = Value.record(["name": lastPart(of: folder), "faults": list(check.faults)])
      return (value, ["\(lastPart(of: folder)): cannot be packed."], check.faults)
    }
    PluginCommands.remark(on: package.manifest, session)
    var (faults, tests) = (check.faults, 0)
    do {
      let results = try PluginWork.testResults(of: package.name, staged: package.path, session)
      tests = results.count
      faults += results.compactMap { result in
        result.failure.map { "test.lua: \(quoted(result.name)): \(printable($0, limit: 300))" }
      }
    } catch let problem as any Problem {
      guard problem.report.code != .interrupted else { throw problem }
      faults.append(problem.message)
    }
    let manifest = package.manifest
    let facts =
      "\(session.counted(package.fileCount, "file")), \(session.counted(check.bytes.count, "byte")) packed, "
      + session.counted(tests, "test")
    let value = Value.record([
      ("name", .text(package.name)), ("version", .text(manifest.version)), ("faults", list(faults)),
      ("tests", .integer(tests)), ("listing", faults.isEmpty ? check.listing(of: package) : .null),
    ])
    let sum = faults.isEmpty ? "an index would accept it" : "an index would refuse it:"
    return (value, ["\(package.name) \(manifest.version): \(facts); \(sum)\(faults.isEmpty ? "." : "")"], faults)
  }

  private static func index(_ folder: String, _ session: Session) throws -> Finding {
    let check = try PluginIndexCheck(folder: folder, session.plugins)
    let index = check.index
    let value = Value.record([
      "name": index.name, "number": index.number, "plugins": index.plugins.count, "versions": check.versions,
      "elsewhere": check.elsewhere, "faults": list(check.faults),
    ])
    let elsewhere = check.elsewhere == 0 ? "" : ", \(session.grouped(check.elsewhere)) of them elsewhere"
    let sum =
      "The index \(index.name), number \(index.number) of \(index.date): "
      + "\(session.counted(index.plugins.count, "plugin")) in \(session.counted(check.versions, "version"))\(elsewhere)"
    return (value, [sum + (check.faults.isEmpty ? "." : "; refused:")], check.faults)
  }

  private static func list(_ faults: [String]) -> Value { .list(faults.map { .text($0) }) }
}
