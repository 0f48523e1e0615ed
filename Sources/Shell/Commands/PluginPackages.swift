// `plugin pack`, `plugin install`, `plugin update`, `plugin remove`. Invariant: nothing of a package runs, and nothing
// is written, before the user has seen who signed it and what it wants and said yes; where nobody can be asked,
// --unsigned and --grant are the yes.

import Authentication
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

  private static let unsigned = Option("--unsigned", help: "take it without a signature, and without a question")
  private static let grant = Option("--grant", help: "grant what it asks for without a question")

  // MARK: Packing

  private static var packPlugin: BuiltIn {
    BuiltIn(
      "plugin", "pack", theme: PluginCommands.pluginTheme, access: .atTerminal, effect: .announces,
      summary: "Packs a plugin's folder into one file that others can install.",
      answer: "{name, version, path, files, bytes, sha256}",
      details: """
        The file is a .tar.gz, the same bytes for the same folder. Hidden files stay out. Sign it with minisign, a tool \
        of its own: `minisign -Sm FILE` writes FILE.minisig, which goes with it.
        """,
      arguments: [
        Argument("FOLDER", .folder, help: "a plugin's folder, or the name of a plugin of yours"),
        Argument("FILE", .file, access: .write, help: "the package, as verbs-1.0.0.tar.gz"),
      ],
      example: "plugin pack verbs verbs-1.0.0.tar.gz", complete: offerFolders
    ) { invocation, session in
      let folder = try folder(invocation.text("FOLDER"), session)
      let file = session.environment.folders.expanded(invocation.text("FILE"))
      let package = try PluginPackage(folder: folder, isInterrupted: session.environment.isInterrupted)
      try requireOutside(file, of: package)
      guard session.rehearsal.mayActOutside("pack \(package.name) \(package.manifest.version) into \(file)") else {
        return CommandResult()
      }
      let bytes = try package.packed(as: file)
      try AtomicFile.write(file, bytes, mode: 0o644)
      return CommandResult(
        .record([
          ("name", .text(package.name)), ("version", .text(package.manifest.version)), ("path", .text(file)),
          ("files", .integer(package.fileCount)), ("bytes", .integer(bytes.count)),
          ("sha256", .text(hexadecimal(sha256(bytes)))),
        ]),
        .lines(
          [
            "Packed \(package.name) \(package.manifest.version) into \(file): "
              + "\(session.counted(package.fileCount, "file")), \(session.counted(bytes.count, "byte")).",
            "Sign it by `minisign -Sm \(file)`, and give \(file)\(PluginPackage.signatureEnding) away with it.",
          ] + (package.hasTests ? [] : ["It has no test.lua: nothing will be tested where it is installed."])))
    }
  }

  /// Folders, and the plugins of one's own by name.
  private static func offerFolders(_ word: String, _ before: [String], _ session: Session) -> [Offer] {
    guard before.isEmpty, !word.contains("/") else { return [] }
    let folders = PathCompletion.paths(
      beginningWith: word, foldersOnly: true, home: session.environment.folders.home)
    return folders.map { Offer($0, isOpen: true) } + ownPlugins(session)
  }

  private static func ownPlugins(_ session: Session) -> [Offer] {
    session.plugins.plugins.filter { !$0.isBundled }.map { Offer($0.name, help: $0.manifest?.summary ?? "") }
  }

  private static func folder(_ text: String, _ session: Session) throws -> String {
    let path = session.environment.folders.expanded(text)
    if Folder.isFolder(path) { return path }
    guard !text.contains("/"), let own = session.plugins.plugins.first(where: { $0.name == text }) else {
      throw FileError(path, .open, number: ENOENT)
    }
    return own.folder
  }

  /// A package in its own folder would be packed into the next one.
  private static func requireOutside(_ file: String, of package: PluginPackage) throws {
    guard let real = realpath(parentFolder(of: file), nil) else { return }
    defer { free(real) }
    let parent = String(cString: real)
    if parent == package.path || parent.hasPrefix(package.path + "/") {
      throw PluginPackageError.insideItself(path: file, folder: package.path)
    }
  }

  // MARK: Installing

  private static var installPlugin: BuiltIn {
    BuiltIn(
      "plugin", "install", theme: PluginCommands.pluginTheme, access: .atTerminal, effect: .announces,
      summary: "Installs a plugin from a package or a folder, after showing who signed it and what it may do.",
      answer: "{name, version, state, FIELD} or boolean",
      details: """
        A package is signed where FILE.minisig lies beside it (`help plugin key`). It is loaded and its own tests are run first, over data that is thrown away; a plugin that fails is not \
        installed. It is no step of undo: `plugin remove` takes it back. Nothing is downloaded.
        """,
      arguments: [Argument("FILE", .file, access: .read, help: "a package, or a plugin's folder")],
      options: [grant, unsigned], usage: ["plugin install FILE|FOLDER [--grant] [--unsigned]"],
      example: "plugin install verbs-1.0.0.tar.gz"
    ) { invocation, session in
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      return try install(path, isUpdate: false, invocation, session)
    }
  }

  private static var updatePlugin: BuiltIn {
    BuiltIn(
      "plugin", "update", theme: PluginCommands.pluginTheme, access: .atTerminal, effect: .announces,
      summary: "Puts a newer version in the place of an installed plugin, after showing what changes.",
      answer: "{name, version, state, FIELD} or boolean",
      details: """
        The version that is there stays until the new one was loaded and passed its own tests, and when it does not. \
        It is no step of undo: keep the old package if you may want it back.
        """,
      arguments: [Argument("FILE", .file, access: .read, help: "a package of a higher version, by the same key")],
      options: [grant, unsigned], example: "plugin update verbs-1.1.0.tar.gz"
    ) { invocation, session in
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      return try install(path, isUpdate: true, invocation, session)
    }
  }

  private static func install(
    _ path: String, isUpdate: Bool, _ invocation: Invocation, _ session: Session
  ) throws -> CommandResult {
    let isInterrupted = session.environment.isInterrupted
    let package =
      Folder.isFolder(path) && !isUpdate
      ? try PluginPackage(folder: path, isInterrupted: isInterrupted)
      : try PluginPackage(file: path, isInterrupted: isInterrupted)
    let plan = try session.plugins.packages.plan(package, isUpdate: isUpdate)
    let verb = isUpdate ? "update" : "install"
    let facts = facts(of: plan)
    guard session.rehearsal.mayActOutside("\(verb) \(facts.joined(separator: "; "))") else { return CommandResult() }
    guard try isWanted(plan, facts, invocation, session, verb) else {
      return CommandResult(
        .boolean(false), line: "\(package.name) is not \(verb == "update" ? "updated" : "installed").")
    }
    let kept = plan.installed?.manifest?.version
    var tests = 0
    let plugin = try session.plugins.packages.install(plan) { staged in
      tests = try test(plan.package, staged, kept: kept, session)
    }
    let version = plugin.manifest?.version ?? ""
    let line =
      kept.map { "Updated \(plugin.name) from \($0) to \(version)" } ?? "Installed \(plugin.name) \(version)"
    let tested = tests == 0 ? "it has no tests" : "\(session.counted(tests, "test")) passed"
    return CommandResult(
      PluginCommands.pluginRecord(plugin, session), line: "\(line); \(tested).\(plugin.isUsable ? "" : " It is off.")")
  }

  /// Who signed it and what changes, a line each.
  private static func facts(of plan: InstallPlan) -> [String] {
    let manifest = plan.package.manifest
    let by = manifest.author.map { " by \($0)" } ?? ""
    var lines = ["\(plan.package.name) \(manifest.version)\(by)"]
    if let old = plan.installed?.manifest?.version { lines[0] += ", in place of \(old)" }
    lines.append(
      plan.signer.map { "signed with a key that you trust: \($0.name.isEmpty ? "" : "\($0.name), ")\($0.key.id)" }
        ?? "not signed: nobody vouches for what is in it")
    let isUpdate = plan.installed != nil
    if !plan.added.isEmpty {
      let rights = Permission.inWords(plan.added).joined(separator: "; ")
      lines.append((isUpdate ? "it also wants to: " : "it wants to: ") + rights)
    } else if isUpdate {
      lines.append("it wants nothing more than before")
    }
    if !plan.dropped.isEmpty {
      lines.append("it no longer wants to: " + Permission.inWords(plan.dropped).joined(separator: "; "))
    }
    return lines
  }

  private static func isWanted(
    _ plan: InstallPlan, _ facts: [String], _ invocation: Invocation, _ session: Session, _ verb: String
  ) throws -> Bool {
    let asksForSignature = plan.signer == nil && !invocation.flag("--unsigned")
    let asksForRights = !plan.added.isEmpty && !invocation.flag("--grant")
    guard asksForSignature || asksForRights else { return true }
    guard session.canAsk else {
      if asksForSignature { throw SignatureError.unsigned(path: plan.package.path) }
      throw ShellError.notGranted(
        plugin: plan.package.name, rights: plan.added.map(\.description), command: "plugin \(verb) \(plan.package.path)"
      )
    }
    session.console.show(.lines(facts))
    return try session.confirm(verb == "update" ? "Update it?" : "Install it?")
  }

  /// Loads what is not installed yet, and runs its tests.
  /// - Returns: how many tests there are.
  private static func test(
    _ package: PluginPackage, _ staged: String, kept: String?, _ session: Session
  ) throws -> Int {
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

  // MARK: Removing

  private static var removePlugin: BuiltIn {
    BuiltIn(
      "plugin", "remove", theme: PluginCommands.pluginTheme, access: .atTerminal, effect: .announces,
      summary: "Removes an installed plugin with its folder, and what was granted to it.", answer: "boolean",
      details: """
        At a terminal it asks first. It is no step of undo: what you wrote yourself, pack first. Decks that it made \
        stay, and whose key the plugin had stays known.
        """,
      arguments: [PluginCommands.pluginName], example: "plugin remove verbs",
      complete: { _, before, session in before.isEmpty ? ownPlugins(session) : [] }
    ) { invocation, session in
      let plugin = try session.plugins.plugin(named: invocation.text("NAME"))
      try session.plugins.packages.checkRemoval(of: plugin)
      guard session.rehearsal.mayActOutside("remove the plugin \(plugin.name) with \(plugin.folder)") else {
        return CommandResult()
      }
      guard try session.confirm("Remove the plugin \(plugin.name) with \(plugin.folder)?") else {
        return CommandResult(.boolean(false), line: "\(plugin.name) stays as it is.")
      }
      try session.plugins.packages.remove(plugin)
      return CommandResult(.boolean(true), line: "Removed \(plugin.name).")
    }
  }
}
