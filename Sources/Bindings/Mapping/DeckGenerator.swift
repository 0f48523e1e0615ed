// Runs the Lua scripts that generate cards of a folder for `build`: each in a process of its own, as a plugin's code.
// Invariants: the same script over the same files makes the same cards; it can read nothing outside its folder and
// nothing hidden in it, write nothing, and see no user's data; what it makes is charged before it is stored.

package import Exchange
import Files
import LuaRuntime
import Problems
import Text

/// Runs generators.
///
///     let generator = DeckGenerator(seconds: 60, processes: context.shell)
///     _ = try generator.run("es/times.lua", in: "es") { card in ... }
package struct DeckGenerator: CardGenerator {
  /// For the generator's own data, and for the cards that it makes, each.
  private static let memoryLimit = 512 << 20
  private static let fileLimit = 256 << 20
  /// Bytes that a card is charged in addition to its texts: a row, its facts, and what a build remembers of it.
  private static let cardWeight = 1536

  private let seconds: Double
  private let processes: any ShellHost

  /// - Parameters:
  ///   - seconds: the time limit of one generator.
  ///   - processes: starts the process that a generator runs in.
  package init(seconds: Double, processes: any ShellHost) {
    (self.seconds, self.processes) = (seconds, processes)
  }

  package func run(_ path: String, in folder: String, emit: @escaping (CardRow) throws -> Void) throws -> [String] {
    let code = try FileText.bytes(path, limit: 16 << 20) { Interrupts.areRequested }
    let state = try LuaState(memoryLimit: Self.memoryLimit, libraries: .sandboxed, seed: 0)
    defer { state.close() }
    state.timeLimit = seconds
    let reading = FolderReading(folder)
    let cards = EmittedCards(emit)
    try registerWords(in: state) { try reading.reading($0, $1) }
    do {
      let terms = CodeTerms(memoryLimit: Self.memoryLimit, seed: 0)
      let distant = try processes.startCode(state, terms, seconds: seconds)
      defer { distant?.close() }
      try distant?.sendModules()
      try state.setGlobal(
        "card",
        LuaFunction("card") { stack in
          try cards.emit(Self.card(stack.table(1)), stack.memory.retainCharge(Self.cardWeight))
          return LuaNothing()
        })
      try state.setGlobal(
        "read",
        LuaFunction("read", fails: true) { stack in
          LuaValue.bytes(try reading.bytes(stack.text(1), limit: Self.fileLimit))
        })
      try state.load(luaCode(ofFile: code), name: path).call([], results: 0) { _ in }
    } catch {
      throw reason(of: error, path, cards.failure)
    }
    // The script cannot catch why a card was refused.
    if let failure = cards.failure { throw failure }
    return reading.names
  }

  /// Returns the error of a generator that failed. A limit may also be the reason why a card was not taken.
  private func reason(of error: any Error, _ path: String, _ failure: (any Error)?) -> any Error {
    let stop = (error as? LuaError)?.stopReason
    switch stop {
    case .deadline:
      let limit = " (\(grouped(Int(seconds))) s; `build --seconds N` sets it)"
      return BuildError.generator(path: path, reason: "\(error)" + limit)
    case .memory:
      let limit = " (\(grouped(Self.memoryLimit >> 20)) MiB for its data or its cards; make several sources of it)"
      return BuildError.generator(path: path, reason: "\(error)" + limit)
    case .interrupt: return failure ?? error
    case .exit, nil:
      if let failure { return failure }
      return error is LuaError || error is LuaFailure ? BuildError.generator(path: path, reason: "\(error)") : error
    }
  }

  private static let keys = ["id", "prompt", "answer", "tags", "subdeck", "type", "fields"]

  private static func card(_ table: borrowing LuaTable) throws -> CardRow {
    try table.allowOnly(keys)
    var row = CardRow()
    row.prompt = Array((try table.optionalText("prompt") ?? "").utf8)
    row.answer = Array((try table.optionalText("answer") ?? "").utf8)
    row.guid = Array((try table.optionalText("id") ?? "").utf8)
    row.tags = try table.optionalTexts("tags") ?? []
    row.subdeck = try table.optionalText("subdeck") ?? ""
    let fields = try fields(table)
    if let type = try table.optionalText("type") {
      row.content = .note(type: type, fields)
    } else if row.prompt.isEmpty {
      throw LuaFailure.argument(1, "prompt and answer expected, or type and fields")
    }
    return row
  }

  private static func fields(_ table: borrowing LuaTable) throws -> [(name: String?, html: String)] {
    let wrong = LuaFailure.argument(1, "fields: texts by the names of the type's fields expected")
    let given = try table.value("fields")
    if given.isNone { return [] }
    guard case .table(let pairs) = given else { throw wrong }
    let fields = try pairs.map { pair in
      guard let name = pair.key.text, let value = pair.value.text else { throw wrong }
      return (name: name, html: value)
    }
    return fields.sorted { $0.name < $1.name }.map { ($0.name, $0.html) }
  }
}

/// Passes on the cards of a generator until one is refused.
private final class EmittedCards {
  private let take: (CardRow) throws -> Void
  /// What the cards were charged.
  private var charges: [MemoryCharge] = []
  private(set) var failure: (any Error)?

  init(_ take: @escaping (CardRow) throws -> Void) { self.take = take }

  func emit(_ card: CardRow, _ charge: MemoryCharge) throws {
    charges.append(charge)
    do {
      if let failure { throw failure }
      try take(card)
    } catch {
      failure = error
      throw LuaFailure.message("stopped")
    }
  }
}

/// Reads files of one folder, by their names within it.
private final class FolderReading {
  private let folder: String
  /// The names of the files that were read, each once.
  private(set) var names: [String] = []

  init(_ folder: String) { self.folder = folder }

  func bytes(_ name: String, limit: Int) throws -> [UInt8] {
    try reading(name) { try FileText.bytes($0, limit: limit) { Interrupts.areRequested } }
  }

  /// Passes the path of a file to `read`, and then records its name.
  func reading<Content>(_ name: String, _ read: (_ path: String) throws -> Content) throws -> Content {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    // A name that begins with a dot leads out of the folder, or is hidden: `.git/config` may hold a password.
    let isVisible = parts.allSatisfy { !$0.isEmpty && $0.utf8.first != UInt8(ascii: ".") }
    guard !parts.isEmpty, isVisible, !name.contains("\n") else {
      throw BuildError.generator(path: name, reason: "a file within the folder expected, by its name there, not hidden")
    }
    var path = folder
    for part in parts {
      path += "/" + part
      // A link could lead out of the folder.
      if try FileFacts.at(path, followingLinks: false)?.kind == .symbolicLink {
        throw BuildError.generator(path: name, reason: "it is a link; only files of the folder itself are read")
      }
    }
    let content = try read(path)
    if !names.contains(name) { names.append(name) }
    return content
  }
}
