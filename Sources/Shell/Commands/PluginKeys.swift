// `plugin key`: whose packages are taken, and the key that one's own are signed with. Invariant: a key is trusted by
// its fingerprint, which somebody typed; the secret half never leaves its file but to sign.

import Authentication
import Commands
import PluginHost
import Text
import Values
import Workspace

enum PluginKeys {
  static var command: BuiltIn {
    BuiltIn(
      "plugin", "key", theme: PluginCommands.pluginTheme, access: .atTerminal,
      effect: .depends { $0.text("ACTION") == "list" ? .reads : .announces },
      summary: "Makes your key for signing packages, lists the keys that you trust, and trusts another.",
      details: """
        `new` makes a key: under the password of your account, or without an account in a file that only you can read. \
        `trust` takes the packages of a key; compare its fingerprint with what its owner says elsewhere. A plugin that \
        was installed with a signature is taken from that key only; --plugin NAME says that it is another's from now \
        on, and with --remove that it is nobody's. --remove alone trusts the key no more.
        """,
      arguments: [
        Argument("ACTION", .choice(["new", "list", "trust"]), help: "new, list or trust"),
        Argument(
          "FINGERPRINT", isOptional: true, isRepeating: true, help: "40 hexadecimal digits; blanks do not matter"),
      ],
      options: [
        Option("--name", "WHO", help: "what to call the key's owner"),
        Option("--plugin", "NAME", .plugin, help: "the plugin that is the key's from now on"),
        Option("--remove", help: "trust the key no more"),
      ],
      usage: [
        "plugin key new", "plugin key list", "plugin key trust FINGERPRINT [--name WHO] [--plugin NAME] [--remove]",
      ],
      example: "plugin key list", complete: offerKeys
    ) { invocation, session in
      let words = invocation.list("FINGERPRINT")
      let action = invocation.text("ACTION")
      if action != "trust", let extra = words.first {
        throw CommandError.extraArgument(command: "plugin key", extra, usage: "plugin key \(action)")
      }
      switch action {
      case "new": return try makeKey(session)
      case "trust": return try trust(words.joined(), invocation, session)
      default: return try listKeys(session)
      }
    }
  }

  /// The fingerprints that are known, with their names.
  private static func offerKeys(_ word: String, _ before: [String], _ session: Session) -> [Offer] {
    guard before.first == "trust", before.count == 1 else { return [] }
    do {
      return try session.plugins.trustedKeys().keys.map { Offer($0.key.text, help: $0.name) }
    } catch {
      // Completion offers what can be read; the command itself will say what is wrong.
      return []
    }
  }

  // MARK: One's own

  private static func makeKey(_ session: Session) throws -> CommandResult {
    let file = try SigningKeyFile(in: session.gate.requireAccess())
    if try file.key() != nil { throw AuthenticationError.keyExists(path: file.path) }
    guard session.rehearsal.mayActOutside("make a signing key in \(file.path)") else { return CommandResult() }
    let key = try withPassword(session) { try file.make(password: $0) }
    try session.plugins.changeKeys { $0.set(key.fingerprint, name: session.gate.user ?? "you") }
    let place = session.gate.user == nil ? "in \(file.path), which only you can read" : "sealed by your password"
    return CommandResult(
      .record([("key", .text(key.fingerprint.text)), ("path", .text(file.path))]),
      .lines([
        "Made your signing key, \(place). It is in no backup: copy the file to a safe place.",
        "Its fingerprint, which others trust your packages by: \(key.fingerprint)",
      ]))
  }

  static func sign(_ message: [UInt8], with file: SigningKeyFile, _ session: Session) throws -> [UInt8] {
    try withPassword(session) { try file.sign(message, password: $0) }
  }

  /// Asks for the password of the account, where there is one, and checks it.
  private static func withPassword<R>(_ session: Session, _ body: (borrowing Secret?) throws -> R) throws -> R {
    guard let user = session.gate.user else { return try body(nil) }
    let signIn = SignIn(session)
    let password: Secret? = try signIn.answeringLeft {
      let password =
        try session.options.signIn.passwordFile.map { try signIn.password(in: $0) }
        ?? signIn.readPassword("Password for \(printable(user)): ")
      try session.gate.confirm(password)
      return password
    }
    return try body(password)
  }

  // MARK: Others'

  /// Whose a plugin is, for `plugin info`; empty for nobody's.
  static func signer(of plugin: String, _ session: Session) throws -> String {
    let keys = try session.plugins.trustedKeys()
    guard let key = keys.pins[plugin] else { return "" }
    let name = keys.keys.first { $0.key == key }?.name ?? "a key that you trust no more"
    return "\(key)\(name.isEmpty ? "" : " (\(name))")"
  }

  private static func listKeys(_ session: Session) throws -> CommandResult {
    let keys = try session.plugins.trustedKeys()
    let own = try SigningKeyFile(in: session.gate.requireAccess()).key()?.fingerprint
    let rows = keys.keys.map { entry in
      (entry.key, entry.name, keys.plugins(of: entry.key), entry.key == own)
    }
    let table = TableText(
      [.init("Key"), .init("Owner"), .init("Plugins")],
      rows: rows.map { [$0.description, $1 + ($3 ? " (your key)" : ""), $2.joined(separator: ", ")] },
      whenEmpty: "No key is trusted; `plugin key trust FINGERPRINT` trusts one, `plugin key new` makes yours.")
    let values = rows.map { key, name, plugins, isOwn in
      Value.record([
        ("key", .text(key.text)), ("name", .text(name)), ("plugins", .list(plugins.map { .text($0) })),
        ("own", .boolean(isOwn)),
      ])
    }
    return CommandResult(.list(values), .table(table))
  }

  private static func trust(_ text: String, _ invocation: Invocation, _ session: Session) throws -> CommandResult {
    let keys = try session.plugins.trustedKeys()
    guard !text.isEmpty else {
      throw CommandError.missingArgument(
        command: "plugin key trust", "FINGERPRINT", usage: "plugin key trust FINGERPRINT [--name WHO]")
    }
    guard let key = Fingerprint(text) else {
      throw SignatureError.noSuchKey(text, suggestion: suggestion(for: text, among: keys.keys.map(\.key.text)))
    }
    let plugin = try invocation.optionalText("--plugin").map { name in
      guard PluginHost.mayName(name) else { throw PluginError.badName(name) }
      return name
    }
    let isRemoved = invocation.flag("--remove")
    let what = plugin.map { isRemoved ? "say that \($0) is nobody's" : "say that \($0) is the key's" }
    guard session.rehearsal.mayActOutside(what ?? "\(isRemoved ? "no longer " : "")trust the key \(key)") else {
      return CommandResult()
    }
    let line: String
    switch (isRemoved, plugin) {
    case (true, let plugin?):
      guard keys.pins[plugin] == key else { throw SignatureError.notPinned(plugin: plugin, key: key) }
      try session.plugins.changeKeys { $0.pin(plugin, to: nil) }
      line = "\(plugin) is nobody's now: the next signature that you trust, or none, will do."
    case (true, nil):
      guard keys.trusts(key) else { throw SignatureError.noSuchKey(text, suggestion: nil) }
      try session.plugins.changeKeys { $0.set(key, name: nil) }
      line = "The key \(key) is trusted no more; plugins that it signed stay installed."
    case (false, let plugin):
      let name = invocation.optionalText("--name").map { printable($0.trimmed, limit: 80) }
      try session.plugins.changeKeys { keys in
        keys.set(key, name: name ?? keys.keys.first { $0.key == key }?.name ?? "")
        if let plugin { keys.pin(plugin, to: key) }
      }
      line = "Trusted the key \(key)\(plugin.map { "; \($0) is its own from now on" } ?? "")."
    }
    return CommandResult(
      .record([("key", .text(key.text)), ("trusted", .boolean(!isRemoved || plugin != nil))]), line: line)
  }
}
