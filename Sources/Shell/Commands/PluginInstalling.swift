// Installs a plugin from an index, a package or a folder. Invariant: none of its code runs, and nothing is written,
// before the user has seen who vouches for it, which permissions it wants and what changes, and has agreed; when nobody
// can be asked, --unsigned and --grant are the consent.

import Authentication
import Commands
import Files
import PluginHost
import Problems
import Text
import Values
import Workspace

/// One install or update command.
struct PluginInstalling {
  let session: Session
  let purpose: InstallPurpose
  /// The consent given on the command line.
  var isGranted = false
  var takesUnsigned = false
  /// Whether the command only shows what would change.
  var onlyShows = false
  /// The folder or name of the only index to search.
  var index: String?

  init(_ session: Session, _ purpose: InstallPurpose) { (self.session, self.purpose) = (session, purpose) }

  private var isUpdate: Bool { purpose == .update }

  /// Installs what the text names: a file or a folder, else a plugin of an index.
  func run(_ text: String) throws -> CommandResult {
    let (package, listed) = try source(text)
    let plan = try session.plugins.packages.plan(package, purpose, listed: listed)
    if onlyShows { return CommandResult(differenceValue(of: plan), .drawn(try difference(of: plan))) }
    let outcome = try carryOut(plan)
    guard let plugin = outcome.plugin else {
      return outcome.line.isEmpty ? CommandResult() : CommandResult(.boolean(false), line: outcome.line)
    }
    return CommandResult(PluginCommands.pluginRecord(plugin, session), line: outcome.line)
  }

  // MARK: The source

  private func source(_ text: String) throws -> (PluginPackage, ListedRelease?) {
    let path = session.environment.folders.expanded(text)
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let isFile = fileExists(path) && !(isUpdate && Folder.isFolder(path))
    guard index != nil || !isFile && PluginName(parts[0]) != nil else {
      return (try package(at: path), nil)
    }
    let version = parts.count > 1 ? parts[1] : nil
    let listed = try session.plugins.indexes.found(for: parts[0], version: version, in: index)
    if isUpdate { try requireNewer(listed) }
    return (try session.plugins.indexes.package(of: listed), listed)
  }

  private func package(at path: String) throws -> PluginPackage {
    let isInterrupted = session.environment.isInterrupted
    return Folder.isFolder(path) && !isUpdate
      ? try PluginPackage(folder: path, isInterrupted: isInterrupted)
      : try PluginPackage(file: path, isInterrupted: isInterrupted)
  }

  /// Checks the version before the package is looked for, since the package may be missing here.
  private func requireNewer(_ listed: ListedRelease) throws {
    let name = listed.listing.name
    guard let there = session.plugins.plugins.first(where: { $0.name == name && !$0.isBundled }) else { return }
    let installed = there.manifest?.version ?? "0"
    if let version = Version(installed), listed.release.version <= version {
      throw PluginReleaseError.nothingNewer(plugin: name, version: installed)
    }
  }

  // MARK: Installing

  /// Asks the user, and installs.
  /// - Returns: the installed plugin, nil when the user declined or in a dry run; and the message.
  func carryOut(_ plan: InstallPlan) throws -> (plugin: Plugin?, line: String) {
    let package = plan.package
    let facts = try facts(of: plan)
    let verb = isUpdate ? "update" : "install"
    guard session.rehearsal.mayActOutside("\(verb) \(facts.joined(separator: "; "))") else { return (nil, "") }
    guard try isWanted(plan, facts, verb) else {
      return (nil, "\(package.name) is not \(isUpdate ? "updated" : "installed").")
    }
    let kept = plan.installed?.manifest?.version
    var tests = 0
    let plugin = try session.plugins.packages.install(plan) { staged in
      tests = try test(package, staged, kept: kept)
    }
    let version = plugin.manifest?.version ?? ""
    let line =
      kept.map { "Updated \(plugin.name) from \($0) to \(version)" } ?? "Installed \(plugin.name) \(version)"
    let tested = tests == 0 ? "it has no tests" : "\(session.counted(tests, "test")) passed"
    return (plugin, "\(line); \(tested).\(plugin.isUsable ? "" : " It is disabled.")")
  }

  /// Who vouches for the package and what changes, one line each.
  private func facts(of plan: InstallPlan) throws -> [String] {
    let manifest = plan.package.manifest
    let by = manifest.author.map { " by \($0)" } ?? ""
    var lines = ["\(plan.package.name) \(manifest.version)\(by)"]
    if let old = plan.installed?.manifest?.version { lines[0] += ", replacing \(old)" }
    lines.append(try signature(of: plan))
    let isUpdate = plan.installed != nil
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

  private func signature(of plan: InstallPlan) throws -> String {
    let index = plan.listed.map { "the index \($0.index.name) of \($0.index.date)" }
    guard let signer = plan.signer else {
      return index.map { "not signed by its author; \($0) vouches for it" }
        ?? "not signed: nobody vouches for what is in it"
    }
    let who = "\(signer.name.isEmpty ? "" : "\(signer.name), ")\(signer.key.id)"
    let isTrusted = try session.plugins.packages.trustedKeys().trusts(signer.key)
    guard let index else { return "signed with a key that you trust: \(who)" }
    return isTrusted
      ? "signed with a key that you trust: \(who); in \(index)" : "signed with the key that \(index) names: \(who)"
  }

  private func isWanted(_ plan: InstallPlan, _ facts: [String], _ verb: String) throws -> Bool {
    let asksForSignature = plan.signer == nil && plan.listed == nil && !takesUnsigned
    let asksForRights = !plan.added.isEmpty && !isGranted
    let showsChanges = plan.installed != nil && session.canAsk && !isGranted
    guard asksForSignature || asksForRights || showsChanges else { return true }
    guard session.canAsk else {
      if asksForSignature { throw SignatureError.unsigned(path: plan.package.path) }
      let name = plan.listed?.listing.name ?? plan.package.path
      throw ShellError.notGranted(
        plugin: plan.package.name, rights: plan.added.map(\.description),
        command: "plugin \(verb) \(ShellWords.quote(name))" + (takesUnsigned ? " --unsigned" : ""))
    }
    session.console.show(.lines(facts))
    if showsChanges {
      let (lines, most) = (try difference(of: plan), FileChangeLines.mostAskedAbout)
      guard lines.count <= most else {
        throw PluginPackageError.tooMuchToReview(plugin: plan.package.name, lines: lines.count, most: most)
      }
      session.console.show(.drawn(lines))
    }
    return try session.confirm(verb == "update" ? "Update it?" : "Install it?")
  }

  /// Loads the staged package before it is installed, and runs its tests.
  /// - Returns: the number of tests.
  private func test(_ package: PluginPackage, _ staged: String, kept: String?) throws -> Int {
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

  private func permissions(of plan: InstallPlan) -> (old: [Permission], new: [Permission]) {
    let old = plan.installed?.manifest?.permissions ?? []
    let new = plan.package.manifest.permissions
    return (old.filter { !new.contains($0) }, new.filter { !old.contains($0) })
  }

  /// The changes of its permissions and files as diff lines.
  private func difference(of plan: InstallPlan) throws -> [String] {
    let lines = FileChangeLines(terminal: session.console.terminal)
    let (old, new) = permissions(of: plan)
    let changes = try plan.changes(isInterrupted: session.environment.isInterrupted)
    return lines.permissions(removed: old.map(words), added: new.map(words)) + lines.files(changes)
  }

  private func words(_ permission: Permission) -> String { "\(permission)  (\(permission.inWords))" }

  private func differenceValue(of plan: InstallPlan) -> Value {
    let (old, new) = permissions(of: plan)
    return .record([
      "name": plan.package.name, "version": plan.package.manifest.version,
      "added_permissions": Value.list(new.map { .text($0.description) }),
      "removed_permissions": Value.list(old.map { .text($0.description) }),
    ])
  }
}
