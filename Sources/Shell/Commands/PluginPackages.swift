// `plugin pack`, `plugin install`, `plugin update`, `plugin remove`. Invariant: none of a package's code runs, and
// nothing is written, before the user has seen the permissions and changes, and has agreed (--yes and --grant agree).

import Commands
import Files
import Glibc
import PluginHost
import Problems
import Text
import Values
import Workspace

enum PluginPackages {
  static var all: [BuiltIn] { [packPlugin, installPlugin, updatePlugin, removePlugin] }

  private static let grant = Option("--grant", help: "grant what it asks for without asking you")

  private static let packPlugin = BuiltIn(
    "plugin", "pack", access: .atTerminal, effect: .announces,
    summary: "Packs a plugin's folder into one file that others can install.",
    answer: "{name, version, path, files, bytes, sha256}",
    details: """
      The file is a .tar.gz; the same folder gives the same bytes. Hidden files are left out. The SHA-256 is that of \
      its content: `plugin info` shows the same where it is installed.
      """,
    arguments: [
      Argument("FOLDER", .folder, help: "a plugin's folder, or the name of one of your plugins"),
      Argument("FILE", .file, access: .write, help: "the package, such as verbs-1.0.0.tar.gz"),
    ], example: "plugin pack verbs verbs-1.0.0.tar.gz", complete: offerFolders
  ) { invocation, session in
    let folder = try folder(invocation.text("FOLDER"), session)
    let file = session.environment.folders.expanded(invocation.text("FILE"))
    let package = try PluginPackage(folder: folder, isInterrupted: session.environment.isInterrupted)
    // The next package would include one inside the plugin's folder.
    if let parent = realPath(parentFolder(of: file)), (parent + "/").hasPrefix(package.path + "/") {
      throw PluginPackageError.insideItself(path: file, folder: package.path)
    }
    guard session.rehearsal.mayActOutside("pack \(package.name) \(package.manifest.version) into \(file)") else {
      return CommandResult()
    }
    PluginCommands.remark(on: package.manifest, session)
    let bytes = try package.packed(as: file)
    try AtomicFile.write(file, bytes, .exported())
    return CommandResult(
      .record([
        "name": package.name, "version": package.manifest.version, "path": file, "files": package.fileCount,
        "bytes": bytes.count, "sha256": package.contentHash,
      ]),
      .lines(
        [
          "Packed \(package.name) \(package.manifest.version) into \(file): "
            + "\(session.counted(package.fileCount, "file")), \(session.counted(bytes.count, "byte")).",
          "The SHA-256 of its content: \(package.contentHash)",
        ] + (package.hasTests ? [] : ["It has no test.lua: nothing will be tested when it is installed."])))
  }

  /// Completions: folders, and the user's own plugins by name.
  static func offerFolders(_ word: String, _ before: [String], _ session: Session) -> [Offer] {
    guard before.isEmpty, !word.contains("/") else { return [] }
    return NameOffers(session: session).paths(word, foldersOnly: true) + ownPlugins(session)
  }

  static func ownPlugins(_ session: Session) -> [Offer] {
    session.plugins.plugins.filter { !$0.isBundled }.map { Offer($0.name, help: $0.manifest?.summary ?? "") }
  }

  static func folder(_ text: String, _ session: Session) throws -> String {
    let path = session.environment.folders.expanded(text)
    if Folder.isFolder(path) { return path }
    guard !text.contains("/"), let own = session.plugins.plugins.first(where: { $0.name == text }) else {
      throw FileError(path, .open, number: ENOENT)
    }
    return own.folder
  }

  private static let installPlugin = BuiltIn(
    "plugin", "install", access: .atTerminal, effect: .announces,
    summary: "Installs a plugin, after showing what it may do.", answer: "{name, version, state, FIELD} or boolean",
    details: """
      The plugin is loaded and its own tests are run first, on temporary data; a plugin that fails is not installed. \
      This is not an undo step: `plugin remove` reverts it. Nothing is downloaded.
      """, arguments: [Argument("FILE|FOLDER", .file, access: .read, help: "a package, or a plugin's folder")],
    options: [grant], example: "plugin install verbs-1.0.0.tar.gz"
  ) { invocation, session in
    let package = try package(at: invocation.text("FILE|FOLDER"), session)
    let plan = try session.plugins.packages.plan(toInstall: package)
    return try PluginInstalling(session: session, plan: plan, isGranted: invocation.flag("--grant")).run()
  }

  private static let updatePlugin = BuiltIn(
    "plugin", "update", access: .atTerminal, effect: .announces,
    summary: "Installs a plugin again from where it came, after showing what changed.",
    answer: "{name, version, state, FIELD} or boolean",
    details: """
      The folder or package that the plugin was installed from is read again, or the one that you name. What changes \
      in its permissions and in its code is shown as a diff before it asks, and by --dry-run. A lower version is \
      refused unless you name it. The installed version stays until the new one was loaded and passed its own tests, \
      and also if that fails. This is not an undo step. Nothing is downloaded: update a clone with `git pull`.
      """,
    arguments: [
      PluginCommands.pluginName,
      Argument("FILE|FOLDER", .file, isOptional: true, access: .read, help: "where it is now"),
      Argument("VERSION", isOptional: true, help: "the version that you expect there, even a lower one"),
    ],
    options: [Option("--yes", help: "agree to the changes without being asked"), grant],
    example: "plugin update verbs",
    complete: { word, before, session in
      before.isEmpty ? ownPlugins(session) : before.count == 1 ? NameOffers(session: session).paths(word) : []
    }
  ) { invocation, session in
    let plugin = try session.plugins.plugin(named: invocation.text("NAME"))
    var (path, version) = (invocation.optionalText("FILE|FOLDER"), invocation.optionalText("VERSION"))
    if version == nil, let given = path, Version(given) != nil, !fileExists(given) { (path, version) = (nil, given) }
    guard let source = try path ?? session.plugins.packages.source(of: plugin) else {
      throw plugin.isBundled
        ? PluginPackageError.bundled(plugin: plugin.name) : PluginPackageError.noSource(plugin: plugin.name)
    }
    let package = try package(at: source, session)
    let plan = try session.plugins.packages.plan(toUpdate: plugin, with: package, version: version)
    return try PluginInstalling(
      session: session, plan: plan, isGranted: invocation.flag("--grant"), isAgreed: invocation.flag("--yes")
    ).run()
  }

  private static func package(at path: String, _ session: Session) throws -> PluginPackage {
    let path = session.environment.folders.expanded(path)
    let isInterrupted = session.environment.isInterrupted
    return Folder.isFolder(path)
      ? try PluginPackage(folder: path, isInterrupted: isInterrupted)
      : try PluginPackage(file: path, isInterrupted: isInterrupted)
  }

  private static let removePlugin = BuiltIn(
    "plugin", "remove", access: .atTerminal, effect: .announces,
    summary: "Removes an installed plugin, its folder, and what was granted to it.", answer: "boolean",
    details: """
      At a terminal it asks first. This is not an undo step: pack a plugin first if you wrote it yourself. Decks that \
      it made stay.
      """, arguments: [PluginCommands.pluginName], example: "plugin remove verbs",
    complete: { _, before, session in before.isEmpty ? ownPlugins(session) : [] }
  ) { invocation, session in
    let plugin = try session.plugins.plugin(named: invocation.text("NAME"))
    try session.plugins.packages.checkRemoval(of: plugin)
    guard session.rehearsal.mayActOutside("remove the plugin \(plugin.name) with \(plugin.folder)") else {
      return CommandResult()
    }
    guard try session.confirm("Remove the plugin \(plugin.name) with \(plugin.folder)?") else {
      return CommandResult(.boolean(false), line: "\(plugin.name) was not removed.")
    }
    try session.plugins.packages.remove(plugin)
    return CommandResult(.boolean(true), line: "Removed \(plugin.name).")
  }
}

struct PluginInstalling {
  let session: Session
  let plan: InstallPlan
  /// The consent given on the command line: to the permissions, and to the changes of an update.
  let isGranted: Bool
  var isAgreed = false

  private var isUpdate: Bool { plan.installed != nil }
  private var package: PluginPackage { plan.package }

  func run() throws -> CommandResult {
    let facts = facts
    let verb = isUpdate ? "update" : "install"
    guard session.rehearsal.mayActOutside("\(verb) \(facts.joined(separator: "; "))") else {
      return isUpdate ? shown : CommandResult()
    }
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

  /// What an update would change.
  private var shown: CommandResult {
    CommandResult(
      .record([
        "name": package.name, "version": package.manifest.version,
        "added_permissions": newPermissions.map(\.description),
        "removed_permissions": plan.dropped.map(\.description),
      ]), .drawn(difference))
  }

  private var newPermissions: [Permission] {
    let old = plan.installed?.manifest?.permissions ?? []
    return package.manifest.permissions.filter { !old.contains($0) }
  }

  /// The changes of its permissions and files as diff lines.
  private var difference: [String] {
    let lines = FileChangeLines(terminal: session.console.terminal)
    func words(_ permission: Permission) -> String { "\(permission)  (\(permission.inWords))" }
    return lines.permissions(removed: plan.dropped.map(words), added: newPermissions.map(words))
      + lines.files(plan.changes)
  }
}
