// `plugin index`, `plugin search`, `plugin outdated`: finds plugins in index folders that the user fetches by other
// means. Invariant: an index is accepted only with the key that the user named or trusts; a refused index offers
// nothing, and the reason is reported.

import Authentication
import Commands
import Files
import PluginHost
import Problems
import Text
import Values
import Workspace

enum PluginIndexCommands {
  static var all: [BuiltIn] { [index, search, outdated] }

  // MARK: Indexes

  private static var index: BuiltIn {
    BuiltIn(
      "plugin", "index", access: .atTerminal, effect: .depends { $0.text("ACTION") == "list" ? .reads : .announces },
      summary: "Adds, lists or removes indexes: folders that list available plugins.",
      answer: "{folder, name, number, date, expires?, plugins, key?, state}... or {folder, name, number} or boolean",
      details: """
        An index is a folder with index.json, its signature index.json.minisig, and a NAME.json for each plugin; you get \
        and update it yourself, for example with `git pull`. Without --key it must be signed with a key that you trust \
        (`plugin key trust`). An index that is older than the one seen before, expired, changed, or signed with another \
        key is refused. The index that comes with the program is always used.
        """,
      arguments: [
        Argument("ACTION", .choice(["add", "list", "remove"]), help: "add, list or remove"),
        Argument("FOLDER", .folder, isOptional: true, help: "the index's folder; to remove it, its name is enough"),
      ], options: [Option("--key", "KEY", help: "the index's key: a minisign public key, or its .pub file")],
      usage: ["plugin index add FOLDER [--key KEY]", "plugin index list", "plugin index remove FOLDER"],
      example: "plugin index list", complete: offerIndexes
    ) { invocation, session in
      let action = invocation.text("ACTION")
      if action == "list" {
        if let extra = invocation.optionalText("FOLDER") {
          throw CommandError.extraArgument(command: "plugin index", extra, usage: "plugin index list")
        }
        return try list(session)
      }
      guard let folder = invocation.optionalText("FOLDER") else {
        throw CommandError.missingArgument(
          command: "plugin index \(action)", "FOLDER", usage: "plugin index \(action) FOLDER")
      }
      return action == "add" ? try add(folder, invocation, session) : try remove(folder, session)
    }
  }

  private static func offerIndexes(_ word: String, _ before: [String], _ session: Session) -> [Offer] {
    guard before.count == 1, let action = before.first, action != "list" else { return [] }
    if action == "add" { return NameOffers(session).paths(word, foldersOnly: true) }
    do {
      return try session.plugins.indexes.states().filter { $0.known != nil }.map { Offer($0.folder) }
    } catch {
      // Completion offers only what it can read; the command itself reports what is wrong.
      return []
    }
  }

  private static func list(_ session: Session) throws -> CommandResult {
    let states = try session.plugins.indexes.states()
    let rows = states.map { state in
      [
        state.index?.name ?? "-", state.index.map { session.grouped($0.number) } ?? "-", state.index?.date ?? "-",
        state.index.map { session.grouped($0.plugins.count) } ?? "-", words(of: state), state.folder,
      ]
    }
    let columns: [TableText.Column] = [
      .init("Name", isTyped: true), .init("Number", .right), .init("Date"), .init("Plugins", .right), .init("State"),
      .init("Folder", isTyped: true),
    ]
    for problem in states.compactMap(\.problem) { session.console.message("plugin: \(problem.message)") }
    return CommandResult(
      .list(states.map(record)),
      .table(TableText(columns, rows: rows, whenEmpty: "No index; `plugin index add FOLDER` adds one.")))
  }

  private static func words(of state: IndexState) -> String {
    if let problem = state.problem { return "refused: \(problem.code)" }
    return state.known == nil ? "part of the program" : "signed with \(state.known?.key.id ?? "")"
  }

  private static func record(_ state: IndexState) -> Value {
    let index = state.index
    return .record([
      "folder": state.folder, "name": index.map { $0.name }, "number": index.map { $0.number },
      "date": index.map { $0.date }, "expires": index?.expires, "plugins": index.map { $0.plugins.count },
      "key": state.known.map { $0.key.description },
      "state": state.problem?.code ?? (state.known == nil ? "bundled" : "ok"),
    ])
  }

  private static func add(_ text: String, _ invocation: Invocation, _ session: Session) throws -> CommandResult {
    let folder = session.environment.folders.expanded(text)
    let key = try invocation.optionalText("--key").map { try PluginKeys.key($0, session) }
    guard session.rehearsal.mayActOutside("add the index \(folder)") else { return CommandResult() }
    let index = try session.plugins.indexes.add(folder, key: key)
    let until = index.expires.map { ", good until \($0)" } ?? ""
    return CommandResult(
      .record(["folder": index.folder, "name": index.name, "number": index.number]),
      line: "Added the index \(index.name): \(session.counted(index.plugins.count, "plugin")), number "
        + "\(index.number) of \(index.date)\(until).")
  }

  private static func remove(_ text: String, _ session: Session) throws -> CommandResult {
    guard session.rehearsal.mayActOutside("remove the index \(text)") else { return CommandResult() }
    let folder = try session.plugins.indexes.remove(text)
    return CommandResult(.boolean(true), line: "Removed the index in \(folder); plugins that came from it stay.")
  }

  // MARK: Searching

  private static var search: BuiltIn {
    BuiltIn(
      "plugin", "search", summary: "Searches the indexes for plugins, by name, summary and author.",
      answer: "{name, version, summary, author, licence, permissions, index, installed?, yanked?}...",
      details: "Without a word it lists all plugins. An index vouches for its entries; the code is not read.",
      arguments: [Argument("WORD", isOptional: true, help: "part of a name, a summary or an author")],
      example: "plugin search ladder"
    ) { invocation, session in
      let (found, problems) = try session.plugins.indexes.search(invocation.optionalText("WORD") ?? "")
      for problem in problems { session.console.message("plugin: \(problem.message)") }
      let rows = found.map { listed in
        [
          listed.listing.name, listed.release.version.description, state(of: listed, session), listed.index.name,
          listed.listing.summary,
        ]
      }
      let columns: [TableText.Column] = [
        .init("Name", isTyped: true), .init("Version"), .init("Installed"), .init("Index"), .init("Summary"),
      ]
      return CommandResult(
        .list(found.map { record($0, session) }),
        .table(TableText(columns, rows: rows, whenEmpty: "No index has such a plugin.")))
    }
  }

  private static func installed(_ name: String, _ session: Session) -> Plugin? {
    session.plugins.plugins.first { $0.name == name }
  }

  private static func state(of listed: ListedRelease, _ session: Session) -> String {
    if let reason = listed.release.yanked { return "withdrawn: \(reason)" }
    guard let plugin = installed(listed.listing.name, session) else { return "-" }
    return plugin.isBundled ? "bundled" : plugin.manifest?.version ?? "-"
  }

  private static func record(_ listed: ListedRelease, _ session: Session) -> Value {
    let (listing, release) = (listed.listing, listed.release)
    return .record([
      "name": listing.name, "version": release.version.description, "summary": listing.summary,
      "author": listing.author, "licence": release.licence, "permissions": release.permissions,
      "index": listed.index.folder, "installed": installed(listing.name, session)?.manifest.map { $0.version },
      "yanked": release.yanked,
    ])
  }

  private static var outdated: BuiltIn {
    BuiltIn(
      "plugin", "outdated", summary: "Lists installed plugins that an index has a newer version of, or has withdrawn.",
      answer: "{name, installed, newest?, index, yanked?}..."
    ) { _, session in
      session.plugins.refreshManifests()
      let (found, problems) = try session.plugins.indexes.outdated()
      for problem in problems { session.console.message("plugin: \(problem.message)") }
      let rows = found.map { outdated in
        [
          outdated.plugin.name, outdated.plugin.manifest?.version ?? "",
          outdated.newer?.release.version.description ?? "-", outdated.index.name,
          outdated.yanked.map { "the installed version was withdrawn: \($0)" } ?? "",
        ]
      }
      let values = found.map { outdated in
        Value.record([
          "name": outdated.plugin.name, "installed": outdated.plugin.manifest?.version ?? "",
          "newest": outdated.newer.map { $0.release.version.description }, "index": outdated.index.folder,
          "yanked": outdated.yanked,
        ])
      }
      let columns: [TableText.Column] = [
        .init("Name", isTyped: true), .init("Installed"), .init("Newest"), .init("Index"), .init("Note"),
      ]
      return CommandResult(
        .list(values),
        .table(TableText(columns, rows: rows, whenEmpty: "The indexes contain nothing newer.")))
    }
  }

  // MARK: Completion

  /// Completions: files, and plugins of the indexes that are not installed.
  static func offerPackages(_ word: String, _ before: [String], _ session: Session) -> [Offer] {
    guard before.isEmpty else { return [] }
    let files = NameOffers(session).paths(word)
    if word.contains("/") { return files }
    do {
      let found = try session.plugins.indexes.search("").found
      return found.filter { installed($0.listing.name, session) == nil }.map {
        Offer($0.listing.name, help: $0.listing.summary)
      } + files
    } catch {
      // Completion offers only what it can read; the command itself reports what is wrong.
      return files
    }
  }

  /// Completions: installed plugins, and files.
  static func offerUpdates(_ word: String, _ before: [String], _ session: Session) -> [Offer] {
    guard before.isEmpty else { return [] }
    let files = NameOffers(session).paths(word)
    return word.contains("/") ? files : PluginPackages.ownPlugins(session) + files
  }
}
