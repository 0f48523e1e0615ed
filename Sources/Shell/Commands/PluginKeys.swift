// `plugin key`: the keys whose packages are accepted. Invariant: a key is trusted because the user named it, never
// because of a package.

import Authentication
import Commands
import Files
import PluginHost
import Problems
import Text
import Values
import Workspace

enum PluginKeys {
  static var command: BuiltIn {
    BuiltIn(
      "plugin", "key", access: .atTerminal, effect: .depends { $0.text("ACTION") == "list" ? .reads : .announces },
      summary: "Lists the keys whose packages you accept, trusts a key, or stops trusting one.",
      answer: "{key, id, trusted} or {key, id, name, plugins}...",
      details: """
        Keys and signatures are those of minisign: an author makes a key with `minisign -G`, signs with `minisign -Sm \
        FILE`, and distributes FILE and FILE.minisig. KEY is the public key, RW and 54 letters, or its .pub file; get it \
        separately from the package. A plugin that was installed with a signature is accepted only with that key \
        later; `trust` with --plugin NAME ties it to another key, `remove` with --plugin NAME to none.
        """,
      arguments: [
        Argument("ACTION", .choice(["list", "trust", "remove"]), help: "list, trust or remove"),
        Argument("KEY", isOptional: true, help: "a minisign public key, or its .pub file"),
      ],
      options: [
        Option("--name", "WHO", help: "what to call the key's owner"),
        Option("--plugin", "NAME", .plugin, help: "the plugin to tie to the key, or to untie from it"),
      ],
      usage: [
        "plugin key list", "plugin key trust KEY [--name WHO] [--plugin NAME]", "plugin key remove KEY [--plugin NAME]",
      ], example: "plugin key list", complete: offerKeys
    ) { invocation, session in
      let action = invocation.text("ACTION")
      guard action != "list" else {
        if let extra = invocation.optionalText("KEY") {
          throw CommandError.extraArgument(command: "plugin key", extra, usage: "plugin key list")
        }
        return try listKeys(session)
      }
      guard let text = invocation.optionalText("KEY") else {
        throw CommandError.missingArgument(
          command: "plugin key \(action)", "KEY", usage: "plugin key \(action) KEY [--plugin NAME]")
      }
      let key = try key(text, session)
      let plugin = try invocation.optionalText("--plugin").map { name in
        guard PluginName(name) != nil else { throw PluginError.badName(name) }
        return name
      }
      return action == "trust"
        ? try trust(key, name: invocation.optionalText("--name"), plugin, session) : try remove(key, plugin, session)
    }
  }

  /// Completions: the known keys with their names; for `trust` also files.
  private static func offerKeys(_ word: String, _ before: [String], _ session: Session) -> [Offer] {
    guard before.count == 1, let action = before.first, action != "list" else { return [] }
    let files = action == "trust" ? NameOffers(session).paths(word) : []
    do {
      return try session.plugins.packages.trustedKeys().keys.map { Offer($0.key.description, help: $0.name) } + files
    } catch {
      // Completion offers only what it can read; the command itself reports what is wrong.
      return files
    }
  }

  /// The key that a text gives: literally, by the id of a known key, or as a path to a key file.
  static func key(_ text: String, _ session: Session) throws -> MinisignKey {
    if let key = MinisignKey(text) { return key }
    let known = try session.plugins.packages.trustedKeys().keys.map(\.key)
    if let key = known.first(where: { $0.id == text.uppercased() }) { return key }
    let path = session.environment.folders.expanded(text)
    if fileExists(path),
      let key = try FileText.read(path, limit: 8192, isInterrupted: session.environment.isInterrupted)
        .flatMap(MinisignKey.init)
    {
      return key
    }
    throw SignatureError.noSuchKey(text, suggestion: suggestion(for: text, among: known.map(\.description)))
  }

  /// The key that the plugin is pinned to, for `plugin info`; empty when there is none.
  static func signer(of plugin: String, _ session: Session) throws -> String {
    let keys = try session.plugins.packages.trustedKeys()
    guard let key = keys.pins[plugin] else { return "" }
    let name = keys.keys.first { $0.key == key }?.name ?? "a key that you do not trust"
    return "\(key)\(name.isEmpty ? "" : " (\(name))")"
  }

  private static func listKeys(_ session: Session) throws -> CommandResult {
    let keys = try session.plugins.packages.trustedKeys()
    let rows = keys.keys.map { ($0.key, $0.name, keys.plugins(of: $0.key)) }
    let table = TableText(
      [.init("Key", isTyped: true), .init("Owner"), .init("Plugins")],
      rows: rows.map { [$0.description, $1, $2.joined(separator: ", ")] },
      whenEmpty: "No key is trusted; `plugin key trust KEY` trusts one.")
    let values = rows.map { key, name, plugins in
      Value.record(["key": key.description, "id": key.id, "name": name, "plugins": plugins])
    }
    return CommandResult(.list(values), .table(table))
  }

  private static func trust(
    _ key: MinisignKey, name: String?, _ plugin: String?, _ session: Session
  ) throws -> CommandResult {
    let what = plugin.map { "tie \($0) to the key \(key.id)" } ?? "trust the key \(key.id)"
    guard session.rehearsal.mayActOutside(what) else { return CommandResult() }
    let name = name.map { printable($0.trimmed, limit: 80) }
    try session.plugins.packages.changeKeys { keys in
      keys.set(key, name: name ?? keys.keys.first { $0.key == key }?.name ?? "")
      if let plugin { keys.pin(plugin, to: key) }
    }
    let line = "Trusted the key \(key.id)\(plugin.map { "; \($0) must be signed with it from now on" } ?? "")."
    return CommandResult(record(of: key, isTrusted: true), line: line)
  }

  private static func remove(_ key: MinisignKey, _ plugin: String?, _ session: Session) throws -> CommandResult {
    let keys = try session.plugins.packages.trustedKeys()
    if let plugin, keys.pins[plugin] != key { throw SignatureError.notPinned(plugin: plugin, keyID: key.id) }
    guard plugin != nil || keys.trusts(key) else { throw SignatureError.noSuchKey(key.description, suggestion: nil) }
    let what = plugin.map { "untie \($0) from the key \(key.id)" } ?? "no longer trust the key \(key.id)"
    guard session.rehearsal.mayActOutside(what) else { return CommandResult() }
    try session.plugins.packages.changeKeys { keys in
      if let plugin { keys.pin(plugin, to: nil) } else { keys.set(key, name: nil) }
    }
    let line =
      plugin.map { "\($0) is no longer tied to a key: any signature that you trust, or none, is accepted." }
      ?? "The key \(key.id) is no longer trusted; plugins signed with it stay installed."
    return CommandResult(record(of: key, isTrusted: plugin != nil && keys.trusts(key)), line: line)
  }

  private static func record(of key: MinisignKey, isTrusted: Bool) -> Value {
    .record(["key": key.description, "id": key.id, "trusted": isTrusted])
  }
}
