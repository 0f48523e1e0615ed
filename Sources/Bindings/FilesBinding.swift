// What Lua sees of files: the module `files`. Invariant: a plugin reaches a path only when the path it resolves to lies within
// one that was granted.

import Files
import Glibc
import LuaRuntime
import Wording

func filesModule(_ context: BindingContext) -> BoundModule {
  let path = LuaParameter("path", .string)
  return BoundModule("files", "Text files: read and write them whole, or line by line.", check: context.requireSignIn) {
    module in
    module.function(
      "lines", [path], returns: .iterator(.string), "The lines of a file, without their line ends."
    ) { stack in
      let path = try stack.text(1)
      let right = try context.requireReading(path)
      let lines = try LineFile(path, context.kinds(of: path))
      return LuaFunction("next line") { _ in
        try context.require(right, of: path)
        return try lines.next().map { LuaValue.bytes($0) }
      }
    }
    module.function("read", [path], returns: .string, fails: true, "The whole file, at most 256 MiB.") { stack in
      let path = try stack.text(1)
      try context.requireReading(path)
      return LuaValue.bytes(
        try FileText.bytes(path, limit: 256 << 20, context.kinds(of: path)) { Interrupts.areRequested })
    }
    module.function(
      "write", [path, LuaParameter("text", .string)], returns: .boolean, fails: true,
      "Writes the file whole or, when it fails, not at all."
    ) { stack in
      let path = try stack.text(1)
      let bytes = Array(try stack.bytes(2))
      try context.requireWriting(path)
      var options = Replacement(mode: 0o644)
      (options.kinds, options.isInterrupted) = (context.kinds(of: path), { Interrupts.areRequested })
      try AtomicFile.write(path, bytes, options)
      return true
    }
  }
}

/// A file that is read by the line.
private final class LineFile {
  private let file: ByteFile
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)
  private var filled = 0
  private var position = 0
  private static let longest = 16 << 20

  init(_ path: String, _ kinds: FileKinds) throws {
    file = try ByteFile(path, kinds) { Interrupts.areRequested }
  }

  /// The next line; nil at the end.
  func next() throws -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      if position == filled {
        filled = try file.read(into: &buffer)
        position = 0
        if filled == 0 { return line.isEmpty ? nil : line }
      }
      let rest = buffer[position..<filled]
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      line.append(contentsOf: rest[..<(end ?? filled)])
      position = end.map { $0 + 1 } ?? filled
      if line.count > Self.longest {
        throw LuaFailure.message("\(printable(file.path)) has a line of more than 16 MiB")
      }
      guard end != nil else { continue }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      // An empty line is a line: nil would end the loop.
      return line
    }
  }
}

/// How long a path may be used.
enum PathRight {
  case lasting
  /// Until the call of a command ends for which the user named the file.
  case call(Int)
}

extension BindingContext {
  /// - Throws: when the path was not granted. What is kept open for later reading keeps the right and asks it again.
  @discardableResult func requireReading(_ path: String) throws -> PathRight {
    try require(path, within: grants.readable, "files.read", \.readable)
  }

  func requireWriting(_ path: String) throws {
    _ = try require(path, within: grants.writable, "files.write", \.writable)
  }

  /// - Throws: when a right of a call is used after the call.
  func require(_ right: PathRight, of path: String) throws {
    guard case .call(let id) = right, !callGrants.contains(where: { $0.id == id }) else { return }
    throw missing("files.read", path)
  }

  private func require(
    _ path: String, within allowed: [String]?, _ right: String, _ named: KeyPath<CallGrant, [String]>
  ) throws -> PathRight {
    guard let allowed else { return .lasting }
    guard let wanted = resolvedPath(path) else { throw missing(right, path) }
    if allowed.compactMap(resolvedPath).contains(where: { isPath(wanted, within: $0) }) { return .lasting }
    // The outermost call first: its right lasts longest.
    if let grant = callGrants.first(where: { $0[keyPath: named].contains(wanted) }) { return .call(grant.id) }
    throw missing(right, path)
  }

  /// What may be opened at a path: a pipe could keep its reader waiting, so only where the user typed it.
  func kinds(of path: String) -> FileKinds {
    guard !isTyped(path) else { return .any }
    guard !callGrants.isEmpty, let named = resolvedPath(path) else { return .plain }
    return callGrants.contains { ($0.readable + $0.writable).contains(named) } ? .any : .plain
  }

  private func missing(_ right: String, _ path: String) -> GrantError {
    .missing(plugin: owner.plugin?.description ?? "this state", right: "\(right):\(printable(path))")
  }
}

private func isPath(_ path: String, within place: String) -> Bool {
  path == place || path.hasPrefix(place.hasSuffix("/") ? place : place + "/")
}

/// The path with links followed as far as it exists, so that no link leads out of what was granted. Nil for what would lead
/// elsewhere once it exists: a link into nothing, and .. behind what is not there.
func resolvedPath(_ path: String) -> String? {
  guard !path.utf8.contains(0) else { return nil }
  if let resolved = realpath(path, nil) {
    defer { free(resolved) }
    return String(cString: resolved)
  }
  var facts = stat()
  guard errno == ENOENT, lstat(path, &facts) != 0 else { return nil }
  var parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
  guard let last = parts.popLast(), last != "..", last != "." else { return nil }
  let parent = (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  guard let base = resolvedPath(parent.isEmpty ? "." : parent) else { return nil }
  return base.hasSuffix("/") ? base + last : base + "/" + last
}
