// `plugin pack`, `plugin install`, `plugin update`, `plugin remove`. Invariant: none of a package's code runs, and
// nothing is written, before the user has seen who signed it and which permissions it wants, and has agreed; when
// nobody can be asked, --unsigned and --grant are the consent.

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

  private static let unsigned = Option("--unsigned", help: "accept it without a signature, without asking you")
  private static let grant = Option("--grant", help: "grant what it asks for without asking you")

  // MARK: Packing

  private static var packPlugin: BuiltIn {
    BuiltIn(
      "plugin", "pack", access: .atTerminal, effect: .announces,
      summary: "Packs a plugin's folder into one file that others can install.",
      answer: "{name, version, path, files, bytes, sha256}",
      details: """
        The file is a .tar.gz; the same folder gives the same bytes. Hidden files are left out. Sign it with minisign, a \
        separate tool: `minisign -Sm FILE` writes FILE.minisig, which you distribute with it.
        """,
      arguments: [
        Argument("FOLDER", .folder, help: "a plugin's folder, or the name of one of your plugins"),
        Argument("FILE", .file, access: .write, help: "the package, such as verbs-1.0.0.tar.gz"),
      ], example: "plugin pack verbs verbs-1.0.0.tar.gz", complete: offerFolders
    ) { invocation, session in
      let folder = try folder(invocation.text("FOLDER"), session)
      let file = session.environment.folders.expanded(invocation.text("FILE"))
      let package = try PluginPackage(folder: folder, isInterrupted: session.environment.isInterrupted)
      try requireOutside(file, of: package)
      guard session.rehearsal.mayActOutside("pack \(package.name) \(package.manifest.version) into \(file)") else {
        return CommandResult()
      }
      PluginCommands.remark(on: package.manifest, session)
      let bytes = try package.packed(as: file)
      try AtomicFile.write(file, bytes, .exported())
      return CommandResult(
        .record([
          "name": package.name, "version": package.manifest.version, "path": file, "files": package.fileCount,
          "bytes": bytes.count, "sha256": hexadecimal(sha256(bytes)),
        ]),
        .lines(
          [
            "Packed \(package.name) \(package.manifest.version) into \(file): "
              + "\(session.counted(package.fileCount, "file")), \(session.counted(bytes.count, "byte")).",
            "Sign it with `minisign -Sm \(ShellWords.quote(file))`, and distribute "
              + "\(file)\(PluginPackage.signatureEnding) with it.",
          ] + (package.hasTests ? [] : ["It has no test.lua: nothing will be tested when it is installed."])))
    }
  }

  /// Completions: folders, and the user's own plugins by name.
  static func offerFolders(_ word: String, _ before: [String], _ session: Session) -> [Offer] {
    guard before.isEmpty, !word.contains("/") else { return [] }
    return NameOffers(session).paths(word, foldersOnly: true) + ownPlugins(session)
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

  /// Refuses a target inside the plugin's folder: the next package would include it.
  private static func requireOutside(_ file: String, of package: PluginPackage) throws {
    guard let parent = realPath(parentFolder(of: file)) else { return }
    if parent == package.path || parent.hasPrefix(package.path + "/") {
      throw PluginPackageError.insideItself(path: file, folder: package.path)
    }
  }

  // MARK: Installing

  private static let index = Option("--index", "INDEX", help: "the folder or the name of the index to use")

  private static var installPlugin: BuiltIn {
    BuiltIn(
      "plugin", "install", access: .atTerminal, effect: .announces,
      summary: "Installs a plugin, after showing who vouches for it and what it may do.",
      answer: "{name, version, state, FIELD} or boolean",
      details: """
        NAME is a plugin of an index (`help plugin index`), NAME@1.0.0 one version of it; a file or folder of that name \
        comes first. A package is signed if FILE.minisig is next to it (`help plugin key`). The plugin is loaded and its \
        own tests are run first, on temporary data; a plugin that fails is not installed. This is not an undo step: \
        `plugin remove` reverts it. Nothing is downloaded.
        """, arguments: [Argument("FILE|NAME", .file, access: .read, help: "a package, a plugin's folder, or a name")],
      options: [grant, unsigned, index],
      usage: [
        "plugin install FILE|FOLDER [--grant] [--unsigned]", "plugin install NAME[@VERSION] [--grant] [--index INDEX]",
      ], example: "plugin install verbs-1.0.0.tar.gz", complete: PluginIndexCommands.offerPackages
    ) { invocation, session in
      try installing(invocation, session, .install).run(invocation.text("FILE|NAME"))
    }
  }

  private static var updatePlugin: BuiltIn {
    BuiltIn(
      "plugin", "update", access: .atTerminal, effect: .announces,
      summary: "Updates an installed plugin to a newer version, after showing what changes.",
      answer: "{name, version, state, FIELD} or boolean",
      details: """
        NAME takes the newest version of an index. What changes in its permissions and in its code is shown as a diff \
        before it asks; --diff shows that and changes nothing. The installed version stays until the new one was loaded \
        and passed its own tests, and also if that fails. This is not an undo step: keep the old package if you may want \
        it back.
        """,
      arguments: [
        Argument("FILE|NAME", .file, access: .read, help: "a package of a higher version, or a plugin's name")
      ], options: [grant, unsigned, index, Option("--diff", help: "only show what would change")],
      example: "plugin update verbs-1.1.0.tar.gz", complete: PluginIndexCommands.offerUpdates
    ) { invocation, session in
      var installing = installing(invocation, session, .update)
      installing.onlyShows = invocation.flag("--diff")
      return try installing.run(invocation.text("FILE|NAME"))
    }
  }

  private static func installing(
    _ invocation: Invocation, _ session: Session, _ purpose: InstallPurpose
  ) -> PluginInstalling {
    var installing = PluginInstalling(session, purpose)
    (installing.isGranted, installing.takesUnsigned) = (invocation.flag("--grant"), invocation.flag("--unsigned"))
    installing.index = invocation.optionalText("--index")
    return installing
  }

  // MARK: Removing

  private static var removePlugin: BuiltIn {
    BuiltIn(
      "plugin", "remove", access: .atTerminal, effect: .announces,
      summary: "Removes an installed plugin, its folder, and what was granted to it.", answer: "boolean",
      details: """
        At a terminal it asks first. This is not an undo step: pack a plugin first if you wrote it yourself. Decks that \
        it made stay, and the plugin stays tied to its key.
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
}
