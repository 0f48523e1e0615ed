// Installs or updates a plugin. Invariant: none of its code runs, and nothing is written, before the user has seen
// which permissions it wants and what changes, and has agreed; when nobody can be asked, --yes and --grant are the
// consent.

import Commands
import PluginHost
import Problems
import Text
import Values
import Workspace

/// One install or update command.
struct PluginInstalling {
  private let session: Session
  private let plan: InstallPlan
  /// The consent given on the command line: to the permissions, and to the changes of an update.
  private let isGranted: Bool
  private let isAgreed: Bool

  init(_ plan: InstallPlan, isGranted: Bool, isAgreed: Bool, _ session: Session) {
    (self.session, self.plan, self.isGranted, self.isAgreed) = (session, plan, isGranted, isAgreed)
  }

  private var isUpdate: Bool { plan.installed != nil }
  private var package: PluginPackage { plan.package }

  /// Asks the user, and installs.
  func run() throws -> CommandResult {
    let facts = facts
    let verb = isUpdate ? "update" : "install"
    guard session.rehearsal.mayActOutside("\(verb) \(facts.joined(separator: "; "))") else { return CommandResult() }
    guard try isWanted(facts, verb) else {
      return CommandResult(.boolean(false), line: "\(package.name) is not \(isUpdate ? "updated" : "installed").")
    }
    let kept = plan.installed?.manifest?.version
    var tests = 0
    let plugin = try session.plugins.packages.install(plan) { staged in tests = try test(staged, kept: kept) }
    let version = plugin.manifest?.version ?? ""
    let line =
      kept.map { "Updated \(plugin.name) \($0 == version ? version : "from \($0) to \(version)")" }
      ?? "Installed \(plugin.name) \(version)"
    let tested = tests == 0 ? "it has no tests" : "\(session.counted(tests, "test")) passed"
    return CommandResult(
      PluginCommands.pluginRecord(plugin, session),
      line: "\(line); \(tested).\(plugin.isUsable ? "" : " It is disabled.")")
  }

  /// What is installed and what it may do, one line each.
  private var facts: [String] {
    let manifest = package.manifest
    let by = manifest.author.map { " by \($0)" } ?? ""
    let replacing = (plan.installed?.manifest?.version).map { ", replacing \($0)" } ?? ""
    var lines = [
      "\(package.name) \(manifest.version)\(by)\(replacing)", "the SHA-256 of its content: \(package.contentHash)",
    ]
    if !plan.added.isEmpty {
      let rights = Permission.inWords(plan.added).joined(separator: "; ")
      lines.append((isUpdate ? "it also wants to: " : "it wants to: ") + rights)
    } else if isUpdate {
      lines.append("it wants no new permissions")
    }
    if !plan.dropped.isEmpty {
      lines.append("it no longer wants to: " + Permission.inWords(plan.dropped).joined(separator: "; "))
    }
    return lines
  }

  private func isWanted(_ facts: [String], _ verb: String) throws -> Bool {
    let lacksGrant = !plan.added.isEmpty && !isGranted
    // A plugin without permissions can be installed by a script, but its code is not replaced without consent.
    let isSettled = isUpdate ? isAgreed : isGranted || !session.canAsk
    if isSettled, !lacksGrant { return true }
    guard session.canAsk else {
      guard lacksGrant else {
        throw PluginPackageError.notAgreed(plugin: package.name, version: package.manifest.version)
      }
      let words = isUpdate ? "\(package.name) --yes" : ShellWords.quote(package.path)
      throw ShellError.notGranted(
        plugin: package.name, rights: plan.added.map(\.description), command: "plugin \(verb) \(words)")
    }
    session.console.show(.lines(facts))
    if isUpdate {
      let (lines, most) = (difference, FileChangeLines.mostAskedAbout)
      guard lines.count <= most else {
        throw PluginPackageError.tooMuchToReview(plugin: package.name, lines: lines.count, most: most)
      }
      session.console.show(.drawn(lines))
    }
    return try session.confirm(isUpdate ? "Update it?" : "Install it?")
  }

  /// Loads the staged package before it is installed, and runs its tests.
  /// - Returns: the number of tests.
  private func test(_ staged: String, kept: String?) throws -> Int {
    func fails(_ reason: String) -> PluginPackageError {
      .doesNotWork(plugin: package.name, version: package.manifest.version, reason: reason, kept: kept)
    }
    let results: [PluginTestResult]
    do {
      results = try PluginWork.testResults(of: package.name, staged: staged, session)
    } catch let error as PluginError {
      throw fails(error.message)
    }
    if let failed = results.first(where: { $0.failure != nil }) {
      let count = results.count { $0.failure != nil }
      throw fails(
        "\(count) of \(session.counted(results.count, "test")) failed, the first \(quoted(failed.name)): "
          + printable(failed.failure ?? "", limit: 300))
    }
    return results.count
  }

  // MARK: The difference

  /// Shows the difference and changes nothing.
  func shown() -> CommandResult {
    let (old, new) = permissions
    let value = Value.record([
      ("name", .text(package.name)), ("version", .text(package.manifest.version)),
      ("added_permissions", .list(new.map { .text($0.description) })),
      ("removed_permissions", .list(old.map { .text($0.description) })),
    ])
    return CommandResult(value, .drawn(difference))
  }

  private var permissions: (old: [Permission], new: [Permission]) {
    let old = plan.installed?.manifest?.permissions ?? []
    let new = package.manifest.permissions
    return (old.filter { !new.contains($0) }, new.filter { !old.contains($0) })
  }

  /// The changes of its permissions and files as diff lines.
  private var difference: [String] {
    let lines = FileChangeLines(terminal: session.console.terminal)
    let (old, new) = permissions
    func words(_ permission: Permission) -> String { "\(permission)  (\(permission.inWords))" }
    return lines.permissions(removed: old.map(words), added: new.map(words)) + lines.files(plan.changes)
  }
}
