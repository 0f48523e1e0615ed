// Lua's view of files: the module `files`. Invariant: a plugin reaches a path only if the path, with links resolved,
// is within a granted one.

import Files
import Glibc
import LuaRuntime
import Problems
import Text
import Workspace

func filesModule(_ context: BindingContext) -> BoundModule {
  context.module(
    "files",
    "Text files: read and write them whole, or line by line. `~/` at the start of a path is your home folder; `-` is "
      + "standard input or output."
  ) { module in
    module.function(
      "lines", ["path": .string], returns: .iterator(.string), example: "(\"list.txt\")",
      "The lines of a file, without their line ends."
    ) { stack in
      let path = try context.expanded(stack.text(1))
      let right = try context.requireReading(path)
      let lines = try context.openFiles.open(path, context.kinds(of: path), for: stack) {
        try context.requireSignIn()
        try context.require(right, of: path)
      }
      return LuaResults(lines, LuaValue.none, LuaValue.none, lines)
    }
    module.function(
      "read", ["path": .string], returns: .string.orProblem, example: "(\"list.txt\")",
      "The whole file, at most 256 MiB."
    ) { stack in
      let path = try context.expanded(stack.text(1))
      try context.requireReading(path)
      return LuaValue.bytes(try wholeFile(path, context.kinds(of: path), stack))
    }
    module.action(
      "write", ["path": .string, "text": .string], example: "(\"copy.txt\", \"hello\\n\")",
      "Writes the whole file or, if that fails, nothing."
    ) { stack in
      let path = try context.expanded(stack.text(1))
      let bytes = try stack.bytes(2)
      try context.requireWriting(path)
      guard try context.mayActOutside("write \(path), \(counted(bytes.count, "byte"))") else { return }
      let options = Replacement.exported(context.kinds(of: path)) { Interrupts.areRequested }
      try AtomicFile.writeGiven(path, options) { sink in
        // In place: a copy would need as much memory again.
        for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
          try sink.append(UnsafeBufferPointer(rebasing: bytes[start..<min(start + 1 << 16, bytes.count)]))
        }
      }
    }
  }
}

/// Reads the bytes of a file that become one Lua string; they are charged before they are read.
private func wholeFile(_ path: String, _ kinds: FileKinds, _ stack: borrowing LuaStack) throws -> [UInt8] {
  let file = try ByteFile.given(path, kinds) { Interrupts.areRequested }
  // As much again while the array grows, and once more for the Lua string.
  if let size = file.size, size <= largestFile { try stack.memory.charge(3 * size) }
  let limit = max(1 << 20, min(largestFile, stack.memory.room))
  do { return try file.rest(limit: limit) } catch {
    // A file that does not fit in the state's memory ends the call like any other lack of memory.
    if error.number == EFBIG, limit < largestFile { try stack.memory.charge(largestFile) }
    throw error
  }
}

private let largestFile = 256 << 20

/// The files of one state that are being read line by line. Invariant: no more than `limit` are open at once.
final class OpenFiles {
  fileprivate var count = 0
  private static let limit = 100

  /// - Parameter check: throws when the right to read the file has ended, or the user has signed out; called before
  ///   each line.
  func open(
    _ path: String, _ kinds: FileKinds, for stack: borrowing LuaStack, check: @escaping () throws -> Void
  ) throws -> LineFile {
    // Garbage collection closes the files that Lua no longer refers to.
    if count >= Self.limit { stack.state.collect() }
    guard count < Self.limit else {
      throw LuaFailure.message("\(Self.limit) files are open; read one to its end, or leave its loop, to open another")
    }
    return try LineFile(path, kinds, among: self, check: check)
  }
}

/// A file that is read line by line; closed at its end, on an error, at the end of its loop, or when it is freed.
final class LineFile: BoundObject {
  private var file: ByteFile?
  private let files: OpenFiles
  private let check: () throws -> Void
  private var buffer: [UInt8] = []
  private var filled = 0
  private var position = 0
  private static let longest = 16 << 20
  static let cost = 72 << 10

  fileprivate init(
    _ path: String, _ kinds: FileKinds, among files: OpenFiles, check: @escaping () throws -> Void
  ) throws {
    file = try ByteFile.given(path, kinds) { Interrupts.areRequested }
    self.check = check
    self.files = files
    files.count += 1
  }

  deinit { close() }

  func close() {
    guard file != nil else { return }
    file = nil
    buffer = []
    files.count -= 1
  }

  /// Returns the next line; nil at the end, and after the file was closed.
  func next(_ stack: borrowing LuaStack) throws -> [UInt8]? {
    guard let file else { return nil }
    try check()
    do {
      let line = try line(of: file, stack)
      if line == nil { close() }
      return line
    } catch {
      close()
      throw error
    }
  }

  private func line(of file: ByteFile, _ stack: borrowing LuaStack) throws -> [UInt8]? {
    var line: [UInt8] = []
    if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: 64 << 10) }
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
      if end == nil { try stack.memory.charge(3 * rest.count) }
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

/// The iterator over lines; each call returns the next one.
func linesType() -> BoundType<LineFile> {
  BoundType<LineFile>(
    "lines", "An iterator over the lines of a file.", weight: .bytes(LineFile.cost), summary: { _ in "lines of a file" }
  ) { type in
    type.operation("__call") { lines, stack in try lines.next(stack).map { LuaValue.bytes($0) } }
    type.closing { $0.close() }
  }
}

/// How long a path may be used.
enum PathRight {
  case lasting
  /// Until the end of the call of a command for which the user named the file.
  case call(Int)
}

extension BindingContext {
  /// Expands `~/` at the start of a path, as permissions and commands do; a plugin cannot find out the user's home.
  func expanded(_ path: String) throws -> String { try workspace().environment.folders.expanded(path) }

  /// Checks that a path may be read; code that keeps the file open checks the right that is returned again.
  /// - Throws: when the path was not granted.
  @discardableResult func requireReading(_ path: String) throws -> PathRight {
    try require(path, within: grants.readable, "files.read", \.readable)
  }

  /// Like `requireReading`, for code that opens the path by itself: a pipe is refused unless the user typed the path.
  func requireReadingOfFile(_ path: String) throws {
    try requireReading(path)
    if kinds(of: path) == .plain { _ = try ByteFile(path) { Interrupts.areRequested } }
  }

  func requireWriting(_ path: String) throws {
    _ = try require(path, within: grants.writable, "files.write", \.writable)
  }

  /// - Throws: when a right of a call is used after the call.
  func require(_ right: PathRight, of path: String) throws {
    guard case .call(let id) = right, !calls.open.contains(where: { $0.id == id }) else { return }
    throw missing("files.read", path)
  }

  private func require(
    _ path: String, within allowed: [String]?, _ right: String, _ named: KeyPath<CallGrant, [String]>
  ) throws -> PathRight {
    guard let allowed else { return .lasting }
    guard let wanted = resolvedPath(path) else { throw missing(right, path) }
    // Standard input and output are not files of a folder.
    if path != "-", allowed.compactMap(resolvedPath).contains(where: { isPath(wanted, within: $0) }) { return .lasting }
    // The outermost call first, as its right lasts longest.
    if let grant = calls.open.first(where: { call in
      call[keyPath: named].contains { $0.utf8.elementsEqual(wanted.utf8) }
    }) {
      return .call(grant.id)
    }
    throw missing(right, path)
  }

  /// Returns what may be opened at a path: a pipe could block its reader, so only if the user typed the path.
  func kinds(of path: String) -> FileKinds {
    // Standard input and output belong to the user.
    if path == "-" { return owner == .user ? .any : .plain }
    guard !isTyped(path) else { return .any }
    guard !calls.open.isEmpty, let named = resolvedPath(path) else { return .plain }
    return calls.open.contains { ($0.readable + $0.writable).contains(named) } ? .any : .plain
  }

  private func missing(_ right: String, _ path: String) -> GrantError {
    .missing(plugin: pluginName, right: "\(right):\(printable(path))")
  }
}

/// Compares bytes: names that differ only in their Unicode form are different files.
private func isPath(_ path: String, within place: String) -> Bool {
  path.utf8.elementsEqual(place.utf8) || path.utf8.starts(with: (place.hasSuffix("/") ? place : place + "/").utf8)
}

/// Resolves the links of a path as far as it exists, so that no link leads out of what was granted. Nil for a path
/// that could lead elsewhere once it exists: a dangling link, or .. after a missing part.
func resolvedPath(_ path: String) -> String? {
  guard !path.utf8.contains(0) else { return nil }
  if let resolved = realPath(path) { return resolved }
  var facts = stat()
  guard errno == ENOENT, lstat(path, &facts) != 0 else { return nil }
  var parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
  guard let last = parts.popLast(), last != "..", last != "." else { return nil }
  let parent = (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  guard let base = resolvedPath(parent.isEmpty ? "." : parent) else { return nil }
  return base.hasSuffix("/") ? base + last : base + "/" + last
}
