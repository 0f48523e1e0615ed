// Runs a script over lines: `map` makes records of each line, `--reduce` processes the records of each key.
// Invariant: the output depends only on the script, its arguments, the seed and the input; no user's data is opened;
// memory does not grow with the input.

public import Files
import LuaRuntime
public import Problems
import Text
import Values

/// The options of a run over lines.
public struct MapOptions: Sendable {
  public var isReduce = false
  public var seed: UInt64 = 0
  /// How many keys may have their values combined in memory before these are written.
  public var keep = 200_000
  /// Seconds that the script may take to start, and then for each line or record.
  public var seconds = 60.0

  public init() {}
}

public final class MapJob {
  /// The maximum bytes of a line.
  public static let lineLimit = 16 << 20

  private let state: LuaState
  private let options: MapOptions
  private let name: String
  private let input: InputLines
  private let output: FileSink
  private var writer = RecordWriter()
  private var counts = MapCounts()
  /// The key whose records are being read, and the tab after it; empty before the first one.
  private var current: [UInt8] = []

  /// Compiles the script and runs its top level.
  /// - Parameters:
  ///   - name: the path of the script, `arg[0]`.
  ///   - message: receives what the script prints.
  /// - Throws: `LuaError`, `MapError.noFunction`.
  public init(
    _ code: [UInt8], name: String, arguments: [String], options: MapOptions, input: InputLines, output: FileSink,
    message: @escaping (String) -> Void
  ) throws {
    (self.options, self.name, self.input, self.output) = (options, name, input, output)
    state = try LuaState(libraries: .full, seed: options.seed)
    state.timeLimit = options.seconds
    try prepare(arguments, message)
    try reporting(line: 0) { try state.load(luaCode(ofFile: code), name: name).call(arguments, results: 0) { _ in } }
  }

  /// What was read and written, as JSON on one line.
  public var summary: String {
    let known: [(String, Value)] = [
      ("lines", .integer(input.count)), ("records", .integer(counts.records)), ("bad_text", .integer(counts.badText)),
    ]
    let own = counts.own.sorted { $0.key < $1.key }.map { ($0.key, Value.integer($0.value)) }
    return Value.record(known + own).json(.compact)
  }

  /// Reads the input to its end.
  /// - Throws: `MapError`, `FileError`.
  public func run() throws {
    let names = options.isReduce ? ["reduce", "combine"] : ["map"]
    guard try names.contains(where: { try isFunction($0) }) else {
      throw MapError.noFunction(script: name, isReduce: options.isReduce)
    }
    let loop = try state.load(PackageResources.loops_lua, name: "deckhand").call([
      options.isReduce, options.isReduce ? nextRecord : nextLine, put, putCard, seed, options.keep,
    ]) { $0.reference(-1) }
    do { try reporting(line: nil) { try loop.call([], results: 0) { _ in } } } catch let error as LuaError {
      // The script called os.exit: what it emitted is written.
      if !options.isReduce { try reporting(line: nil) { try loop.call([true], results: 0) { _ in } } }
      try output.flush()
      throw error
    }
    try output.flush()
  }

  private func isFunction(_ name: String) throws -> Bool {
    try state.load("return \(name)", name: "deckhand").call([]) { $0.kind(-1) == .function }
  }

  /// Adds the line number of the input to an error of the script.
  private func reporting(line: Int?, _ body: () throws -> Void) throws {
    do {
      try body()
      // The script may have caught it.
      if let failure = counts.failure { throw failure }
    } catch let error as LuaError {
      // A problem that the host found has passed through Lua as an error.
      if let failure = counts.failure { throw failure }
      if case .exit = error.stopReason { throw error }
      // An error that the loops raise has no position in the script.
      let loops = error.description.hasPrefix("deckhand:")
      let words = loops ? String(error.description.drop { $0 != " " }.dropFirst()) : error.description
      throw MapError.failed(line: line ?? input.count, message: words)
    }
  }

  // MARK: The script's environment

  private func prepare(_ arguments: [String], _ message: @escaping (String) -> Void) throws {
    try registerWords(in: state)
    try state.setGlobal(
      "arg",
      LuaValue.table(
        [(.integer(0), .text(name))] + arguments.enumerated().map { (.integer($0.offset + 1), .text($0.element)) }))
    try state.setGlobal("count", LuaFunction("count") { [unowned self] in try self.count($0) })
    let reporting = LuaFunction("print") { stack in
      message(String(decoding: try stack.bytes(1), as: UTF8.self))
      return LuaNothing()
    }
    try state.load(PackageResources.output_lua, name: "deckhand").call([reporting], results: 0) { _ in }
  }

  private func count(_ stack: borrowing LuaStack) throws -> LuaNothing {
    let name = try stack.text(1, limit: 200)
    if MapCounts.taken.contains(name) {
      throw LuaFailure.argument(1, "another name expected: \(name) is a count of the run itself")
    }
    guard counts.own[name] != nil || counts.own.count < MapCounts.mostNames else {
      throw LuaFailure.message("count: at most \(MapCounts.mostNames) names")
    }
    let amount = stack.isNoneOrNil(2) ? 1 : try stack.integer(2)
    counts.own[name] = (counts.own[name] ?? 0) &+ amount
    return LuaNothing()
  }

  // MARK: Functions for the loops

  private var nextLine: LuaFunction {
    LuaFunction("next_line") { [unowned self] stack in
      while let line = try nextInput() {
        guard isText(line) else {
          counts.badText += 1
          continue
        }
        stack.push(bytes: line.bindMemory(to: UInt8.self))
        return LuaPushed(1)
      }
      return LuaPushed(0)
    }
  }

  private func nextInput() throws -> UnsafeRawBufferPointer? {
    try failing { () -> UnsafeRawBufferPointer? in
      do {
        // The time for the previous lines does not count.
        CallPause.restartLimit()
        return try CallPause.waitingForUser { () throws(FileError) in try input.next() }
      } catch let error as FileError {
        guard case .tooLarge(let limit) = error.reason else { throw error }
        throw MapError.longLine(line: input.count + 1, limit: limit)
      }
    }
  }

  /// Returns true and a value while the key is the same, otherwise the key and its first value.
  private var nextRecord: LuaFunction {
    LuaFunction("next_record") { [unowned self] stack in
      guard let line = try nextInput() else { return LuaPushed(0) }
      guard let record = RecordText(line) else {
        throw fail(MapError.badRecord(line: input.count, reason: "it has no tab"))
      }
      if record.key.elementsEqual(current) {
        stack.push(true)
      } else {
        if record.key.lexicographicallyPrecedes(current) { throw fail(MapError.unsorted(line: input.count)) }
        current = Array(record.key)
        guard let key = RecordText.plain(Array(current.dropLast())) else {
          throw fail(MapError.badRecord(line: input.count, reason: "its key has an invalid escape"))
        }
        stack.push(bytes: key)
      }
      try push(json: record.json, on: stack)
      return LuaPushed(2)
    }
  }

  private func push(json: UnsafeRawBufferPointer, on stack: borrowing LuaStack) throws {
    if let number = RecordText.wholeNumber(json) { return stack.push(number) }
    let limits = JSONLimits(bytes: MapJob.lineLimit, depth: 64, values: 1 << 20, string: MapJob.lineLimit)
    let value: Value
    do throws(JSONFailure) { value = try JSONParser.parse(Array(json), limits: limits) } catch {
      throw fail(MapError.badRecord(line: input.count, reason: "its value is not JSON"))
    }
    if case .null = value { throw fail(MapError.badRecord(line: input.count, reason: "its value is null")) }
    _ = try LuaValue(value).push(on: stack)
  }

  private var put: LuaFunction {
    LuaFunction("emit") { [unowned self] stack in
      writer.begin()
      writer.add(key: try stack.bytes(1))
      try writer.add(value: 2, of: stack)
      return try written()
    }
  }

  private var putCard: LuaFunction {
    LuaFunction("emit") { [unowned self] stack in
      if stack.isNoneOrNil(1) { throw LuaFailure.argument(1, "value expected, got \(stack.typeName(1))") }
      writer.begin()
      try writer.add(value: 1, of: stack)
      return try written()
    }
  }

  private func written() throws -> LuaNothing {
    counts.records += 1
    try failing { try output.append(writer.bytes) }
    return LuaNothing()
  }

  private var seed: LuaFunction {
    LuaFunction("seed") { [unowned self] stack in
      let value = seedHash(of: try stack.bytes(1), options.seed)
      stack.push(Int(truncatingIfNeeded: value >> 32))
      stack.push(Int(truncatingIfNeeded: value & 0xFFFF_FFFF))
      return LuaPushed(2)
    }
  }

  /// Records a problem with the input or the output; it ends the run whatever the script catches.
  private func failing<T>(_ body: () throws -> T) throws -> T {
    if let failure = counts.failure { throw failure }
    do { return try body() } catch let error as any Problem { throw fail(error) }
  }

  private func fail(_ problem: any Problem) -> any Problem {
    if counts.failure == nil { counts.failure = problem }
    return problem
  }

  private func isText(_ line: UnsafeRawBufferPointer) -> Bool {
    if line.allSatisfy({ $0 < 0x80 }) { return true }
    return String(validating: line, as: UTF8.self) != nil
  }
}

private struct MapCounts {
  static let taken = ["lines", "records", "bad_text"]
  static let mostNames = 1000
  var records = 0
  var badText = 0
  /// The script's own counters, by name.
  var own: [String: Int] = [:]
  var failure: (any Problem)?
}

/// Returns the FNV-1a hash of the bytes and the seed.
private func seedHash(of bytes: UnsafeBufferPointer<UInt8>, _ seed: UInt64) -> UInt64 {
  let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  return hash ^ (hash >> 29)
}

public enum MapError: Problem, Equatable {
  case noFunction(script: String, isReduce: Bool)
  /// A line that has more bytes than the limit.
  case longLine(line: Int, limit: Int)
  /// A line of the input to `--reduce` that is not a record.
  case badRecord(line: Int, reason: String)
  /// A key that is smaller than the one before.
  case unsorted(line: Int)
  /// The script's code failed.
  case failed(line: Int, message: String)

  public var report: ProblemReport {
    switch self {
    case .noFunction(let script, let isReduce):
      ProblemReport(
        .badFile, "No function to run",
        "\(printable(script)) has no function \(isReduce ? "reduce or combine" : "map"); `help map` shows one")
    case .longLine(let line, let limit):
      ProblemReport(
        .tooLarge, "Line too long",
        "line \(line) of standard input has more than \(grouped(limit)) bytes; only a line feed ends a line",
        ["line": line])
    case .badRecord(let line, let reason):
      ProblemReport(
        .badRow, "Not a record",
        "line \(line) of standard input is not a record: \(reason); KEY, a tab and JSON expected, as `map` writes them",
        ["line": line])
    case .unsorted(let line):
      ProblemReport(
        .badRow, "Not sorted",
        "line \(line) of standard input is not sorted: its key is smaller than the one before; use LC_ALL=C sort",
        ["line": line])
    case .failed(let line, let message):
      ProblemReport(
        .luaError, "The script failed",
        (line > 0 ? "line \(line) of standard input: " : "") + printable(message, limit: 2_000), ["line": line])
    }
  }
}
