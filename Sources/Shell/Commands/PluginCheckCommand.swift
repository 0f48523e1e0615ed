// `plugin check`: shows the author of a plugin what to repair before others install it. Invariant: all faults are
// reported, not only the first; the plugin's code runs only as `plugin test` runs it.

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
      summary: "Shows what to repair in a plugin before others install it.",
      answer: "{name, version, tests, faults}",
      details: """
        The folder is packed as by `plugin pack`, and the plugin's tests are run. The exit status is 1 if there is a fault.
        """,
      arguments: [Argument("FOLDER", .folder, help: "a plugin's folder, or the name of one of your plugins")],
      example: "plugin check verbs", complete: PluginPackages.offerFolders
    ) { invocation, session in
      let folder = try PluginPackages.folder(invocation.text("FOLDER"), session)
      let check = try PluginCheck(folder: folder, session.plugins)
      let (tests, failures) = try check.package.map { try testing($0, session) } ?? (0, [])
      let faults = check.faults + failures
      let name = check.package?.name ?? lastPart(of: folder)
      let version = check.package?.manifest.version ?? ""
      let value = Value.record([
        ("name", .text(name)), ("version", .text(version)), ("tests", .integer(tests)),
        ("faults", .list(faults.map { .text($0) })),
      ])
      var line = "\(name): cannot be packed."
      if let package = check.package {
        PluginCommands.remark(on: package.manifest, session)
        line =
          "\(name) \(version): \(session.counted(package.fileCount, "file")), "
          + "\(session.counted(check.packedSize, "byte")) packed, \(session.counted(tests, "test")); "
          + (faults.isEmpty ? "no faults." : "to repair:")
      }
      let result = CommandResult(value, .lines([line] + faults.map { "  " + $0 }))
      if faults.isEmpty { return result }
      session.show(result, asJSON: invocation.wantsJSON(in: session))
      throw PluginPackageError.hasFaults(path: folder, count: faults.count)
    }
  }

  /// Runs the plugin's tests; returns their number, and what failed.
  private static func testing(_ package: PluginPackage, _ session: Session) throws -> (tests: Int, failures: [String]) {
    do {
      let results = try PluginWork.testResults(of: package.name, staged: package.path, session)
      let failures = results.compactMap { result in
        result.failure.map { "test.lua: \(quoted(result.name)): \(printable($0, limit: 300))" }
      }
      return (results.count, failures)
    } catch let problem as any Problem {
      guard problem.report.code != .interrupted else { throw problem }
      return (0, [problem.message])
    }
  }
}
