// AnkiConnect actions on the program and on whole collections. Invariant: only the user can switch accounts.

import Decks
import Exchange
import Files
import Text
import Values
import Workspace

enum ProgramActions {
  static let all: [Action] = [
    .reading("version") { _ in .integer(ActionServer.version) },
    .reading("apiReflect", reflect),
    .reading("sync") { call in
      try call.host.synchronize()
      return .null
    },
    .reading("getProfiles") { call in .list(try call.host.profiles().all.map { .text($0) }) },
    .reading("getActiveProfile") { call in .text(try call.host.profiles().active) },
    .reading("loadProfile", loadProfile),
    // Every request reads the stored data anyway.
    .reading("reloadCollection") { _ in .null },
    .reading("exportPackage", exportPackage),
    .changing("importPackage") { call in
      try call.workspace.exchange.importPackage(from: call.params["path"].text("a path"))
      return .boolean(true)
    },
  ]

  /// Returns the names of the known actions, limited to a list if one is given.
  private static func reflect(_ call: ActionCall) throws -> Value {
    guard let scopes = call.params["scopes"].value?.list else { throw ActionFailure("scopes has invalid value") }
    let given = call.params["actions"]
    guard !given.isGiven || given.value?.list != nil else { throw ActionFailure("actions has invalid value") }
    guard scopes.contains(.text("actions")) else { return .record([("scopes", .list([]))]) }
    let known = Set(Action.named.keys).union(Action.own)
    let names = given.value?.list?.compactMap(\.text).filter(known.contains) ?? known.sorted()
    return .record([("scopes", .list([.text("actions")])), ("actions", .list(names.map { .text($0) }))])
  }

  /// Another account needs its password, which a client does not have.
  private static func loadProfile(_ call: ActionCall) throws -> Value {
    let name = try call.params["name"].text()
    let profiles = try call.host.profiles()
    guard profiles.all.contains(name) else { return .boolean(false) }
    if name == profiles.active { return .boolean(true) }
    throw ActionFailure("sign in as \(name) where Deckhand runs, and start `serve` there")
  }

  /// Writes a new file in the folder of exports: no client chooses a path that is written to. Returns false for a deck
  /// that does not exist.
  private static func exportPackage(_ call: ActionCall) throws -> Value {
    guard let deck = try call.knownDeck(named: call.params["deck"].text()) else { return .boolean(false) }
    var options = ExportOptions()
    (options.format, options.hasSchedule) = (.apkg, try call.flag("includeSched"))
    let path = try newExport(call.params["path"].text("a path"), in: call.workspace.exchange.ensureExports())
    _ = try deck.exportCards(to: path, .plain, options)
    return .boolean(true)
  }

  private static func newExport(_ given: String, in folder: String) throws -> String {
    let name = lastPart(of: given)
    guard given == name || given == folder + "/" + name, !name.isEmpty, !name.hasPrefix("."), printable(name) == name
    else {
      throw ActionFailure("packages are exported only into \(folder): give the name of a new file there")
    }
    guard try FileFacts.at(folder + "/" + name, followingLinks: false) == nil else {
      throw ActionFailure("\(folder)/\(name) already exists: give the name of a new file")
    }
    return folder + "/" + name
  }
}
